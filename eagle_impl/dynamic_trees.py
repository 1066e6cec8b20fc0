"""Trees that grow where the drafter is confident (EAGLE-2, section 4).

The probability that a drafter gives a token is a fair estimate of the chance that the target takes
it, and the product along a path of the chance that it takes the whole path. On each level the nodes
with the highest products are expanded, and in the end the highest of all are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from eagle_impl.errors import OptionError
from eagle_impl.trees import DraftTree, Frontier, Growth, offers, require_positive


@dataclass(frozen=True)
class DynamicTree:
    """Limits of a tree that grows by confidence.

    Raises:
        OptionError: A limit is less than 1, or the total is out of reach.
    """

    top_k: int
    """Nodes that are expanded on each level, and children of each."""
    depth: int
    """Levels of drafted nodes. The published code's ``depth`` is one less."""
    total: int
    """Drafted nodes that are kept in the end. The published code's ``total_token`` also counts the
    root."""

    def __post_init__(self) -> None:
        require_positive(top_k=self.top_k, depth=self.depth, total=self.total)
        most = self.top_k + (self.depth - 1) * self.top_k**2
        if self.total > most:
            raise OptionError(
                f"a draft tree of top-k {self.top_k} and depth {self.depth} has no more than {most}"
                f" nodes, so that {self.total} cannot be kept",
                "raise its top-k or depth, or lower its total",
            )

    @property
    def expansions(self) -> int:
        """Nodes of all frontiers at most, for which a drafter must have room."""
        return self.top_k * (self.depth - 1)

    def plant(self, root: int, vocabulary: Tensor | None = None) -> Growth:
        """Begin a tree, as ``TreeShape`` has it."""
        return _Growth(self, root, vocabulary)


class _Growth(Growth):
    def __init__(self, shape: DynamicTree, root: int, vocabulary: Tensor | None) -> None:
        super().__init__(root)
        self._shape = shape
        self._vocabulary = vocabulary
        self._scores = [0.0]  # by node: log-probability of the path that ends in it
        self._levels = 0

    def grow(self, logits: Tensor) -> Frontier | None:
        first = len(self._tokens)
        offered = offers(logits, self._shape.top_k, self._vocabulary)
        for parent, tokens, scores in zip(self._frontier, *offered, strict=True):
            so_far = self._scores[parent]
            self._tokens += tokens
            self._parents += [parent] * len(tokens)
            # By rounding a log-probability may be above 0; no child may outdo its parent.
            self._scores += [so_far + min(0.0, score) for score in scores]
        self._levels += 1
        if self._levels == self._shape.depth:
            return self._advance([], logits.device)
        return self._advance(self._best(first, self._shape.top_k), logits.device)

    def tree(self) -> DraftTree:
        kept = [0, *sorted(self._best(1, self._shape.total))]
        places = {node: place for place, node in enumerate(kept)}
        parents = [-1, *(places[self._parents[node]] for node in kept[1:])]
        return DraftTree(
            torch.tensor([self._tokens[node] for node in kept], device=self._device),
            torch.tensor(parents, device=self._device),
        )

    def _best(self, first: int, count: int) -> list[int]:
        """The best nodes from one on, best first.

        Among equals the older is the better one (Python's sort is stable), so that a parent always
        comes before its children and what is kept is one tree.
        """
        nodes = range(first, len(self._tokens))
        return sorted(nodes, key=self._scores.__getitem__, reverse=True)[:count]
