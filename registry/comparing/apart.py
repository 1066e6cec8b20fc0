"""Methods whose numbers do not mean the same, and the records' own reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from registry.records.method import Method
from registry.views.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Reason:
    """What a record says."""

    record: str
    """``kind/id`` of the record that says it."""
    text: str


@dataclass(frozen=True, slots=True)
class Apart:
    """Two methods whose numbers do not mean the same."""

    one: str
    other: str
    between: tuple[str, str]
    """The two that are declared not interchangeable: these, or methods that they build upon."""
    because: tuple[Reason, ...]

    @property
    def declared(self) -> bool:
        """Whether a record says it of these two, and not only of what they build upon."""
        return self.between == (self.one, self.other)


def apart_among(methods: Sequence[str], shelf: Shelf) -> tuple[Apart, ...]:
    """All pairs of ``methods`` that are kept apart, in their order.

    A declaration holds in both directions. Where none is made about two methods, the nearest one
    about methods that they build upon is told; whether it carries over is for a reader to judge.
    """
    return tuple(
        found for pair in combinations(methods, 2) if (found := _between(*pair, shelf)) is not None
    )


def _between(one: str, other: str, shelf: Shelf) -> Apart | None:
    for first in _line(one, shelf):
        for second in _line(other, shelf):
            if because := (*_said(first, second, shelf), *_said(second, first, shelf)):
                return Apart(one, other, (first, second), because)
    return None


def _line(method: str, shelf: Shelf) -> tuple[str, ...]:
    """A method and everything that it builds upon, nearest first."""
    line = [method]
    for one in line:
        record = shelf.get(Method, one)
        line += [base for base in (record and record.builds_on) or () if base not in line]
    return tuple(line)


def _said(method: str, other: str, shelf: Shelf) -> tuple[Reason, ...]:
    record = shelf.get(Method, method)
    declared = (record and record.not_interchangeable_with) or ()
    return tuple(Reason(f"method/{method}", one.because) for one in declared if one.method == other)
