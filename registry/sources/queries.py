"""What is known of a record, taken together into a question for the sources."""

from __future__ import annotations

from typing import Any

from registry.equality.identifiers import parse_arxiv_id, parse_doi
from registry.records import KindName
from registry.sources.interface import Query
from registry.store.entry import Entry
from registry.store.index import Index
from registry.store.wording import bibtex_name

SPEAKABLE: tuple[KindName, ...] = ("paper",)
"""Kinds that the sources know. Nobody upstream can be asked about a claim or a method."""


def query_of(entry: Entry, index: Index) -> Query:
    """The question that a paper's preferred values make."""
    values: dict[str, Any] = {
        fact.name: fact.preferred.value for fact in entry.facts if fact.preferred is not None
    }
    volume = str(values.get("volume", ""))
    heard = index.evidence_about.get(entry.key, [])
    return Query(
        record=entry.key,
        title=values.get("title", ""),
        authors=tuple(bibtex_name(author) for author in values.get("authors", ())),
        year=values.get("year"),
        arxiv_id=values.get("arxiv_id", ""),
        doi=values.get("doi", ""),
        openreview_id=values.get("openreview_id", ""),
        dblp_key=values.get("dblp_key", ""),
        venue=values.get("venue", ""),
        volume=volume,
        series=_series(values.get("venue", ""), volume, index),
        addresses=tuple(dict.fromkeys(item.heard.url for item in heard if item.heard)),
    )


def _series(venue: str, volume: str, index: Index) -> str:
    """The series that printed this volume of the venue."""
    place = index.get("venue", venue)
    volumes = place.extra.get("volumes", ()) if place is not None else ()
    return next((known["series"] for known in volumes if known["number"] == volume), "")


def query_from(text: str) -> Query | None:
    """The question that an identifier makes without a record, or None if it is no identifier.

    Args:
        text: an arXiv id or a DOI, in any form.
    """
    arxiv = parse_arxiv_id(text)
    if arxiv.id:
        return Query(f"arXiv:{arxiv.id}", arxiv_id=arxiv.id, arxiv_version=arxiv.version or "")
    doi = parse_doi(text)
    return Query(f"doi:{doi}", doi=doi) if doi else None
