"""Draft trees: which drafted token follows which.

Node 0 is the root, the last token that is certain. Parents stand before their children, so that a
prefix of the nodes is always a tree of its own.

A shape (``static_trees``, ``dynamic_trees``) is fixed once; in each cycle a drafter grows a tree of
that shape, a level at a time::

    growth = shape.plant(root)
    logits = ...  # after the root: [1, vocab]
    while (frontier := growth.grow(logits)) is not None:
        logits = ...  # after each node of the frontier: [frontier, vocab]
    tree = growth.tree()
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor

from eagle_impl.errors import OptionError
from eagle_impl.ranking import likeliest


@dataclass(frozen=True, eq=False)
class DraftTree:
    """Drafted tokens as a tree."""

    tokens: Tensor
    """Token of every node; ``tokens[0]`` is the root. [nodes]"""
    parents: Tensor
    """Index of every node's parent; -1 for the root. [nodes]"""
    probabilities: Tensor | None = None
    """For drafts that were drawn: the distribution that each node was drawn from, given its elder
    siblings; the root's row means nothing. [nodes, vocab]"""

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of every node's children."""
        below: list[list[int]] = [[] for _ in range(self.parents.numel())]
        for node, parent in enumerate(self.parents.tolist()[1:], start=1):
            below[parent].append(node)
        return tuple(map(tuple, below))

    @cached_property
    def depths(self) -> Tensor:
        """Number of ancestors of every node. [nodes]."""
        return self.mask.sum(dim=1) - 1

    @cached_property
    def mask(self) -> Tensor:
        """Whether row i sees node j: its ancestors and itself. [nodes, nodes], bool."""
        nodes = self.parents.numel()
        seen = bytearray(nodes * nodes)  # row after row; much quicker to fill than a tensor
        for node, parent in enumerate(self.parents.tolist()):
            row = node * nodes
            if parent >= 0:
                seen[row : row + nodes] = seen[parent * nodes : (parent + 1) * nodes]
            seen[row + node] = 1
        return _as_mask(seen, nodes, self.parents.device)


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """Nodes whose children come next, in the order of the rows that are then given."""

    tokens: Tensor
    """Their tokens. [frontier]"""
    sources: Tensor
    """The row of the last logits that each was taken from. [frontier]"""
    mask: Tensor
    """Whether each sees each node of all frontiers so far, itself included. The root is in none:
    like all that is certain, it is seen by all. [frontier, nodes of all frontiers], bool"""


class TreeShape(Protocol):
    """What trees are grown from."""

    @property
    def depth(self) -> int:
        """Levels of drafted nodes."""
        ...

    @property
    def total(self) -> int:
        """Drafted nodes at most, the root not counted."""
        ...

    @property
    def expansions(self) -> int:
        """Nodes of all frontiers at most, for which a drafter must have room."""
        ...

    def plant(self, root: int, vocabulary: Tensor | None = None) -> Growth:
        """Begin a tree of the likeliest tokens.

        Args:
            root: The last token that is certain.
            vocabulary: The token of each column of the logits, where a drafter knows only some
                tokens. [columns]
        """
        ...


class Growth(ABC):
    """A tree while it grows."""

    def __init__(self, root: int) -> None:
        self._tokens = [root]
        self._parents = [-1]
        self._frontier = [0]
        self._seen: dict[int, tuple[int, ...]] = {0: ()}  # by node: its columns of the mask
        self._columns = 0
        self._device = torch.device("cpu")

    @abstractmethod
    def grow(self, logits: Tensor) -> Frontier | None:
        """Take the children of the frontier.

        Args:
            logits: The drafter's, after the root in the first call, then after each node of the
                frontier; log-probabilities serve as well. [frontier, vocab]

        Returns:
            The nodes to go on from; nothing once the tree is deep enough.
        """

    @abstractmethod
    def tree(self) -> DraftTree:
        """The tree as far as it has grown."""

    def _advance(self, nodes: list[int], device: torch.device) -> Frontier | None:
        """Move the frontier to some children of its nodes."""
        rows = {node: row for row, node in enumerate(self._frontier)}
        self._frontier, self._device = nodes, device
        if not nodes:
            return None
        for column, node in enumerate(nodes, start=self._columns):
            self._seen[node] = (*self._seen[self._parents[node]], column)
        self._columns += len(nodes)
        seen = bytearray(len(nodes) * self._columns)
        for row, node in enumerate(nodes):
            for column in self._seen[node]:
                seen[row * self._columns + column] = 1
        return Frontier(
            torch.tensor([self._tokens[node] for node in nodes], device=device),
            torch.tensor([rows[self._parents[node]] for node in nodes], device=device),
            _as_mask(seen, len(nodes), device),
        )


def offers(
    logits: Tensor, count: int, vocabulary: Tensor | None
) -> tuple[list[list[int]], list[list[float]]]:
    """The likeliest tokens of each row, best first, and their log-probabilities.

    Args:
        logits: [rows, vocab]
        count: How many; of a small vocabulary, all.
        vocabulary: As in ``plant``. [columns]
    """
    columns, scores = likeliest(logits, min(count, logits.shape[-1]))
    tokens = columns if vocabulary is None else vocabulary[columns]
    return tokens.tolist(), scores.tolist()


def require_positive(**limits: int) -> None:
    """Refuse limits of a shape that are less than 1.

    Raises:
        OptionError: One is.
    """
    for name, limit in limits.items():
        if limit < 1:
            raise OptionError(f"the draft tree's {name.replace('_', '-')} is {limit}, less than 1")


def _as_mask(seen: bytearray, rows: int, device: torch.device) -> Tensor:
    """[rows * columns] -> [rows, columns], bool."""
    return torch.frombuffer(seen, dtype=torch.bool).view(rows, -1).to(device)
