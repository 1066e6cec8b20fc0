"""All entries of a registry, found by key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from registry.store.entry import Entry


class Index:
    """Entries by ``kind/id``, and what points where."""

    def __init__(self, entries: Iterable[Entry], broken: Iterable[str] = ()) -> None:
        """Index the entries.

        Args:
            entries: All usable records.
            broken: ``kind/id`` of the files that hold no usable record, which is a finding of its
                own; what refers to them is not to blame.
        """
        self.broken = frozenset(broken)
        self.entries: dict[str, Entry] = {}
        self.doubles: list[tuple[Entry, Entry]] = []
        for entry in entries:
            first = self.entries.setdefault(entry.key, entry)
            if first is not entry:
                self.doubles.append((first, entry))

    def __iter__(self) -> Iterator[Entry]:
        """All entries."""
        return iter(self.entries.values())

    def get(self, kind: str, record_id: str) -> Entry | None:
        """The entry of that kind and id."""
        return self.entries.get(f"{kind}/{record_id}")

    @cached_property
    def _referrers(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for entry in self:
            key = entry.key
            for link in entry.links:
                found[link.key].add(key)
        return found

    def referrers(self, key: str) -> set[str]:
        """The ``kind/id`` of every other record that refers to ``key``."""
        return self._referrers.get(key, set()) - {key}

    @cached_property
    def by_identifier(self) -> dict[tuple[str, str], list[Entry]]:
        """Field and value of an identifier to the records that have it; at best one."""
        found: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        for entry in self:
            for identifier in entry.identifiers:
                found[identifier].append(entry)
        return found

    @cached_property
    def by_kind(self) -> dict[str, dict[str, Entry]]:
        """Kind to id to entry."""
        found: dict[str, dict[str, Entry]] = defaultdict(dict)
        for entry in self:
            found[entry.kind][entry.id] = entry
        return found

    @cached_property
    def by_id(self) -> dict[str, list[Entry]]:
        """Id to the entries of all kinds that have it."""
        found: dict[str, list[Entry]] = defaultdict(list)
        for entry in self:
            found[entry.id].append(entry)
        return found

    @cached_property
    def evidence_about(self) -> dict[str, list[Entry]]:
        """``kind/id`` to the evidence records about it, oldest first."""
        found: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.by_kind["evidence"].values():
            if entry.heard is not None:
                found[entry.heard.about].append(entry)
        for entries in found.values():
            # Of several answers on one day, ...-10 came after ...-9.
            entries.sort(key=lambda e: (e.heard.retrieved if e.heard else "", len(e.id), e.id))
        return found
