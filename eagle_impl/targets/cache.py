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
        try:
            self.values = torch.zeros(*heads, panels, PANEL, dim, device=device, dtype=dtype)
            self.keys = torch.zeros_like(self.values)
        except RuntimeError as error:  # torch has no other error for it on every device
            raise CapacityError(
                f"there is no memory for a cache of {capacity} tokens",
                "ask for fewer new tokens",
            ) from error
        if native:
            self.keys = self.keys.view(*heads, panels, dim, PANEL).mT
        self.layers = tuple(
            (keys.mT if native else keys.flatten(-3, -2), values.flatten(-3, -2))
            for keys, values in zip(self.keys.unbind(), self.values.unbind(), strict=True)
        )
        """Keys and values of every layer, as attentions take them."""


class TreeCache:
    """One sequence. What belongs to a tree that was judged lies after what is kept."""

    def __init__(self, capacity: int) -> None:
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
        nodes: list[int] = path.tolist()
        kept = len(nodes)
        assert kept <= self.judged, "only nodes of the tree judged last can be kept"
        # The root lies in place already, and the first nodes do if they are the path.
        placed = next((place for place, node in enumerate(nodes) if node != place), kept)
        if placed < kept:
            goal = torch.arange(self.length + placed, self.length + kept, device=path.device)
            self.move(self.length + path[placed:], goal)
        self.length += kept
        self.judged = 0

    def move(self, source: Tensor, goal: Tensor) -> None:
        """Copy columns to earlier ones, in ascending order; they may overlap. [columns] each."""
        raise NotImplementedError


class LlamaCache(TreeCache):
    """Keys and values of one sequence as Llama-shaped targets hold them."""

    def __init__(self, storage: Storage, capacity: int) -> None:
        super().__init__(capacity)
        self.storage = storage

    def move(self, source: Tensor, goal: Tensor) -> None:
        """See ``TreeCache.move``."""
        # One by one, since indexing by numbers is much quicker than by tensors. No column is
        # written that is still to be read: each moves to an earlier one, and those before it have.
        for old, new in zip(source.tolist(), goal.tolist(), strict=True):
            for part in (self.storage.keys, self.storage.values):
                part[..., new // PANEL, new % PANEL, :] = part[..., old // PANEL, old % PANEL, :]
