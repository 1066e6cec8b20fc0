"""The records of a registry, read again when somebody looks at them.

An index holds only what records are compared with. What is shown of a record is read from its file
once more, and so are the few other records that it is shown with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple, TypeVar, cast

from registry.checks import SHAPE
from registry.checks.matrix import Comparer
from registry.errors import UnreadableError
from registry.findings import FieldPath, path_text
from registry.records import KINDS, KindName, Record
from registry.store.document import Document
from registry.store.reader import read
from registry.store.root import read_bytes
from registry.verify import Registry

R = TypeVar("R", bound=Record)

_KIND_OF = {model: kind for kind, model in KINDS.items()}


class Referrer(NamedTuple):
    """A reference to a record, seen from the other side."""

    key: str
    """``kind/id`` of the record that refers."""
    field: str
    """Where in that record."""


class Opened(NamedTuple):
    """A record with the file it was read from."""

    record: Record
    document: Document
    raw: bytes


class Shelf:
    """A registry whose records can be opened."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.index = registry.index
        self._opened: dict[str, Opened | None] = {}

    @cached_property
    def comparer(self) -> Comparer:
        """What comparing values with evidence needs."""
        return Comparer(self.index)

    def open(self, key: str) -> Opened | None:
        """A record by ``kind/id``; None if there is no usable one.

        Raises:
            UnreadableError: the file can no longer be read.
        """
        if key not in self._opened:
            self._opened[key] = self._open(key)
        return self._opened[key]

    def _open(self, key: str) -> Opened | None:
        entry = self.index.entries.get(key)
        if entry is None:
            return None
        try:
            raw = read_bytes(str(self.registry.root / entry.file))
        except OSError as error:
            raise UnreadableError(f"cannot read {entry.file}: {error.strerror}") from error
        document = read(raw, entry.file)
        record, _ = SHAPE.build(document, cast(KindName, entry.kind), entry.id)
        return Opened(record, document, raw) if record is not None else None

    def get(self, model: type[R], record_id: str) -> R | None:
        """The record of that kind and id; None if there is no usable one."""
        opened = self.open(f"{_KIND_OF[model]}/{record_id}")
        return opened.record if opened and isinstance(opened.record, model) else None

    def all(self, model: type[R], keys: Iterable[str]) -> tuple[R, ...]:
        """The usable records of one kind among ``keys``, each once, in the order of the keys."""
        opened = (self.open(key) for key in dict.fromkeys(keys))
        return tuple(one.record for one in opened if one and isinstance(one.record, model))

    def label(self, kind: str, record_id: str) -> str:
        """The name of a record; it says so where there is none or it no longer counts."""
        entry = self.index.get(kind, record_id)
        if entry is None:
            return f"{record_id} (no usable record)"
        return f"{entry.label} (withdrawn)" if entry.withdrawn else entry.label

    def referrers(self, key: str) -> tuple[Referrer, ...]:
        """Every reference to a record, ordered by the records that make it."""
        found = (Referrer(one, path_text(path)) for one, path in self._pointing.get(key, ()))
        return tuple(sorted(found, key=lambda referrer: referrer.key))

    @cached_property
    def _pointing(self) -> dict[str, list[tuple[str, FieldPath]]]:
        found: dict[str, list[tuple[str, FieldPath]]] = defaultdict(list)
        for entry in self.index:
            for link in entry.links:
                key = link.id if link.kind == "*" else f"{link.kind}/{link.id}"
                found[key].append((entry.key, link.path))
        return found
