"""Methods: what a technique does, what it must not be confused with, and where it runs."""

from __future__ import annotations

from typing import Literal

from registry.records.base import EvidenceId, Items, Maybe, MethodId, PaperId, Part, Record, Text


class NotInterchangeable(Part):
    """A method whose numbers may not stand in one comparison column with this one's."""

    method: MethodId
    """The other method."""
    because: Text
    """What is different."""
    evidence: Maybe[Items[EvidenceId]] = None
    """The evidence."""


class Implementation(Part):
    """An implementation that belongs to this project."""

    path: Text
    """Where it lies, from the project's root."""
    state: Literal["available", "planned"]
    """Whether it can be run today."""
    run: Maybe[Items[Text]] = None
    """Commands that run it."""


class Method(Record):
    """A technique that papers introduce and engines ship."""

    kind: Literal["method"]
    """Always ``method``."""
    name: Text
    """Name in use."""
    introduced_by: PaperId
    """The paper that introduced it."""
    summary: Text
    """What it does, in a paragraph."""
    drafts: Maybe[Text] = None
    """For a drafting method: what the drafter predicts and from what."""
    lossless: Maybe[Literal["yes", "no", "depends"]] = None
    """Whether the output distribution of the target is kept exactly."""
    lossless_because: Maybe[Text] = None
    """On what the answer rests or depends."""
    builds_on: Maybe[Items[MethodId]] = None
    """Methods that it extends."""
    not_interchangeable_with: Maybe[Items[NotInterchangeable]] = None
    """Methods that it must not be mixed with in a comparison."""
    wording: Maybe[Items[Text]] = None
    """Where descriptions of the method differ, and which one is followed."""
    implementation: Maybe[Implementation] = None
    """The implementation bundled with this registry."""
    evidence: Maybe[Items[EvidenceId]] = None
    """Evidence behind the description."""
