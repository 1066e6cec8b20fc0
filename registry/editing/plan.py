"""What every edit begins with and ends in: a record, a reason, and the changes to be made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from registry.editing.gap_notes import without_gap_note
from registry.errors import EditError, UnreadableError
from registry.findings import path_text
from registry.lookup import exact, resolve_exactly
from registry.records import FOLDERS, KindName
from registry.records.outline import plan_of
from registry.store.characters import CONTROL, INVISIBLE
from registry.store.edit import Change, Put, edit
from registry.store.entry import Entry
from registry.store.nearest import did_you_mean
from registry.store.reader import read
from registry.store.root import read_bytes
from registry.verify import Registry

_UNSEEN = re.compile(f"[{CONTROL}{INVISIBLE}\ud800-\udfff]")


_KIND: dict[str, KindName] = {kind: kind for kind in FOLDERS}


@dataclass(frozen=True, slots=True)
class Target:
    """The record that is edited."""

    registry: Registry
    entry: Entry
    raw: bytes
    """The bytes of its file."""
    data: dict[str, Any]
    """What they say."""

    @property
    def kind(self) -> KindName:
        """The record's kind."""
        return cast(KindName, self.entry.kind)


@dataclass(frozen=True, slots=True)
class Signed:
    """A reason, who gives it, and when."""

    because: str
    by: str
    day: date

    @property
    def text(self) -> str:
        """The reason, signed, for where the record has no keys of their own for who and when."""
        return f"{self.because} ({self.by}, {self.day})"

    def is_said_in(self, reason: str) -> bool:
        """Whether a reason holds this one, of whatever day."""
        return f"{self.because} ({self.by}, " in reason


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that was worked out."""

    key: str
    """``kind/id`` of the record."""
    file: str
    """Its file, from the registry's root."""
    before: bytes
    after: bytes
    summary: str
    """What the edit does, on one line."""
    warnings: tuple[str, ...] = ()
    """What it leaves behind that somebody should look at, each on one line."""


def target(name: str, registry: Registry, field: str = "") -> Target:
    """The record that ``name`` means.

    Args:
        name: An id, ``kind/id``, an identifier or the path of a file; never a beginning.
        registry: Where it is.
        field: The tracked field that is to be edited. Of records of several kinds with one id,
            the one is meant that has it.

    Raises:
        UnknownRecordError: nothing or more than one thing is meant.
        EditError: the record cannot be edited.
        UnreadableError: its file cannot be read.
    """
    key = _meant(name, registry, field)
    file = registry.files[key]
    entry = registry.index.entries.get(key)
    try:
        raw = read_bytes(str(registry.root / file))
    except OSError as error:
        raise UnreadableError(f"cannot read {file}: {error.strerror}") from error
    data = read(raw, file).data
    if entry is None or data is None:
        raise EditError(f"{file} holds no usable record", f"`registry verify {key}` says why")
    if entry.withdrawn:
        raise EditError(f"{key} was withdrawn", "a withdrawn record stays as it is")
    return Target(registry, entry, raw, data)


def _meant(name: str, registry: Registry, field: str) -> str:
    if not field:
        return resolve_exactly(name, registry)
    among = exact(name, registry)
    # Where none has the field, the likeliest record tells which fields it has.
    fits = [key for key in among if _has(registry, key, field)] or among[:1]
    return resolve_exactly(name, registry, fits.__contains__)


def _has(registry: Registry, key: str, field: str) -> bool:
    """Whether records of that kind have a tracked field of that name, or this one has."""
    entry = registry.index.entries.get(key)
    known = {
        name for name, plan in plan_of(_KIND[key.partition("/")[0]]).keys.items() if plan.tracked
    }
    for fact in entry.facts if entry is not None else ():
        known |= {fact.name, path_text(fact.path), ".".join(map(str, fact.path))}
    return field.strip() in known


def signed(because: str, by: str, day: date) -> Signed:
    """A reason with who gives it and when.

    Raises:
        EditError: one of the texts says nothing.
    """
    return Signed(prose(because, "--because"), prose(by, "--by"), day)


def prose(text: str, option: str) -> str:
    """A text in one piece, whatever line breaks the shell has left in it.

    Args:
        text: What somebody gave.
        option: What it was given with, which the message names.

    Raises:
        EditError: it is empty, or has characters that no record holds.
    """
    found = _UNSEEN.search(re.sub(r"[\t\n\r]", " ", text))
    if found:
        raise EditError(f"{option} has the character U+{ord(found[0]):04X}", "leave it out")
    words = text.split()
    if not words:
        raise EditError(f"{option} is empty", _WANTED.get(option, "say it in a sentence"))
    return " ".join(words)


_WANTED = {
    "--by": "say who, such as a name",
    "--reported-by": "say who saw it",
    "--locator": "say where: page, section, table, field",
    "--quote": "leave it out, or quote a few words",
}
"""What an option wants that is not a sentence."""


def both(before: str, after: str) -> str:
    """An earlier reason and one more behind it."""
    if not before:
        return after
    return f"{before} {after}" if before[-1] in ".!?" else f"{before}; {after}"


def evidence_ids(names: Sequence[str], registry: Registry) -> list[str]:
    """The ids of evidence records, each once.

    Raises:
        EditError: there is no such evidence.
    """
    known = registry.index.by_kind.get("evidence", {})
    found: dict[str, None] = {}
    for name in names:
        record_id = name.strip().removeprefix("evidence/")
        if record_id not in known:
            raise EditError(f"no evidence is called {name!r}", did_you_mean(record_id, known))
        found[record_id] = None
    return list(found)


def finish(
    what: Target, changes: Sequence[Change], summary: str, warnings: Sequence[str] = ()
) -> Edit:
    """The edit that makes the changes.

    Raises:
        EditError: the file is written in a way that cannot be edited.
    """
    raw = what.raw
    for change in changes:
        if isinstance(change, Put) and len(change.path) == 1 and change.path[0] not in what.data:
            raw = without_gap_note(raw, str(change.path[0]))
    after = edit(raw, changes, what.kind)
    return Edit(what.entry.key, what.entry.file, what.raw, after, summary, tuple(warnings))
