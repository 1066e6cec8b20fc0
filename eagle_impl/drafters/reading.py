"""A head at work: it reads pairs, remembers them, and predicts what follows.

Keys and values of a pair depend on nothing but the pair, so that pairs which are only looked back
at need no more than those. There are two ways to read: with torch, on any device and in any number
format, and with the kernels of ``eagle_impl.native``.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from eagle_impl.drafters.head import EagleHead, Rotation, for_drafting


class Reader(Protocol):
    """A head, and the pairs that it has read."""

    def begin(self, room: int) -> None:
        """Forget everything and make room for pairs."""
        ...

    def read(self, embeddings: Tensor, features: Tensor, start: int) -> Tensor:
        """Read pairs that are certain, each of which sees all before it.

        Args:
            embeddings: Of the tokens one position after the features. [pairs, hidden]
            features: The target's. [pairs, hidden]
            start: How many pairs are certain already; what was read beyond them is forgotten.

        Returns:
            The feature predicted after the last of them. [1, hidden]
        """
        ...

    def read_level(
        self, embeddings: Tensor, features: Tensor, start: int, position: int, mask: Tensor
    ) -> Tensor:
        """Read nodes of a tree that stand on one level of it.

        Args:
            embeddings: Of the nodes' tokens. [nodes, hidden]
            features: That were predicted before each of them. [nodes, hidden]
            start: How many pairs were read: the certain ones, then those of earlier levels.
            position: Where all of them stand.
            mask: Whether each sees each of the last pairs, itself included; it sees all pairs
                before those. [nodes, last], bool

        Returns:
            The features predicted after each. [nodes, hidden]
        """
        ...


class TorchReader:
    """Reads with torch, in the head's number format."""

    def __init__(self, head: EagleHead) -> None:
        self._head = for_drafting(head)

    def begin(self, room: int) -> None:
        """See ``Reader.begin``."""
        head = self._head
        shape = (2, head.config.kv_heads, room, head.config.head_dim)
        self._keys, self._values = torch.empty(shape, dtype=head.dtype, device=head.device)
        self._cos, self._sin = head.rotation(torch.arange(room, device=head.device))

    def read(self, embeddings: Tensor, features: Tensor, start: int) -> Tensor:
        """See ``Reader.read``."""
        end = start + embeddings.shape[0]
        fused = self._remember(embeddings, features, start, self._rotation(start, end))
        # Only what follows the last pair is asked for; the others are there to be looked back at.
        return self._head.predict(
            fused[-1:], self._rotation(end - 1, end), self._keys[:, :end], self._values[:, :end]
        )

    def read_level(
        self, embeddings: Tensor, features: Tensor, start: int, position: int, mask: Tensor
    ) -> Tensor:
        """See ``Reader.read_level``."""
        end, rotation = start + embeddings.shape[0], self._rotation(position, position + 1)
        fused = self._remember(embeddings, features, start, rotation)
        bias = torch.zeros_like(mask, dtype=fused.dtype).masked_fill_(~mask, -torch.inf)
        return self._head.predict(fused, rotation, self._keys[:, :end], self._values[:, :end], bias)

    def _rotation(self, first: int, end: int) -> Rotation:
        return self._cos[first:end], self._sin[first:end]

    def _remember(
        self, embeddings: Tensor, features: Tensor, start: int, rotation: Rotation
    ) -> Tensor:
        """Write pairs to the cache; what the layer receives of them. [pairs, hidden]."""
        head, end = self._head, start + embeddings.shape[0]
        fused = head.fuse(embeddings.to(head.dtype), features.to(head.dtype))
        keys, values = head.layer.self_attn.keys_values(fused, rotation)
        self._keys[:, start:end] = keys
        self._values[:, start:end] = values
        return fused
