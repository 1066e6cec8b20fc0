"""A target and a drafter that say what they are told to, and a tokenizer for them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from eagle.tiny import tiny_config
from tokenizers import Tokenizer, decoders, models
from torch import Generator, Tensor

from eagle_impl.targets.interface import Cache, Judgement
from eagle_impl.trees import DraftTree


class Kept:
    """How many tokens were kept."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.length = capacity, 0


class Told:
    """Says one text, whatever it was given to read: what comes next depends on the place alone."""

    device, dtype = torch.device("cpu"), torch.float32

    def __init__(self, text: Sequence[int], prompt: int, *, ends: tuple[int, ...] = ()) -> None:
        """Say ``text`` after so many tokens of a prompt."""
        self.config = tiny_config(eos_ids=ends)
        self.embedding_weight = self.lm_head_weight = torch.zeros(61, 48)
        self._rows = torch.zeros(100, 61)  # logits after each place
        for place, token in enumerate(text, start=prompt - 1):
            self._rows[place, token] = 2.0
        self.verified: list[list[int]] = []
        """Positions of each tree."""

    def new_cache(self, capacity: int) -> Kept:
        return Kept(capacity)

    def prefill(self, ids: Tensor, cache: Cache) -> Judgement:
        assert isinstance(cache, Kept)
        cache.length += ids.numel()
        return Judgement(self._rows[cache.length - 1][None], torch.zeros(ids.numel(), 48))

    def verify(self, ids: Tensor, positions: Tensor, mask: Tensor, cache: Cache) -> Judgement:
        self.verified.append(positions.tolist())
        return Judgement(self._rows[positions], torch.zeros(ids.numel(), 48))

    def keep(self, path: Tensor, cache: Cache) -> None:
        assert isinstance(cache, Kept)
        cache.length += path.numel()

    def lm_head(self, features: Tensor) -> Tensor:
        return features @ self.lm_head_weight.T

    def embed(self, ids: Tensor) -> Tensor:
        return self.embedding_weight[ids]


class Chains:
    """Drafts chains that were written down, one each cycle."""

    max_positions = 10**6

    def __init__(self, *chains: Sequence[int]) -> None:
        self._chains = chains
        self.depth = max(map(len, chains))
        self.widest = self.depth + 1

    def begin(self, capacity: int) -> None:
        self._left = iter(self._chains)

    def observe(self, ids: Tensor, features: Tensor) -> None:
        pass

    def draft(self, root: int, generator: Generator | None) -> DraftTree:
        nodes = [root, *next(self._left)]
        return DraftTree(torch.tensor(nodes), torch.arange(-1, len(nodes) - 1))


def tokens_of(**texts: int) -> Tokenizer:
    """A tokenizer whose tokens are these texts, by their ids."""
    tokenizer = Tokenizer(models.WordLevel(texts, unk_token=next(iter(texts))))
    tokenizer.decoder = decoders.Fuse()
    return tokenizer
