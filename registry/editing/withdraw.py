"""Withdrawals: a record no longer counts, and says why; it stays where it is."""

from __future__ import annotations

from typing import Any

from registry.editing.plan import Edit, Signed, Target, finish
from registry.errors import EditError
from registry.lookup import resolve_exactly
from registry.records.base import WithdrawalReason
from registry.store.edit import Put

_WITH_SUCCESSOR = ("duplicate", "superseded")
"""Reasons that say that there is another record."""


def withdraw(what: Target, reason: WithdrawalReason, signed: Signed, successor: str = "") -> Edit:
    """Withdraw a record, perhaps in favour of another. Only the record's own file changes.

    Raises:
        EditError: the successor is missing, of another kind, the record itself, or withdrawn.
        UnknownRecordError: there is no such successor.
    """
    if reason in _WITH_SUCCESSOR and not successor:
        hint = "name the record to use instead with --successor"
        raise EditError(f"a record that is {_SAID[reason]} has a successor", hint)
    withdrawn: dict[str, Any] = {
        "reason": reason,
        "because": signed.because,
        "by": signed.by,
        "recorded": signed.day,
    }
    told = ""
    if successor:
        withdrawn["successor"] = _successor(what, successor)
        told = f" in favour of {withdrawn['successor']}"
    summary = f"{what.entry.key}: withdrawn ({reason}){told}"
    left = [
        f"{entry.key} was withdrawn in favour of {what.entry.key}, which no longer counts either"
        for entry in what.registry.index
        if entry.successor == what.entry.key
    ]
    return finish(what, [Put(("withdrawn",), withdrawn)], summary, left)


_SAID = {"duplicate": "a duplicate", "superseded": "superseded"}


def _successor(what: Target, name: str) -> str:
    registry = what.registry
    key = resolve_exactly(name, registry, lambda one: one.startswith(f"{what.kind}/"))
    entry = registry.index.entries.get(key)
    if key == what.entry.key:
        raise EditError(f"{key} cannot be its own successor")
    if not key.startswith(f"{what.kind}/"):
        raise EditError(f"{key} is no {what.kind}, and cannot succeed one")
    if entry is None or entry.withdrawn:
        raise EditError(f"{key} was withdrawn or is unreadable, and can succeed nothing")
    return key
