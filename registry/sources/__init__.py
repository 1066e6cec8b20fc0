"""Upstream sources, one module each. A new source is one module and one line in ``MODULES``."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import cast

from registry.sources.interface import Source

MODULES: dict[str, str] = {
    "pmlr": "pmlr",
    "arxiv": "arxiv",
    "semantic-scholar": "semantic_scholar",
    "openalex": "openalex",
    "openreview": "openreview",
    "neurips": "neurips",
    "mlsys": "mlsys",
    "dblp": "dblp",
    "acl-anthology": "acl_anthology",
    "crossref": "crossref",
}
"""Id of the source's record to the module that asks it; its ``SOURCE`` is a ``Source``."""


def source(name: str) -> Source:
    """The source with this id.

    Raises:
        KeyError: there is none.
    """
    return cast(Source, import_module(f"registry.sources.{MODULES[name]}").SOURCE)


def sources(names: Iterable[str] = ()) -> list[Source]:
    """The sources with these ids, or all of them."""
    return [source(name) for name in (tuple(names) or MODULES)]
