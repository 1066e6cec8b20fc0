"""The plug point for checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from registry.findings import FieldPath, Finding, Position, Rule, path_text
from registry.records import Record
from registry.store.document import Document
from registry.store.entry import Entry
from registry.store.index import Index


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run may vary."""

    today: date
    """The day that freshness is judged by."""
    fresh_days: int = 365
    """Age in days from which evidence is called old."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A finding whose place in the file is looked up at the end, and only if it is shown."""

    rule: Rule
    entry: Entry
    path: FieldPath
    message: str
    hint: str = ""
    place: Position | None = None
    """The place, where it is known already."""


class Check(Protocol):
    """One layer of checks."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The codes it may use."""
        ...

    def each(self, record: Record, document: Document) -> Iterator[Finding]:
        """Findings that need one record only. They run in worker processes and are cached."""
        ...

    def across(self, index: Index, settings: Settings, among: Sequence[Entry]) -> Iterator[Spot]:
        """Findings about the entries ``among`` that need other records, or the run's settings.

        A finding about an entry may depend on the entry itself, on what it refers to, on what
        refers to it, and on any source, venue or method; ``registry.store.memory`` relies on that.
        """
        ...


def at(
    rule: Rule,
    record: str,
    document: Document,
    path: FieldPath,
    message: str,
    hint: str = "",
    *,
    key: bool = False,
) -> Finding:
    """A finding under ``rule`` that points at ``path`` (or at its key) in the document."""
    place = document.locate(path, key=key)
    return Finding(
        code=rule.code,
        severity=rule.severity,
        record=record,
        field=path_text(path),
        file=document.file,
        line=place.line,
        column=place.column,
        message=message,
        hint=hint,
    )
