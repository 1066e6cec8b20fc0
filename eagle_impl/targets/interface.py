"""The plug point for target models.

A target is asked for three things: to read a prompt, to judge a tree of drafted tokens in one
forward pass, and to keep the accepted path of that tree. Everything is batch 1; shapes are given
without a batch dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class RopeConfig:
    """Rotary position embedding."""

    theta: float = 10000.0
    """Base of the frequencies."""
    scaling: Literal["none", "linear", "llama3"] = "none"
    """How positions beyond the original context are mapped."""
    factor: float = 1.0
    low_frequency_factor: float = 1.0
    high_frequency_factor: float = 4.0
    original_positions: int = 8192


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Geometry of a Llama-shaped decoder, as Hugging Face's ``config.json`` describes it."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    """Size of one head; not always ``hidden_size / heads``."""
    max_positions: int
    """Longest context in tokens."""
    norm_epsilon: float = 1e-5
    rope: RopeConfig = RopeConfig()
    tied: bool = False
    """Whether the LM head is the transposed embedding."""
    attention_bias: bool = False
    """Whether q, k and v have biases (Qwen2)."""
    eos_ids: tuple[int, ...] = ()
    """Ids that end a generation."""
    bos_id: int | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a target says about some tokens."""

    logits: Tensor
    """Logits after each asked token. [tokens, vocab]"""
    features: Tensor
    """Hidden states after the final norm, exactly what the LM head receives. [tokens, hidden]"""


class Cache(Protocol):
    """Keys and values of the tokens read so far, preallocated."""

    @property
    def length(self) -> int:
        """Tokens that are kept."""
        ...

    @property
    def capacity(self) -> int:
        """Tokens that there is room for, those of a tree included."""
        ...


class Target(Protocol):
    """A causal language model."""

    @property
    def config(self) -> ModelConfig:
        """Geometry."""
        ...

    @property
    def device(self) -> torch.device:
        """Where it runs."""
        ...

    @property
    def dtype(self) -> torch.dtype:
        """Number format of weights and features."""
        ...

    def new_cache(self, capacity: int) -> Cache:
        """An empty cache with room for ``capacity`` tokens."""
        ...

    def prefill(self, ids: Tensor, cache: Cache) -> Judgement:
        """Read tokens in a row and keep them.

        Args:
            ids: Token ids. [tokens]
            cache: Where they are kept, after what is kept already.

        Returns:
            Logits of the last token only, [1, vocab], and features of all. [tokens, hidden]
        """
        ...

    def verify(self, ids: Tensor, positions: Tensor, mask: Tensor, cache: Cache) -> Judgement:
        """Judge a tree of tokens in one pass. Nothing is kept until ``keep`` is called.

        Args:
            ids: The root (the last token that is certain) and the drafted tokens. [nodes]
            positions: Absolute position of each. [nodes]
            mask: Whether row i may attend to node j; every node also attends to all that is kept.
                [nodes, nodes], bool
            cache: What is kept.

        Returns:
            Logits and features of every node.
        """
        ...

    def keep(self, path: Tensor, cache: Cache) -> None:
        """Keep nodes of the tree that was just judged.

        Args:
            path: Indices of the accepted nodes, from the root down. [accepted]
            cache: Compacted to what was kept before and these nodes.
        """
        ...

    def lm_head(self, features: Tensor) -> Tensor:
        """Logits of features. [tokens, hidden] -> [tokens, vocab]."""
        ...

    def embed(self, ids: Tensor) -> Tensor:
        """Input embeddings. [tokens] -> [tokens, hidden]."""
        ...

    @property
    def lm_head_weight(self) -> Tensor:
        """Weight of the LM head. [vocab, hidden]."""
        ...

    @property
    def embedding_weight(self) -> Tensor:
        """Weight of the input embedding. [vocab, hidden]."""
        ...
