"""What one source says makes it possible to ask the next.

An arXiv id alone opens few doors; the DOI, the title and the authors that the first answers bring
open the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from registry.equality.identifiers import is_preprint_doi, parse_arxiv_id, parse_doi
from registry.equality.venues import VenueNames
from registry.sources.interface import Answer, Query


def learned(query: Query, answers: Iterable[Answer], venues: VenueNames) -> Query:
    """The question, with what is still unknown in it filled from answers; first come, first used.

    Args:
        query: What was known.
        answers: What has been heard about it, the most trusted first.
        venues: The venues on record, to tell which volume a name and a year mean.
    """
    for answer in answers:
        if answer.outcome == "answered":
            query = _with(query, answer.observation, venues)
    return query


def _with(query: Query, seen: Any, venues: VenueNames) -> Query:
    known: dict[str, Any] = {
        "title": query.title or seen.get("title", ""),
        "authors": query.authors or tuple(seen.get("authors", ())),
        "year": query.year if query.year is not None else seen.get("year"),
        "arxiv_id": query.arxiv_id or parse_arxiv_id(seen.get("arxiv_id", "")).id,
        "openreview_id": query.openreview_id or seen.get("openreview_id", ""),
        "dblp_key": query.dblp_key or seen.get("dblp_key", ""),
    }
    doi = parse_doi(seen.get("doi", ""))
    # The preprint's DOI is not what a publisher's index would know.
    known["doi"] = query.doi or ("" if is_preprint_doi(doi) else doi)
    if not query.venue and "venue" in seen:
        volume = str(seen.get("volume", ""))
        place = venues.resolve(
            str(seen["venue"]), series=seen.get("series", ""), volume=volume, year=seen.get("year")
        )
        if place.kind in ("conference", "journal") and place.venue:
            known |= {"venue": place.venue, "volume": volume, "year": seen.get("year")}
            if printed := venues.volume_of(place.venue, place.year or seen.get("year")):
                known |= {"series": printed[0], "volume": printed[1]}
    return replace(query, **known)
