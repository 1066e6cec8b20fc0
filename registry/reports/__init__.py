"""Report formats, one module each. A format is imported when somebody asks for it."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from registry.reports.interface import Report, Reporter

REPORTERS: dict[str, str] = {
    "terminal": "registry.reports.terminal",
    "json": "registry.reports.json",
    "github": "registry.reports.github",
    "sarif": "registry.reports.sarif",
    "junit": "registry.reports.junit",
    "markdown": "registry.reports.markdown",
}
"""Every format and its module. A new format is one module and one line here."""


def reporter(name: str) -> Reporter:
    """The reporter for a format.

    Raises:
        ValueError: There is no such format.
    """
    if name not in REPORTERS:
        raise ValueError(f"no report format is called {name!r}; there are {', '.join(REPORTERS)}")
    return cast(Reporter, import_module(REPORTERS[name]))


__all__ = ["REPORTERS", "Report", "Reporter", "reporter"]
