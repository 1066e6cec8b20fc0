"""Tracked fields of a new record: who says what, taken together into assertions.

Values are the same or different by the project's own rules of equality, applied with the same
comparer that will judge the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

import msgspec

from registry.adding.panel import Panel, names_in, said
from registry.adding.values import (
    clean,
    in_record_form,
    is_of_preprint,
    publisher_doi,
    resolved,
)
from registry.equality.fields import Context
from registry.equality.names import parse_authors
from registry.reports.wording import shortened, visible
from registry.store.entry import Entry, Fact
from registry.store.wording import as_text

_SHOWN = 200
"""Characters of a value that a sentence quotes."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A field that is left out, although sources say something about it."""

    name: str
    words: str
    """What they say, and why it cannot be held."""
    evidence: str
    """Id of the evidence of the most trusted of them."""


@dataclass(slots=True)
class Group:
    """One value, and who gives it."""

    value: Any
    witnesses: list[Entry] = field(default_factory=list)
    stands: bool = True
    """Whether it is the last word of somebody."""


@dataclass(frozen=True)
class Desk:
    """What a field is worked out from, and who enters it when."""

    panel: Panel
    record: Entry
    """The record as far as it is made."""
    by: str
    day: date

    @cached_property
    def publisher_doi(self) -> str:
        """The DOI that somebody gives and that is not the preprint's."""
        found = (publisher_doi(said(one).observed) for one in self.panel.witnesses)
        return next(filter(None, found), "")

    @cached_property
    def is_unpublished(self) -> bool:
        """Whether nobody names anything but a preprint server."""
        places = (
            resolved(said(one).observed, self.context(one)).kind
            for one in self.panel.witnesses
            if {"venue", "series"} & said(one).observed.keys()
        )
        return not self.publisher_doi and all(kind == "preprint-server" for kind in places)

    def same(self, name: str, value: Any, witness: Entry) -> str:
        """The outcome of holding a value against what a witness observed."""
        fact = Fact(name, (name,), "asserted", ())
        plain = msgspec.to_builtins(value)
        return self.panel.comparer.compare(self.record, fact, plain, witness).outcome

    def context(self, witness: Entry) -> Context:
        """What a rule of equality may need to know."""
        values = {fact.name: fact.preferred.value for fact in self.record.facts if fact.preferred}
        source = self.panel.comparer.index.get("source", said(witness).source)
        return Context(
            venues=self.panel.comparer.venues,
            recorded_venue=values.get("venue", ""),
            recorded_year=values.get("year"),
            recorded_track=values.get("venue_track", ""),
            source_type=source.extra.get("type", "") if source else "",
        )


def made(name: str, desk: Desk) -> dict[str, Any] | Gap | None:
    """A tracked field as plain data, why it is left out, or None if nobody speaks about it."""
    speaking = _in_order(name, desk)
    groups, unheld = _grouped(name, desk, speaking)
    if groups and _contradicted(name, desk, groups[0].value, unheld):
        return _gap(name, desk, speaking)
    if name == "venue" and groups and _is_unplaced(desk, groups[0]):
        where = f"the DOI {desk.publisher_doi} is a publisher's, but no source says where it is"
        return Gap(name, where, speaking[0].id)
    if groups:
        return _field(name, desk, groups)
    return _gap(name, desk, speaking) if unheld else _concluded(name, desk)


def gap_of(name: str, desk: Desk) -> Gap:
    """Why a field is left out that could not be held after all."""
    return _gap(name, desk, _in_order(name, desk))


def _in_order(name: str, desk: Desk) -> list[Entry]:
    """Who speaks about a field, those first whose value is to be preferred."""

    def later(witness: Entry) -> bool:
        observed = said(witness).observed
        if name == "venue":
            return resolved(observed, desk.context(witness)).kind not in ("conference", "journal")
        if name == "authors":
            return parse_authors(observed["authors"]).truncated
        if name in ("arxiv_id", "doi") and getattr(desk.panel.asked, name):
            return not desk.panel.repeats(witness)
        return False

    return sorted(desk.panel.ranked(name), key=later)


def _grouped(name: str, desk: Desk, speaking: Sequence[Entry]) -> tuple[list[Group], list[Entry]]:
    """The values with their witnesses, the preferred first, and who gives none that can be held."""
    groups: list[Group] = []
    unheld: list[Entry] = []
    latest = desk.panel.latest
    last = [one for one in speaking if latest[said(one).source, name] == one.id]
    before = [one for one in speaking if one not in last]
    for witness in (*last, *before):
        observed, context = said(witness).observed, desk.context(witness)
        if is_of_preprint(name, observed, context, unpublished=desk.is_unpublished):
            continue
        if any(_joins(name, desk, group, witness) for group in groups):
            continue
        value = in_record_form(name, observed, context)
        if value is None or desk.same(name, value, witness) != "same":
            unheld += [witness] if witness in last else []
        elif not groups or desk.same(name, groups[0].value, witness) == "different":
            groups.append(Group(value, [witness], stands=witness in last))
    return groups, unheld


def _joins(name: str, desk: Desk, group: Group, witness: Entry) -> bool:
    if desk.same(name, group.value, witness) != "same":
        return False
    group.witnesses.append(witness)
    return True


def _contradicted(name: str, desk: Desk, value: Any, witnesses: Sequence[Entry]) -> bool:
    """Whether somebody denies a value and says something that no assertion can hold."""
    return any(desk.same(name, value, one) == "different" for one in witnesses)


def _is_unplaced(desk: Desk, group: Group) -> bool:
    """Whether a preprint is all that is named of a paper that a publisher gave a DOI."""
    kind = desk.panel.comparer.venues.type_of(group.value)
    return kind == "preprint-server" and bool(desk.publisher_doi)


def _field(name: str, desk: Desk, groups: list[Group]) -> dict[str, Any]:
    preferred, *others = groups
    rivals = [group for group in others if group.stands]
    assertions = [_assertion(desk, preferred, "preferred")]
    assertions += [_assertion(desk, group, "normal") for group in rivals]
    assertions += [
        _assertion(desk, group, "deprecated", _overtaken(name, desk, group))
        for group in others
        if not group.stands
    ]
    if not rivals:
        backing = {said(one).source for one in preferred.witnesses}
        enough = len(desk.panel.comparer.independent(backing)) > 1
        return {"status": "corroborated" if enough else "asserted", "assertions": assertions}
    because = _disagreement(name, desk, [preferred, *rivals])
    return {"status": "contested", "contested_because": because, "assertions": assertions}


def _assertion(desk: Desk, group: Group, rank: str, because: str = "") -> dict[str, Any]:
    assertion: dict[str, Any] = {
        "value": group.value,
        "rank": rank,
        "recorded": desk.day,
        "by": desk.by,
        "basis": "stated",
        "evidence": [one.id for one in group.witnesses],
    }
    return assertion | ({"because": because} if because else {})


def _overtaken(name: str, desk: Desk, group: Group) -> str:
    witness = group.witnesses[0]
    since = desk.panel.comparer.index.get("evidence", desk.panel.latest[said(witness).source, name])
    assert since is not None
    return (
        f"{desk.panel.label(witness)} said so on {said(witness).retrieved}, and something else on "
        f"{said(since).retrieved}."
    )


def _disagreement(name: str, desk: Desk, groups: Sequence[Group]) -> str:
    """Who says what, and why the first value is preferred."""
    told = [f"{_who(desk, group.witnesses)} `{_quoted(group.value)}`" for group in groups]
    first = groups[0].witnesses[0]
    trust = desk.panel.trust(first, name)
    worth = f", whose word on it is {trust}" if trust else ""
    return (
        f"The sources disagree: {'; '.join(told)}. The first is preferred as that of "
        f"{desk.panel.label(first)}{worth}; nobody has looked into it yet."
    )


def _who(desk: Desk, witnesses: Sequence[Entry]) -> str:
    labels = list(dict.fromkeys(desk.panel.label(one) for one in witnesses))
    return f"{names_in(labels)} {'say' if len(labels) > 1 else 'says'}"


def _quoted(value: Any) -> str:
    return shortened(visible(clean(as_text(value))), _SHOWN)


def _gap(name: str, desk: Desk, speaking: Sequence[Entry]) -> Gap:
    said_by: dict[str, list[Entry]] = {}
    for one in speaking:
        said_by.setdefault(_quoted(said(one).observed[name]), []).append(one)
    told = [f"{_who(desk, witnesses)} “{text}”" for text, witnesses in said_by.items()]
    return Gap(name, "; ".join(told), speaking[0].id)


def _concluded(name: str, desk: Desk) -> dict[str, Any] | None:
    """What follows from what the sources do not say, or from the question that they answered."""
    if name == "venue":
        return _unpublished(desk)
    asked = str(getattr(desk.panel.asked, name, "")) if name in ("arxiv_id", "doi") else ""
    if not asked:
        return None
    answering = list(desk.panel.witnesses)
    because = f"{_who(desk, answering)} nothing of it, but answered when asked for it."
    return _inferred(desk, asked, because, answering)


def _unpublished(desk: Desk) -> dict[str, Any] | None:
    """The preprint server as the venue of a paper for which nobody names another."""
    silent = [one for one in desk.panel.witnesses if "venue" in said(one).silent_on]
    place = desk.panel.comparer.venues.resolve("arXiv")
    known = place.kind == "preprint-server" and place.venue
    if not (desk.panel.asked.arxiv_id and silent and known) or desk.publisher_doi:
        return None
    because = f"{_who(desk, silent)} nothing of a venue, and the paper is on arXiv."
    return _inferred(desk, place.venue, because, silent)


def _inferred(desk: Desk, value: Any, ground: str, witnesses: list[Entry]) -> dict[str, Any]:
    assertion = _assertion(desk, Group(value, witnesses), "preferred")
    assertion |= {"basis": "inferred", "inferred_from": ground}
    order = ("value", "rank", "recorded", "by", "basis", "inferred_from", "evidence")
    return {"status": "asserted", "assertions": [{key: assertion[key] for key in order}]}
