"""Counts what a registry holds: facts by their support, evidence by how it was obtained, claims.

Withdrawn records do not count. Nothing here judges: a field that is asserted may be right, and one
that is corroborated wrong; the counts say what somebody has to look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from registry.records import KINDS, KindName
from registry.records.claims import Claims, Origin
from registry.records.outline import plan_of
from registry.store.entry import Entry, Fact, Heard
from registry.store.index import Index
from registry.store.root import is_unread
from registry.verify import Registry
from registry.views.shelf import Shelf

STATUSES = ("corroborated", "asserted", "contested", "settled")
OBTAINED = ("fetched", "transcribed", "reported", "unconfirmed", "no-such-record", "could-not-ask")
"""How evidence was obtained that answered and was confirmed; of other, why it supports nothing."""

_ORIGINS: tuple[Origin, ...] = ("authors", "third-party")


@dataclass(frozen=True, slots=True)
class FieldCount:
    """One tracked field in all records of a kind."""

    field: str
    statuses: dict[str, int]
    """Status to the number of facts that have it."""
    unknown: int
    """Records that say nothing on the field."""
    assertions: int
    """Values that are held, the deprecated ones included."""
    evidence: int
    """Evidence records that are cited for them."""
    oldest: str
    """Day on which the oldest of these was read; empty if there are none."""
    newest: str


@dataclass(frozen=True, slots=True)
class KindCount:
    """The tracked fields of one kind of record."""

    kind: KindName
    records: int
    fields: tuple[FieldCount, ...]


@dataclass(frozen=True, slots=True)
class EvidenceCount:
    """Evidence that was obtained in one way."""

    obtained: str
    records: int
    oldest: str
    newest: str


@dataclass(frozen=True, slots=True)
class ClaimCount:
    """The numbers that one side states: the authors of the paper, or third parties."""

    origin: Origin
    claims: int
    tables: int
    cells: int
    numbers: int
    """Numbers in the cells; a cell holds one for each metric of its column."""
    unread: int
    """Numbers that could not be read."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a registry holds."""

    records: dict[str, int]
    """Kind to number of records."""
    withdrawn: int
    unusable: int
    """Files that hold no usable record."""
    kinds: tuple[KindCount, ...]
    evidence: tuple[EvidenceCount, ...]
    claims: tuple[ClaimCount, ...]


def statistics(registry: Registry) -> Statistics:
    """Count what ``registry`` holds.

    Raises:
        UnreadableError: a file with claims can no longer be read.
    """
    index = registry.index
    standing = [entry for entry in index if not entry.withdrawn]
    counted = Counter(entry.kind for entry in standing)
    return Statistics(
        records={kind: counted[kind] for kind in KINDS if counted[kind]},
        withdrawn=sum(entry.withdrawn for entry in index),
        unusable=len(index.broken) + _passed_over(registry),
        kinds=tuple(_kinds(standing, index)),
        evidence=tuple(_evidence(entry.heard for entry in standing if entry.heard)),
        claims=tuple(_claims(Shelf(registry), standing)),
    )


def _passed_over(registry: Registry) -> int:
    """Files in the place of records that are none, such as a link that leads nowhere."""
    unread = {finding.file for finding in registry.findings if is_unread(finding)}
    return len(unread.difference(registry.files.values()))


def _kinds(standing: Sequence[Entry], index: Index) -> Iterator[KindCount]:
    for kind in KINDS:
        entries = [entry for entry in standing if entry.kind == kind]
        fields = tuple(_field(name, entries, index) for name in _tracked(kind))
        if entries and fields:
            yield KindCount(kind, len(entries), fields)


def _tracked(kind: KindName) -> Iterator[str]:
    """The tracked fields of a kind, and lists whose items have one, in its own order."""
    for name, plan in plan_of(kind).keys.items():
        inner = plan.items.keys.values() if plan.items else ()
        if plan.tracked or any(one.tracked for one in inner):
            yield name


def _field(name: str, entries: Sequence[Entry], index: Index) -> FieldCount:
    found = [[fact for fact in entry.facts if _is_of(fact, name)] for entry in entries]
    facts = [fact for group in found for fact in group]
    cited = {one for fact in facts for held in fact.held for one in held.evidence}
    heard = [entry.heard for one in cited if (entry := index.get("evidence", one)) and entry.heard]
    oldest, newest = _days(heard)
    counted = Counter(fact.status for fact in facts)
    return FieldCount(
        field=name,
        statuses={status: counted[status] for status in STATUSES},
        unknown=sum(not group for group in found),
        assertions=sum(len(fact.held) for fact in facts),
        evidence=len(heard),
        oldest=oldest,
        newest=newest,
    )


def _is_of(fact: Fact, field: str) -> bool:
    return fact.path[0] == field


def _days(heard: Iterable[Heard]) -> tuple[str, str]:
    days = sorted(one.retrieved for one in heard)
    return (days[0], days[-1]) if days else ("", "")


def _evidence(heard: Iterable[Heard]) -> Iterator[EvidenceCount]:
    groups: dict[str, list[Heard]] = {name: [] for name in OBTAINED}
    for one in heard:
        groups[_obtained(one)].append(one)
    for name, group in groups.items():
        yield EvidenceCount(name, len(group), *_days(group))


def _obtained(heard: Heard) -> str:
    if not heard.confirmed:
        return "unconfirmed"
    return heard.how if heard.outcome == "answered" else heard.outcome


def _claims(shelf: Shelf, standing: Sequence[Entry]) -> Iterator[ClaimCount]:
    records = shelf.all(Claims, (entry.key for entry in standing if entry.kind == "claims"))
    for origin in _ORIGINS:
        tables = [table for one in records for table in one.tables or () if table.origin == origin]
        cells = [cell for table in tables for row in table.rows for cell in row.cells]
        numbers = [one for cell in cells for one in (cell if isinstance(cell, tuple) else (cell,))]
        unread = sum(number == "unread" for number in numbers)
        yield ClaimCount(
            origin=origin,
            claims=sum(claim.origin == origin for one in records for claim in one.claims),
            tables=len(tables),
            cells=len(cells),
            numbers=len(numbers) - unread,
            unread=unread,
        )
