"""The EAGLE-1/2 draft head: about one decoder layer that predicts the target's next feature.

A *pair* is what the head reads: the target's feature of position i beside the embedding of the
token at position i + 1, which shows the head what was really sampled there. From the pairs up to i
it predicts the feature of position i + 1, and the target's own frozen LM head turns that into a
distribution of the token at position i + 2. (Li et al., ICML 2024, section 3.1; the layer itself as
in SafeAILab/EAGLE, eagle/model/cnets1.py.)

    [embedding ; feature] -> fc -> x -> x + attention(x) -> x + mlp(norm(x)) -> feature

The layer has no input norm, since fc's output is not a residual stream that has grown over layers,
and no final norm, since a target's feature is already normalised.

The modules bear the names that published checkpoints use, so that ``state_dict`` is the layout.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Tensor, nn

from eagle_impl.linears import choose, linear
from eagle_impl.rotary import cos_sin, inverse_frequencies, rotate
from eagle_impl.targets.interface import ModelConfig, RopeConfig

Rotation: TypeAlias = tuple[Tensor, Tensor]
"""Cosines and sines of some positions. [tokens, head_dim] each."""


@dataclass(frozen=True, slots=True)
class HeadConfig:
    """Geometry of a head."""

    vocab_size: int
    """Of the target: a head has no vocabulary of its own."""
    hidden_size: int
    """The target's too, since features go in and come out."""
    intermediate_size: int
    heads: int
    kv_heads: int
    head_dim: int
    max_positions: int
    """Longest context that the head was made for, in tokens."""
    norm_epsilon: float = 1e-6
    rope: RopeConfig = field(default_factory=RopeConfig)
    fc_bias: bool = False
    attention_bias: bool = False
    """Whether q, k and v have biases."""

    @classmethod
    def like(cls, target: ModelConfig) -> HeadConfig:
        """The head that fits a target: one layer of the target's own geometry."""
        return cls(
            vocab_size=target.vocab_size,
            hidden_size=target.hidden_size,
            intermediate_size=target.intermediate_size,
            heads=target.heads,
            kv_heads=target.kv_heads,
            head_dim=target.head_dim,
            max_positions=target.max_positions,
            norm_epsilon=target.norm_epsilon,
            rope=target.rope,
        )


class RmsNorm(nn.Module):
    """Root mean square norm, computed in no less than float32, as Llama does."""

    def __init__(self, size: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """Normalise the last dimension. [..., size] -> [..., size]."""
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.epsilon)
        return self.weight * (wide * scale).to(x.dtype)


class Attention(nn.Module):
    """Projections of an attention whose query heads share key and value heads in groups."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.kv_heads = config.kv_heads
        hidden, bias = config.hidden_size, config.attention_bias
        self.q_proj = nn.Linear(hidden, config.heads * config.head_dim, bias=bias)
        self.k_proj = nn.Linear(hidden, config.kv_heads * config.head_dim, bias=bias)
        self.v_proj = nn.Linear(hidden, config.kv_heads * config.head_dim, bias=bias)
        self.o_proj = nn.Linear(config.heads * config.head_dim, hidden, bias=False)

    def queries(self, x: Tensor, rotation: Rotation) -> Tensor:
        """Rotated queries. [..., tokens, hidden] -> [..., heads, tokens, head_dim]."""
        return rotate(_split(self.q_proj(x), self.heads), *rotation)

    def keys_values(self, x: Tensor, rotation: Rotation) -> tuple[Tensor, Tensor]:
        """Rotated keys, and values. [..., tokens, hidden] -> [..., kv_heads, tokens, head_dim]."""
        keys = rotate(_split(self.k_proj(x), self.kv_heads), *rotation)
        return keys, _split(self.v_proj(x), self.kv_heads)


class Mlp(nn.Module):
    """SwiGLU."""

    def __init__(self, hidden: int, intermediate: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(hidden, intermediate, bias=False)
        self.up_proj = nn.Linear(hidden, intermediate, bias=False)
        self.down_proj = nn.Linear(intermediate, hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """[..., hidden] -> [..., hidden]."""
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))  # type: ignore[no-any-return]


class DecoderLayer(nn.Module):
    """Llama's decoder layer without its input norm."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = Mlp(config.hidden_size, config.intermediate_size)
        self.post_attention_layernorm = RmsNorm(config.hidden_size, config.norm_epsilon)

    def finish(self, x: Tensor, attended: Tensor) -> Tensor:
        """All that follows the attention.

        Args:
            x: What the layer received. [..., tokens, hidden]
            attended: What every query head gathered. [..., heads, tokens, head_dim]
        """
        x = x + self.self_attn.o_proj(attended.transpose(-3, -2).flatten(-2))
        return x + self.mlp(self.post_attention_layernorm(x))  # type: ignore[no-any-return]


class EagleHead(nn.Module):
    """The head. ``forward`` reads whole sequences, for training; a drafter uses the three steps.

    One layer makes drafting cheap in a way that deeper models cannot have: keys and values of a
    pair depend on nothing but the pair, so that pairs which are only looked back at need no more
    than ``fuse`` and ``keys_values``.
    """

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.config = config
        self.fc = nn.Linear(2 * config.hidden_size, config.hidden_size, bias=config.fc_bias)
        self.layers = nn.ModuleList([DecoderLayer(config)])

    @property
    def dtype(self) -> torch.dtype:
        """Number format of the weights."""
        return self.layer.post_attention_layernorm.weight.dtype

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.layer.post_attention_layernorm.weight.device

    @property
    def layer(self) -> DecoderLayer:
        """The one layer."""
        layer = self.layers[0]
        assert isinstance(layer, DecoderLayer)
        return layer

    def rotation(self, positions: Tensor) -> Rotation:
        """Cosines and sines. [tokens] -> [tokens, head_dim] each."""
        frequencies = _frequencies(self.config.rope, self.config.head_dim, positions.device)
        cos, sin = cos_sin(positions, frequencies)
        return cos.to(self.dtype), sin.to(self.dtype)

    def fuse(self, embeddings: Tensor, features: Tensor) -> Tensor:
        """Pairs as the layer receives them.

        Args:
            embeddings: Of the tokens one position after the features. [..., tokens, hidden]
            features: [..., tokens, hidden]
        """
        fused: Tensor = self.fc(torch.cat((embeddings, features), dim=-1))
        return fused

    def predict(
        self,
        fused: Tensor,
        rotation: Rotation,
        keys: Tensor,
        values: Tensor,
        bias: Tensor | None = None,
    ) -> Tensor:
        """Next features of some pairs, given keys and values of all pairs that they look back at.

        Args:
            fused: [rows, hidden]
            rotation: Of the rows' positions.
            keys: Their own included. [kv_heads, seen, head_dim]
            values: [kv_heads, seen, head_dim]
            bias: 0 where a row sees one of the last pairs and -inf where it does not; all earlier
                pairs are seen. [rows, last]

        Returns:
            Predicted features. [rows, hidden]
        """
        attention = self.layer.self_attn
        queries = attention.queries(fused, rotation)  # [heads, rows, head_dim]
        kv_heads, seen, head_dim = keys.shape
        # The query heads that share a key head become rows of one product: nothing is repeated.
        grouped = queries.reshape(kv_heads, -1, head_dim) * head_dim**-0.5
        scores = grouped @ keys.transpose(-2, -1)  # [kv_heads, groups * rows, seen]
        if bias is not None:
            rows, last = bias.shape
            scores.view(kv_heads, -1, rows, seen)[..., seen - last :] += bias
        attended = scores.softmax(dim=-1) @ values
        return self.layer.finish(fused, attended.view(queries.shape))

    def forward(self, embeddings: Tensor, features: Tensor, mask: Tensor | None = None) -> Tensor:
        """Next features of whole sequences that begin at position 0; differentiable.

        Args:
            embeddings: Of the tokens one position after the features. [batch, tokens, hidden]
            features: [batch, tokens, hidden]
            mask: Which pairs a pair sees, true where it does; every pair before it and itself if
                absent. [tokens, tokens] or [batch, 1, tokens, tokens], bool

        Returns:
            Predicted features: row i holds that of position i + 1. [batch, tokens, hidden]
        """
        positions = torch.arange(features.shape[-2], device=features.device)
        rotation = self.rotation(positions)
        fused = self.fuse(embeddings, features)
        attention = self.layer.self_attn
        keys, values = attention.keys_values(fused, rotation)
        attended = F.scaled_dot_product_attention(
            attention.queries(fused, rotation),
            keys,
            values,
            attn_mask=mask,
            is_causal=mask is None,
            enable_gqa=True,
        )
        return self.layer.finish(fused, attended)


def for_drafting(head: EagleHead, linears: str = "auto") -> EagleHead:
    """The same head with its weights laid out for speed: a copy that can draft, but not be trained.

    Args:
        head: Any.
        linears: How weights are applied; see ``eagle_impl.linears``.

    Raises:
        OptionError: Such linears are not offered here.
    """
    kind = choose(linears, head.device, head.dtype)
    with torch.device("meta"):
        swift = EagleHead(head.config)
    for name, module in head.named_modules():
        if isinstance(module, nn.Linear):
            bias = None if module.bias is None else module.bias.detach()
            swift.set_submodule(name, linear(module.weight.detach(), bias, kind))
        elif isinstance(module, RmsNorm):
            swift.get_submodule(name).load_state_dict(module.state_dict(), assign=True)
    return swift


@lru_cache(maxsize=8)
def _frequencies(rope: RopeConfig, head_dim: int, device: torch.device) -> Tensor:
    """As a buffer of the module they would be rounded with it by ``head.to(torch.bfloat16)``."""
    return inverse_frequencies(rope, head_dim).to(device)


def _split(x: Tensor, heads: int) -> Tensor:
    """[..., tokens, heads * head_dim] -> [..., heads, tokens, head_dim]."""
    return x.view(*x.shape[:-1], heads, -1).transpose(-3, -2)
