"""Tracked fields: facts that can be wrong or change, held as assertions with evidence.

Nothing is deleted from a tracked field. A value that turned out wrong stays as a ``deprecated``
assertion beside the one that replaced it, and a decision says who closed a dispute and why. A
decision that no longer holds is kept among the past ones.
"""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

from registry.records.base import Day, EvidenceId, Items, Maybe, Part, SourceId, Text

V = TypeVar("V")

Rank = Literal["preferred", "normal", "deprecated"]
Basis = Literal["stated", "inferred"]
Status = Literal["asserted", "corroborated", "contested", "settled"]


class Assertion(Part, Generic[V]):
    """One value somebody put into the record, with the reason to believe it."""

    value: V
    """The value."""
    rank: Rank
    """``preferred`` is the value to use; ``deprecated`` is known to be wrong or superseded."""
    recorded: Day
    """The day the assertion entered the record."""
    by: Text
    """Who entered it."""
    basis: Basis
    """``stated`` if the evidence says it, ``inferred`` if it was concluded from the evidence."""
    inferred_from: Maybe[Text] = None
    """For an inferred value: what it was concluded from."""
    evidence: Maybe[Items[EvidenceId]] = None
    """The evidence records that carry this value."""
    because: Maybe[Text] = None
    """Why the value was entered, or why it has its rank."""
    supersedes: Maybe[V] = None
    """The earlier value that this assertion corrects; it must still be in the record."""


class Overruled(Part):
    """A source whose value lost, and that value."""

    source: SourceId
    """The overruled source."""
    value: Text
    """What it said when the decision was taken, as text."""


class Decision(Part):
    """A recorded ruling that closes a dispute until the overruled source changes its value."""

    decided: Day
    """When."""
    by: Text
    """By whom."""
    because: Text
    """On what grounds."""
    overruled: Items[Overruled]
    """Each source that is overruled, and the value it gave at the time. Empty where no source said
    anything else, as where an editor alone had called the field contested."""


class Tracked(Part, Generic[V]):
    """A fact that can be wrong or change."""

    status: Status
    """``asserted``, ``corroborated``, ``contested`` or ``settled``."""
    contested_because: Maybe[Text] = None
    """The editor's reason for calling the field contested."""
    decision: Maybe[Decision] = None
    """The ruling that settled the field."""
    past_decisions: Maybe[Items[Decision]] = None
    """Earlier rulings, oldest first. A correction or a new contest ended each of them."""
    assertions: Items[Assertion[V]]
    """Every value ever held, oldest first."""
