"""What changed in meaning between two states of a registry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from registry.history.former_names import Hiding, hidden, hiding, hidings, stand_ins
from registry.history.git import Repository
from registry.history.meaning import Data, RecordChange, State, field_changes, label_of
from registry.history.sides import Pair, Side, pairs
from registry.records import KINDS
from registry.store.reader import read
from registry.store.root import read_bytes

_ORDER: dict[str, int] = {kind: place for place, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The two states that are compared."""

    old: str
    """Id of a commit."""
    new: str | None
    """Id of a commit; None for the working tree."""
    words: str
    """Both, as people say them."""


def endpoints(repository: Repository, given: str | None) -> Endpoints:
    """What ``registry diff`` was asked to compare.

    Args:
        repository: Git.
        given: ``A..B`` (from A to B), ``A...B`` (what B did since it left A), ``A`` (from A to the
            working tree), or None: what was done since the upstream or default branch was left.

    Raises:
        HistoryError: git does not know one of them.
    """
    if given is None:
        base = repository.default_base()
        old, at = _left(repository, base, "HEAD")
        return Endpoints(old, None, f"{base}{at} -> working tree")
    for dots in ("...", ".."):
        if dots in given:
            one, _, other = given.partition(dots)
            one, other = one or "HEAD", other or "HEAD"
            new = repository.commit(other)
            old, at = (repository.commit(one), "")
            if dots == "...":
                old, at = _left(repository, one, other)
            return Endpoints(old, new, f"{one}{at} -> {other}")
    return Endpoints(repository.commit(given), None, f"{given} -> working tree")


def _left(repository: Repository, one: str, other: str) -> tuple[str, str]:
    """The commit at which ``other`` left ``one``, and that commit in words."""
    first, *more = repository.merge_bases(one, other)
    among = f", one of {len(more) + 1} merge bases" if more else ""
    return first, f" (at {first[:10]}{among})"


def changes(root: Path, repository: Repository, between: Endpoints) -> list[RecordChange]:
    """Every record that means something else, papers first.

    A name that is hidden today is not shown from older states either.
    """
    found = pairs(repository, root, between.old, between.new)
    held = [(pair, _data(pair.before), _data(pair.after)) for pair in found]
    today = stand_ins([_today(root, pair) for pair in found]) if between.new else set()
    known = today | stand_ins([new for _, _, new in held])
    names = hiding(known, [data for _, old, new in held for data in (old, new)])
    told = (_change(pair, old, new, names) for pair, old, new in held)
    return sorted(
        (one for one in told if one is not None),
        key=lambda one: (_ORDER[one.record.partition("/")[0]], one.record),
    )


def _today(root: Path, pair: Pair) -> Any:
    side = pair.after or pair.before
    assert side is not None
    try:
        return read(read_bytes(str(root / side.file)), side.file).data
    except OSError:
        return None


def _data(side: Side | None) -> Data | None:
    return None if side is None or side.raw is None or side.link else read(side.raw, side.file).data


def _change(pair: Pair, old: Data | None, new: Data | None, names: Hiding) -> RecordChange | None:
    before, after = hidden(old, names), hidden(new, names)
    label = label_of(after or before or {})
    if pair.before is None:
        state: State = "added" if after is not None else "unreadable"
        return RecordChange(pair.key, label, state, "", (), ())
    if pair.after is None:
        return RecordChange(pair.key, label, "gone", "", (), ())
    renamed = pair.before.key if pair.before.key != pair.after.key else ""
    if before is None or after is None:
        if before is None and after is None and pair.before.raw == pair.after.raw:
            return None
        when = "before" if before is None else "now"
        note = f"could not be read as a record {when}"
        return RecordChange(pair.key, label, "unreadable", renamed, (note,), ())
    withdrawn = "withdrawn" in after and "withdrawn" not in before
    state = "withdrawn" if withdrawn else "renamed" if renamed else "changed"
    fields = tuple(
        one
        for one in field_changes(before, after)
        if not (renamed and one.field == "id") and not (withdrawn and one.field == "withdrawn")
    )
    notes = (*_withdrawal(after if withdrawn else {}), *hidings(stand_ins(old), stand_ins(new)))
    if state == "changed" and not fields and not notes:
        return None
    return RecordChange(pair.key, label, state, renamed, notes, fields)


def _withdrawal(data: Data) -> Iterator[str]:
    told = data.get("withdrawn")
    if isinstance(told, dict):
        yield f"{told.get('reason')}: {told.get('because')}"
        if "successor" in told:
            yield f"use {told['successor']} instead"
