"""Rotary position embedding, with Hugging Face's convention: halves are rotated, not neighbours."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from eagle_impl.targets.interface import RopeConfig


def inverse_frequencies(rope: RopeConfig, head_dim: int) -> Tensor:
    """Radians per position of every rotated pair of dimensions. [head_dim / 2], float32."""
    exponents = torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim
    plain = 1.0 / rope.theta**exponents
    if rope.scaling == "none":
        return plain
    slowed = plain / rope.factor
    if rope.scaling == "linear":
        return slowed
    # Llama 3: slow dimensions are interpolated, fast ones kept, those between are blended.
    turns = rope.original_positions * plain / (2 * math.pi)
    low, high = rope.low_frequency_factor, rope.high_frequency_factor
    kept = ((turns - low) / (high - low)).clamp(0.0, 1.0)
    return kept * plain + (1.0 - kept) * slowed


def cos_sin(positions: Tensor, inv_freq: Tensor) -> tuple[Tensor, Tensor]:
    """Cosines and sines of positions, however large. [tokens] -> [tokens, head_dim] each, float32.

    Leading dimensions are kept: [..., tokens] -> [..., tokens, head_dim].
    """
    angles = positions.float()[..., None] * inv_freq  # [tokens, head_dim / 2]
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate queries or keys. [..., tokens, head_dim] -> the same."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin
