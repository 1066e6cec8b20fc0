"""Collects a record and what belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from registry.checks.matrix import matrix_of
from registry.findings import Finding
from registry.records import Record
from registry.records.benchmark import Benchmark
from registry.records.claims import Claims
from registry.records.entities import Adoption, Engine
from registry.records.evidence import Evidence
from registry.records.method import Method
from registry.records.outline import tracked_fields
from registry.records.paper import Paper
from registry.store.entry import Entry, Fact
from registry.store.extract import entry_of
from registry.verdicts import Matrix
from registry.verify import Registry
from registry.views.shelf import Referrer, Shelf


@dataclass(frozen=True, slots=True)
class TrackedField:
    """A tracked field with everything that its file says of it."""

    fact: Fact
    data: dict[str, Any]

    @property
    def name(self) -> str:
        """The name that the matrix has for the field."""
        return self.fact.name

    @property
    def assertions(self) -> list[dict[str, Any]]:
        """Every value ever held, oldest first."""
        return sorted(self.data["assertions"], key=lambda assertion: str(assertion["recorded"]))

    @property
    def preferred(self) -> dict[str, Any] | None:
        """The assertion to use, if there is one."""
        ranked = (one for one in self.data["assertions"] if one["rank"] == "preferred")
        return next(ranked, None)

    @property
    def value(self) -> Any:
        """The value to use; None if none is preferred."""
        return self.preferred["value"] if self.preferred else None


@dataclass(frozen=True)
class Subject:
    """A usable record and where it stands among the others."""

    shelf: Shelf
    entry: Entry
    record: Record
    data: dict[str, Any]
    """The record as plain data."""
    raw: bytes
    """The record's file."""

    @property
    def key(self) -> str:
        """``kind/id``."""
        return self.entry.key

    @property
    def file(self) -> str:
        """The record's file, from the registry's root."""
        return self.entry.file

    @cached_property
    def tracked(self) -> tuple[TrackedField, ...]:
        """The tracked fields, in the order in which their kind lists them."""
        found = tracked_fields(self.record.kind, self.data)
        pairs = zip(self.entry.facts, found, strict=True)
        return tuple(TrackedField(fact, data) for fact, (_, data) in pairs)

    @cached_property
    def matrix(self) -> Matrix | None:
        """What every source says; None for a record without tracked fields."""
        return matrix_of(self.entry, self.shelf.comparer) if self.entry.facts else None

    @cached_property
    def referrers(self) -> tuple[Referrer, ...]:
        """What refers to the record."""
        return self.shelf.referrers(self.key)

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence about the record, oldest first."""
        entries = self.shelf.index.evidence_about.get(self.key, ())
        return self.shelf.all(Evidence, (entry.key for entry in entries))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What checking the file on its own found."""
        return _findings(self.file, self.shelf.registry)


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that should hold a record and does not."""

    key: str
    """``kind/id``, as the place and name of the file say."""
    file: str
    findings: tuple[Finding, ...]
    """Why it is none."""


@dataclass(frozen=True, slots=True)
class Belongings:
    """What other records hold about a paper."""

    methods: tuple[Method, ...]
    """The methods that the paper introduces."""
    later: tuple[Method, ...]
    """Methods that build on them, directly or not."""
    claims: tuple[Claims, ...]
    """What the paper claims."""
    shipped: tuple[tuple[Engine, Adoption], ...]
    """Which engines ship any of these methods, by method."""
    benchmarks: tuple[Benchmark, ...]
    """What was measured here."""
    elsewhere: tuple[Claims, ...]
    """Claims records of other papers with numbers of the paper's own methods."""


def belongings(subject: Subject, paper: Paper) -> Belongings:
    """Find everything that other records hold about a paper."""
    shelf = subject.shelf
    keys = [referrer.key for referrer in subject.referrers]
    methods = shelf.all(Method, (f"method/{one}" for one in paper.methods or ()))
    later: dict[str, Method] = {}
    waiting = list(methods)
    while waiting:
        key = f"method/{waiting.pop(0).id}"
        for method in shelf.all(Method, (referrer.key for referrer in shelf.referrers(key))):
            known = method.id in later or method in methods
            if not known and key.removeprefix("method/") in (method.builds_on or ()):
                later[method.id] = method
                waiting.append(method)
    named = [method.id for method in (*methods, *later.values())]
    naming = [referrer.key for one in named for referrer in shelf.referrers(f"method/{one}")]
    engines = shelf.all(Engine, naming)
    naming_own = (
        referrer.key for one in methods for referrer in shelf.referrers(f"method/{one.id}")
    )
    return Belongings(
        methods=methods,
        later=tuple(later.values()),
        claims=tuple(one for one in shelf.all(Claims, keys) if one.paper == paper.id),
        shipped=tuple(
            (engine, adoption)
            for method in named
            for engine in engines
            for adoption in engine.adoption or ()
            if adoption.method == method
        ),
        benchmarks=shelf.all(Benchmark, keys),
        elsewhere=tuple(one for one in shelf.all(Claims, naming_own) if one.paper != paper.id),
    )


def _findings(file: str, registry: Registry) -> tuple[Finding, ...]:
    return tuple(found for found in registry.findings if found.file == file)


def collect(key: str, registry: Registry) -> Subject | Broken:
    """The record whose file is known by ``key``, or why the file holds none.

    Raises:
        UnreadableError: the file has become unreadable since it was checked.
    """
    shelf, file = Shelf(registry), registry.files[key]
    opened = shelf.open(key)
    if opened is None or opened.document.data is None:
        return Broken(key, file, _findings(file, registry))
    # Made anew, so that it says of the file what the file says now.
    entry = entry_of(opened.record, opened.document.data, opened.document)
    return Subject(shelf, entry, opened.record, opened.document.data, opened.raw)
