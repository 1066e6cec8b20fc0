"""Assertions that an edit adds, and what it may change on those that are there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from registry.editing.fields import Field
from registry.editing.plan import Signed, Target, both, prose
from registry.editing.standing import saying
from registry.errors import EditError
from registry.store.edit import Append, Change, Put
from registry.store.wording import as_text


def added(
    what: Target,
    field: Field,
    assertion: dict[str, Any],
    *,
    inferred_from: str,
) -> list[Change]:
    """The changes that add an assertion, with the basis that its evidence gives it.

    Raises:
        EditError: no evidence states the value, and nothing says what it was concluded from; or
            both is the case.
    """
    stated = _adding(field, assertion | {"basis": "stated"})
    said = saying(what, field, stated, assertion["value"], assertion["evidence"])
    value = as_text(assertion["value"])
    if said and inferred_from:
        hint = "leave out --inferred-from"
        raise EditError(f"evidence/{said[0]} states `{value}`; it is not inferred", hint)
    if said:
        return stated
    if not inferred_from:
        hint = "say with --inferred-from what it was concluded from, or cite evidence that says it"
        raise EditError(f"none of the evidence says that {field.name} is `{value}`", hint)
    ground = prose(inferred_from, "--inferred-from")
    return _adding(field, assertion | {"basis": "inferred", "inferred_from": ground})


def _adding(field: Field, assertion: dict[str, Any]) -> list[Change]:
    ordered = {key: assertion[key] for key in _ORDER if key in assertion}
    if field.data is None:
        return [Put(field.path, {"status": "asserted", "assertions": [ordered]})]
    return [Append((*field.path, "assertions"), ordered)]


def new_assertion(value: Any, rank: str, evidence: Sequence[str], signed: Signed) -> dict[str, Any]:
    """An assertion without its basis."""
    return {
        "value": value,
        "rank": rank,
        "recorded": signed.day,
        "by": signed.by,
        "evidence": list(evidence),
        "because": signed.because,
    }


def ranked(field: Field, position: int, rank: str, because: str) -> list[Change]:
    """The changes that give an assertion another rank, with one more reason."""
    place = (*field.path, "assertions", position)
    held = field.assertions[position]
    return [
        *([Put((*place, "rank"), rank)] if held["rank"] != rank else []),
        Put((*place, "because"), both(held.get("because", ""), because)),
    ]


def cited(field: Field, position: int, evidence: Sequence[str]) -> list[Change]:
    """The changes that let an assertion cite more evidence."""
    place = (*field.path, "assertions", position, "evidence")
    held = field.assertions[position].get("evidence")
    if held is None:
        return [Put(place, list(evidence))] if evidence else []
    return [Append(place, one) for one in evidence if one not in held]


def in_order(field: Field, signed: Signed) -> None:
    """Refuse a day that is before what the field holds already.

    Raises:
        EditError: it is.
    """
    last = max((_day(one["recorded"]) for one in field.assertions), default=signed.day)
    decision = field.data.get("decision") if field.data else None
    if decision is not None:
        last = max(last, _day(decision["decided"]))
    if signed.day < last:
        message = f"{signed.day} is before the last entry of {field.name}, which is of {last}"
        raise EditError(message, "give a later day with --date")


def _day(written: date | str) -> date:
    """A day of a record, which may stand there in quotes."""
    return date.fromisoformat(written) if isinstance(written, str) else written


_ORDER = (
    "value",
    "rank",
    "recorded",
    "by",
    "basis",
    "inferred_from",
    "evidence",
    "because",
    "supersedes",
)
"""The keys of an assertion as its model has them."""
