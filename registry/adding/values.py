"""What a source says in the form in which a paper's record holds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from typing import Any

import msgspec
from pydantic import BaseModel, ValidationError

from registry.checks.values import FIRST_YEAR, LAST_YEAR
from registry.equality.fields import Context, describes_preprint
from registry.equality.identifiers import (
    is_preprint_dblp_key,
    is_preprint_doi,
    parse_arxiv_id,
    parse_dblp_key,
    parse_doi,
    parse_openreview_id,
)
from registry.equality.markup import display_text
from registry.equality.names import Name, parse_authors
from registry.equality.pages import parse_pages
from registry.equality.tracks import compare_tracks
from registry.equality.venues import Resolution
from registry.records.outline import types_at
from registry.store.characters import CONTROL, INVISIBLE

Observed = Mapping[str, Any]

OF_PUBLICATION = ("venue_track", "volume", "pages", "published")
"""Fields that a preprint has none of, whatever an index files under them."""

_DASHES = re.compile("\\s*[-‐‑‒–—―−]+\\s*")
_UNSEEN = re.compile(f"[{CONTROL}{INVISIBLE}\ud800-\udfff]")


def in_record_form(name: str, observed: Observed, context: Context) -> Any:
    """The value of a field as plain data; None if what is observed is no value to hold.

    Args:
        name: The field.
        observed: The whole observation, which has the field.
        context: What is held of the paper so far.
    """
    value = _FORMS[name](observed, context)
    return value if value not in (None, "", []) and _fits(name, value) else None


def is_of_preprint(name: str, observed: Observed, context: Context, *, unpublished: bool) -> bool:
    """Whether a value is the preprint's own, and not a fact about the paper that is recorded.

    Args:
        name: The field.
        observed: The whole observation, which has the field.
        context: What is held of the paper so far.
        unpublished: Whether the preprint is all there is.
    """
    if name == "doi":
        return is_preprint_doi(parse_doi(str(observed["doi"])))
    if unpublished:
        return name in OF_PUBLICATION
    if name == "dblp_key":
        return is_preprint_dblp_key(parse_dblp_key(str(observed["dblp_key"])))
    return name in (*OF_PUBLICATION, "year") and describes_preprint(observed, context)


def resolved(observed: Observed, context: Context) -> Resolution:
    """The venue that an observation means."""
    return context.venues.resolve(
        str(observed.get("venue", "")),
        series=str(observed.get("series", "")),
        volume=str(observed.get("volume", "")),
        year=observed.get("year"),
    )


def clean(text: str) -> str:
    """A source's text on one line, without mark-up and without what cannot be seen."""
    return one_line(display_text(text))


def one_line(text: str) -> str:
    """A text on one line, without what cannot be seen."""
    return " ".join(_UNSEEN.sub("", text).split())


def publisher_doi(observed: Observed) -> str:
    """The DOI that is not the preprint's, or nothing."""
    doi = parse_doi(str(observed.get("doi", "")))
    return "" if is_preprint_doi(doi) else doi


def author(name: Name) -> dict[str, str]:
    """A name as a record holds it."""
    parts = {key: clean(part) for key, part in msgspec.to_builtins(name).items()}
    parts = {key: part for key, part in parts.items() if part}
    if "family" in parts or "literal" in parts:
        return parts
    return {"literal": clean(str(name))}


def _title(observed: Observed, context: Context) -> Any:
    return clean(str(observed["title"]))


def _authors(observed: Observed, context: Context) -> Any:
    # A name that is missing would make the others look like the whole line.
    people = [author(name) for name in parse_authors(observed["authors"]).names]
    return people if all(all(person.values()) for person in people) else None


def _venue(observed: Observed, context: Context) -> Any:
    found = resolved(observed, context)
    named = found.accepted and not found.conflict and not found.workshop
    return found.venue if named and found.kind not in ("series", "unknown") else None


def _venue_track(observed: Observed, context: Context) -> Any:
    tracks = context.venues.tracks_of(context.recorded_venue)
    for track in tracks:
        said = compare_tracks(track["id"], str(observed["venue_track"]), tracks=tracks)
        if said.outcome == "same":
            return track["id"]
    return None


def _year(observed: Observed, context: Context) -> Any:
    year = observed["year"]
    return year if type(year) is int and FIRST_YEAR <= year <= LAST_YEAR else None


def _volume(observed: Observed, context: Context) -> Any:
    return clean(str(observed["volume"]))


def _pages(observed: Observed, context: Context) -> Any:
    written = str(observed["pages"])
    pages = parse_pages(written)
    if pages is None or pages.open:
        return None
    if not (pages.first + pages.last).isdigit():
        return _DASHES.sub("-", clean(written))
    if not pages.last:
        return pages.first
    return f"{pages.first}-{pages.last}" if pages.count else None


def _arxiv_id(observed: Observed, context: Context) -> Any:
    return parse_arxiv_id(str(observed["arxiv_id"])).id


def _doi(observed: Observed, context: Context) -> Any:
    return publisher_doi(observed)


def _openreview_id(observed: Observed, context: Context) -> Any:
    return parse_openreview_id(str(observed["openreview_id"]))


def _dblp_key(observed: Observed, context: Context) -> Any:
    return parse_dblp_key(str(observed["dblp_key"]))


def _code(observed: Observed, context: Context) -> Any:
    address = str(observed["code"]).strip()
    return address if "://" in address else f"https://{address}"


def _published(observed: Observed, context: Context) -> Any:
    try:
        return date.fromisoformat(str(observed["published"]))
    except ValueError:
        return None


_FORMS: dict[str, Callable[[Observed, Context], Any]] = {
    "title": _title,
    "authors": _authors,
    "venue": _venue,
    "venue_track": _venue_track,
    "year": _year,
    "volume": _volume,
    "pages": _pages,
    "doi": _doi,
    "arxiv_id": _arxiv_id,
    "openreview_id": _openreview_id,
    "dblp_key": _dblp_key,
    "code": _code,
    "published": _published,
}
FIELDS = tuple(_FORMS)
"""The tracked fields that are taken from sources. Affiliations are not: a paper prints them."""

_OTHERWISE = {
    "rank": "normal",
    "recorded": date(2000, 1, 1),
    "by": "nobody",
    "basis": "stated",
}


@cache
def _assertion(name: str) -> type[BaseModel]:
    model: type[BaseModel]
    (model,) = types_at("paper", (name, "assertions", 0))
    return model


def _fits(name: str, value: Any) -> bool:
    try:
        _assertion(name).model_validate(_OTHERWISE | {"value": value})
    except ValidationError:
        return False
    return True
