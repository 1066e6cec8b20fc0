"""Tracked fields before and after: every assertion and every decision must still be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from registry.findings import FieldPath
from registry.history.breaches import Breach, shown, was_and_is
from registry.history.sameness import canonical, same
from registry.store.wording import as_text

Field = dict[str, Any]
Held = dict[str, Any]

_IDENTITY = ("value", "recorded", "by")
"""What makes an assertion that one and no other."""
_MAY_CHANGE = frozenset((*_IDENTITY, "rank", "because", "evidence"))
"""Keys that are judged on their own."""


def fields(
    data: Any, path: FieldPath = (), name: str = ""
) -> Iterator[tuple[str, FieldPath, Field]]:
    """Every tracked field of a record: a name that no order of lists changes, path, data."""
    if isinstance(data, dict):
        if isinstance(data.get("assertions"), list):
            yield name, path, data
            return
        for key, inner in data.items():
            yield from fields(inner, (*path, key), f"{name}.{key}" if name else key)
    elif isinstance(data, list):
        met: dict[str, int] = {}
        for place, item in enumerate(data):
            marks = _marks(item)
            met[marks] = met.get(marks, 0) + 1
            again = f" #{met[marks]}" if met[marks] > 1 else ""
            yield from fields(item, (*path, place), f"{name}[{marks}{again}]")


def _marks(item: Any) -> str:
    """What tells an item of a list from the others: all that it says beside its tracked fields."""
    if not isinstance(item, dict):
        return ""
    return ", ".join(str(item[key]) for key in sorted(item) if not isinstance(item[key], dict))


def assertions(field: Field) -> list[Held]:
    """The assertions of a field, however it is damaged."""
    found = field.get("assertions")
    return [held for held in found if isinstance(held, dict)] if isinstance(found, list) else []


def decisions(field: Field) -> list[dict[str, Any]]:
    """The decisions of a field, earlier ones first."""
    past = field.get("past_decisions")
    found = [*(past if isinstance(past, list) else ()), field.get("decision")]
    return [one for one in found if isinstance(one, dict)]


def overruled(decision: dict[str, Any]) -> list[dict[str, Any]]:
    """The sources that a decision overrules, and what they said."""
    found = decision.get("overruled")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def evidence_of(held: Held) -> list[str]:
    """The evidence that an assertion cites."""
    cited = held.get("evidence")
    return [str(one) for one in cited] if isinstance(cited, list) else []


def partners(old: Field, new: Field) -> Iterator[tuple[Held, Held | None, int]]:
    """Each earlier assertion with what it is now and where; None if it is gone.

    The same one is looked for first, in any place; then one that differs in a single part of what
    makes it that one, since it was changed where it stood.
    """
    now = assertions(new)
    left = dict(enumerate(now))
    waiting: list[Held] = []
    for held in assertions(old):
        identical = [at for at in left if _agreement(held, left[at]) == len(_IDENTITY)]
        if identical:
            at = max(identical, key=lambda at: (_likeness(held, left[at]), -at))
            yield held, left.pop(at), at
        else:
            waiting.append(held)
    for held in waiting:
        near = [at for at in left if _agreement(held, left[at]) == len(_IDENTITY) - 1]
        if near:
            at = max(near, key=lambda at: (_likeness(held, left[at]), -at))
            yield held, left.pop(at), at
        else:
            yield held, None, 0


def added(old: Field, new: Field) -> list[Held]:
    """The assertions that were not there before."""
    kept = {at for _, held, at in partners(old, new) if held is not None}
    return [held for at, held in enumerate(assertions(new)) if at not in kept]


def judge(name: str, path: FieldPath, old: Field, new: Field) -> Iterator[Breach]:
    """What a field promised before and does not keep."""
    for held, now, at in partners(old, new):
        place = (*path, "assertions", at)
        if now is None:
            entered = f"{as_text(held.get('recorded'))} by {as_text(held.get('by'))}"
            message = f"{name}: {shown(held.get('value'))}, entered {entered}, is gone"
            yield Breach("assertion", (*path, "assertions"), message)
        else:
            yield from _changed(name, place, held, now)
            if held.get("rank") != now.get("rank") and not _explained(held, now, old, new):
                ranks = f"from {held.get('rank')} to {now.get('rank')}"
                message = f"{name}: {shown(now.get('value'))} went {ranks} without a new reason"
                yield Breach("reason", (*place, "rank"), message)
    still = {canonical(one) for one in decisions(new)}
    for one in decisions(old):
        if canonical(one) not in still:
            message = f"{name}: the decision of {one.get('decided')} is gone or changed"
            place = (*path, "decision") if "decision" in new else path
            yield Breach("decision", place, message)
    before, after = old.get("status"), new.get("status")
    if before in ("contested", "settled") and after != before and not _moved(old, new):
        message = f"{name}: went from {before} to {after}, and nothing says why"
        yield Breach("reason", (*path, "status"), message)
    reason = old.get("contested_because")
    if reason and before == after == "contested" and not new.get("contested_because"):
        message = f"{name}: still contested, and the reason is gone: {shown(reason)}"
        yield Breach("reason", (*path, "status"), message)


def _changed(name: str, place: FieldPath, old: Held, new: Held) -> Iterator[Breach]:
    value = shown(old.get("value"))
    gone = [one for one in evidence_of(old) if one not in evidence_of(new)]
    if gone:
        message = f"{name}: {value} no longer cites {', '.join(gone)}"
        yield Breach("in-place", (*place, "evidence"), message)
    if "because" in old and not new.get("because"):
        yield Breach("in-place", place, f"{name}: {value} has lost its reason")
    for key in (*_IDENTITY, *(key for key in old if key not in _MAY_CHANGE)):
        if not same(old.get(key), new.get(key)):
            fate = f"was {shown(old.get(key))} and is gone"
            if key in new:
                fate = was_and_is(old.get(key), new[key])
            yield Breach("in-place", (*place, key), f"{name}: {value}: {key} {fate}")


def _explained(old: Held, new: Held, field_before: Field, field: Field) -> bool:
    """Whether a change of rank has a reason that was not there before."""
    if new.get("because") and not same(new["because"], old.get("because")):
        return True
    if len(decisions(field)) > len(decisions(field_before)):
        return True
    return any(
        one.get("because") and "supersedes" in one and same(one["supersedes"], new.get("value"))
        for one in added(field_before, field)
    )


def _moved(old: Field, new: Field) -> bool:
    """Whether anything entered a field that can account for another status."""
    if added(old, new) or len(decisions(new)) > len(decisions(old)):
        return True
    if new.get("contested_because") and not same(
        new["contested_because"], old.get("contested_because")
    ):
        return True
    kept = [(held, now) for held, now, _ in partners(old, new) if now is not None]
    return any(
        not same(held.get("because"), now.get("because"))
        or set(evidence_of(now)) - set(evidence_of(held))
        for held, now in kept
    )


def _agreement(one: Held, other: Held) -> int:
    return sum(same(one.get(key), other.get(key)) for key in _IDENTITY)


def _likeness(one: Held, other: Held) -> int:
    return sum(same(one[key], other.get(key)) for key in one)
