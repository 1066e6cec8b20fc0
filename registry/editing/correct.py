"""Corrections: another value takes the place of the one in use, which stays with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from registry.editing.assertions import added, cited, in_order, new_assertion, ranked
from registry.editing.fields import Field, doubts_about, field_of, value_of
from registry.editing.plan import Edit, Signed, Target, both, evidence_ids, finish, prose
from registry.editing.standing import end_decision, status_by_rule
from registry.errors import EditError
from registry.store.edit import Change, Put
from registry.store.wording import as_text


@dataclass(frozen=True, slots=True)
class Reasons:
    """What a correction says besides why the new value is right; each may be empty."""

    inferred_from: str = ""
    """What the value was concluded from, if no evidence states it."""
    deprecated: str = ""
    """Why the value that was in use no longer counts."""
    contested: str = ""
    """Why the field is contested all the same."""


def correct(
    what: Target,
    name: str,
    text: str,
    evidence: Sequence[str],
    signed: Signed,
    reasons: Reasons,
) -> Edit:
    """Enter a value as the one to use; or, if it is in use already, the evidence for it.

    Raises:
        EditError: the record cannot be edited so; the message says why.
    """
    field = field_of(what, name)
    value = value_of(what, field, text)
    ids = evidence_ids(evidence, what.registry)
    if not ids:
        raise EditError("a correction needs evidence", "name it with --evidence")
    in_order(field, signed)
    known = field.holding(value)
    if known is not None and field.assertions[known]["rank"] == "preferred":
        return _confirmed(what, field, known, ids, signed, reasons)
    changes, told = _corrected(field, known, signed, reasons), ""
    former = [one for one in field.assertions if one["rank"] == "preferred"]
    if known is None:
        assertion = new_assertion(value, "preferred", ids, signed)
        if former:
            assertion["supersedes"] = former[0]["value"]
        changes += added(what, field, assertion, inferred_from=reasons.inferred_from)
        told = f" instead of `{as_text(former[0]['value'])}`" if former else ""
    else:
        if reasons.inferred_from:
            raise EditError(f"{field.name} has held `{as_text(value)}` before", _NOT_INFERRED)
        changes += cited(field, known, ids) + ranked(field, known, "preferred", signed.text)
        told = " again"
    changes, status = _with_status(what, field, changes, reasons)
    summary = f"{what.entry.key}: {field.name} is now `{as_text(value)}`{told}, {status}"
    return finish(what, changes, summary, doubts_about(field, text))


_NOT_INFERRED = "its basis stays as it is; leave out --inferred-from"


def _corrected(field: Field, known: int | None, signed: Signed, reasons: Reasons) -> list[Change]:
    """The changes to what is there: the end of a decision, and of the value in use."""
    because = f"Superseded: {signed.because}"
    if reasons.deprecated:
        because = prose(reasons.deprecated, "--deprecated-because")
    changes = end_decision(field)
    for position, held in enumerate(field.assertions):
        if held["rank"] == "preferred" and position != known:
            changes += ranked(field, position, "deprecated", because)
    return changes


def _confirmed(
    what: Target, field: Field, known: int, ids: list[str], signed: Signed, reasons: Reasons
) -> Edit:
    """More evidence for the value that is in use."""
    value = as_text(field.assertions[known]["value"])
    if reasons.inferred_from or reasons.deprecated:
        hint = "with more evidence go --because and --by alone"
        raise EditError(f"{field.name} is `{value}` already", hint)
    more = cited(field, known, ids)
    if not more:
        raise EditError(f"{field.name} is `{value}` already, and cites this evidence")
    changes = more + ranked(field, known, "preferred", signed.text)
    assert field.data is not None
    if field.data["status"] == "settled" and not reasons.contested:
        status = "settled"
    else:
        changes, status = _with_status(what, field, changes, reasons)
    count = f"{len(more)} more piece{'s' if len(more) > 1 else ''} of evidence"
    summary = f"{what.entry.key}: {field.name} is `{value}` already; {count} for it, {status}"
    return finish(what, changes, summary)


def _with_status(
    what: Target, field: Field, changes: list[Change], reasons: Reasons
) -> tuple[list[Change], str]:
    """The changes with those to the status, which come last but for a new field."""
    contested = prose(reasons.contested, "--contested-because") if reasons.contested else ""
    if field.data is None:
        return _first(what, field, changes, contested)
    if contested:
        changes = [*changes, *contest(field, contested)]
    status = "contested" if contested else status_by_rule(what, field, changes)
    return [*changes, *_status(field, status)], status


def _status(field: Field, status: str) -> list[Change]:
    held = field.data["status"] if field.data else ""
    return [Put((*field.path, "status"), status)] if held != status else []


def _first(
    what: Target, field: Field, changes: list[Change], contested: str
) -> tuple[list[Change], str]:
    """The changes for a field that the record did not have."""
    (first,) = changes
    assert isinstance(first, Put)
    status = "contested" if contested else status_by_rule(what, field, changes)
    reason: dict[str, Any] = {"contested_because": contested} if contested else {}
    whole = {"status": status, **reason, "assertions": first.value["assertions"]}
    return [Put(field.path, whole)], status


def contest(field: Field, because: str) -> list[Change]:
    """The changes that give one more reason why a field is contested."""
    if because in field.because:
        return []
    return [Put((*field.path, "contested_because"), both(field.because, because))]
