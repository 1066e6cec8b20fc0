"""The tracked fields of a record and what every source says about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.records.evidence import Evidence, Observation
from registry.views.collect import Subject, TrackedField
from registry.views.page import (
    Bullets,
    Pairs,
    Section,
    Verdicts,
    Words,
    joined,
    quiet,
    strong,
    words,
)
from registry.views.values import assertion_words, brief, difference_text, value_text


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
    held = field.preferred
    if held is None:
        return words(quiet("(no value is preferred)"))
    mark = " (inferred)" if held["basis"] == "inferred" else ""
    return words(value_text(field.name, held["value"], subject.shelf), mark)


def other_values(subject: Subject) -> tuple[Section, ...]:
    """The values beside the preferred one of fields that nobody contests; nothing if none."""
    rows = [
        (field.name, words(f"{held['rank']}: ", _other(field, held, subject)))
        for field in subject.tracked
        if field.fact.status != "contested"
        for held in field.assertions
        if held is not field.preferred
    ]
    return (Section("Other values that are held", (Pairs(tuple(rows)),)),) if rows else ()


def _other(field: TrackedField, held: dict[str, Any], subject: Subject) -> Words:
    text = value_text(field.name, held["value"], subject.shelf)
    if isinstance(held["value"], list) and field.preferred:
        text = difference_text(held["value"], field.preferred["value"])
    return assertion_words(held, text, subject.shelf)


def unconfirmed(subject: Subject) -> tuple[Section, ...]:
    """Evidence that nobody could confirm; nothing where all of it could be."""
    rows = tuple((_lost(one),) for one in subject.evidence if not one.confirmed)
    title = "Evidence that could not be confirmed, and supports nothing"
    return (Section(title, (Bullets(rows),)),) if rows else ()


def _lost(one: Evidence) -> Words:
    taken = one.observation.model_fields_set if one.observation else set()
    fields = ", ".join(name for name in Observation.model_fields if name in taken)
    reported = f"{one.how} {one.retrieved}" + (f" by {one.reported_by}" if one.reported_by else "")
    because = brief(one.unconfirmed_because) if one.unconfirmed_because else "no reason is given"
    return joined(
        (
            words(f"{one.source}: ", strong(one.locator)),
            f"on {fields}" if fields else "",
            reported,
            because,
            f"[evidence/{one.id}]",
        )
    )
