"""The whole record of a new paper, from those who were heard about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from registry.adding.fields import Desk, Gap, gap_of, made
from registry.adding.panel import Panel, names_in, said
from registry.adding.recorded import asked_identifier
from registry.adding.values import FIELDS
from registry.errors import EditError
from registry.records.outline import keys_at
from registry.sources.arxiv_history import Version
from registry.store.entry import Entry, Fact, Held

_REQUIRED = ("title", "authors")
_VERSION = re.compile(r"v[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A record that was worked out."""

    data: dict[str, Any]
    """The record as plain data, its keys in the models' order."""
    gaps: tuple[Gap, ...]
    """Fields that were left out."""


def scaffold(panel: Panel, versions: Sequence[Version], by: str, day: date) -> Scaffold:
    """Make the record.

    Args:
        panel: Who was heard, all of them about this paper.
        versions: The versions of the preprint, where arXiv was asked for them.
        by: Who enters the record.
        day: The day on which it is entered.

    Raises:
        EditError: nobody gives a title or an author line that a record can hold.
    """
    record = Entry("paper", panel.key.partition("/")[2], "", "", False, (), (), None, {})
    fields: dict[str, Any] = {}
    gaps: dict[str, Gap] = {}
    # Equality of one field may depend on others, such as that of the year on the venue.
    for _ in range(2):
        for name in FIELDS:
            found = made(name, Desk(panel, record, by, day))
            fields.pop(name, None)
            gaps.pop(name, None)
            if isinstance(found, Gap):
                gaps[name] = found
            elif found is not None:
                fields[name] = found
            record = _entry(record, fields)
    _judge(Desk(panel, record, by, day), fields, gaps)
    for name in _REQUIRED:
        if name not in fields:
            what = "a title" if name == "title" else "an author line"
            hint = gaps[name].words if name in gaps else _unheard(panel, name)
            raise EditError(f"the sources give no record {what} that it can hold", hint)
    whole: dict[str, Any] = {
        "kind": "paper",
        "id": record.id,
        **_withdrawn(panel, by, day),
        **fields,
    }
    whole |= _versions(panel, versions)
    ordered = {key: whole[key] for key in keys_at("paper", ()) if key in whole}
    return Scaffold(ordered, tuple(gaps[name] for name in FIELDS if name in gaps))


def _unheard(panel: Panel, name: str) -> str:
    """How to mend that nobody gives a field: evidence is found by the identifier that it holds."""
    identifier, value = next(iter(asked_identifier(panel.asked).items()))
    return (
        f"nobody who was heard gives one; record it with `registry cite-evidence FILE --new "
        f"--about {panel.key} --source SOURCE --locator WHERE --field {name}=... "
        f"--field {identifier}={value}`, and add the paper once more"
    )


def _entry(record: Entry, fields: Mapping[str, Any]) -> Entry:
    facts = tuple(_fact(name, fields[name]) for name in FIELDS if name in fields)
    return msgspec.structs.replace(record, facts=facts)


def _fact(name: str, field: Mapping[str, Any]) -> Fact:
    held = tuple(
        Held(
            value=msgspec.to_builtins(one["value"]),
            rank=one["rank"],
            basis=one["basis"],
            recorded=str(one["recorded"]),
            evidence=tuple(one["evidence"]),
            explained="because" in one,
        )
        for one in field["assertions"]
    )
    return Fact(name, (name,), field["status"], held)


def _judge(desk: Desk, fields: dict[str, Any], gaps: dict[str, Gap]) -> None:
    """Leave out what the finished record could not hold, and let each status be what is so.

    A field that is left out may have been what another was judged by, so that this goes on until
    nothing changes.
    """
    waiting = True
    while waiting:
        desk = Desk(desk.panel, _entry(desk.record, fields), desk.by, desk.day)
        fallen = [fact.name for fact in desk.record.facts if not _holds(desk, fact)]
        for name in fallen:
            gaps[name] = gap_of(name, desk)
            del fields[name]
        waiting = bool(fallen)
    for fact in desk.record.facts:
        if fact.status != "contested":
            readings = desk.panel.comparer.readings(desk.record, fact)
            backing = {one.source for one in readings if one.verdict == "confirmed"}
            enough = len(desk.panel.comparer.independent(backing)) > 1
            fields[fact.name]["status"] = "corroborated" if enough else "asserted"


def _holds(desk: Desk, fact: Fact) -> bool:
    """Whether a field holds what everybody said last, and nothing that its evidence denies."""
    comparer = desk.panel.comparer
    for reading in comparer.readings(desk.record, fact):
        if reading.verdict == "contradicted" and not (
            fact.status == "contested"
            and any(comparer.holds(desk.record, fact, held, reading) for held in fact.held)
        ):
            return False
    witnesses = {one.id: one for one in desk.panel.witnesses}
    return not any(
        desk.same(fact.name, held.value, witnesses[name]) == "different"
        for held in fact.held
        if held.basis == "stated"
        for name in held.evidence
    )


def _withdrawn(panel: Panel, by: str, day: date) -> dict[str, Any]:
    """The withdrawal of a paper that a source calls withdrawn or retracted."""
    fallen = [one for one in panel.witnesses if said(one).standing in ("withdrawn", "retracted")]
    if not fallen:
        return {}
    what = " or ".join(dict.fromkeys(said(one).standing for one in fallen))
    who = [panel.label(one) for one in fallen]
    verb = "say" if len(set(who)) > 1 else "says"
    because = (
        f"{names_in(who)} {verb} that the paper was {what} (read {said(fallen[-1]).retrieved})."
    )
    withdrawal = {"reason": "retracted", "because": because, "by": by, "recorded": day}
    return {"withdrawn": withdrawal}


def _versions(panel: Panel, versions: Sequence[Version]) -> dict[str, Any]:
    """The versions of the preprint: all, with their days, or the one that was read."""
    arxiv = [one for one in panel.witnesses if said(one).source == "arxiv"]
    if not arxiv:
        return {}
    if versions:
        listed: list[dict[str, Any]] = [
            {"version": one.version, "submitted": one.submitted, "evidence": [arxiv[-1].id]}
            for one in versions
        ]
        return {"arxiv_versions": listed}
    seen: dict[int, list[str]] = {}
    for one in arxiv:
        if _VERSION.fullmatch(said(one).version):
            seen.setdefault(int(said(one).version[1:]), []).append(one.id)
    listed = [{"version": f"v{number}", "evidence": seen[number]} for number in sorted(seen)]
    return {"arxiv_versions": listed} if listed else {}
