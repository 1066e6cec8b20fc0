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
    """Two methods whose numbers do not mean the same.

    What is declared of two methods holds for all that builds upon them: a descendant that is not
    meant needs a flag from whoever compares, and one that is must not get round it by its name.
    """

    one: str
    other: str
    between: tuple[str, str]
    """The two that a record speaks of: these, or methods that they build upon."""
    called: tuple[str, str]
    """The names of those."""
    because: tuple[Reason, ...]


def apart_among(methods: Sequence[str], shelf: Shelf) -> tuple[Apart, ...]:
    """All pairs of ``methods`` that are kept apart, in their order.

    A declaration holds in both directions. Of several that hold for a pair, the nearest is told.
    """
    return tuple(
        found for pair in combinations(methods, 2) if (found := _between(*pair, shelf)) is not None
    )


def _between(one: str, other: str, shelf: Shelf) -> Apart | None:
    for first in _line(one, shelf):
        for second in _line(other, shelf):
            if because := (*_said(first, second, shelf), *_said(second, first, shelf)):
                called = (shelf.label("method", first), shelf.label("method", second))
                return Apart(one, other, (first, second), called, because)
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
