"""How models of transformers look back: what a token sees, and where keys and values lie.

transformers builds each mask from a rule about two positions (causal, within a sliding window,
within a chunk). For a tree the rule is asked about the positions at which tokens stand in the text,
not the columns in which they lie, and of the tree's nodes only a node's own line is left. So every
kind of layer, and models that mix several, judge a tree as they judge its paths.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers.cache_utils import Cache, CacheLayerMixin
from transformers.masking_utils import AttentionMaskInterface, eager_mask
from transformers.modeling_utils import AttentionInterface

from eagle_impl.errors import CapacityError
from eagle_impl.targets.cache import TreeCache

NAME = "eagle_impl"
"""Under which transformers knows this attention."""


@dataclass(frozen=True, slots=True)
class _Sight:
    """Which token sees which in one pass."""

    queries: Tensor
    """Positions of the tokens. [tokens]"""
    keys: Tensor
    """Positions of what is kept, then of the tokens. [kept + tokens]"""
    visible: Tensor
    """What may be seen, if the layer's own rule allows it as well. [tokens, kept + tokens]"""


_sight: ContextVar[_Sight | None] = ContextVar("sight", default=None)


@contextmanager
def seeing(positions: Tensor, mask: Tensor, kept: int) -> Iterator[None]:
    """What a pass made meanwhile sees.

    Args:
        positions: Of its tokens. [tokens]
        mask: Which of its tokens may attend to which. [tokens, tokens], bool
        kept: Tokens before them, which all may attend to.
    """
    before = torch.arange(kept, device=positions.device)
    visible = torch.cat([mask.new_ones((positions.numel(), kept)), mask], dim=1)
    token = _sight.set(_Sight(positions, torch.cat([before, positions]), visible))
    try:
        yield
    finally:
        _sight.reset(token)


def _mask(*, mask_function: Callable[..., Tensor], **given: Any) -> Tensor:
    """A layer's mask, in the form that is added to scores. [1, 1, tokens, kept + tokens]."""
    sight = _sight.get()
    if sight is None:
        return eager_mask(mask_function=mask_function, **given)

    def rule(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        allowed = mask_function(batch, head, sight.queries[query], sight.keys[key])
        return allowed & sight.visible[query, key]

    return eager_mask(mask_function=rule, **given | {"q_offset": 0})


def _attention(module: nn.Module, *given: Any, **more: Any) -> tuple[Tensor, Tensor]:
    """The model's own attention, the one of several that transformers takes for its reference."""
    attend = sys.modules[type(module).__module__].eager_attention_forward
    attended: tuple[Tensor, Tensor] = attend(module, *given, **more)
    return attended


AttentionInterface.register(NAME, _attention)
AttentionMaskInterface.register(NAME, _mask)


class _Rows(CacheLayerMixin):
    """Keys and values of one layer, in memory that is taken at the first token."""

    def __init__(self, cache: HuggingFaceCache) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._cache = cache

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Make room. [1, kv_heads, tokens, head_dim] each."""
        capacity = self._cache.capacity
        try:
            self.keys, self.values = (
                states.new_zeros((*states.shape[:2], capacity, states.shape[3]))
                for states in (key_states, value_states)
            )
        except RuntimeError as error:  # torch has no other error for it on every device
            raise CapacityError(
                f"there is no memory for a cache of {capacity} tokens",
                "ask for fewer new tokens",
            ) from error
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any
    ) -> tuple[Tensor, Tensor]:
        """Write after what is kept, and give both. [1, kv_heads, kept + tokens, head_dim] each."""
        if self.keys is None or self.values is None:
            self.lazy_initialization(key_states, value_states)
        assert self.keys is not None
        assert self.values is not None
        start = self._cache.length
        end = start + key_states.shape[2]
        self.keys[:, :, start:end] = key_states
        self.values[:, :, start:end] = value_states
        return self.keys[:, :, :end], self.values[:, :, :end]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Columns that a pass sees, and the first of them."""
        return self._cache.length + query_length, 0

    def get_seq_length(self) -> int:
        """Tokens that are kept."""
        return self._cache.length

    def get_max_length(self) -> int:
        """Tokens that there is room for."""
        return self._cache.capacity


class HuggingFaceCache(TreeCache):
    """Keys and values of one sequence as models of transformers hold them."""

    def __init__(self, layers: int, capacity: int) -> None:
        super().__init__(capacity)
        self._rows = [_Rows(self) for _ in range(layers)]
        self.past = Cache(layers=list(self._rows))
        """What models take for their cache."""

    def move(self, source: Tensor, goal: Tensor) -> None:
        """See ``TreeCache.move``."""
        for rows in self._rows:
            for part in (rows.keys, rows.values):
                if part is not None:  # some layers look at the keys of another
                    part[:, :, goal] = part[:, :, source]
