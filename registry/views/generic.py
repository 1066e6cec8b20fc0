"""A record of any kind: its fields, what it points at, and what points at it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from registry.records.evidence import Evidence
from registry.store.wording import as_text
from registry.views.collect import Subject
from registry.views.disputes import contested, settled, withdrawal
from registry.views.facts import facts, other_values, unconfirmed
from registry.views.page import (
    Alarm,
    Bullets,
    Page,
    Pairs,
    Paragraph,
    Section,
    Words,
    joined,
    words,
)
from registry.views.values import listed

_ELSEWHERE = {"kind", "id", "withdrawn", "note"}
"""Keys that are shown in other places than among the fields."""

ITEM = 40
"""Characters up to which a value may share a line with others."""

FEW = 10
"""Up to so many records of one kind are named one by one."""


def page(subject: Subject) -> Page:
    """The page of any record."""
    return Page(
        title=subject.entry.label,
        key=subject.key,
        opening=opening(subject),
        sections=(
            *_fields(subject),
            *facts(subject),
            *settled(subject),
            *other_values(subject),
            *unconfirmed(subject),
            *references(subject),
        ),
    )


def opening(subject: Subject) -> tuple[Alarm | Paragraph, ...]:
    """What has to be known before anything else: withdrawn, unconfirmed, contested, the note."""
    note = subject.record.note
    return (
        *withdrawal(subject),
        *_doubt(subject),
        *((Paragraph(words(note)),) if note else ()),
        *contested(subject),
    )


def _doubt(subject: Subject) -> tuple[Alarm, ...]:
    record = subject.record
    if not isinstance(record, Evidence) or record.confirmed:
        return ()
    because = record.unconfirmed_because or "The record does not say why."
    title = "COULD NOT BE CONFIRMED: this evidence supports nothing"
    return (Alarm(title, (Paragraph(words(because)),)),)


def _fields(subject: Subject) -> Iterator[Section]:
    """What no other section shows: short values in one list, anything longer by itself."""
    tracked = {field.fact.path[0] for field in subject.tracked}
    short: list[tuple[str, Words]] = []
    long: list[Section] = []
    for name in type(subject.record).model_fields:
        if name in subject.data and name not in _ELSEWHERE | tracked:
            for path, value in _flattened(name, subject.data[name]):
                if _is_long(value):
                    long.append(Section(path, (Bullets(tuple(map(_item, value))),)))
                else:
                    short.append((path, words(_text(value))))
    if short:
        yield Section("Fields", (Pairs(tuple(short)),))
    yield from long


def _flattened(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A mapping as one field for each of its keys; an amount stays together."""
    if isinstance(value, dict) and not _is_amount(value):
        for key, inner in value.items():
            yield from _flattened(f"{name}.{key}", inner)
    else:
        yield name, value


def _is_long(value: Any) -> bool:
    """Whether a value is a list whose items need lines of their own."""
    return isinstance(value, list) and any(
        isinstance(item, dict) or len(_text(item)) > ITEM for item in value
    )


def _item(item: Any) -> tuple[Words, ...]:
    """An item of a list; of a mapping the short values on one line, then one line for each."""
    if not isinstance(item, dict):
        return (words(_text(item)),)
    short = [key for key, value in item.items() if len(_text(value)) <= ITEM]
    head = joined((f"{key} {_text(item[key])}" for key in short), ", ")
    long = (
        words(f"{key}: {_text(one)}")
        for key, value in item.items()
        if key not in short
        for one in (value if _is_long(value) else [value])
    )
    return (head, *long)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return listed(map(_text, value))
    if isinstance(value, dict) and not _is_amount(value):
        return listed(f"{key} {_text(inner)}" for key, inner in value.items())
    return as_text(value)


def _is_amount(value: dict[str, Any]) -> bool:
    return "value" in value and "unit" in value


def references(subject: Subject) -> tuple[Section, ...]:
    """What the record refers to and what refers to it, by kind."""
    shelf = subject.shelf
    outgoing: dict[str, None] = {}
    for link in subject.entry.links:
        outgoing[link.id if link.kind == "*" else f"{link.kind}/{link.id}"] = None
    incoming = dict.fromkeys(referrer.key for referrer in subject.referrers)
    sections = []
    for title, keys in (("Refers to", outgoing), ("Referred to by", incoming)):
        by_kind: dict[str, list[str]] = defaultdict(list)
        for key in keys:
            kind, _, record_id = key.partition("/")
            missing = "" if key in shelf.index.entries else " (no usable record)"
            by_kind[kind].append(f"{record_id}{missing}")
        rows = tuple((kind, words(_some(ids))) for kind, ids in by_kind.items())
        if rows:
            sections.append(Section(title, (Pairs(rows),)))
    return tuple(sections)


def _some(ids: list[str]) -> str:
    rest = len(ids) - FEW
    return ", ".join(ids[:FEW]) + (f" and {rest} more" if rest > 0 else "")
