"""Evidence: what a source said, where, when it was read, and how the reading was obtained."""

from __future__ import annotations

from typing import Literal

from registry.records.accelerator import Peak
from registry.records.base import (
    Day,
    Items,
    Maybe,
    Part,
    Record,
    RecordId,
    Sha256,
    SourceId,
    Text,
    Url,
    Whole,
)
from registry.records.names import Affiliation
from registry.records.quantities import Quantity

FieldName = Literal[
    "title",
    "authors",
    "affiliations",
    "venue",
    "venue_track",
    "year",
    "volume",
    "pages",
    "doi",
    "arxiv_id",
    "openreview_id",
    "dblp_key",
    "code",
    "published",
    "memory_size",
    "memory_type",
    "memory_bandwidth",
    "power",
    "form_factor",
    "interconnect",
    "released",
    "peaks",
]


class ObservedPeak(Peak):
    """A peak rate as a source gives it."""

    value: Quantity
    """The rate."""


class Observation(Part):
    """The values taken from what was read, as the source writes them. An absent key was not taken.

    Names are written in BibTeX's grammar (``Given Family``, ``von Family, Jr., Given``, or
    ``{Group}``), which keeps a source's order of given and family name.
    """

    title: Maybe[Text] = None
    """Title as the source writes it (TeX and mark-up included)."""
    authors: Maybe[Items[Text]] = None
    """The author line in the source's order, one name each."""
    affiliations: Maybe[Items[Affiliation]] = None
    """Affiliations, as printed or from a profile."""
    venue: Maybe[Text] = None
    """Name of the conference, journal, series or preprint server as the source writes it."""
    series: Maybe[Text] = None
    """Name of the series, where the source tells it apart from the venue."""
    venue_track: Maybe[Text] = None
    """Track or decision as the source writes it."""
    year: Maybe[Whole] = None
    """Year of the manifestation that the source describes."""
    volume: Maybe[Text] = None
    """Volume number."""
    pages: Maybe[Text] = None
    """Page range, with whatever dash the source uses."""
    doi: Maybe[Text] = None
    """DOI in any form."""
    arxiv_id: Maybe[Text] = None
    """arXiv id in any form, with its version where the source gives one."""
    openreview_id: Maybe[Text] = None
    """OpenReview forum id."""
    dblp_key: Maybe[Text] = None
    """DBLP key."""
    code: Maybe[Text] = None
    """Address of the authors' code."""
    published: Maybe[Day] = None
    """Day of publication."""
    memory_size: Maybe[Quantity] = None
    """Size of the accelerator's memory."""
    memory_type: Maybe[Text] = None
    """Type of that memory, such as HBM2e."""
    memory_bandwidth: Maybe[Quantity] = None
    """Bandwidth of that memory."""
    power: Maybe[Quantity] = None
    """Board or module power limit."""
    form_factor: Maybe[Text] = None
    """Form factor, such as SXM4 or PCIe."""
    interconnect: Maybe[Text] = None
    """Link to other accelerators."""
    released: Maybe[Day] = None
    """Release day."""
    peaks: Maybe[Items[ObservedPeak]] = None
    """Peak arithmetic rates."""


class Reader(Part):
    """Who or what took the observation out of the answer."""

    name: Text
    """A program's module, or a person or group."""
    version: Maybe[Text] = None
    """Version of the program."""


class Evidence(Record):
    """What one source said about one record at one time. A web address alone is not evidence."""

    kind: Literal["evidence"]
    """Always ``evidence``."""
    about: RecordId
    """The record that the source was asked about."""
    source: SourceId
    """The source."""
    locator: Text
    """Where in the source: file and commit, page, section, table, field."""
    url: Maybe[Url] = None
    """Address of what was read, without any credential."""
    retrieved: Day
    """The day it was read."""
    how: Literal["fetched", "transcribed", "reported"]
    """``fetched`` by this program, ``transcribed`` from a copy that was at hand, or ``reported``
    by somebody who saw it."""
    reported_by: Maybe[Text] = None
    """For ``reported``: who said so."""
    sha256: Maybe[Sha256] = None
    """Hash of the bytes that were read, where there were bytes."""
    reader: Reader
    """Who or what took the values out."""
    outcome: Literal["answered", "no-such-record", "could-not-ask"]
    """Whether the source answered, knew no such record, or could not be asked."""
    reason: Maybe[Text] = None
    """For ``could-not-ask``: why (throttled, offline, broken answer). For ``no-such-record``: what
    was found instead, if anything."""
    version: Maybe[Text] = None
    """The version of the paper that was described, such as ``v1``."""
    standing: Maybe[Literal["active", "withdrawn", "retracted"]] = None
    """What the source says of the paper's standing, where it says anything."""
    confirmed: bool
    """False when nobody could find what is claimed to have been read; such evidence is kept and
    supports nothing."""
    unconfirmed_because: Maybe[Text] = None
    """For unconfirmed evidence: what was looked for and not found."""
    silent_on: Maybe[Items[FieldName]] = None
    """Fields that were looked for in the answer and are not there."""
    observation: Maybe[Observation] = None
    """The values taken."""
    quote: Maybe[Text] = None
    """A few words of the source, where the wording matters."""
