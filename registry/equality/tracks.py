"""Tracks: what sources write of the part of a venue that took a paper.

The title of the volume is stronger than a tag: a workshop held at a conference is not the
conference, whatever acronym its name contains.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import msgspec

from registry.equality.interface import NOT_GIVEN, SAME, Comparison
from registry.equality.titles import words

Decision = Literal["accepted", "submitted", "refused"]

_ANTHOLOGY = re.compile(r"[0-9]{4}\.(?P<collection>[a-z0-9]+)-(?P<volume>[a-z0-9]+)(?:\.[0-9]+)?")
_GROUP = re.compile(
    r"(?P<site>[\w-]+(?:\.[\w-]+)+)/(?:(?P<name>[^\s]+?)/)?(?P<year>[0-9]{4})(?:/(?P<part>\S+))?"
)
_REFUSED = re.compile(r"\b(?:rejected|withdrawn)\b|\bdesk reject")
_SUBMITTED = re.compile(r"\bsubmi(?:tted|ssion)\b|\bunder review\b")

_TRACKS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (track, re.compile(rf"\b(?:{pattern})\b"))
    for track, pattern in (
        ("workshop", "workshops?|srw"),
        ("findings", "findings"),
        ("datasets-and-benchmarks", "datasets? (?:and|track) benchmarks?|benchmark track"),
        ("position", "position"),
        ("demo", "demos?|(?:system )?demonstrations?"),
        ("industry", "industry|industrial"),
        ("tutorial", "tutorials?"),
        ("competition", "competitions?"),
        (
            "main",
            "main|conference|posters?|spotlights?|orals?|notable|long|short|full papers?"
            "|regular papers?|(?:research|technical) track",
        ),
    )
)
"""Words that name a track, the telling ones before those that only say that a paper was taken."""


class Group(msgspec.Struct, frozen=True):
    """An OpenReview ``venueid`` taken apart, such as ``ICLR.cc/2025/Conference``."""

    name: str
    """Acronym of the venue."""
    year: int
    part: str
    """What stands behind the year, with spaces: ``Conference``, ``Workshop MATH-AI``."""


class TrackReading(msgspec.Struct, frozen=True):
    """What a text says of a track."""

    track: str = ""
    """General name of the track; empty if the text does not tell."""
    decision: Decision = "accepted"


def read_group(text: str) -> Group | None:
    """Take an OpenReview ``venueid`` apart; None if the text is none."""
    match = _GROUP.fullmatch(text.strip())
    if match is None:
        return None
    name = (match["name"] or match["site"].split(".")[0]).rpartition("/")[2]
    part = re.sub(r"[/_]+", " ", match["part"] or "")
    if match["site"] == "dblp.org":
        part = ""
    return Group(name, int(match["year"]), part)


@lru_cache(maxsize=1 << 12)
def read_track(text: str) -> TrackReading:
    """Read a track, a decision or the name of a volume."""
    if anthology := _ANTHOLOGY.fullmatch(text.strip().lower()):
        collection, volume = anthology["collection"], anthology["volume"]
        return TrackReading(_track_in(collection if collection == "findings" else volume))
    group = read_group(text)
    said = words(group.part if group else text.replace("_", " "))
    if _REFUSED.search(said):
        return TrackReading(_track_in(said), "refused")
    if _SUBMITTED.search(said):
        return TrackReading(_track_in(said), "submitted")
    return TrackReading(_track_in(said))


def compare_tracks(
    recorded: str,
    observed: str,
    *,
    volume_title: str = "",
    tracks: Sequence[Mapping[str, Any]] = (),
) -> Comparison:
    """Compare the track of a record with what a source says.

    Args:
        recorded: Id of the recorded track.
        observed: What the source writes as track, decision or volume id; may be empty.
        volume_title: What the source writes as venue. If it names a workshop or the findings, that
            counts more than ``observed``.
        tracks: The tracks of the venue's record, with ``id``, ``name`` and ``aliases``.
    """
    titled = read_track(volume_title).track if volume_title else ""
    if titled in ("workshop", "findings"):
        return _compare(recorded, titled, tracks)
    if not observed.strip():
        return NOT_GIVEN
    named = _named(observed, tracks)
    if named:
        return _compare(recorded, named, tracks)
    reading = read_track(observed)
    if reading.decision == "refused":
        return Comparison("different", "not accepted", f"the source says “{observed}”")
    if reading.decision == "submitted":
        note = f"the source says “{observed}”, which is no decision"
        return Comparison("cannot-tell", "submission", note)
    if not reading.track:
        return Comparison("cannot-tell", "unknown track", f"“{observed}” names no known track")
    return _compare(recorded, reading.track, tracks)


def _compare(recorded: str, found: str, tracks: Sequence[Mapping[str, Any]]) -> Comparison:
    if _general(recorded, tracks) == _general(found, tracks):
        return SAME
    return Comparison("different", "track", f"“{found}” found, “{recorded}” recorded")


def _named(text: str, tracks: Sequence[Mapping[str, Any]]) -> str:
    """Id of the venue's track that is written exactly so."""
    said = words(text.replace("_", " "))
    for track in tracks:
        written = (track["id"], track.get("name") or "", *(track.get("aliases") or ()))
        if said in {words(form.replace("_", " ")) for form in written}:
            return str(track["id"])
    return ""


def _general(track: str, tracks: Sequence[Mapping[str, Any]]) -> str:
    """The general name of a track id, so that a venue may call its tracks as it likes."""
    by_id = next((known for known in tracks if known["id"] == track), None)
    forms = [track, by_id.get("name") or "", *(by_id.get("aliases") or ())] if by_id else [track]
    general = (read_track(form.replace("-", " ")).track for form in forms)
    return next(filter(None, general), track)


def _track_in(said: str) -> str:
    return next((track for track, pattern in _TRACKS if pattern.search(said)), "")
