"""Trees whose form does not depend on what is drafted: chains, and EAGLE-1's tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import torch
from torch import Tensor

from eagle_impl.draws import Draw
from eagle_impl.errors import OptionError
from eagle_impl.trees import DraftTree, Frontier, Growth, offers, require_positive

Path: TypeAlias = tuple[int, ...]
"""A node: the ranks among their siblings of all nodes on the way to it, and its own. Rank 0 is the
likeliest child, or the one that is drawn first."""


@dataclass(frozen=True)
class StaticTree:
    """A tree of one form.

    Raises:
        OptionError: There is no node, or one is named twice, or has no parent or a negative rank.
    """

    paths: tuple[Path, ...]
    """The drafted nodes."""
    ranks: dict[Path, list[int]] = field(init=False, repr=False, compare=False)
    """The children of every node, the root included, by rank."""

    def __post_init__(self) -> None:
        require_positive(total=len(self.paths))
        ranks: dict[Path, list[int]] = {(): []}
        for path in sorted(self.paths, key=len):
            if path in ranks:
                raise OptionError(f"the draft tree names node {path} twice")
            if path[:-1] not in ranks or path[-1] < 0:
                raise OptionError(
                    f"the draft tree's node {path} has no parent, or a negative rank",
                    "name every node on the way to a node, by ranks that count from 0",
                )
            ranks[path] = []
            ranks[path[:-1]].append(path[-1])
        for children in ranks.values():
            children.sort()
        object.__setattr__(self, "ranks", ranks)

    @property
    def depth(self) -> int:
        """Levels of drafted nodes."""
        return max(map(len, self.paths))

    @property
    def total(self) -> int:
        """Drafted nodes at most, the root not counted."""
        return len(self.paths)

    @property
    def expansions(self) -> int:
        """Nodes of all frontiers at most, for which a drafter must have room."""
        return sum(bool(self.ranks[path]) for path in self.paths)

    def plant(self, root: int, vocabulary: Tensor | None = None) -> Growth:
        """Begin a tree of the likeliest tokens, as ``TreeShape`` has it."""
        return _Growth(self, root, vocabulary)

    def plant_drawn(self, root: int, draw: Draw) -> Growth:
        """Begin a tree of tokens that are drawn, siblings without replacement.

        Args:
            root: The last token that is certain.
            draw: Called for each child with what is left of the drafter's distribution. The columns
                of the logits must be the target's whole vocabulary.
        """
        return _DrawnGrowth(self, root, draw)


def chain(depth: int) -> StaticTree:
    """One token after the other.

    Raises:
        OptionError: The depth is less than 1.
    """
    require_positive(depth=depth)
    return StaticTree(tuple((0,) * length for length in range(1, depth + 1)))


_EAGLE_1 = """
0 1 2 3
00 01 02 10 11 20 21 30
000 001 002 010 011 020 021 100
0000 0001 0002
00000 00001
"""

EAGLE_1_TREE = StaticTree(tuple(tuple(map(int, ranks)) for ranks in _EAGLE_1.split()))
"""The 25 nodes of EAGLE-1 (paper, appendix A.1; ``eagle/model/choices.py`` on the repository's
branch v1, under the name of Medusa's tree, which has 63)."""


class _Growth(Growth):
    def __init__(self, shape: StaticTree, root: int, vocabulary: Tensor | None = None) -> None:
        super().__init__(root)
        self._ranks = shape.ranks
        self._paths: list[Path] = [()]  # by node
        self._vocabulary = vocabulary

    def grow(self, logits: Tensor) -> Frontier | None:
        ranks = [self._ranks[self._paths[node]] for node in self._frontier]
        offered = self._offer(logits, [wanted[-1] + 1 for wanted in ranks])
        inner = []
        for parent, wanted, tokens in zip(self._frontier, ranks, offered, strict=True):
            for rank in wanted:
                if rank < len(tokens):  # a small vocabulary has fewer
                    path = (*self._paths[parent], rank)
                    if self._ranks[path]:
                        inner.append(len(self._tokens))
                    self._tokens.append(tokens[rank])
                    self._parents.append(parent)
                    self._paths.append(path)
        return self._advance(inner, logits.device)

    def tree(self) -> DraftTree:
        return DraftTree(
            torch.tensor(self._tokens, device=self._device),
            torch.tensor(self._parents, device=self._device),
            self._probabilities(),
        )

    def _offer(self, logits: Tensor, counts: list[int]) -> list[list[int]]:
        """Tokens of each row by rank, as many as its count if there are."""
        return offers(logits, max(counts), self._vocabulary)[0]

    def _probabilities(self) -> Tensor | None:
        return None


class _DrawnGrowth(_Growth):
    def __init__(self, shape: StaticTree, root: int, draw: Draw) -> None:
        super().__init__(shape, root)
        self._draw = draw
        self._drawn_from: dict[Path, Tensor] = {}  # [vocab] each

    def _offer(self, logits: Tensor, counts: list[int]) -> list[list[int]]:
        offered = []
        rows = zip(self._frontier, logits.double().softmax(dim=-1), counts, strict=True)
        for parent, rest, count in rows:
            tokens = list[int]()
            while len(tokens) < count and (mass := rest.sum().item()) > 0:
                drawn_from = rest / mass
                tokens.append(self._draw(drawn_from))
                self._drawn_from[*self._paths[parent], len(tokens) - 1] = drawn_from
                rest[tokens[-1]] = 0.0  # of siblings, no two are alike
            offered.append(tokens)
        return offered

    def _probabilities(self) -> Tensor | None:
        rows = [self._drawn_from[path] for path in self._paths[1:]]
        return torch.stack([torch.zeros_like(rows[0]), *rows]) if rows else None
