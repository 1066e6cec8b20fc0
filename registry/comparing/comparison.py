"""Which numbers stand side by side, which do not, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from registry.comparing.apart import Apart
from registry.comparing.conditions import Difference, differences
from registry.comparing.gather import Gathered
from registry.comparing.number import Condition, Number, Origin
from registry.comparing.question import Question
from registry.errors import ComparisonError
from registry.store.nearest import did_you_mean


@dataclass(frozen=True, slots=True)
class Row:
    """Numbers of at least two methods that may stand side by side."""

    cells: tuple[tuple[str, tuple[Number, ...]], ...]
    """Method to its numbers, for the methods that have one. Several numbers of one method are
    several statements; they are never made one."""

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All numbers of the row."""
        return tuple(number for _, numbers in self.cells for number in numbers)

    @property
    def metric(self) -> str:
        """What they count."""
        return self.numbers[0].metric

    @property
    def unit(self) -> str:
        """Their unit."""
        return self.numbers[0].unit

    @property
    def origin(self) -> Origin:
        """Who measured them."""
        return self.numbers[0].origin

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What they share."""
        return self.numbers[0].conditions


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A number that stands beside no other."""

    number: Number
    nearest: Number | None
    """The number of another method that fewest conditions keep it from; None if no other method has
    a number of that metric and unit."""
    differences: tuple[Difference, ...]
    """What keeps the two apart."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a question was answered with."""

    question: Question
    apart: tuple[Apart, ...]
    """Methods among those compared whose numbers do not mean the same."""
    refused: bool
    """Whether there is no table because of that."""
    rows: tuple[Row, ...]
    left_out: tuple[LeftOut, ...]
    unstated: int
    """Numbers that do not state a condition which was asked for."""
    recorded: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    """Method to metrics with the number of their numbers, before anything was asked for."""
    unreadable: tuple[str, ...]
    """Tables that could not be read."""

    @property
    def numbers(self) -> tuple[Number, ...]:
        """Everything that was found, in the table or below it."""
        inside = (number for row in self.rows for number in row.numbers)
        return (*inside, *(one.number for one in self.left_out))

    @property
    def missing(self) -> tuple[str, ...]:
        """Methods of which nothing was found."""
        have = {number.method for number in self.numbers}
        return tuple(method for method in self.question.methods if method not in have)


def compare(
    question: Question, found: Gathered, apart: Sequence[Apart], *, allow_apart: bool = False
) -> Comparison:
    """Put into rows what may stand side by side.

    Args:
        question: What was asked for.
        found: Every number of its methods.
        apart: Pairs of its methods that do not mean the same.
        allow_apart: Whether to compare methods that are not interchangeable.

    Raises:
        ComparisonError: no number has the metric that was asked for.
    """
    metrics = sorted({number.metric for number in found.numbers})
    if question.metric is not None and metrics and question.metric not in metrics:
        hint = did_you_mean(question.metric, metrics) or f"there are {', '.join(metrics)}"
        raise ComparisonError(
            f"none of these methods has a number called {question.metric!r}", hint
        )
    refused = bool(apart) and not allow_apart
    chosen = [number for number in found.numbers if question.takes(number)]
    rows, left_out = ((), ()) if refused else _table(chosen, question.methods)
    return Comparison(
        question=question,
        apart=tuple(apart),
        refused=refused,
        rows=rows,
        left_out=left_out,
        unstated=sum(map(question.may_take, found.numbers)),
        recorded=_recorded(question.methods, found.numbers),
        unreadable=found.unreadable,
    )


def _recorded(
    methods: Sequence[str], numbers: Sequence[Number]
) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    found: dict[str, Counter[str]] = {method: Counter() for method in methods}
    for number in numbers:
        found[number.method][number.metric] += 1
    return tuple((method, tuple(sorted(metrics.items()))) for method, metrics in found.items())


def _table(
    numbers: Sequence[Number], methods: Sequence[str]
) -> tuple[tuple[Row, ...], tuple[LeftOut, ...]]:
    grouped: dict[Hashable, list[Number]] = defaultdict(list)
    for number in numbers:
        grouped[number.row].append(number)
    rows: list[Row] = []
    standing: set[int] = set()
    for group in grouped.values():
        by_method = {
            method: tuple(number for number in group if number.method == method)
            for method in methods
        }
        cells = tuple((method, found) for method, found in by_method.items() if found)
        if len(cells) > 1:
            rows.append(Row(cells))
            standing.update(map(id, group))
    alone = [number for number in numbers if id(number) not in standing]
    return tuple(rows), tuple(_left_out(number, numbers) for number in alone)


def _left_out(number: Number, numbers: Sequence[Number]) -> LeftOut:
    """The number with the one that fewest conditions keep it from."""
    best: tuple[tuple[int, int], Number, tuple[Difference, ...]] | None = None
    for other in numbers:
        if other.method == number.method:
            continue
        if (other.metric, other.unit) != (number.metric, number.unit):
            continue
        found = differences(number, other)
        known = sum(one.kind == "differs" for one in found)
        cost = (len(found), known)
        if best is None or cost < best[0]:
            best = (cost, other, found)
    return LeftOut(number, best[1], best[2]) if best else LeftOut(number, None, ())
