"""Telling one target from another by a few of its numbers.

A hash would call the same model in another number format a stranger. So some of the numbers
themselves are kept, and compared as closely as the coarsest format allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import torch
from torch import Tensor

if TYPE_CHECKING:
    from eagle_impl.targets.interface import Target

_TOLERANCE = 2.0**-7
"""Relative: bfloat16 has 8 bits, so that rounding to it moves a number by at most half of this."""


class TrainedFor(msgspec.Struct, frozen=True):
    """What a head remembers of its target."""

    target: str
    """Its name."""
    lm_head: Annotated[tuple[float, ...], msgspec.Meta(min_length=1)]
    """Some numbers of its LM head."""

    @classmethod
    def of(cls, target: Target, name: str) -> TrainedFor:
        """What to remember of a target."""
        numbers = sample(target.lm_head_weight, 16).tolist()
        return cls(name, tuple(float(f"{number:.6g}") for number in numbers))


def sample(weight: Tensor, count: int) -> Tensor:
    """Numbers from all over a weight. [rows, columns] -> [count], float32."""
    rows, columns = weight.shape
    row = torch.linspace(0, rows - 1, count, dtype=torch.float64).long()
    column = torch.arange(count) * 7919 % columns
    return weight.detach()[row.to(weight.device), column.to(weight.device)].to("cpu", torch.float32)


def alike(first: Tensor, second: Tensor) -> bool:
    """Whether two samples are of one weight, perhaps in different number formats. [count] each."""
    # Small numbers may have been lost in float16.
    slack = 1e-3 * second.abs().max().item()
    return bool(torch.allclose(first, second, rtol=_TOLERANCE, atol=slack))
