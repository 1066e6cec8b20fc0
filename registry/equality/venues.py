"""Which venue record a source means, and whether it is the recorded one.

A series such as PMLR prints many conferences: its name alone names none of them, the number of
the volume does. A preprint server that is named beside a published venue contradicts nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from registry.equality.interface import NOT_GIVEN, SAME, Comparison
from registry.equality.titles import words
from registry.equality.venue_text import VenueText, name_key, read_venue, volume_number

Kind = Literal["conference", "journal", "series", "preprint-server", "unknown"]


class Resolution(msgspec.Struct, frozen=True):
    """What a source's text means by the records."""

    venue: str | None = None
    """Id of the venue's record, if one is meant."""
    year: int | None = None
    """Year of the conference that the text or the volume names."""
    kind: Kind = "unknown"
    """Type of the venue; a series that names no conference is ``series``."""
    note: str = ""
    """What kept the text from being resolved, or who decided."""
    workshop: bool = False
    """Whether the text names a workshop that has no record of its own."""
    accepted: bool = True
    """False where the text says only that the paper was submitted, or that it was refused."""
    edition: int | None = None
    """The ordinal of the conference."""
    by_volume: bool = False
    """Whether the number of the volume decided."""
    conflict: bool = False
    """Whether the text and the volume name different venues."""
    series: str = ""
    """Id of the series that is named and no conference with it."""


class VenueNames:
    """All names of all venues, and the volumes of their proceedings."""

    def __init__(self, venues: Iterable[Mapping[str, Any]]) -> None:
        """Index venue records given as plain data.

        Args:
            venues: Mappings with ``id``, ``name``, ``short_name``, ``type`` and perhaps
                ``aliases``, ``tracks`` and ``volumes``.
        """
        self._venues = {str(venue["id"]): venue for venue in venues}
        self._by_key: dict[str, set[str]] = defaultdict(set)
        self._volumes: dict[tuple[str, str], tuple[str, int]] = {}
        self._editions: dict[tuple[str, int], int] = {}
        self._resolved: dict[tuple[str, str, str, int | None], Resolution] = {}
        for venue_id, venue in self._venues.items():
            self._add(venue_id, venue)

    def _add(self, venue_id: str, venue: Mapping[str, Any]) -> None:
        volumes = venue.get("volumes") or ()
        names = [venue["name"], venue["short_name"], *(venue.get("aliases") or ())]
        for name in (*names, *(volume["title"] for volume in volumes)):
            self._by_key[name_key(name)].add(venue_id)
            self._by_key[words(name)].add(venue_id)
        for volume in volumes:
            number = volume_number(str(volume["number"]))
            self._volumes[str(volume["series"]), number] = (venue_id, int(volume["year"]))
            edition = read_venue(volume["title"]).edition
            if edition is not None:
                self._editions[venue_id, edition] = int(volume["year"])

    def type_of(self, venue_id: str) -> Kind:
        """Type of a venue; ``unknown`` if it has no record."""
        venue = self._venues.get(venue_id)
        kind: Kind = venue["type"] if venue else "unknown"
        return kind

    def tracks_of(self, venue_id: str) -> tuple[Mapping[str, Any], ...]:
        """Tracks of a venue."""
        venue = self._venues.get(venue_id)
        return tuple(venue.get("tracks") or ()) if venue else ()

    def names_of(self, venue_id: str) -> tuple[str, ...]:
        """Names of a venue, in the form that they are compared in."""
        venue = self._venues.get(venue_id)
        if venue is None:
            return ()
        names = (venue["name"], venue["short_name"], *(venue.get("aliases") or ()))
        return tuple(map(name_key, names))

    def volume_of(self, venue_id: str, year: int | None) -> tuple[str, str] | None:
        """Series and number of the volume of a year, where a record lists it."""
        return next(self._printed_as(venue_id, year), None)

    def volumes_in(self, series: str, venue_id: str, year: int | None) -> tuple[str, ...]:
        """The numbers of the volumes of a series in which a record has the venue of a year."""
        printed = self._printed_as(venue_id, year)
        return tuple(number for held_in, number in printed if held_in == series)

    def _printed_as(self, venue_id: str, year: int | None) -> Iterator[tuple[str, str]]:
        return (volume for volume, held in self._volumes.items() if held == (venue_id, year))

    def edition_of(self, venue_id: str, year: int | None) -> int | None:
        """The ordinal of the conference of a year, where a volume's title says so."""
        held = (
            ed for (venue, ed), held in self._editions.items() if (venue, held) == (venue_id, year)
        )
        return next(held, None)

    def resolve(
        self, text: str, *, series: str = "", volume: str = "", year: int | None = None
    ) -> Resolution:
        """The venue that a source means.

        Args:
            text: The name of the venue as the source writes it.
            series: The name of the series, where the source tells it apart.
            volume: The number of the volume.
            year: A year that the source gives beside the venue; it is taken where neither the
                text nor the volume has one.
        """
        key = (text, series, volume, year)
        found = self._resolved.get(key)
        if found is None:
            found = self._resolved[key] = self._resolve(text or series, series, volume, year)
        return found

    def _resolve(self, text: str, series: str, volume: str, year: int | None) -> Resolution:
        read = read_venue(text)
        named, note = self._named(read)
        kind = self.type_of(named)
        if read.preprint or kind == "preprint-server":
            return Resolution(named or None, year, "preprint-server")
        year = read.year or year
        if not read.accepted:
            return Resolution(year=year, note="the text speaks of a submission", accepted=False)
        if read.workshop and not named:
            return Resolution(year=year, workshop=True)
        printed = self._printed(named, series, volume)
        if printed is not None:
            venue, held = printed
            if kind in ("conference", "journal") and named != venue:
                note = f"the text names {named}, but volume {volume} is {venue}'s"
                return Resolution(year=held, note=note, conflict=True)
            by_volume = named != venue
            return Resolution(
                venue, held, self.type_of(venue), edition=read.edition, by_volume=by_volume
            )
        if kind == "series":
            known = f"volume {volume} is not known" if volume else "no volume is given"
            note = f"“{text}” prints many conferences, and {known}"
            return Resolution(year=year, kind="series", note=note, series=named)
        if not named and read.findings:
            note = f"several conferences print their findings as “{text}”"
            return Resolution(year=year, kind="series", note=note)
        if not named:
            return Resolution(year=year, note=note, edition=read.edition)
        held_in = self._editions.get((named, read.edition)) if read.edition else None
        return Resolution(named, read.year or held_in or year, kind, edition=read.edition)

    def _named(self, read: VenueText) -> tuple[str, str]:
        """Id of the venue that the first known candidate names, or why there is none."""
        for candidate in read.candidates:
            ids = self._by_key.get(candidate)
            if ids and len(ids) > 1:
                return "", f"“{candidate}” names {' and '.join(sorted(ids))}"
            if ids:
                return next(iter(ids)), ""
        return "", ""

    def _printed(self, named: str, series: str, volume: str) -> tuple[str, int] | None:
        """Venue and year of a volume; a conference's own series are tried if none is named."""
        if not volume:
            return None
        if self.type_of(named) == "series":
            candidates = [named]
        elif series:
            candidates = [self._named(read_venue(series))[0]]
        else:
            venue = self._venues.get(named, {})
            candidates = [str(own["series"]) for own in venue.get("volumes") or ()]
        number = volume_number(volume)
        found = (self._volumes.get((candidate, number)) for candidate in candidates)
        return next(filter(None, found), None)


_REFUSED = re.compile(r"withdrawn|reject", re.IGNORECASE)


def compare_venue(
    recorded: str,
    recorded_year: int | None,
    text: str,
    *,
    series: str = "",
    volume: str = "",
    names: VenueNames,
    workshop: bool = False,
    year: int | None = None,
) -> Comparison:
    """Compare the recorded venue with what a source writes.

    Args:
        recorded: Id of the recorded venue.
        recorded_year: Year of the recorded conference, if one is recorded.
        text: The source's name of the venue.
        series: The source's name of the series.
        volume: The source's number of the volume.
        names: The venues on record.
        workshop: Whether the record files the paper under the workshops of the venue.
        year: The source's year. It says which volume the venue has, where no year is recorded.
    """
    if not text.strip() and not series.strip():
        return NOT_GIVEN
    found = names.resolve(text, series=series, volume=volume)
    shown = text or series
    recorded_kind = names.type_of(recorded)
    if recorded_kind == "unknown":
        return Comparison("cannot-tell", "unknown venue record", f"there is no venue {recorded}")
    if found.kind == "preprint-server":
        return _preprint_named(recorded, recorded_kind, found, shown)
    if not found.accepted:
        refused = _REFUSED.search(shown) is not None
        if refused and _is_named(recorded, shown, names):
            return Comparison("different", "not accepted", f"“{shown}” was not accepted there")
        return Comparison("cannot-tell", "submission", f"“{shown}” tells of no acceptance")
    if recorded_kind == "preprint-server":
        return Comparison("different", "published version exists", f"the source names “{shown}”")
    if found.conflict:
        return Comparison("different", "volume of another venue", found.note)
    if found.workshop and not (workshop and _is_named(recorded, shown, names)):
        note = f"“{shown}” is a workshop, whatever it is held at"
        return Comparison("different", "workshop", note)
    if found.workshop:
        return _compare_year(recorded, recorded_year, found, names)
    if found.kind == "series":
        held = recorded_year or year
        known = names.volumes_in(found.series, recorded, held)
        if volume and known and not workshop:
            # Where a record lists the volume of a year, no other one is the conference's.
            note = f"{recorded} {held} is volume {' and '.join(known)}, not {volume}"
            return Comparison("different", "volume of another venue", note)
        return Comparison("cannot-tell", "series", found.note)
    if found.venue is None:
        return _unknown_name(recorded, shown, found, names)
    if found.venue != recorded:
        kind = (
            "volume of another venue"
            if not _is_named(recorded, shown, names) and volume
            else "venue"
        )
        return Comparison("different", kind, f"“{shown}” is {found.venue}")
    return _compare_year(recorded, recorded_year, found, names)


def _preprint_named(recorded: str, kind: Kind, found: Resolution, shown: str) -> Comparison:
    if kind != "preprint-server":
        note = f"“{shown}” names the preprint, not where it was published"
        return Comparison("cannot-tell", "preprint server", note)
    if found.venue is None or found.venue == recorded:
        return SAME if found.venue else Comparison("cannot-tell", "preprint server", "")
    return Comparison("different", "venue", f"“{shown}” is {found.venue}")


def _is_named(venue: str, text: str, names: VenueNames) -> bool:
    """Whether a text contains a name of the venue as whole words."""
    flat = f" {name_key(text)} "
    return any(f" {name} " in flat for name in names.names_of(venue))


def _unknown_name(recorded: str, shown: str, found: Resolution, names: VenueNames) -> Comparison:
    note = found.note or f"no venue record is called “{shown}”"
    if found.note or _is_named(recorded, shown, names):
        return Comparison("cannot-tell", "unknown venue name", note)
    return Comparison("different", "venue", note)


def _compare_year(
    recorded: str, recorded_year: int | None, found: Resolution, names: VenueNames
) -> Comparison:
    if recorded_year is None:
        return SAME
    if found.year is not None:
        if found.year == recorded_year:
            return SAME
        note = f"the source means {recorded} {found.year}, not {recorded_year}"
        return Comparison("different", "venue year", note)
    held = names.edition_of(recorded, recorded_year)
    if held and found.edition and held != found.edition:
        note = f"the source means the conference with the number {found.edition}, not {held}"
        return Comparison("different", "venue year", note)
    return SAME
