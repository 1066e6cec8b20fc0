"""Reads what a publisher deposited with Crossref.

What was published about a paper stands in its ``updated-by``. ``update-to`` is the other direction:
a record that has it *is* a notice, of whatever it points to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from registry.equality.identifiers import parse_doi
from registry.equality.withdrawal import read_standing
from registry.sources.shapes import UnexpectedShapeError, part_of, parts_of, text_of, texts_of

_FIRST = ("issued", "published")
"""Both are the day of the first publication; some deposits have only one of them."""

_BY_MEDIUM = ("published-print", "published-online")

Status = Literal["active", "withdrawn", "retracted"]


@dataclass(frozen=True, slots=True)
class WorkReading:
    """What a deposit says."""

    observation: Mapping[str, Any]
    """It always has the DOI."""
    status: Status = "active"
    notes: tuple[str, ...] = ()


def read_work(data: Any) -> WorkReading:
    """What the answer about one DOI says.

    Raises:
        UnexpectedShapeError: it is not of the shape of such an answer.
    """
    message = data.get("message") if isinstance(data, dict) else None
    if not isinstance(message, dict) or data.get("message-type") != "work":
        raise UnexpectedShapeError("it describes no work")
    if not parse_doi(text_of(message, "DOI")):
        raise UnexpectedShapeError("it names no DOI")
    dates = {key: _date(message, key) for key in (*_FIRST, *_BY_MEDIUM)}
    year = next((dates[key][0] for key in _FIRST if dates[key]), None)
    venue, series = _container(message)
    observation = {
        "title": next(iter(texts_of(message, "title")), ""),
        "authors": _authors(message),
        "affiliations": _affiliations(message),
        "venue": venue,
        "series": series,
        "year": year,
        "published": next(filter(None, (_day(dates[key]) for key in _FIRST)), ""),
        "volume": text_of(message, "volume"),
        "pages": text_of(message, "page") or text_of(message, "article-number"),
        "doi": text_of(message, "DOI"),
    }
    observation = {name: value for name, value in observation.items() if value}
    status, notes = _standing(message, observation)
    return WorkReading(observation, status, (*_other_years(dates, year), *notes))


def _container(message: Mapping[str, Any]) -> tuple[str, str]:
    """Name of the venue and of the series, which comes first where a volume has both."""
    names = list(dict.fromkeys(texts_of(message, "container-title")))
    if len(names) < 2 or text_of(message, "type") == "journal-article":
        return next(iter(names), ""), ""
    return names[-1], names[0]


def _authors(message: Mapping[str, Any]) -> list[str]:
    """The author line; none if a name in it is missing, because the places would be wrong."""
    names = [_name(author) for author in parts_of(message, "author")]
    return names if all(names) else []


def _name(author: Mapping[str, Any]) -> str:
    """A name in BibTeX's grammar. A comma that a publisher put into a part must not split it."""
    family, given, suffix, group = (
        text_of(author, key).replace("{", "").replace("}", "")
        for key in ("family", "given", "suffix", "name")
    )
    if family and given:
        return ", ".join(_one_part(part) for part in (family, suffix, given) if part)
    alone = " ".join(filter(None, (family or given, suffix)))
    if alone:
        return f"{{{alone}}}" if " " in alone or "," in alone else alone
    return f"{{{group}}}" if group else ""


def _one_part(text: str) -> str:
    return f"{{{text}}}" if "," in text else text


def _affiliations(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"author": place, "printed": name, "origin": "printed"}
        for place, author in enumerate(parts_of(message, "author"), 1)
        for affiliation in parts_of(author, "affiliation")
        for name in texts_of(affiliation, "name")
    ]


def _date(record: Mapping[str, Any], key: str) -> tuple[int, ...]:
    """Year, month and day, as far as they are given; an unknown date is ``[[null]]``."""
    written = part_of(record, key).get("date-parts")
    if written is None:
        return ()
    if not isinstance(written, list) or not all(isinstance(parts, list) for parts in written):
        raise UnexpectedShapeError(f"{key} is no date")
    parts = [part for part in (written[0] if written else []) if part is not None]
    if not all(type(part) is int for part in parts):
        raise UnexpectedShapeError(f"{key} is no date")
    return tuple(parts)


def _day(parts: Sequence[int]) -> str:
    """The day in ISO's form; empty if it is not given to the day, or is none of the calendar."""
    try:
        return date(*parts).isoformat() if len(parts) == 3 else ""
    except (ValueError, OverflowError):
        return ""


def _other_years(dates: Mapping[str, tuple[int, ...]], year: int | None) -> Iterator[str]:
    for key in _BY_MEDIUM:
        if dates[key] and dates[key][0] != year:
            yield f"{key.replace('-', ' in ', 1)} in {dates[key][0]}"


def _standing(
    message: Mapping[str, Any], observation: Mapping[str, Any]
) -> tuple[Status, tuple[str, ...]]:
    doi = parse_doi(observation["doi"])
    updates, targets = parts_of(message, "updated-by"), parts_of(message, "update-to")
    notes = [f"updated by {_described(update)}" for update in updates]
    notes += [f"it is a notice itself: {_described(target)}" for target in targets]
    preprint_of = parts_of(part_of(message, "relation"), "is-preprint-of")
    notes += [f"it is the preprint of {text_of(other, 'id')}" for other in preprint_of]
    # Some publishers put "RETRACTED:" into the title of the notice, too.
    is_notice = any(parse_doi(text_of(target, "DOI")) != doi for target in targets)
    standing = read_standing(
        title=None if is_notice else observation.get("title"),
        relations=[text_of(update, "type") for update in updates],
    )
    if standing.status == "retraction notice":
        return "active", (*notes, "it is the notice of a retraction, not the paper itself")
    return standing.status, tuple(notes)


def _described(update: Mapping[str, Any]) -> str:
    """Such as ``retraction 10.5555/9 (2024-05-06, says retraction-watch)``."""
    source = text_of(update, "source")
    beside = ", ".join(
        filter(None, (_day(_date(update, "updated")), f"says {source}" if source else ""))
    )
    what = " ".join(filter(None, (text_of(update, "type"), text_of(update, "DOI"))))
    return f"{what} ({beside})" if beside else what
