"""The formats of a comparison. A format is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from registry.comparing.comparison import Comparison

FORMATS: dict[str, str] = {
    "terminal": "registry.comparing.terminal",
    "json": "registry.comparing.json",
    "markdown": "registry.comparing.markdown",
    "csv": "registry.comparing.csv",
    "svg": "registry.comparing.svg",
}
"""Every format and its module, which has a ``render``. A new format is one module and one line."""


def as_text(comparison: Comparison, name: str) -> str:
    """The comparison in a format.

    Raises:
        KeyError: there is no such format.
    """
    render = cast(Callable[[Comparison], str], import_module(FORMATS[name]).render)
    return render(comparison)
