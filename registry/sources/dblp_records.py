"""Reads DBLP's records, as XML by key and as JSON from the search, and chooses among hits.

In JSON every number is text, one author is an object where several are a list, and a search without
a hit has no list at all. The number behind the name of a homonym is DBLP's own, and its BibTeX
export leaves it out as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from registry.equality.identifiers import (
    is_preprint_dblp_key,
    parse_arxiv_id,
    parse_dblp_key,
    parse_doi,
    parse_openreview_id,
)
from registry.equality.names import author_in_common, parse_authors
from registry.equality.works import Work, same_work
from registry.sources.interface import Query
from registry.sources.shapes import UnexpectedShapeError, one_line, part_of, text_of, texts_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_HOMONYM_NUMBER = re.compile(r" [0-9]{4}$")


@dataclass(frozen=True, slots=True)
class HitsReading:
    """What a search found."""

    total: int
    """Records that answer to it, which may be more than were sent."""
    observations: tuple[dict[str, Any], ...]
    """Each has a key and a title."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is taken of the records that a search found."""

    observation: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    undecided: str = ""
    """Why a record may be the paper or not, if none is surely it."""


def read_record(root: Element) -> dict[str, Any]:
    """What the record in an XML answer says.

    Raises:
        UnexpectedShapeError: it is not of the shape of such an answer.
    """
    records = list(root) if root.tag == "dblp" else []
    if len(records) != 1:
        raise UnexpectedShapeError("it does not hold one record")
    said: dict[str, list[str]] = {}
    for element in records[0]:
        said.setdefault(element.tag, []).append(one_line("".join(element.itertext())))
    return _observation(
        key=records[0].get("key", ""),
        title=_first(said, "title"),
        authors=said.get("author", []),
        venue=_first(said, "booktitle") or _first(said, "journal"),
        year=_first(said, "year"),
        volume=_first(said, "volume"),
        pages=_first(said, "pages"),
        editions=said.get("ee", []),
    )


def read_hits(data: Any) -> HitsReading:
    """What the answer to a search says.

    Raises:
        UnexpectedShapeError: it is not of the shape of such an answer.
    """
    if not isinstance(data, dict):
        raise UnexpectedShapeError("it is no answer to a search")
    hits = part_of(part_of(data, "result"), "hits")
    total = text_of(hits, "@total")
    if not _is_number(total):
        raise UnexpectedShapeError("it does not say how many hits there are")
    found = tuple(_hit(part_of(hit, "info")) for hit in _several(hits, "hit"))
    if len(found) > int(total) or (not found and total != "0"):
        raise UnexpectedShapeError(f"it announces {total} hits and holds {len(found)}")
    return HitsReading(int(total), found)


def choose(query: Query, observations: Sequence[dict[str, Any]]) -> Choice:
    """The record of the paper that is asked for, the publication before the preprint."""
    asked = Work(
        query.title,
        parse_authors(query.authors).names,
        query.year,
        query.arxiv_id,
        query.doi,
        query.openreview_id,
    )
    fitting: list[dict[str, Any]] = []
    undecided: list[str] = []
    for observation in observations:
        found = _work(observation)
        result = same_work(asked, found)
        if result.outcome == "same":
            fitting.append(observation)
        elif result.outcome == "cannot-tell" and (
            not found.authors or author_in_common(asked.authors, found.authors)
        ):
            undecided.append(f"{observation['dblp_key']}: {result.note}")
    if not fitting:
        return Choice(undecided="; ".join(undecided[:2]))
    fitting.sort(key=lambda fit: (is_preprint_dblp_key(fit["dblp_key"]), _years_off(query, fit)))
    chosen, *others = fitting
    printed = [fit["dblp_key"] for fit in others if not is_preprint_dblp_key(fit["dblp_key"])]
    notes = (f"also under this title and an author of it: {', '.join(printed)}",) if printed else ()
    return Choice(chosen, notes)


def _hit(info: Mapping[str, Any]) -> dict[str, Any]:
    authors = _several(part_of(info, "authors"), "author")
    # The track may be told in a second venue; the first one is the conference.
    venues = texts_of(info, "venue")
    observation = _observation(
        key=text_of(info, "key"),
        title=text_of(info, "title"),
        authors=[text_of(author, "text") for author in authors],
        venue=venues[0] if venues else "",
        year=text_of(info, "year"),
        volume=text_of(info, "volume"),
        pages=text_of(info, "pages"),
        editions=[*texts_of(info, "doi"), *texts_of(info, "ee")],
    )
    if "title" not in observation:
        raise UnexpectedShapeError("a hit has no title")
    return observation


def _several(record: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects in a list, or the one object that stands where several would be a list."""
    value = record.get(key)
    items = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(item, dict) for item in items):
        raise UnexpectedShapeError(f"{key} is no list of objects")
    return items


def _observation(
    *,
    key: str,
    title: str,
    authors: Sequence[str],
    venue: str,
    year: str,
    volume: str,
    pages: str,
    editions: Sequence[str],
) -> dict[str, Any]:
    if not parse_dblp_key(key):
        raise UnexpectedShapeError("a record has no key")
    if year and not _is_number(year):
        raise UnexpectedShapeError("the year is no number")
    # A CoRR entry has the arXiv id where others have the number of the volume.
    arxiv = parse_arxiv_id(volume).id if is_preprint_dblp_key(key) else ""
    reviews = (edition for edition in editions if "openreview.net/" in edition)
    names = [_HOMONYM_NUMBER.sub("", name) for name in authors]
    observation: dict[str, Any] = {
        "title": title,
        "authors": names if all(names) else [],
        "venue": venue,
        "year": int(year) if year else None,
        "volume": "" if arxiv else volume,
        "pages": pages,
        "doi": next(filter(parse_doi, editions), ""),
        "arxiv_id": arxiv,
        "openreview_id": next(filter(None, map(parse_openreview_id, reviews)), ""),
        "dblp_key": key,
    }
    return {name: value for name, value in observation.items() if value}


def _work(observation: Mapping[str, Any]) -> Work:
    return Work(
        observation.get("title", ""),
        parse_authors(observation.get("authors", ())).names,
        observation.get("year"),
        observation.get("arxiv_id", ""),
        observation.get("doi", ""),
        observation.get("openreview_id", ""),
    )


def _years_off(query: Query, observation: Mapping[str, Any]) -> int:
    year = observation.get("year")
    return 0 if query.year is None or year is None else abs(query.year - year)


def _first(said: Mapping[str, list[str]], tag: str) -> str:
    return next(iter(said.get(tag, ())), "")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
