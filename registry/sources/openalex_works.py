"""Reads what OpenAlex says of a work.

Names are taken as they were read from the paper: the display name belongs to a profile and may be
garbled. Affiliations are the texts of the publisher's deposit or of the paper; the institutions
that OpenAlex matched to them by machine are no words of the paper. The day of publication is left
aside: it may be the day of any version, and days that have not come yet occur.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from registry.equality.identifiers import parse_doi
from registry.equality.withdrawal import read_standing
from registry.sources.shapes import (
    UnexpectedShapeError,
    part_of,
    parts_of,
    text_of,
    texts_of,
    whole_of,
)

_ID = re.compile(r"https://openalex\.org/(W[0-9]+)")
_LISTED_AUTHORS = 100
"""Authors that OpenAlex shows of one work in a list; a work that is looked up alone has all."""

_NOTICES = {"erratum": "an erratum", "retraction": "the notice of a retraction"}
_SHOWN = 4
"""Institutions that one note spells out."""


@dataclass(frozen=True, slots=True)
class WorkReading:
    """What a work says."""

    id: str
    """Such as ``W2741809807``."""
    observation: Mapping[str, Any]
    status: Literal["active", "withdrawn", "retracted"] = "active"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListReading:
    """What a list of works holds."""

    works: Mapping[str, Any] = field(default_factory=dict)
    """DOI, as it was asked for, to the work as plain data."""
    fault: str = ""
    """Why it says nothing about a DOI that is missing; empty if such a DOI is unknown."""


def work_id(data: Any) -> str:
    """The id of a work; empty if the data are none."""
    said = data.get("id") if isinstance(data, dict) else None
    match = _ID.fullmatch(said) if isinstance(said, str) else None
    return match[1] if match else ""


def read_list(data: Any, wanted: Sequence[str]) -> ListReading:
    """Find the works with the DOIs ``wanted``; unknown DOIs are left out of a list silently."""
    results = data.get("results") if isinstance(data, dict) else None
    meta = data.get("meta") if isinstance(data, dict) else None
    if not isinstance(results, list) or not isinstance(meta, dict):
        return ListReading(fault="it holds no list of works")
    works: dict[str, Any] = {}
    stray = False
    for work in results:
        doi = work.get("doi") if work_id(work) else None
        found = parse_doi(doi) if isinstance(doi, str) else ""
        if found in wanted:
            works.setdefault(found, work)
        else:
            stray = True
    if stray:
        return ListReading(works, "it holds a work that was not asked for")
    if type(meta.get("count")) is not int or meta["count"] != len(results):
        return ListReading(works, "it does not hold as many works as it says")
    return ListReading(works)


def read_work(data: Any, *, in_list: bool = False) -> WorkReading:
    """What a work says.

    Args:
        data: The work as plain data.
        in_list: Whether it stood in a list.

    Raises:
        UnexpectedShapeError: it is not of the shape of a work.
    """
    work = work_id(data)
    if not work:
        raise UnexpectedShapeError("it is no work")
    place, biblio = part_of(data, "primary_location"), part_of(data, "biblio")
    title = text_of(data, "title") or text_of(data, "display_name")
    authorships = parts_of(data, "authorships")
    observation = {
        "title": title,
        "authors": _authors(authorships, in_list),
        "affiliations": _affiliations(authorships),
        "venue": text_of(part_of(place, "source"), "display_name")
        or text_of(place, "raw_source_name"),
        "year": whole_of(data, "publication_year"),
        "volume": text_of(biblio, "volume"),
        "pages": _pages(biblio),
        "doi": text_of(data, "doi"),
    }
    observation = {name: value for name, value in observation.items() if value}
    status, note = _standing(data, title)
    notes = (note, "" if "affiliations" in observation else _matched(authorships))
    return WorkReading(work, observation, status, tuple(filter(None, notes)))


def _authors(authorships: Sequence[Mapping[str, Any]], in_list: bool) -> list[str]:
    """The author line; none if a name in it is missing, because the places would be wrong."""
    names = [
        text_of(authorship, "raw_author_name")
        or text_of(part_of(authorship, "author"), "display_name")
        for authorship in authorships
    ]
    if not all(names):
        return []
    return [*names, "others"] if in_list and len(names) == _LISTED_AUTHORS else names


def _affiliations(authorships: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the author block prints: a profile of the author is nowhere in these texts."""
    return [
        {"author": place, "printed": printed, "origin": "printed"}
        for place, authorship in enumerate(authorships, 1)
        for printed in dict.fromkeys(
            (
                *texts_of(authorship, "raw_affiliation_strings"),
                *(
                    text_of(affiliation, "raw_affiliation_string")
                    for affiliation in parts_of(authorship, "affiliations")
                ),
            )
        )
        if printed
    ]


def _matched(authorships: Sequence[Mapping[str, Any]]) -> str:
    """A note on institutions for which there is no printed text."""
    found = [
        f"author {place}: {name}"
        for place, authorship in enumerate(authorships, 1)
        for institution in parts_of(authorship, "institutions")
        if (name := text_of(institution, "display_name"))
    ]
    if not found:
        return ""
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"institutions without a printed text: {'; '.join(found[:_SHOWN])}{more}"


def _pages(biblio: Mapping[str, Any]) -> str:
    first, last = text_of(biblio, "first_page"), text_of(biblio, "last_page")
    return f"{first}-{last}" if first and last and first != last else first


def _standing(
    data: Mapping[str, Any], title: str
) -> tuple[Literal["active", "withdrawn", "retracted"], str]:
    """The paper's standing and a note on it. A notice may carry the flag of what it retracts."""
    if notice := _NOTICES.get(text_of(data, "type")):
        return "active", f"it is {notice}, not the paper itself"
    flag = data.get("is_retracted")
    if flag not in (None, True, False):
        raise UnexpectedShapeError("is_retracted is neither true nor false")
    standing = read_standing(title=title, is_retracted=flag)
    if standing.status == "retraction notice":
        return "active", "it is the notice of a retraction, not the paper itself"
    if standing.status == "retracted" and standing.note:
        return "retracted", f"marked as retracted: {standing.note}"
    return standing.status, standing.note
