"""The tracked fields of a record and what every source says about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.records.evidence import Evidence, Observation
from registry.views.collect import Subject, TrackedField
from registry.views.other_values import other_value_text
from registry.views.page import (
    Bullets,
    Pairs,
    Section,
    Verdicts,
    Words,
    quiet,
    strong,
    words,
)
from registry.views.values import assertion_words, brief, value_text

BECAUSE = 60
"""Characters of why evidence could not be confirmed that are shown."""


def facts(subject: Subject, shown_above: Sequence[str] = ()) -> tuple[Section, ...]:
    """Every tracked field with its value, its status and the verdict of every source.

    Args:
        subject: The record.
        shown_above: Fields whose values stand elsewhere on the page, in full.
    """
    matrix = subject.matrix
    if matrix is None:
        return ()
    values = {
        field.name: words(quiet("(above)")) if field.name in shown_above else _value(field, subject)
        for field in subject.tracked
    }
    return (Section("Facts, and which source says the same", (Verdicts(matrix, values),)),)


def _value(field: TrackedField, subject: Subject) -> Words:
    inferred = field.preferred is not None and field.preferred["basis"] == "inferred"
    value = value_text(field.name, field.value, subject.shelf)
    return words(value, " (inferred)" if inferred else "")


def other_values(subject: Subject) -> tuple[Section, ...]:
    """The values beside the preferred one of fields that nobody contests; nothing if none."""
    rows = [
        (field.name, _other(field, held, subject))
        for field in subject.tracked
        if field.fact.status != "contested"
        for held in field.assertions
        if held is not field.preferred
    ]
    return (Section("Other values that are held", (Pairs(tuple(rows)),)),) if rows else ()


def _other(field: TrackedField, held: dict[str, Any], subject: Subject) -> Words:
    value = other_value_text(field, held["value"], subject)
    return words(strong(value), f", {held['rank']}, ", assertion_words(held))


def unconfirmed(subject: Subject) -> tuple[Section, ...]:
    """Evidence that nobody could confirm; nothing where all of it could be."""
    rows = tuple((_lost(one),) for one in subject.evidence if not one.confirmed)
    title = "Evidence that could not be confirmed, and supports nothing"
    return (Section(title, (Bullets(rows),)),) if rows else ()


def _lost(one: Evidence) -> Words:
    taken = one.observation.model_fields_set if one.observation else set()
    fields = ", ".join(name for name in Observation.model_fields if name in taken)
    said = f" ({one.source}, {one.how}{', on ' if fields else ''}{fields})"
    because = (
        brief(one.unconfirmed_because, BECAUSE) if one.unconfirmed_because else "no reason is given"
    )
    return words(strong(f"evidence/{one.id}"), f": {one.locator}{said}: {because}")
