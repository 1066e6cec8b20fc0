"""Disputes about tracked fields: the open ones in an alarm, the settled ones in a list."""

from __future__ import annotations

from registry.views.collect import Subject, TrackedField
from registry.views.page import Alarm, Pairs, Paragraph, Section, Words, alarm, strong, words
from registry.views.values import assertion_words, flat, value_text


def contested(subject: Subject) -> tuple[Alarm, ...]:
    """Every contested field with all of its values and the reasons; nothing where none is."""
    fields = [field for field in subject.tracked if field.fact.status == "contested"]
    if not fields:
        return ()
    rows = [row for field in fields for row in _contest(field, subject)]
    names = ", ".join(field.name for field in fields)
    return (Alarm(f"CONTESTED: {names}", (Pairs(tuple(rows)),)),)


def _contest(field: TrackedField, subject: Subject) -> list[tuple[str, Words]]:
    shelf = subject.shelf
    chain: list[str] = []
    for held in field.assertions:
        chain.append(value_text(field.name, held["value"], shelf))
    because = field.fact.contested_because
    head = words(strong(" → ".join(dict.fromkeys(chain))), "  ", alarm("CONTESTED"))
    rows = [(field.name, head)]
    for held in field.assertions:
        rows.append((f"  {held['rank']}", assertion_words(field.name, held, shelf)))
    reason = flat(because) if because else "no editor says why; see what the sources say below"
    rows.append(("  why contested", words(reason)))
    return rows


def settled(subject: Subject) -> tuple[Section, ...]:
    """Every settled field with its decision; nothing where there is none."""
    rows: list[tuple[str, Words]] = []
    for field in subject.tracked:
        decision = field.data.get("decision")
        if decision:
            overruled = "; ".join(
                f"{word['source']} said {word['value']}" for word in decision["overruled"]
            )
            text = words(
                strong(value_text(field.name, (field.preferred or {}).get("value", ""), subject.shelf)),
                f" since {decision['decided']} by {decision['by']}: {flat(decision['because'])}"
                f" Overruled: {overruled}.",
            )
            rows.append((field.name, text))
    return (Section("Settled by a decision", (Pairs(tuple(rows)),)),) if rows else ()


def withdrawal(subject: Subject) -> tuple[Alarm, ...]:
    """Why the record no longer counts; nothing where it does."""
    gone = subject.record.withdrawn
    if gone is None:
        return ()
    instead = f" Use {gone.successor} instead." if gone.successor else ""
    text = f"{gone.reason}: {flat(gone.because)} ({gone.recorded}, {gone.by}){instead}"
    return (Alarm("WITHDRAWN: this record no longer counts", (Paragraph(words(text)),)),)
