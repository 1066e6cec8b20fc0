"""Decoding many sequences at once with a Llama-shaped model, to generate training text.

Every sequence has a slot of the cache, and each step reads one token of every sequence that takes
part, be it of a prompt or generated. Slots are as long as they are: what ends makes room for the
next, and nobody waits for the longest.
"""

from __future__ import annotations

import torch
from torch import Tensor

from eagle_impl.attention import Attend, Heads, Rotation, fused, products
from eagle_impl.errors import CapacityError
from eagle_impl.native.kernels import NativeAttention
from eagle_impl.rotary import rotate
from eagle_impl.targets.interface import Judgement
from eagle_impl.targets.llama import LlamaTarget


class BatchCache:
    """Keys and values of several sequences."""

    def __init__(self, target: LlamaTarget, slots: int, capacity: int) -> None:
        """Make room for ``capacity`` tokens in each of some slots, all empty."""
        self.storage = target.storage(capacity, slots)
        self.capacity = capacity
        self.lengths = torch.zeros(slots, dtype=torch.long, device=target.device)
        """Tokens that each slot holds. Set one to 0 to begin another sequence. [slots]"""


@torch.inference_mode()
def step(target: LlamaTarget, ids: Tensor, slots: Tensor, cache: BatchCache) -> Judgement:
    """Read one more token of some sequences and keep it.

    Args:
        target: The model.
        ids: Next token of each sequence. [rows]
        slots: Where each of them lies, no two in the same. [rows]
        cache: What was read before.

    Returns:
        Logits [rows, vocab] and features [rows, hidden] of these tokens.

    Raises:
        CapacityError: A sequence is longer than its slot; nothing was written.
    """
    columns = cache.lengths[slots]  # [rows]
    longest = int(columns.max()) + 1
    if longest > cache.capacity:
        full = slots[columns >= cache.capacity].tolist()
        raise CapacityError(
            f"no room for one more token in slot {full[0]}, which holds all its {cache.capacity}",
            "end the sequence, or make the slots larger",
        )
    rotation = target.rotation(columns)
    attend: Attend
    if target.kernels:
        attend = NativeAttention(
            target.kernels,
            target.heads,
            rotation,
            columns,
            seen=columns + 1,
            capacity=cache.storage.columns,
            slots=slots,
        )
    else:
        attend = _BatchAttention(target.heads, rotation, columns, slots, longest)
    features = target.run(ids, attend, cache.storage.layers)
    cache.lengths[slots] = columns + 1
    return Judgement(target.lm_head(features), features)


class _BatchAttention:
    """Attention of one token each of some sequences, as torch computes it."""

    def __init__(
        self, heads: Heads, rotation: Rotation, columns: Tensor, slots: Tensor, longest: int
    ) -> None:
        cos, sin = rotation
        self._heads = heads
        self._rotation = cos[:, None], sin[:, None]  # [rows, 1, head_dim]
        self._columns, self._slots, self._longest = columns, slots, longest
        unseen = torch.arange(longest, device=cos.device) > columns[:, None]  # [rows, longest]
        bias = torch.zeros(unseen.shape, dtype=cos.dtype, device=cos.device)
        bias.masked_fill_(unseen, float("-inf"))
        self._bias = bias.repeat_interleave(heads.kv_heads, dim=0)[:, None]
        self._gather = products if cos.device.type == "cpu" else fused

    def __call__(self, qkv: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """See ``Attend``."""
        heads, kv_heads, head_dim = self._heads
        split = qkv.view(-1, heads + 2 * kv_heads, head_dim)
        turned = rotate(split[:, : heads + kv_heads], *self._rotation)
        keys[self._slots, :, self._columns] = turned[:, heads:]
        values[self._slots, :, self._columns] = split[:, heads + kv_heads :]
        queries = turned[:, :heads].reshape(-1, heads // kv_heads, head_dim)
        # Every key head of every sequence is a product of its own: [rows * kv_heads, seen, dim].
        keys = keys[self._slots, :, : self._longest].flatten(0, 1)
        values = values[self._slots, :, : self._longest].flatten(0, 1)
        return self._gather(queries, keys, values, self._bias).view(-1, heads * head_dim)
