"""A target whose next word depends on the last one alone, and a drafter that believes in others."""

from __future__ import annotations

import torch
from eagle.tiny import tiny_config
from torch import Generator, Tensor

from eagle_impl.draws import generator_draws
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import StaticTree
from eagle_impl.targets.interface import Cache, Judgement
from eagle_impl.trees import DraftTree

WARM = Sampler(temperature=1.0)
WORDS = 5


def table(seed: int) -> Tensor:
    """Logits by the last word. [WORDS, WORDS]."""
    return 1.2 * torch.randn(WORDS, WORDS, generator=Generator().manual_seed(seed))


class Kept:
    """How many tokens were kept."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.length = capacity, 0


class Markov:
    """The target."""

    device, dtype = torch.device("cpu"), torch.float32

    def __init__(self, rows: Tensor | None = None, ends: tuple[int, ...] = ()) -> None:
        self.config = tiny_config(vocab_size=WORDS, max_positions=64, eos_ids=ends)
        self.embedding_weight = self.lm_head_weight = torch.eye(WORDS)
        self.rows = table(1) if rows is None else rows

    def new_cache(self, capacity: int) -> Kept:
        return Kept(capacity)

    def prefill(self, ids: Tensor, cache: Cache) -> Judgement:
        assert isinstance(cache, Kept)
        cache.length += ids.numel()
        return Judgement(self.rows[ids[-1:]], torch.zeros(ids.numel(), WORDS))

    def verify(self, ids: Tensor, positions: Tensor, mask: Tensor, cache: Cache) -> Judgement:
        return Judgement(self.rows[ids], torch.zeros(ids.numel(), WORDS))

    def keep(self, path: Tensor, cache: Cache) -> None:
        assert isinstance(cache, Kept)
        cache.length += path.numel()

    def lm_head(self, features: Tensor) -> Tensor:
        return features

    def embed(self, ids: Tensor) -> Tensor:
        return self.embedding_weight[ids]


class Believing:
    """The drafter."""

    max_positions = 10**6

    def __init__(self, shape: StaticTree, *, likeliest: bool = False) -> None:
        """Draw, or take the likeliest words."""
        self.likeliest = likeliest
        self.shape, self.depth, self.widest = shape, shape.depth, shape.total + 1
        self.rows = table(2).log_softmax(dim=-1)

    def begin(self, capacity: int) -> None:
        pass

    def observe(self, ids: Tensor, features: Tensor) -> None:
        pass

    def draft(self, root: int, generator: Generator | None) -> DraftTree:
        growth = (
            self.shape.plant(root)
            if generator is None or self.likeliest
            else self.shape.plant_drawn(root, generator_draws(generator))
        )
        rows = self.rows[[root]]
        while (frontier := growth.grow(rows)) is not None:
            rows = self.rows[frontier.tokens]
        return growth.tree()
