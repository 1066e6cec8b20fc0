"""Where randomness comes from.

Every random decision is the draw of an index from weights. Tokens are drawn with one uniform number
per place in the output, which depends on nothing but the seed and the place: decoding plainly and
decoding with drafts that are not random then give the same text for the same seed, no request
depends on an earlier one, and torch's global generators are never touched.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Generator, Tensor

from eagle_impl.errors import EagleError

Draw: TypeAlias = Callable[[Tensor], int]
"""Draws an index with chances proportional to weights that are not negative. [choices] -> index"""


def uniform(seed: int, place: int) -> float:
    """The number in [0, 1) that decides what stands at a place of the output."""
    digest = hashlib.blake2b(f"{seed} {place}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) * 2.0**-53


def pick(weights: Tensor, at: float) -> int:
    """The index at which the running sum of the weights passes a share of their total.

    Args:
        weights: Not negative, at least one positive. [choices]
        at: The share, in [0, 1).

    Raises:
        EagleError: Not all weights are finite, or none is positive.
    """
    # In float64 on the CPU, so that every device picks alike from the same weights.
    sums = weights.to("cpu", torch.float64).cumsum(0)
    total = sums[-1].item()
    if not 0 < total < math.inf:
        raise EagleError(
            f"no token can be drawn: the probabilities add up to {total}",
            "if the model overflows in float16, run it in float32 or bfloat16",
        )
    # No double below 1 makes a product that rounds to the total, so that some sum lies above it.
    return int(torch.searchsorted(sums, at * total, right=True))


def token_draws(seed: int, place: int = 0) -> Draw:
    """Draws for the tokens from a place of the output on, one each."""
    places = itertools.count(place)
    return lambda weights: pick(weights, uniform(seed, next(places)))


def generator_draws(generator: Generator) -> Draw:
    """Draws from a generator, for drafts that are random."""

    def draw(weights: Tensor) -> int:
        at = torch.rand((), dtype=torch.float64, generator=generator, device=generator.device)
        return pick(weights, at.item())

    return draw
