"""A number of a method, with everything that decides beside which others it may stand."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

Origin = Literal["authors", "third-party", "here"]
"""Who measured: the authors of the source, somebody else, or this project."""

Key = Literal[
    "model",
    "dataset",
    "temperature",
    "batch",
    "precision",
    "baseline",
    "engine",
    "hardware",
    "further",
    "kind",
    "origin",
]

KEYS: dict[Key, str] = {
    "model": "model",
    "dataset": "dataset",
    "temperature": "temperature",
    "batch": "batch",
    "precision": "precision",
    "baseline": "baseline",
    "engine": "engine",
    "hardware": "hardware",
    "further": "further conditions",
    "kind": "kind of number",
    "origin": "who measured",
}
"""What two numbers of one metric and unit must share to stand in one row, with its name."""

State = Literal["known", "uncertain", "unknown"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One of the things that two comparable numbers share."""

    key: Key
    text: str
    """For a reader; empty where it is unknown, or where there is nothing to say."""
    same: Hashable
    """Equal for two numbers exactly if they may stand in one row as far as this goes."""
    state: State
    """``uncertain`` if there are words for it that may mean different things elsewhere."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a number stands."""

    record: str
    """``kind/id`` of the record."""
    part: str
    """Id of the table or claim in the record; of a benchmark, the day."""
    cell: str
    """Row and column of a table; empty for a number that stands in none."""
    paper: str
    """Id of the paper whose record it is; empty for a benchmark."""
    version: str
    """The version that it was read in."""
    locator: str
    """Where in it."""
    place: Hashable
    """What is not stated is the same for all numbers of one place, and for no others: a table is
    one, also where it is entered under several records; a claim by itself is one."""


@dataclass(frozen=True, slots=True)
class Number:
    """One number as it is stated; nothing in it was computed from others."""

    method: str
    metric: str
    unit: str
    value: int | float | None
    """The number; None for a range."""
    low: int | float | None
    """Lower end of a range, or the smallest of the repeats."""
    high: int | float | None
    """Upper end of a range, or the largest of the repeats."""
    middle: tuple[float, float] | None
    """The quartiles of the repeats, where they are known."""
    decimals: int | None
    """Decimals as printed, where known."""
    bound: str
    """``up-to``, ``at-least`` or ``about``; empty for a number that is not hedged."""
    repeats: int
    """Of how many runs the value is the median; 0 where that is not known."""
    rule: str
    """How it was made of other numbers, such as ``range`` or ``maximum``; empty for none."""
    over: str
    """What it was made over."""
    origin: Origin
    own: bool
    """Whether the source is the paper that introduced the method."""
    drafting: str
    """The shape of the draft; empty where it is not stated."""
    conditions: tuple[Condition, ...]
    """One for each of ``KEYS``, in that order."""
    source: Source
    remark: str

    def condition(self, key: Key) -> Condition:
        """The condition of that name."""
        return next(one for one in self.conditions if one.key == key)

    @property
    def row(self) -> Hashable:
        """Equal for exactly those numbers that may stand in one row."""
        return (self.metric, self.unit, tuple(one.same for one in self.conditions))


Order = tuple[tuple[str | int, ...], ...]


def natural(text: str) -> tuple[str | int, ...]:
    """A key that sorts 7B before 13B."""
    parts = re.split(r"([0-9]+)", text.casefold())
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts))


def order(number: Number) -> Order:
    """A key that puts numbers into one order, whatever order they came in."""
    source = number.source
    # What is not stated, such as the dataset of a mean over several, comes last.
    stated = (natural(one.text or "\U0010ffff") for one in number.conditions)
    places = (source.record, source.part, source.cell, number.method, number.drafting)
    amounts = (str(number.value), str(number.low), str(number.high))
    return (
        natural(number.metric),
        natural(number.unit),
        *stated,
        *(natural(one) for one in (*places, *amounts)),
    )
