"""What is shown of a record, one module for each format. A format is imported when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from registry.views.interface import View

VIEWS: dict[str, str] = {
    "terminal": "registry.views.terminal",
    "json": "registry.views.json",
    "markdown": "registry.views.markdown",
    "yaml": "registry.views.yaml",
}
"""Every format and its module. A new format is one module and one line here."""


def view(name: str) -> View:
    """The view for a format.

    Raises:
        KeyError: there is no such format.
    """
    return cast(View, import_module(VIEWS[name]))


__all__ = ["VIEWS", "View", "view"]
