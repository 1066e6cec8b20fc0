"""Reading prompts, judging trees and keeping paths, for targets that can make one pass."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from eagle_impl.errors import PromptError
from eagle_impl.targets.cache import TreeCache
from eagle_impl.targets.interface import Cache, Judgement

CHUNK = 512
"""Tokens of a prompt that are read in one pass, which bounds the memory for their scores."""


class TreeTarget(ABC):
    """The part of ``eagle_impl.targets.interface.Target`` that no architecture changes."""

    device: torch.device

    @torch.inference_mode()
    def prefill(self, ids: Tensor, cache: Cache) -> Judgement:
        """See ``Target.prefill``.

        Raises:
            PromptError: There are no tokens.
            CapacityError: They do not fit into the cache; nothing was written.
        """
        assert isinstance(cache, TreeCache)
        if ids.numel() == 0:
            raise PromptError("no tokens to read", "give at least one, such as the start token")
        cache.reserve(ids.numel())
        cache.judged = 0
        read = []
        for chunk in torch.split(ids, CHUNK):
            end = cache.length + chunk.numel()
            positions = torch.arange(cache.length, end, device=self.device)
            read.append(self._pass(chunk, positions, None, cache))
            cache.length = end
        features = read[0] if len(read) == 1 else torch.cat(read)
        return Judgement(self.lm_head(features[-1:]), features)

    @torch.inference_mode()
    def verify(self, ids: Tensor, positions: Tensor, mask: Tensor, cache: Cache) -> Judgement:
        """See ``Target.verify``.

        Raises:
            CapacityError: The tree does not fit into the cache; nothing was written.
        """
        assert isinstance(cache, TreeCache)
        cache.reserve(ids.numel())
        cache.judged = ids.numel()
        features = self._pass(ids, positions, mask, cache)
        return Judgement(self.lm_head(features), features)

    @torch.inference_mode()
    def keep(self, path: Tensor, cache: Cache) -> None:
        """See ``Target.keep``."""
        assert isinstance(cache, TreeCache)
        cache.keep(path)

    @abstractmethod
    def lm_head(self, features: Tensor) -> Tensor:
        """Logits of features. [tokens, hidden] -> [tokens, vocab]."""

    @abstractmethod
    def _pass(
        self, ids: Tensor, positions: Tensor, mask: Tensor | None, cache: TreeCache
    ) -> Tensor:
        """Features of tokens after those that are kept, written behind them.

        Args:
            ids: [tokens]
            positions: Absolute position of each. [tokens]
            mask: Whether row i may attend to column j, or None if they stand in a row.
                [tokens, tokens], bool
            cache: A cache of this target's own.

        Returns:
            Features. [tokens, hidden]
        """
