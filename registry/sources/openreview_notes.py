"""Reads one OpenReview note, of either interface, as what the site says of a paper.

The ``venueid`` tells where a note is filed: ``ORG/YEAR/Conference`` is an accepted paper, the same
with ``Rejected_Submission`` and the like behind it is none. The first interface files rejected
papers under the bare venue too, so there the text in ``venue`` must speak for acceptance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from registry.equality.tracks import read_group, read_track
from registry.equality.venue_text import read_venue
from registry.records.evidence import FieldName
from registry.sources.shapes import UnexpectedShapeError, one_line, text_of

_FIELDS: tuple[FieldName, ...] = ("title", "authors", "venue", "venue_track", "year")
_WITHHELD = ["Anonymous"]


class ReplyNoteError(Exception):
    """An id names a note inside a forum, such as a review; its text says where, on one line."""


@dataclass(frozen=True, slots=True)
class NoteReading:
    """What a note says."""

    observation: Mapping[str, Any]
    silent_on: tuple[FieldName, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Taken:
    """What was taken from a note so far."""

    values: dict[str, Any] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    """Fields that are there and cannot be read, which is not silence."""
    notes: list[str] = field(default_factory=list)


def read_note(data: Any, forum: str, *, first_api: bool = False) -> NoteReading:
    """What the note of a paper says.

    Args:
        data: The answer as plain data.
        forum: The id that was asked for.
        first_api: Whether it comes from the older interface, whose values stand bare.

    Raises:
        UnexpectedShapeError: the answer does not hold that note.
        ReplyNoteError: the id is that of a review or another reply.
    """
    notes = data.get("notes") if isinstance(data, dict) else None
    if not isinstance(notes, list):
        raise UnexpectedShapeError("it holds no list of notes")
    found = [note for note in notes if isinstance(note, dict) and note.get("id") == forum]
    if len(found) != 1:
        raise UnexpectedShapeError(f"it does not hold the note {forum}")
    note = found[0]
    if (place := text_of(note, "forum")) not in ("", forum):
        raise ReplyNoteError(f"{forum} is a reply in the forum {place} and no paper")
    content = note.get("content")
    if not isinstance(content, dict):
        raise UnexpectedShapeError(f"the note {forum} has no content")
    taken = _Taken()
    if title := _text(content, "title"):
        taken.values["title"] = title
    _take_authors(content, taken)
    _take_venue(content, note, first_api, taken)
    silent = (name for name in _FIELDS if name not in taken.values and name not in taken.unread)
    return NoteReading({**taken.values, "openreview_id": forum}, tuple(silent), tuple(taken.notes))


def _value(content: Mapping[str, Any], key: str) -> Any:
    value = content.get(key)
    return value.get("value") if isinstance(value, dict) else value


def _text(content: Mapping[str, Any], key: str) -> str:
    value = _value(content, key)
    if isinstance(value, list) and len(value) < 2:
        value = value[0] if value else None
    return text_of({key: value}, key)


def _take_authors(content: Mapping[str, Any], taken: _Taken) -> None:
    listed = _value(content, "authors")
    if isinstance(listed, str):
        listed = listed.strip()
    if listed in (None, "", [], _WITHHELD):
        return
    names = [_name(author) for author in listed] if isinstance(listed, list) else [""]
    if all(names):
        taken.values["authors"] = names
        return
    # An author left out would look like an author who is missing.
    taken.unread.add("authors")
    taken.notes.append("the list of authors has a form that cannot be read")


def _name(author: Any) -> str:
    if isinstance(author, dict):
        author = author.get("fullname")
    name = one_line(author) if isinstance(author, str) else ""
    # Names are written in reading order; a comma would turn one around in BibTeX's grammar.
    return f"{{{name}}}" if "," in name else name


def _take_venue(
    content: Mapping[str, Any], note: Mapping[str, Any], first_api: bool, taken: _Taken
) -> None:
    filed, said = _text(content, "venueid"), _text(content, "venue")
    if filed.lower().startswith("dblp.org/"):
        _take_mirrored(filed, said, taken)
        return
    refused = [text for text in (filed, said) if text and read_track(text).decision != "accepted"]
    if refused:
        _take_submission(refused, taken)
    elif first_api and (invitation := _refusing_invitation(note)):
        taken.notes.append(f"not accepted: it was filed through {invitation}")
        taken.values["venue_track"] = invitation
        taken.unread |= {"venue", "year"}
    elif first_api and filed and not said:
        taken.notes.append(f"whether {filed} took the paper cannot be told from the note")
        taken.unread |= {"venue", "venue_track", "year"}
    elif filed or said:
        _take_accepted(filed, said, taken)


def _take_accepted(filed: str, said: str, taken: _Taken) -> None:
    taken.values["venue"] = said or filed
    if track := next((text for text in (filed, said) if text and read_track(text).track), ""):
        taken.values["venue_track"] = track
    _take_year(filed, said, taken)


def _take_submission(refused: list[str], taken: _Taken) -> None:
    """The venue in words that tell of no acceptance; no year, since nothing appeared there."""
    taken.values["venue"] = refused[-1]
    taken.values["venue_track"] = refused[0]
    taken.unread.add("year")
    taken.notes.append(f"not accepted there: OpenReview files it as {refused[0]}")


def _take_mirrored(filed: str, said: str, taken: _Taken) -> None:
    """A copied entry repeats DBLP; OpenReview itself decided nothing about it."""
    taken.notes.append(f"only a copy of a DBLP entry ({filed}); OpenReview names no track of it")
    if said:
        taken.values["venue"] = said
    _take_year(filed, said, taken)


def _take_year(filed: str, said: str, taken: _Taken) -> None:
    group = read_group(filed)
    year = group.year if group else read_venue(said).year
    if year is not None:
        taken.values["year"] = year


def _refusing_invitation(note: Mapping[str, Any]) -> str:
    """The invitation of the older interface that only withdrawn or refused papers go through."""
    invitation = note.get("invitation")
    if not isinstance(invitation, str):
        return ""
    last = invitation.rpartition("/")[2].replace("_", " ")
    return invitation if read_track(last).decision == "refused" else ""
