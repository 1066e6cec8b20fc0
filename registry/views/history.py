"""Every value that a record ever held, with who entered it, why, and on what evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from registry.records.evidence import Evidence
from registry.store.wording import as_text
from registry.views.collect import Subject, TrackedField
from registry.views.disputes import withdrawal
from registry.views.page import (
    Block,
    Bullets,
    Page,
    Paragraph,
    Section,
    Words,
    alarm,
    joined,
    strong,
    words,
)
from registry.views.shelf import Shelf
from registry.views.values import listed, status_word, value_text


def page(subject: Subject) -> Page:
    """The history of a record, field by field, oldest first."""
    sections = tuple(_section(field, subject.shelf) for field in subject.tracked)
    none = (Paragraph(words("Records of this kind have no tracked fields.")),)
    return Page(
        title=f"History of {subject.entry.label}",
        key=subject.key,
        opening=(*withdrawal(subject), *(() if sections else none)),
        sections=sections,
    )


def _section(field: TrackedField, shelf: Shelf) -> Section:
    blocks: list[Block] = [Bullets(tuple(_events(field, shelf)))]
    if field.fact.contested_because:
        reason = words(strong("why contested"), f": {field.fact.contested_because}")
        blocks.append(Paragraph(reason))
    return Section(f"{field.name}: {status_word(field.fact.status).text}", tuple(blocks))


def _events(field: TrackedField, shelf: Shelf) -> Iterator[tuple[Words, ...]]:
    past, current = field.data.get("past_decisions", ()), field.data.get("decision")
    rulings = [*past, *([current] if current else ())]
    for held in field.assertions:
        while rulings and str(rulings[0]["decided"]) < str(held["recorded"]):
            yield _decision(rulings.pop(0))
        yield _assertion(field, held, shelf)
    for ruling in rulings:
        yield _decision(ruling)


def _assertion(field: TrackedField, held: dict[str, Any], shelf: Shelf) -> tuple[Words, ...]:
    value = value_text(field.name, held["value"], shelf)
    earlier = held.get("supersedes")
    return (
        joined((words(f"{held['recorded']}  ", strong(value)), held["rank"], f"by {held['by']}")),
        words(_basis(held)),
        words(
            f"supersedes {value_text(field.name, earlier, shelf)}" if earlier is not None else ""
        ),
        words(f"because: {held['because']}" if held.get("because") else ""),
        *(_evidence(one, field, shelf) for one in held.get("evidence", ())),
        words("" if held.get("evidence") else "no evidence"),
    )


def _basis(held: dict[str, Any]) -> str:
    if held["basis"] == "stated":
        return "stated by the evidence"
    return f"inferred from: {held.get('inferred_from', 'what is not said')}"


def _evidence(record_id: str, field: TrackedField, shelf: Shelf) -> Words:
    """What one piece of evidence is, how and when it was obtained, and what it says here."""
    heard = shelf.get(Evidence, record_id)
    entry = shelf.index.get("evidence", record_id)
    if heard is None or entry is None or entry.heard is None:
        return words(f"evidence/{record_id}: no usable record")
    how = f"reported by {heard.reported_by}" if heard.reported_by else heard.how
    said = entry.heard.observed.get(field.name)
    return joined(
        (
            f"evidence/{record_id}: {heard.source}, {heard.locator}",
            f"{how} on {heard.retrieved}",
            heard.version or "",
            f"says “{_text(said)}”" if said is not None else "",
            "" if heard.outcome == "answered" else f"{heard.outcome} {heard.reason or ''}".strip(),
            "" if heard.confirmed else alarm("could not be confirmed"),
            alarm("withdrawn") if heard.withdrawn else "",
        )
    )


def _text(value: Any) -> str:
    return listed(map(as_text, value)) if isinstance(value, list) else as_text(value)


def _decision(decision: dict[str, Any]) -> tuple[Words, ...]:
    overruled = (
        f"overruled: {word['source']} with “{word['value']}”" for word in decision["overruled"]
    )
    return (
        words(f"{decision['decided']}  ", strong("decision"), f" by {decision['by']}"),
        words(f"because: {decision['because']}"),
        *(words(line) for line in overruled),
    )
