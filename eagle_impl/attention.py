"""Attention of the tokens of one pass over a cache of keys and values, as torch computes it.

An attention is made once a pass, from where the tokens stand and whom they see, and called once a
layer. ``eagle_impl.native`` has another one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Tensor

from eagle_impl.rotary import rotate

Rotation: TypeAlias = tuple[Tensor, Tensor]
"""Cosines and sines of the tokens' positions. [tokens, head_dim] each."""


class Heads(NamedTuple):
    """Geometry: query heads share key heads in groups of ``heads / kv_heads``."""

    heads: int
    kv_heads: int
    head_dim: int


class Attend(Protocol):
    """Attention of one pass."""

    def __call__(self, qkv: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Rotate, write keys and values into the cache, and attend, in one layer.

        Args:
            qkv: Queries, keys and values of the tokens; may be overwritten.
                [tokens, (heads + 2 * kv_heads) * head_dim]
            keys: The layer's part of the cache. [..., kv_heads, capacity, head_dim]
            values: [..., kv_heads, capacity, head_dim]

        Returns:
            What every query head gathered. [tokens, heads * head_dim]
        """
        ...


Gather: TypeAlias = Callable[[Tensor, Tensor, Tensor, Tensor | None], Tensor]
"""From queries [kv_heads, rows, head_dim], keys and values [kv_heads, seen, head_dim], and a bias
that is 0 where a row sees a key and -inf where it does not [rows, seen], what the rows gather.
[kv_heads, rows, head_dim]"""


def products(queries: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None) -> Tensor:
    """Gather with two batched products, which is the quicker way on CPUs."""
    scores = torch.bmm(queries * queries.shape[-1] ** -0.5, keys.transpose(1, 2))
    if bias is not None:
        scores += bias
    shares = scores.softmax(dim=-1, dtype=torch.float32).to(values.dtype)
    return torch.bmm(shares, values)


def fused(queries: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None) -> Tensor:
    """Gather with torch's fused kernels, which is the quicker way on GPUs."""
    gathered: Tensor = F.scaled_dot_product_attention(
        queries[None], keys[None], values[None], attn_mask=bias
    )
    return gathered[0]


class TorchAttention:
    """Attention of the tokens of one pass.

    The query heads that share a key head become rows of one product, so that no key is repeated:
    row ``group * tokens + token``.
    """

    def __init__(
        self, heads: Heads, rotation: Rotation, start: int, mask: Tensor | None, gather: Gather
    ) -> None:
        """Say where the tokens stand.

        Args:
            heads: Geometry.
            rotation: Of the tokens' positions.
            start: Column of the cache for the first token's key; all see the columns before it.
            mask: Whether token i sees token j; all up to itself if absent. [tokens, tokens], bool
            gather: ``products`` or ``fused``.
        """
        cos, sin = rotation
        self._tokens = tokens = cos.shape[0]
        self._heads = heads
        self._rotation = cos[:, None], sin[:, None]  # [tokens, 1, head_dim]
        self._columns = slice(start, start + tokens)
        self._gather = gather
        self._bias: Tensor | None = None
        if tokens > 1:
            if mask is None:
                mask = torch.ones(tokens, tokens, dtype=torch.bool, device=cos.device).tril()
            bias = torch.zeros(tokens, start + tokens, dtype=cos.dtype, device=cos.device)
            bias[:, start:].masked_fill_(~mask, float("-inf"))
            self._bias = bias.repeat(heads.heads // heads.kv_heads, 1)

    def __call__(self, qkv: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """See ``Attend``."""
        heads, kv_heads, head_dim = self._heads
        split = qkv.view(self._tokens, heads + 2 * kv_heads, head_dim)
        turned = rotate(split[:, : heads + kv_heads], *self._rotation)
        keys[:, self._columns] = turned[:, heads:].transpose(0, 1)
        values[:, self._columns] = split[:, heads + kv_heads :].transpose(0, 1)
        queries = turned[:, :heads].view(self._tokens, kv_heads, -1, head_dim).permute(1, 2, 0, 3)
        end = self._columns.stop
        gathered = self._gather(
            queries.reshape(kv_heads, -1, head_dim), keys[:, :end], values[:, :end], self._bias
        )  # [kv_heads, groups * tokens, head_dim]
        grouped = gathered.view(kv_heads, -1, self._tokens, head_dim).permute(2, 0, 1, 3)
        return grouped.reshape(self._tokens, heads * head_dim)
