"""Papers: bibliographic facts with their contested history."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from registry.records.base import (
    AcceleratorId,
    Day,
    EvidenceId,
    Items,
    Maybe,
    MethodId,
    PaperId,
    Part,
    Record,
    Slug,
    Text,
    Url,
    VenueId,
    Whole,
)
from registry.records.names import Affiliation, Author
from registry.records.tracked import Basis, Tracked

ArxivId = Annotated[str, Field(pattern=r"^([0-9]{4}\.[0-9]{4,5}|[a-z-]+(\.[A-Z]{2})?/[0-9]{7})$")]
"""An arXiv id without its version."""

Doi = Annotated[str, Field(pattern=r"^10\.[0-9]{4,9}/[!-~]+$")]
"""A DOI without a resolver's address in front of it."""


class ArxivVersion(Part):
    """One version of a preprint."""

    version: Annotated[str, Field(pattern=r"^v[1-9][0-9]*$")]
    """``v1``, ``v2`` and so on."""
    submitted: Maybe[Day] = None
    """The day it was submitted, where known."""
    evidence: Items[EvidenceId]
    """Who says so."""
    changes: Maybe[Text] = None
    """What is different from the version before, as far as it was read."""


class StatedHardware(Part):
    """What a paper says of its hardware, in its own words, and nothing more."""

    text: Text
    """The paper's wording, such as ``A100 (40G)``."""
    memory_size: Maybe[Text] = None
    """Memory size, if stated."""
    form_factor: Maybe[Text] = None
    """Form factor, if stated."""
    count: Maybe[Whole] = None
    """How many, if stated."""


class InferredHardware(Part):
    """One property that was concluded and not read."""

    property: Literal["form_factor", "memory_size", "memory_type", "count", "product"]
    """Which property."""
    value: Text
    """The value concluded."""
    inferred_from: Maybe[Text] = None
    """From what it was concluded."""


class HardwareLink(Part):
    """A link from a paper to an accelerator that keeps the stated and the inferred apart."""

    accelerator: AcceleratorId
    """The accelerator record."""
    used_for: Literal["training", "evaluation", "both"]
    """What the paper used it for."""
    basis: Basis
    """``inferred`` as soon as one property needed to choose the record was not stated."""
    stated: StatedHardware
    """What the paper states."""
    inferred: Maybe[Items[InferredHardware]] = None
    """What was concluded, property by property."""
    locator: Text
    """Where in the paper, and in which version."""
    evidence: Items[EvidenceId]
    """The evidence."""
    recorded: Day
    """The day the link entered the record."""
    by: Text
    """Who entered it."""


class RelatedWork(Part):
    """Another name or publication that belongs to this paper or is taken for it."""

    relation: Literal["blog-post", "software-release", "successor", "predecessor", "confused-with"]
    """How it relates."""
    text: Text
    """What it is."""
    paper: Maybe[PaperId] = None
    """The paper record, if it is a paper with a record."""
    date: Maybe[Day] = None
    """Its day."""
    evidence: Maybe[Items[EvidenceId]] = None
    """The evidence."""


class Paper(Record):
    """A paper, across its manifestations as preprint and in proceedings."""

    kind: Literal["paper"]
    """Always ``paper``."""
    title: Tracked[Text]
    """Title."""
    authors: Tracked[Items[Author]]
    """Author line, in order, as printed."""
    affiliations: Maybe[Tracked[Items[Affiliation]]] = None
    """Affiliations of the author block."""
    venue: Maybe[Tracked[VenueId]] = None
    """The venue record: a conference, a journal, or a preprint server."""
    venue_track: Maybe[Tracked[Slug]] = None
    """Track of the venue, such as ``main``, ``findings`` or ``workshop``."""
    year: Maybe[Tracked[Whole]] = None
    """Year of the preferred manifestation."""
    volume: Maybe[Tracked[Text]] = None
    """Volume of the proceedings or journal."""
    pages: Maybe[Tracked[Text]] = None
    """Page range or article number."""
    doi: Maybe[Tracked[Doi]] = None
    """DOI."""
    arxiv_id: Maybe[Tracked[ArxivId]] = None
    """arXiv id without version."""
    openreview_id: Maybe[Tracked[Text]] = None
    """OpenReview forum id."""
    dblp_key: Maybe[Tracked[Text]] = None
    """DBLP key."""
    code: Maybe[Tracked[Url]] = None
    """The authors' code."""
    published: Maybe[Tracked[Day]] = None
    """Day of publication in the proceedings; not the days of the conference."""
    arxiv_versions: Maybe[Items[ArxivVersion]] = None
    """Versions of the preprint, as far as they are known."""
    methods: Maybe[Items[MethodId]] = None
    """Methods that the paper introduces."""
    hardware: Maybe[Items[HardwareLink]] = None
    """Accelerators that the paper used."""
    related: Maybe[Items[RelatedWork]] = None
    """Posts, releases, and papers that are taken for this one."""
