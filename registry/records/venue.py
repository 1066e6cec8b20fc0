"""Venues: conferences, journals, preprint servers, and the series that publish for several."""

from __future__ import annotations

from typing import Literal

from registry.records.base import (
    Day,
    EvidenceId,
    Items,
    Maybe,
    Part,
    Record,
    Slug,
    Text,
    Url,
    VenueId,
    Whole,
)


class Track(Part):
    """A part of a venue that papers are accepted into."""

    id: Slug
    """Id used in paper records, such as ``main`` or ``findings``."""
    name: Text
    """Name in use."""
    aliases: Maybe[Items[Text]] = None
    """How sources write it."""


class Volume(Part):
    """One volume of proceedings. Only the volume says which conference a series printed."""

    series: VenueId
    """The series it appeared in."""
    number: Text
    """Number of the volume, in quotes."""
    year: Whole
    """Year of the conference."""
    title: Text
    """Title of the volume."""
    published: Maybe[Day] = None
    """Day of publication."""
    held_from: Maybe[Day] = None
    """First day of the conference."""
    held_to: Maybe[Day] = None
    """Last day of the conference."""
    location: Maybe[Text] = None
    """Where it was held."""
    evidence: Maybe[Items[EvidenceId]] = None
    """The evidence."""


class Venue(Record):
    """Where a paper appears."""

    kind: Literal["venue"]
    """Always ``venue``."""
    name: Text
    """Full name."""
    short_name: Text
    """Acronym or short name."""
    type: Literal["conference", "journal", "series", "preprint-server"]
    """A ``series`` names no conference; a ``preprint-server`` contradicts no published venue."""
    aliases: Maybe[Items[Text]] = None
    """Other names. Ordinals, years and ``Proceedings of the`` need no alias of their own."""
    tracks: Maybe[Items[Track]] = None
    """Tracks."""
    volumes: Maybe[Items[Volume]] = None
    """Volumes of its proceedings."""
    url: Maybe[Url] = None
    """Home page."""
    evidence: Maybe[Items[EvidenceId]] = None
    """Evidence behind the facts above."""
