"""The life of a record or of one fact, from what the record says of itself and from git.

The record tells when an assertion was entered, by whom and why; git tells when which file was
committed. Both are put in one order by their days, and each event says which of the two tells it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import msgspec

from registry.history import assertions as tracked
from registry.history.former_names import (
    Hiding,
    hidden,
    hidden_in_text,
    hiding,
    hidings,
    stand_ins,
)
from registry.history.git import LINK, Commit, Repository
from registry.history.meaning import Data, FieldChange, field_changes
from registry.history.merges import MergedPast
from registry.store.reader import read
from registry.store.wording import as_text


class Event(msgspec.Struct, frozen=True):
    """One thing that happened. The names are the keys of the JSON."""

    day: str
    """YYYY-MM-DD; empty for what is not committed yet."""
    told_by: Literal["record", "git"]
    what: str
    """In a few words: the value that was entered, the subject of the commit."""
    by: str
    """Who did it."""
    commit: str
    """Short id of the commit; empty for what the record tells."""
    details: tuple[str, ...]
    """Reasons and evidence, or what the commit changed in meaning."""


def told_by_record(data: Data, field: str = "") -> list[Event]:
    """What the record says of itself, or of one field."""
    events: list[Event] = []
    for name, _, facts in tracked.fields(data):
        if concerns(name, field):
            events += _field(name, facts)
    if not field:
        events += _whole(data)
    return events


def _field(name: str, field: tracked.Field) -> Iterator[Event]:
    for held in tracked.assertions(field):
        value = f"{name}: {as_text(held.get('value'))}"
        earlier = f", supersedes {as_text(held['supersedes'])}" if "supersedes" in held else ""
        what = f"{value} entered{earlier} (now {as_text(held.get('rank'))})"
        details = [
            *(f"{key.replace('_', ' ')}: {held[key]}" for key in _REASONS if key in held),
            *([f"evidence: {', '.join(cited)}"] if (cited := tracked.evidence_of(held)) else []),
        ]
        yield _told(held, "recorded", what, details)
    for one in tracked.decisions(field):
        overruled = [
            f"overruled: {as_text(word.get('source'))} with {as_text(word.get('value'))}"
            for word in tracked.overruled(one)
        ]
        details = [f"because: {one.get('because')}", *overruled]
        yield _told(one, "decided", f"{name}: decided", details)


_REASONS = ("inferred_from", "because")


def _whole(data: Data) -> Iterator[Event]:
    if "retrieved" in data:
        what = f"read at {as_text(data.get('source'))}: {as_text(data.get('outcome'))}"
        yield _told(data, "retrieved", what, [f"locator: {as_text(data.get('locator'))}"])
    gone = data.get("withdrawn")
    if isinstance(gone, dict):
        details = [f"{key}: {gone[key]}" for key in ("because", "successor") if key in gone]
        yield _told(gone, "recorded", f"withdrawn: {gone.get('reason')}", details)
    for text in hidings((), stand_ins(data)):
        yield Event(text[-10:], "record", text, "", "", ())


def _told(held: dict[str, Any], day: str, what: str, details: Iterable[str]) -> Event:
    by = held.get("by", held.get("reported_by", ""))
    return Event(as_text(held.get(day, "")), "record", what, as_text(by), "", tuple(details))


def told_by_git(repository: Repository, root: Path, file: str, field: str = "") -> list[Event]:
    """What each commit changed in the meaning of a record, the earliest first.

    A commit that changed nothing of ``field`` is left out, and so is a merge that did nothing of
    its own. What is not committed yet comes last.

    Raises:
        HistoryError: git cannot tell.
    """
    if not repository.has_commits():
        return []
    commits = repository.log(PurePosixPath(file).relative_to("data"))
    paths = [repository.prefix + file.removeprefix("data/")]
    paths += [one.differs.old_path for one in commits if one.differs and one.differs.old_path]
    past = MergedPast(repository, list(dict.fromkeys(paths)))
    blobs = {blob for commit in commits for blob in _blobs(commit)}
    contents = repository.contents(sorted(blobs | past.blobs()))
    states = {blob: _data(raw, file) for blob, raw in contents.items()}
    now = _data((root / file).read_bytes(), file)
    names = hiding(stand_ins(now), states.values())
    shown = {blob: hidden(state, names) for blob, state in states.items()}
    told = {
        commit.id: event
        for commit in commits
        if (event := _commit(commit, states, names, field)) is not None
    }
    for merge, changes in past.own_changes(shown):
        if details := _details(changes, field):
            told[merge.id] = _event(merge, names, details)
    if repository.shallow:
        told |= {
            name: msgspec.structs.replace(event, details=(_CUT_OFF,))
            for name, event in told.items()
            if not past.parents.get(name)
        }
    events = [told[name] for name in reversed(past.parents) if name in told]
    last = states.get(past.head_blob)
    details = _details(field_changes(hidden(last or {}, names), now), field)
    if last is None and details:
        details = () if field else (_NEW,)
    if details:
        events.append(Event("", "git", "not committed yet", "", "", details))
    return events


_NEW = "the record is new"
_CUT_OFF = "the history of this clone begins here; what was before is cut off"


def _blobs(commit: Commit) -> Iterator[str]:
    one = commit.differs
    if one is not None:
        for blob, mode in ((one.old_blob, one.old_mode), (one.new_blob, one.new_mode)):
            if blob.strip("0") and mode != LINK:
                yield blob


def _data(raw: bytes, file: str) -> Data:
    return read(raw, file).data or {}


def _commit(commit: Commit, states: dict[str, Data], names: Hiding, field: str) -> Event | None:
    one = commit.differs
    old, new = ({}, {}) if one is None else (states.get(blob, {}) for blob in _ends(one))
    found = _details(field_changes(hidden(old, names), hidden(new, names)), field)
    if not field:
        moved = one is not None and one.old_path and one.new_path and one.old_path != one.new_path
        renamed = (f"renamed from {one.old_path}",) if one is not None and moved else ()
        what = () if found and old else (_NEW,) if new else ("the record is gone",)
        whole = what if not old or not new else found or ("no change in meaning",)
        found = (*renamed, *whole, *hidings(stand_ins(old), stand_ins(new)))
    if not found:
        return None
    return _event(commit, names, found)


def _event(commit: Commit, names: Hiding, details: tuple[str, ...]) -> Event:
    author, subject = (hidden_in_text(text, names) for text in (commit.author, commit.subject))
    return Event(commit.when[:10], "git", subject, author, commit.id[:10], details)


def _ends(one: Any) -> tuple[str, str]:
    return one.old_blob, one.new_blob


def _details(changes: Iterable[FieldChange], field: str) -> tuple[str, ...]:
    return tuple(f"{one.field}: {one}" for one in changes if concerns(one.field, field))


def concerns(name: str, field: str) -> bool:
    """Whether a change of ``name`` is about ``field`` or something in it; all is about no field."""
    return not field or name == field or name.startswith((f"{field}.", f"{field}["))


def in_order(record: Iterable[Event], git: Iterable[Event]) -> list[Event]:
    """All events by day. What a record says of a day comes before the commits of that day."""
    last = "9999"
    told = [*((event.day or last, 0, event) for event in record)]
    told += [(event.day or last, 1, event) for event in git]
    return [event for _, _, event in sorted(told, key=lambda one: one[:2])]
