"""The records of a registry, one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from registry.records import KINDS
from registry.reports.matrices import MARKED
from registry.reports.wording import visible
from registry.store.entry import Entry
from registry.store.wording import as_text
from registry.verify import Registry
from registry.views.page import one_line

STATUSES = ("asserted", "corroborated", "contested", "settled", "withdrawn")
"""What a list may be narrowed to: the status of a field, or records that no longer count."""

FEW = 2
"""Up to so many fields of one status are named."""

UNCUT = 10**6
"""A width that cuts nothing: what is piped into another program must be whole."""

_HEAD = ("kind", "id", "label", "year", "venue", "status")
_ALWAYS = (0, 1, 2)
_LABEL = 2
_ORDER: dict[str, int] = {kind: position for position, kind in enumerate(KINDS)}
_GAP = 2
_INDENT = 4
_READABLE = 40
"""Columns of a label that a table must have room for."""
_LEAST = 16
"""Columns that a text keeps, however narrow the terminal."""


class Line(msgspec.Struct, frozen=True):
    """One record of a list. The names are the keys of the JSON."""

    kind: str
    id: str
    label: str
    """A name to show; empty where the file holds no usable record."""
    year: str
    """The preferred year of a paper; empty for any other record."""
    venue: str
    """The preferred venue of a paper; empty for any other record."""
    statuses: dict[str, str]
    """Tracked field to status."""
    withdrawn: bool
    usable: bool
    """Whether the file holds a record."""
    file: str

    @property
    def key(self) -> str:
        """``kind/id``."""
        return f"{self.kind}/{self.id}"

    def is_called(self, status: str) -> bool:
        """Whether a field has the status, or the record itself has it."""
        return self.withdrawn if status == "withdrawn" else status in self.statuses.values()

    def remarks(self, status: str = "") -> str:
        """What a reader has to know before trusting the record, and the fields of a status."""
        if not self.usable:
            return "no usable record"
        named = dict.fromkeys((*MARKED, *([status] if status in STATUSES[:-1] else ())))
        parts = ["withdrawn"] if self.withdrawn else []
        for one in named:
            fields = [field for field, found in self.statuses.items() if found == one]
            if fields:
                rest = len(fields) - FEW
                more = f" and {rest} more" if rest > 0 else ""
                parts.append(f"{', '.join(fields[:FEW])}{more} {one}")
        return "; ".join(parts)


def lines(registry: Registry, kind: str = "", status: str = "") -> list[Line]:
    """Every record, also those whose files are broken, ordered by kind and id.

    Args:
        registry: The registry.
        kind: Only records of this kind; all if empty.
        status: Only records that are called so; all if empty.
    """
    found = (_line(key, registry) for key in registry.files)
    chosen = [
        line for line in found if kind in ("", line.kind) and (not status or line.is_called(status))
    ]
    return sorted(chosen, key=lambda line: (_ORDER[line.kind], line.id))


def _line(key: str, registry: Registry) -> Line:
    kind, _, record_id = key.partition("/")
    entry = registry.index.entries.get(key)
    return Line(
        kind=kind,
        id=record_id,
        label=entry.label if entry else "",
        year=_preferred(entry, "year"),
        venue=_preferred(entry, "venue"),
        statuses={fact.name: fact.status for fact in entry.facts} if entry else {},
        withdrawn=entry.withdrawn if entry else False,
        usable=entry is not None,
        file=registry.files[key],
    )


def _preferred(entry: Entry | None, field: str) -> str:
    fact = entry.fact(field) if entry else None
    return as_text(fact.preferred.value) if fact and fact.preferred else ""


def as_ids(found: Sequence[Line]) -> str:
    """``kind/id`` of each record on a line."""
    return "".join(f"{line.key}\n" for line in found)


def as_json(found: Sequence[Line]) -> str:
    """A JSON list; its order is that of the lines, and no key is ever left out."""
    return json.dumps(msgspec.to_builtins(list(found)), indent=2) + "\n"


def as_lines(found: Sequence[Line], status: str = "", width: int = UNCUT) -> str:
    """A table with a line for each record, or where that is too wide, a few lines for each."""
    rows = [
        (line.kind, line.id, line.label, line.year, line.venue, line.remarks(status))
        for line in found
    ]
    texts = [[visible(one_line(text)) for text in row] for row in (_HEAD, *rows)]
    shown = [
        position
        for position in range(len(_HEAD))
        if position in _ALWAYS or any(row[position] for row in rows)
    ]
    widths = {position: max(cell_len(row[position]) for row in texts) for position in shown}
    # Only the label can be cut: the id says which record it is, nothing else says what is amiss.
    room = width - sum(widths.values()) - _GAP * (len(shown) - 1) + widths[_LABEL]
    if room < min(widths[_LABEL], _READABLE):
        return "".join(f"{line}\n" for row in texts[1:] for line in _block(row, width))
    widths[_LABEL] = min(widths[_LABEL], room)
    return "".join(f"{_row([row[one] for one in shown], widths.values())}\n" for row in texts)


def _row(texts: Sequence[str], widths: Iterable[int]) -> str:
    fitted = (
        set_cell_size(text, size) if cell_len(text) <= size else f"{set_cell_size(text, size - 1)}…"
        for text, size in zip(texts, widths, strict=True)
    )
    return (" " * _GAP).join(fitted).rstrip()


def _block(row: Sequence[str], width: int) -> Iterator[str]:
    """Which record it is, and below it what it is called and what is to be known of it."""
    kind, record_id, label, year, venue, remarks = row
    yield from _wrapped("  ".join(filter(None, (f"{kind}/{record_id}", year, venue))), width, "")
    for text in filter(None, (label, remarks)):
        yield from _wrapped(text, width, " " * _INDENT)


def _wrapped(text: str, width: int, indent: str) -> Iterator[str]:
    for line in Text(text, overflow="fold").wrap(Console(), max(width - len(indent), _LEAST)):
        yield f"{indent}{line.plain.rstrip()}"
