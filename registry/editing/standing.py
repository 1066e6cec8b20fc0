"""The status that a tracked field has by the evidence, once an edit is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from registry.checks.matrix import Comparer
from registry.editing.fields import Field
from registry.editing.plan import Target
from registry.records import KINDS
from registry.store.document import Document
from registry.store.edit import Append, Change, Put, Remove, apply
from registry.store.entry import Entry, Fact
from registry.store.extract import entry_of


def after(what: Target, field: Field, changes: Sequence[Change]) -> tuple[Entry, Fact]:
    """The record and its field as they are after some changes."""
    data = apply(what.data, changes)
    record = KINDS[what.kind].model_validate(data)
    entry = entry_of(record, data, Document(what.entry.file, "", data))
    return entry, next(fact for fact in entry.facts if fact.path == field.path)


def status_by_rule(what: Target, field: Field, changes: Sequence[Change]) -> str:
    """What the field is after some changes: contested, corroborated or asserted, never settled.

    A dispute that was open stays open; only a decision closes one. One is opened where two values
    stand, or where a source still says something else.
    """
    entry, fact = after(what, field, changes)
    comparer = Comparer(what.registry.index)
    heard = comparer.readings(entry, fact)
    standing = [held.value for held in fact.held if held.rank != "deprecated"]
    disputed = (
        fact.status == "contested"
        or bool(fact.contested_because)
        or any(value != standing[0] for value in standing)
        or any(reading.verdict == "contradicted" for reading in heard)
    )
    if disputed:
        return "contested"
    backing = comparer.independent({one.source for one in heard if one.verdict == "confirmed"})
    return "corroborated" if len(backing) > 1 else "asserted"


def saying(
    what: Target, field: Field, changes: Sequence[Change], value: Any, ids: Sequence[str]
) -> list[str]:
    """Which of some evidence records say a value of the field."""
    entry, fact = after(what, field, changes)
    comparer = Comparer(what.registry.index)
    found: list[str] = []
    for record_id in ids:
        heard = what.registry.index.get("evidence", record_id)
        if heard is None or heard.heard is None or fact.name not in heard.heard.observed:
            continue
        if comparer.compare(entry, fact, msgspec.to_builtins(value), heard).outcome == "same":
            found.append(record_id)
    return found


def end_decision(field: Field) -> list[Change]:
    """The changes that turn the decision of a field, if it has one, into a past one."""
    decision = field.data.get("decision") if field.data else None
    if field.data is None or decision is None:
        return []
    past = (*field.path, "past_decisions")
    kept = Append(past, decision) if field.data.get("past_decisions") else Put(past, [decision])
    return [kept, Remove((*field.path, "decision"))]
