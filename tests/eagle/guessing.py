"""A drafter that knows what will be said, and is sometimes wrong on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import torch
from torch import Generator, Tensor

from eagle_impl.trees import DraftTree


class Guesser:
    """Drafts trees of any form, in which the right path goes anywhere and ends anywhere.

    Thus drafts are accepted of every length, and along nodes that do not lie side by side.
    """

    max_positions = 10**6
    depth, widest = 4, 10

    def __init__(self, ids: Sequence[int], vocab_size: int, seed: int) -> None:
        """Know the prompt and all that follows."""
        self._ids, self._vocab_size, self._random = ids, vocab_size, Random(seed)
        self._seen = 1  # the first token is observed with no feature

    def begin(self, capacity: int) -> None:
        self._seen = 1

    def observe(self, ids: Tensor, features: Tensor) -> None:
        assert ids.numel() == features.shape[0]
        self._seen += ids.numel()

    def draft(self, root: int, generator: Generator | None) -> DraftTree:
        assert root == self._ids[self._seen - 1]
        parents, depths = [-1], [0]
        for _ in range(self._random.randrange(self.widest)):
            parent = self._random.choice([n for n, d in enumerate(depths) if d < self.depth])
            parents.append(parent)
            depths.append(depths[parent] + 1)
        tokens = [root, *(self._random.randrange(self._vocab_size) for _ in parents[1:])]
        node, right = 0, list(self._ids[self._seen :])
        while right and self._random.random() < 0.8:
            children = [child for child, parent in enumerate(parents) if parent == node]
            if not children:
                break
            node = self._random.choice(children)
            tokens[node] = right.pop(0)
        return DraftTree(torch.tensor(tokens), torch.tensor(parents))
