"""CSL-JSON, which Zotero, Pandoc and every citation processor for CSL styles read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from registry.bibliography.manifestation import ARXIV, Form, Manifestation
from registry.records.names import Author, Group

_TYPES: dict[Form, str] = {
    "proceedings": "paper-conference",
    "journal": "article-journal",
    "preprint": "article",
    "unplaced": "document",
}


def render(works: Sequence[Manifestation]) -> str:
    """A JSON list with one item for each work."""
    return json.dumps([_item(work) for work in works], indent=2, ensure_ascii=False) + "\n"


def _item(work: Manifestation) -> dict[str, Any]:
    first, last = work.page_ends
    item = {
        "id": work.id,
        "type": _TYPES[work.form],
        "title": work.title,
        "author": [_name(author) for author in work.authors],
        "issued": _date(work),
        "container-title": work.container,
        "collection-title": work.series,
        "publisher": work.publisher,
        "volume": work.volume,
        "page": f"{first}-{last}" if last else first,
        "number": f"{ARXIV}:{work.arxiv_id}" if work.arxiv_id else "",
        "DOI": work.doi,
        "URL": work.url,
    }
    return {key: value for key, value in item.items() if value}


def _date(work: Manifestation) -> dict[str, list[list[int]]] | None:
    if work.day:
        return {"date-parts": [[work.day.year, work.day.month, work.day.day]]}
    return {"date-parts": [[work.year]]} if work.year is not None else None


def _name(author: Author) -> dict[str, str]:
    if isinstance(author, Group):
        return {"literal": author.literal}
    name = {
        "family": author.family,
        "given": author.given,
        "non-dropping-particle": author.particle,
        "suffix": author.suffix,
    }
    return {key: value for key, value in name.items() if value}
