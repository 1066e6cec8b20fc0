"""Whether texts come as often as they should: Pearson's test, with cells that a law makes.

How often a text is to be expected is not counted but computed, from the chances of each token after
each frequent beginning. A token is a cell of its own where at least a few of it are expected; all
others with the same beginning are one cell, and those of such cells that are still too small are
put together. The cells follow from the expectation alone: the counts have no say in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

LEAST = 5.0
"""Texts to be expected in a cell, as usual for this test."""

Words: TypeAlias = tuple[int, ...]
"""A text, or how it begins."""

_OTHER = -1
"""Stands for all tokens that have no cell of their own."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well counts agree with what was expected."""

    samples: int
    excluded: int
    """Those of them that cannot occur at all."""
    statistic: float
    """Of the others."""
    freedom: int
    """Cells but for one."""
    p: float
    """How likely so bad an agreement is if the law is the expected one."""


class Partition:
    """All texts, in cells."""

    def __init__(
        self,
        law: Callable[[Words], Tensor],
        samples: int,
        length: int,
        ends: Collection[int] = (),
    ) -> None:
        """Find the cells.

        Args:
            law: Chances of each token after a beginning. [vocab]
            samples: How many texts will be drawn.
            length: Tokens of a text.
            ends: Tokens after which a text is over before.
        """
        self._law, self._ends, self._length = law, ends, length
        self._laws: dict[Words, Tensor] = {}  # of the beginnings that are told apart further
        self.expected: dict[Words, float] = {}
        """Number of texts by what they begin with."""
        self.samples = samples
        self._split((), float(samples))

    def _split(self, words: Words, expected: float) -> None:
        over = len(words) == self._length or (words and words[-1] in self._ends)
        shares = torch.zeros(0) if over else _normalised(self._law(words))
        frequent: list[int] = (shares * expected >= LEAST).nonzero().flatten().tolist()
        if not frequent:
            self.expected[words] = expected
            return
        self._laws[words] = shares
        for token in frequent:
            self._split((*words, token), float(shares[token]) * expected)
        shares_of_others = shares.index_fill(0, torch.tensor(frequent), 0.0)
        self.expected[*words, _OTHER] = float(shares_of_others.sum()) * expected

    def cell(self, text: Words) -> Words | None:
        """Where a text belongs; nowhere if it cannot occur."""
        words: Words = ()
        while words in self._laws:
            token = text[len(words)]
            if self._laws[words][token] == 0:
                return None
            longer = (*words, token)
            own = longer in self._laws or longer in self.expected
            words = longer if own else (*words, _OTHER)
        return words

    def fit(self, texts: Iterable[Words]) -> Fit:
        """Count texts, as many as were announced, and test."""
        counts = Counter(map(self.cell, texts))
        excluded = counts.pop(None, 0)
        cells = _pooled([(counts[words], expected) for words, expected in self.expected.items()])
        statistic = sum((count - expected) ** 2 / expected for count, expected in cells)
        freedom = len(cells) - 1
        p = 0.0 if excluded else upper_tail(statistic, freedom)
        return Fit(self.samples, excluded, statistic, freedom, p)


def upper_tail(statistic: float, freedom: int) -> float:
    """Chance that a chi-square variable is at least so large."""
    if freedom == 0:
        return 1.0
    halves = torch.tensor([freedom / 2, statistic / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(halves[0], halves[1]))


def adjusted(chances: Sequence[float]) -> list[float]:
    """What p-values are worth when there are several: by Holm's method, in the given order.

    Rejecting those below a bound errs anywhere at all no more often than the bound says.
    """
    found, largest = [0.0] * len(chances), 0.0
    for rank, at in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[at]))
        found[at] = largest
    return found


def _pooled(cells: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Put cells together that are too small for the test: counts, and what was expected."""
    large = sorted((cell for cell in cells if cell[1] >= LEAST), key=lambda cell: cell[1])
    small = [cell for cell in cells if cell[1] < LEAST]
    pool = sum(count for count, _ in small), sum(expected for _, expected in small)
    if pool[1] >= LEAST or not large:
        return [*large, pool]
    return [(large[0][0] + pool[0], large[0][1] + pool[1]), *large[1:]]


def _normalised(chances: Tensor) -> Tensor:
    """[vocab] -> [vocab], in float64."""
    precise = chances.to("cpu", torch.float64)
    return precise / precise.sum()
