"""Freshness: how long ago was the evidence read?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from registry.checks.interface import Settings, Spot
from registry.findings import Finding, Rule
from registry.records import Record
from registry.store.document import Document
from registry.store.entry import Entry
from registry.store.index import Index

OLD = Rule(
    "FRS001",
    "info",
    "old evidence",
    "The evidence was read so long ago that the source may have changed since.",
    "Ask the source again and record the answer as new evidence; the old one stays.",
)


class Freshness:
    """Judges the age of evidence."""

    rules = (OLD,)

    def each(self, record: Record, document: Document) -> Iterator[Finding]:
        """Nothing: age depends on the day of the run."""
        yield from ()

    def across(self, index: Index, settings: Settings, among: Sequence[Entry]) -> Iterator[Spot]:
        """Evidence that is older than the settings allow."""
        for entry in among:
            if entry.heard is None or entry.withdrawn:
                continue
            days = (settings.today - date.fromisoformat(entry.heard.retrieved)).days
            if days > settings.fresh_days:
                message = f"read on {entry.heard.retrieved}, {days} days ago"
                place = entry.heard.retrieved_at
                yield Spot(OLD, entry, ("retrieved",), message, OLD.mend, place)
