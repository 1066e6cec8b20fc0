"""Exports of papers, one module for each format. A format is imported when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from registry.bibliography.interface import Writer

WRITERS: dict[str, str] = {
    "bibtex": "registry.bibliography.bibtex",
    "csl-json": "registry.bibliography.csl_json",
    "cff": "registry.bibliography.cff",
    "json-ld": "registry.bibliography.json_ld",
    "csv": "registry.bibliography.csv",
}
"""Every format and its module. A new format is one module and one line here."""


def writer(name: str) -> Writer:
    """The writer for a format.

    Raises:
        KeyError: there is no such format.
    """
    return cast(Writer, import_module(WRITERS[name]))


__all__ = ["WRITERS", "Writer", "writer"]
