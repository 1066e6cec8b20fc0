"""Contests: a value is called into question, with a reason and perhaps with a rival."""

from __future__ import annotations

from collections.abc import Sequence

from registry.editing.assertions import added, cited, in_order, new_assertion, ranked
from registry.editing.fields import Field, doubts_about, field_of, value_of
from registry.editing.plan import Edit, Signed, Target, both, evidence_ids, finish
from registry.editing.standing import end_decision
from registry.errors import EditError
from registry.store.edit import Change, Put
from registry.store.wording import as_text


def contest(
    what: Target,
    name: str,
    signed: Signed,
    *,
    value: str | None = None,
    evidence: Sequence[str] = (),
    inferred_from: str = "",
) -> Edit:
    """Call a field contested; with a value, let that stand beside the one in use.

    Raises:
        EditError: the record cannot be edited so; the message says why.
    """
    field = field_of(what, name, present=True)
    assert field.data is not None
    in_order(field, signed)
    if value is None and (evidence or inferred_from):
        raise EditError("evidence belongs to a value", "name the rival value with --value")
    changes, told, doubts = end_decision(field), "", []
    if value is not None:
        rival, told = _rival(what, field, value, evidence, signed, inferred_from)
        changes += rival
        doubts = doubts_about(field, value)
    if field.data["status"] != "contested":
        changes.append(Put((*field.path, "status"), "contested"))
    elif not changes and signed.is_said_in(field.because):
        raise EditError(f"{field.name} is contested for this reason already")
    if not signed.is_said_in(field.because):
        reason = both(field.because, signed.text)
        changes.append(Put((*field.path, "contested_because"), reason))
    return finish(what, changes, f"{what.entry.key}: {field.name} is contested{told}", doubts)


def _rival(
    what: Target,
    field: Field,
    text: str,
    evidence: Sequence[str],
    signed: Signed,
    inferred_from: str,
) -> tuple[list[Change], str]:
    value = value_of(what, field, text)
    ids = evidence_ids(evidence, what.registry)
    known = field.holding(value)
    told = f", with `{as_text(value)}` beside the value in use"
    if known is None:
        if not ids:
            raise EditError("a rival value needs evidence", "name it with --evidence")
        rival = new_assertion(value, "normal", ids, signed)
        return added(what, field, rival, inferred_from=inferred_from), told
    held = field.assertions[known]
    if held["rank"] == "preferred":
        raise EditError(f"`{as_text(value)}` is the value in use", "name another, or none")
    changes = cited(field, known, ids)
    if held["rank"] != "normal":
        changes += ranked(field, known, "normal", signed.text)
    return changes, told
