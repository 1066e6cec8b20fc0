"""Keys and values of the tokens read so far, preallocated."""

from __future__ import annotations

import torch
from torch import Tensor

from eagle_impl.errors import CapacityError
from eagle_impl.native.kernels import PANEL
from eagle_impl.targets.interface import ModelConfig


class Storage:
    """Memory for keys, rotated already, and values.

    Both are looked at as [layers, ..., kv_heads, panels, PANEL, head_dim], whatever way they lie.
    """

    def __init__(
        self,
        config: ModelConfig,
        capacity: int,
        *,
        native: bool,
        slots: tuple[int, ...] = (),
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        """Make room.

        Args:
            config: Geometry.
            capacity: Tokens.
            native: Whether keys shall lie as ``native.NativeAttention`` takes them.
            slots: Sequences, if there are several.
            device: Where.
            dtype: Number format.
        """
        panels = -(-capacity // PANEL)
        self.columns = panels * PANEL
        """Tokens that there is memory for."""
        heads, dim = (config.layers, *slots, config.kv_heads), config.head_dim
        self.values = torch.zeros(*heads, panels, PANEL, dim, device=device, dtype=dtype)
        self.keys = torch.zeros_like(self.values)
        if native:
            self.keys = self.keys.view(*heads, panels, dim, PANEL).mT
        self.layers = tuple(
            (keys.mT if native else keys.flatten(-3, -2), values.flatten(-3, -2))
            for keys, values in zip(self.keys.unbind(), self.values.unbind(), strict=True)
        )
        """Keys and values of every layer, as attentions take them."""


class LlamaCache:
    """One sequence. What belongs to a tree that was judged lies after what is kept."""

    def __init__(self, storage: Storage, capacity: int) -> None:
        self.storage = storage
        self.capacity = capacity
        self.length = 0
        self.judged = 0
        """Nodes of the tree that was judged last and not kept yet."""

    def reserve(self, tokens: int) -> None:
        """Be sure that there is room.

        Raises:
            CapacityError: There is not.
        """
        if self.length + tokens > self.capacity:
            raise CapacityError(
                f"{tokens} more tokens do not fit into a cache that holds {self.length}"
                f" of at most {self.capacity}",
                "shorten the prompt, or make the cache larger",
            )

    def keep(self, path: Tensor) -> None:
        """Keep nodes of the tree judged last, given from the root down. [accepted]."""
        kept = path.numel()
        assert kept <= self.judged, "only nodes of the tree judged last can be kept"
        if kept < self.judged:  # else they lie in place already
            goal = torch.arange(self.length, self.length + kept, device=path.device)
            source = self.length + path
            for part in (self.storage.keys, self.storage.values):
                # Indexing copies, so that rows may move over each other.
                part[..., goal // PANEL, goal % PANEL, :] = part[
                    ..., source // PANEL, source % PANEL, :
                ]
        self.length += kept
        self.judged = 0
