"""What changed in meaning between two states of a record, field by field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from registry.findings import FieldPath, path_text
from registry.history import assertions as tracked
from registry.history.assertions import Field, decisions, evidence_of
from registry.history.sameness import canonical, name_of, same
from registry.store.wording import as_text

Data = dict[str, Any]
State = Literal["added", "changed", "withdrawn", "renamed", "gone", "unreadable"]


class FieldChange(msgspec.Struct, frozen=True):
    """What changed in one field. The names are the keys of the JSON."""

    field: str
    before: str | None
    """The value to use before; None if there was none, or if the value is the same."""
    after: str | None
    """The value to use now; None if there is none, or if the value is the same."""
    notes: tuple[str, ...]
    """What else changed: status, evidence, ranks, decisions, reasons."""

    def __str__(self) -> str:
        """The change on one line, without the name of the field."""
        value = {
            (True, True): "",
            (True, False): f"{self.after} (new)",
            (False, True): f"{self.before} (taken out)",
            (False, False): f"{self.before} -> {self.after}",
        }[self.before is None, self.after is None]
        return ", ".join(filter(None, (value, *self.notes)))


class RecordChange(msgspec.Struct, frozen=True):
    """What changed in one record. The names are the keys of the JSON."""

    record: str
    """``kind/id``, as it is now if the record is there."""
    label: str
    state: State
    was: str
    """For a renamed record: what it was called."""
    notes: tuple[str, ...]
    """What is to be said of the record as a whole."""
    fields: tuple[FieldChange, ...]
    """Empty for a record that is new or gone."""


def label_of(data: Data) -> str:
    """A name to show for a record, however it is damaged."""
    if data.get("kind") == "evidence":
        return f"{as_text(data.get('source'))} on {as_text(data.get('about'))}"
    if "name" in data:
        return as_text(data["name"])
    title = data.get("title")
    value = _used(title) if isinstance(title, dict) else None
    return as_text(value if value is not None else data.get("paper", ""))


def field_changes(old: Data, new: Data) -> tuple[FieldChange, ...]:
    """What changed, in the order of the newer record; what is gone comes last."""
    before = {name: field for name, _, field in tracked.fields(old)}
    after = {name: field for name, _, field in tracked.fields(new)}
    found = [
        _field(name, before.get(name), after.get(name)) for name in dict.fromkeys([*after, *before])
    ]
    rest = _plain_changes(_untracked(old), _untracked(new), ())
    return (*(one for one in found if one is not None), *rest)


def _used(field: Field) -> Any:
    """The preferred value; None if there is none."""
    held = tracked.assertions(field)
    return next((one.get("value") for one in held if one.get("rank") == "preferred"), None)


def _field(name: str, old: Field | None, new: Field | None) -> FieldChange | None:
    was = None if old is None else _used(old)
    now = None if new is None else _used(new)
    moved = not same(was, now)
    notes = tuple(_notes(old or {}, new or {}, moved))
    if not moved and not notes:
        return None
    before = as_text(was) if moved and was is not None else None
    after = as_text(now) if moved and now is not None else None
    return FieldChange(name, before, after, notes)


def _notes(old: Field, new: Field, moved: bool) -> Iterator[str]:
    if old.get("status") != new.get("status"):
        states = [as_text(one["status"]) for one in (old, new) if "status" in one]
        yield f"status {' -> '.join(states)}" if new else "the field is gone"
    cited = [
        {one for held in tracked.assertions(side) for one in evidence_of(held)}
        for side in (old, new)
    ]
    more, less = len(cited[1] - cited[0]), len(cited[0] - cited[1])
    if more or less:
        yield "evidence " + " ".join(
            filter(None, (f"+{more}" * bool(more), f"-{less}" * bool(less)))
        )
    if new:
        yield from _assertion_notes(old, new, moved)
    ruled = {canonical(one) for one in decisions(old)}
    for one in decisions(new):
        if canonical(one) not in ruled:
            yield f"decided by {as_text(one.get('by'))} on {as_text(one.get('decided'))}"
    kept = {canonical(one) for one in decisions(new)}
    if new and any(canonical(one) not in kept for one in decisions(old)):
        yield "a decision is gone"
    before, after = old.get("contested_because"), new.get("contested_because")
    if old and old.get("status") == new.get("status") and not same(before, after):
        yield "another reason for the contest" if after else "the reason for the contest is gone"


def _assertion_notes(old: Field, new: Field, moved: bool) -> Iterator[str]:
    for held, now, _ in tracked.partners(old, new):
        value = as_text(held.get("value"))
        if now is None:
            yield f"{value} is gone"
            continue
        for key in dict.fromkeys((*held, *now)):
            if same(held.get(key), now.get(key)) or key == "evidence":
                continue
            if key == "rank":
                ranks = (held.get("rank"), now.get("rank"))
                # That another value is used now says as much.
                if not (moved and ranks in (("preferred", "deprecated"), ("normal", "preferred"))):
                    yield f"{value} {ranks[0]} -> {ranks[1]}"
            elif key in ("because", "inferred_from"):
                # A new rank comes with its reason.
                if key not in now:
                    yield f"the reason for {value} is gone"
                elif held.get("rank") == now.get("rank"):
                    yield f"{'another' if key in held else 'a'} reason for {value}"
            elif key == "value" and moved and "preferred" in (held.get("rank"), now.get("rank")):
                yield "edited in place"
            else:
                before, after = (
                    as_text(one[key]) if key in one else "nothing" for one in (held, now)
                )
                yield f"{key} of {value}: {before} -> {after}"
        uncited = [one for one in evidence_of(held) if one not in evidence_of(now)]
        if uncited:
            yield f"{value} no longer cites {', '.join(uncited)}"
    for one in tracked.added(old, new):
        if not (moved and one.get("rank") == "preferred"):
            yield f"{as_text(one.get('value'))} also held ({as_text(one.get('rank'))})"


def _untracked(value: Any) -> Any:
    """The data without its tracked fields, which are compared on their own."""
    if isinstance(value, dict):
        return {
            key: _untracked(inner)
            for key, inner in value.items()
            if not (isinstance(inner, dict) and isinstance(inner.get("assertions"), list))
        }
    return [_untracked(item) for item in value] if isinstance(value, list) else value


def _plain_changes(old: Any, new: Any, path: FieldPath) -> Iterator[FieldChange]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*new, *old)):
            inner = (*path, key)
            if key in old and key in new:
                yield from _plain_changes(old[key], new[key], inner)
            else:
                yield from _appeared(old.get(key), new.get(key), inner)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list_changes(old, new, path)
    elif not same(old, new):
        yield FieldChange(path_text(path), as_text(old), as_text(new), ())


def _appeared(old: Any, new: Any, path: FieldPath) -> Iterator[FieldChange]:
    """A key that is on one side only; of a list of things, each for itself."""
    value = new if old is None else old
    if isinstance(value, list) and any(name_of(item) for item in value):
        yield from _list_changes(old or [], new or [], path)
    elif value is not None and value not in ({}, []):
        before, after = (None if side is None else as_text(side) for side in (old, new))
        yield FieldChange(path_text(path), before, after, ())


def _list_changes(old: list[Any], new: list[Any], path: FieldPath) -> Iterator[FieldChange]:
    named = [{name_of(item): item for item in side if name_of(item)} for side in (old, new)]
    for name in dict.fromkeys((*named[1], *named[0])):
        before, after = named[0].get(name), named[1].get(name)
        inner = (*path[:-1], f"{path[-1]}[{name}]") if path else (name,)
        if before is not None and after is not None:
            yield from _plain_changes(before, after, inner)
        else:
            yield FieldChange(path_text(inner), _brief(before), _brief(after), ())
    rest = [[item for item in side if not name_of(item)] for side in (old, new)]
    if path and path[-1] == "cells" and len(rest[0]) == len(rest[1]):
        for at, (before, after) in enumerate(zip(*rest, strict=True)):
            yield from _plain_changes(before, after, (*path, at))
        return
    counts = [Counter(map(canonical, side)) for side in rest]
    gone = [item for item in rest[0] if canonical(item) not in counts[1]]
    fresh = [item for item in rest[1] if canonical(item) not in counts[0]]
    if gone or fresh:
        before, after = (as_text(side) if side else None for side in (gone, fresh))
        yield FieldChange(path_text(path), before, after, ())
    elif counts[0] != counts[1] or (path and path[-1] == "authors" and not same(*rest)):
        yield FieldChange(path_text(path), as_text(rest[0]), as_text(rest[1]), ())


def _brief(item: Any) -> str | None:
    """A claim, a table or a track in a few words."""
    if item is None:
        return None
    words = next((item[key] for key in ("statement", "shows", "name") if key in item), item)
    return as_text(words)
