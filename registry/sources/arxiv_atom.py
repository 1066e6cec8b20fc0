"""Reads what arXiv's API answers: an Atom feed with one entry for each paper that it knows.

Faults come inside a feed of the usual form, as an entry that is titled ``Error``, with status 400
or 200. A paper can be titled so, too; only the address in the entry's id tells the two apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from registry.equality.identifiers import parse_arxiv_id
from registry.equality.withdrawal import read_standing
from registry.sources.shapes import UnexpectedShapeError, one_line

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"

_DAY = re.compile(r"([0-9]{4})-[0-9]{2}-[0-9]{2}(?:T|$)")
_ACCEPTED = re.compile(r"\b(?:accepted|to\s+appear|published|camera[- ]ready|forthcoming)\b", re.I)


@dataclass(frozen=True, slots=True)
class Entry:
    """What arXiv says of one version of one paper."""

    id: str
    """arXiv id without version."""
    version: str
    """Such as ``v1``; empty if the entry does not tell."""
    observation: dict[str, Any]
    status: Literal["active", "withdrawn", "retracted"] = "active"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One feed."""

    entries: tuple[Entry, ...]
    total: int | None
    """Entries that there are, as the feed counts them; None if it does not tell."""
    strange: int = 0
    """Entries that could not be read."""
    fault: str = ""
    """What arXiv did not accept about the request."""


def read_page(feed: Element) -> Page:
    """Read a feed.

    Raises:
        UnexpectedShapeError: it is none.
    """
    if feed.tag != f"{_ATOM}feed":
        raise UnexpectedShapeError("it is no Atom feed")
    entries: list[Entry] = []
    strange = 0
    for element in feed.findall(f"{_ATOM}entry"):
        if _text(element, f"{_ATOM}title") == "Error" and "/api/errors" in _text(
            element, f"{_ATOM}id"
        ):
            return Page((), None, fault=_text(element, f"{_ATOM}summary") or "no reason given")
        try:
            entries.append(_entry(element))
        except UnexpectedShapeError:
            # Another paper's entry is none the worse for it.
            strange += 1
    total = _text(feed, f"{_OPENSEARCH}totalResults")
    counted = int(total) if total.isascii() and total.isdigit() and len(total) < 10 else None
    return Page(tuple(entries), counted, strange)


def _entry(element: Element) -> Entry:
    name = parse_arxiv_id(_text(element, f"{_ATOM}id"))
    if not name.id:
        raise UnexpectedShapeError("the id of an entry is no arXiv id")
    title, comment = _text(element, f"{_ATOM}title"), _text(element, f"{_ARXIV}comment")
    people, affiliations, nameless = _authors(element)
    dois = _text(element, f"{_ARXIV}doi").split()
    values: dict[str, Any] = {
        "title": title,
        "authors": people,
        "affiliations": affiliations,
        "venue": "arXiv",
        "year": _year(_text(element, f"{_ATOM}published")),
        "doi": dois[0] if dois else "",
        "arxiv_id": name.id + name.version,
    }
    standing = read_standing(title=title, comment=comment)
    notes = (
        "this is a retraction notice" if standing.status == "retraction notice" else "",
        f"to be read instead: arXiv {standing.successor}" if standing.successor else "",
        f"journal reference: {reference}"
        if (reference := _text(element, f"{_ARXIV}journal_ref"))
        else "",
        _about(comment),
        f"more than one DOI: {', '.join(dois)}" if len(dois) > 1 else "",
        nameless,
    )
    return Entry(
        name.id,
        name.version,
        {field: value for field, value in values.items() if value},
        "active" if standing.status == "retraction notice" else standing.status,
        tuple(filter(None, notes)),
    )


def _about(comment: str) -> str:
    if not comment:
        return ""
    where = "comment of the authors on acceptance" if _ACCEPTED.search(comment) else "comment"
    return f"{where}: {comment}"


def _authors(element: Element) -> tuple[tuple[str, ...], tuple[dict[str, Any], ...], str]:
    """The author line, the affiliations, and a note if the line cannot be given."""
    people: list[str] = []
    affiliations: list[dict[str, Any]] = []
    for place, author in enumerate(element.findall(f"{_ATOM}author"), 1):
        people.append(_text(author, f"{_ATOM}name"))
        printed = (_inner(element) for element in author.findall(f"{_ARXIV}affiliation"))
        affiliations += [
            {"author": place, "printed": text, "origin": "printed"} for text in printed if text
        ]
    if not all(people):
        # Left out, they would make the others look like the whole line.
        return (), (), f"{people.count('')} of {len(people)} authors have no name"
    return tuple(people), tuple(affiliations), ""


def _year(published: str) -> int | None:
    """The year of v1. A day in another form is a broken entry, no silence."""
    if not published:
        return None
    day = _DAY.match(published)
    if day is None:
        raise UnexpectedShapeError(f"“{published}” is no day")
    return int(day[1])


def _text(parent: Element, tag: str) -> str:
    child = parent.find(tag)
    return _inner(child) if child is not None else ""


def _inner(element: Element) -> str:
    return one_line("".join(element.itertext()))
