"""Rows that come from the same places, and so are best read together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from registry.comparing.comparison import Row
from registry.comparing.number import KEYS, Condition, Key, Number, natural, order

_ORIGINS = ("authors", "third-party", "here")
_ALWAYS: tuple[Key, ...] = ("model", "dataset", "temperature")
"""What a row is called by, even where it is the same in all of them."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of one metric whose numbers were taken from the same tables and claims."""

    rows: tuple[Row, ...]
    methods: tuple[str, ...]
    """Methods that some row has a number of."""
    varying: tuple[Key, ...]
    """Conditions that tell the rows apart."""
    shared: tuple[Condition, ...]
    """Conditions that are known and the same in all rows."""
    further_for_dataset: bool
    """Whether further conditions, such as that it is a mean over several datasets, stand where
    other rows have their dataset."""

    @property
    def first(self) -> Row:
        """The row that stands for all where they are alike."""
        return self.rows[0]

    @property
    def counted(self) -> tuple[str, str]:
        """Metric and unit."""
        return (self.first.metric, self.first.unit)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All numbers."""
        return tuple(number for row in self.rows for number in row.numbers)

    def label(self, row: Row, key: Key) -> str:
        """A condition of a row for a reader; the unknown one as that."""
        number = row.numbers[0]
        if key == "dataset" and self.spares_dataset(number):
            return number.condition("further").text
        condition = number.condition(key)
        return "unknown" if condition.state == "unknown" else condition.text

    def spares_dataset(self, number: Number) -> bool:
        """Whether a number needs no dataset, since something else is told in its place."""
        further = number.condition("further").text if self.further_for_dataset else ""
        return further != "" and number.condition("dataset").state == "unknown"


def blocks(rows: Iterable[Row], methods: Iterable[str]) -> tuple[Block, ...]:
    """The rows in blocks: by metric, by who measured, and those with most methods first."""
    grouped: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        places = frozenset(one.source.place for one in row.numbers)
        grouped[row.metric, row.unit, row.origin, places].append(row)
    known = tuple(methods)
    found = [_block(group, known) for group in grouped.values()]
    return tuple(sorted(found, key=_rank))


def _rank(block: Block) -> tuple[object, ...]:
    first = block.first
    return (
        natural(first.metric),
        natural(first.unit),
        _ORIGINS.index(first.origin),
        -len(block.methods),
        next(one.text for one in first.conditions if one.key == "kind") != "value",
        min(map(order, block.numbers)),
    )


def _block(rows: list[Row], methods: tuple[str, ...]) -> Block:
    rows = sorted(rows, key=lambda row: order(row.numbers[0]))
    have = {method for row in rows for method, _ in row.cells}
    by_key = {key: [row.conditions[place] for row in rows] for place, key in enumerate(KEYS)}
    several = {key for key, found in by_key.items() if len({one.same for one in found}) > 1}
    named = any(one.text for one in by_key["dataset"])
    for_dataset = named and "further" in several and not _needs_further(rows)
    if for_dataset:
        several.discard("further")
    varying = tuple(
        key
        for key, found in by_key.items()
        if key in several or (key in _ALWAYS and any(one.text for one in found))
    )
    shared = tuple(
        found[0]
        for key, found in by_key.items()
        if key not in varying and key not in several and found[0].text and key != "origin"
    )
    return Block(
        rows=tuple(rows),
        methods=tuple(method for method in methods if method in have),
        varying=varying,
        shared=tuple(one for one in shared if one.key != "kind" or one.text != "value"),
        further_for_dataset=for_dataset,
    )


def _needs_further(rows: list[Row]) -> bool:
    """Whether further conditions say more than what stands in for a dataset."""
    parts = [{one.key: one for one in row.conditions} for row in rows]
    return any(part["further"].text and part["dataset"].state != "unknown" for part in parts)
