"""Disputes about tracked fields: the open ones in an alarm, the settled ones in a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.reports.wording import sentence
from registry.views.collect import Subject, TrackedField
from registry.views.other_values import other_value_text
from registry.views.page import Alarm, Pairs, Paragraph, Section, Words, strong, words
from registry.views.values import assertion_words, brief, value_text

WHY = 100
"""Characters of the reason for a dispute that are shown."""

_WHERE_IT_APPEARED = ("venue", "venue_track")
"""The fields whose disputes come first: they decide how a paper is cited."""


def contested(subject: Subject, shown_above: Sequence[str] = ()) -> tuple[Alarm, ...]:
    """Every contested field with all of its values and the reasons; nothing where none is.

    Args:
        subject: The record.
        shown_above: Fields whose preferred values stand elsewhere on the page, in full.
    """
    fields = [field for field in subject.tracked if field.fact.status == "contested"]
    if not fields:
        return ()
    fields.sort(key=lambda field: field.name not in _WHERE_IT_APPEARED)
    blocks = [
        block for field in fields for block in _contest(field, subject, field.name in shown_above)
    ]
    return (Alarm(f"CONTESTED: {', '.join(field.name for field in fields)}", tuple(blocks)),)


def _contest(field: TrackedField, subject: Subject, above: bool) -> tuple[Paragraph, Pairs]:
    values = [_shown(field, held, subject, above) for held in field.assertions]
    ranked = [
        f"{value}, {held['rank']}" for value, held in zip(values, field.assertions, strict=True)
    ]
    head = words(strong(f"{field.name}: {' → '.join(ranked)}"))
    rows = [
        (held["rank"], assertion_words(held))
        for held in field.assertions
        if not (above and held is field.preferred)
    ]
    because = field.fact.contested_because
    reason = brief(because, WHY) if because else "no editor says why"
    return Paragraph(head), Pairs((*rows, ("contested", words(reason))))


def _shown(field: TrackedField, held: dict[str, Any], subject: Subject, above: bool) -> str:
    if held is field.preferred:
        return "as above" if above else value_text(field.name, held["value"], subject.shelf)
    return other_value_text(field, held["value"], subject)


def settled(subject: Subject, shown_above: Sequence[str] = ()) -> tuple[Section, ...]:
    """Every settled field with its decision; nothing where there is none.

    Args:
        subject: The record.
        shown_above: Fields whose preferred values stand elsewhere on the page, in full.
    """
    rows: list[tuple[str, Words]] = []
    for field in subject.tracked:
        decision = field.data.get("decision")
        if decision:
            overruled = "; ".join(map(_overruled, decision["overruled"]))
            above = field.name in shown_above
            value = "as above" if above else value_text(field.name, field.value, subject.shelf)
            because = sentence(decision["because"])
            ruling = f" since {decision['decided']} by {decision['by']}: {because}"
            lost = sentence(f" Overruled: {overruled}") if overruled else ""
            rows.append((field.name, words(strong(value), ruling, lost)))
    return (Section("Settled by a decision", (Pairs(tuple(rows)),)),) if rows else ()


def _overruled(word: dict[str, Any]) -> str:
    """A source that lost with what it said, unless that would hide everything else."""
    said = word["value"]
    return f"{word['source']} said {said}" if len(said) <= WHY else f"{word['source']}"


def withdrawal(subject: Subject) -> tuple[Alarm, ...]:
    """Why the record no longer counts; nothing where it does."""
    gone = subject.record.withdrawn
    if gone is None:
        return ()
    instead = f"; use {gone.successor} instead" if gone.successor else ""
    text = f"{gone.reason}: {gone.because} ({gone.recorded}, {gone.by}){instead}"
    return (Alarm("WITHDRAWN: this record no longer counts", (Paragraph(words(text)),)),)


def fallen(subject: Subject) -> tuple[Alarm, ...]:
    """Which sources call the paper withdrawn or retracted; nothing where none does."""
    gone = [
        one
        for one in subject.evidence
        if one.standing in ("withdrawn", "retracted") and one.confirmed and not one.withdrawn
    ]
    if not gone:
        return ()
    called = " or ".join(sorted({f"{one.standing}".upper() for one in gone}))
    lines = (
        f"{one.source} says {one.standing} (read {one.retrieved}) [evidence/{one.id}]"
        for one in gone
    )
    return (Alarm(f"{called}, as a source says", (Paragraph(words("; ".join(lines))),)),)
