"""Where two decodings of one prompt part, and how near the target's choice was there.

In float32 on a CPU they never do. In other number formats and on other devices a token alone and
the same token in a tree may be rounded otherwise, so that two tokens which are all but equally
likely change places. Where the target is not torn, to part is a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import torch

from eagle_impl.targets.interface import Target


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where they part."""

    place: int
    """Tokens that are the same before."""
    gap: float
    """By how much the target's best logit exceeds its second there."""


def divergence(
    target: Target, prompt: Sequence[int], ids: Sequence[int], others: Sequence[int]
) -> Divergence | None:
    """Find it.

    Args:
        target: What both came from.
        prompt: What they follow.
        ids: Tokens of one decoding.
        others: Tokens of another.

    Returns:
        Nothing if they are the same.
    """
    if list(ids) == list(others):
        return None
    pairs = zip(ids, others, strict=False)
    place = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    known = torch.tensor([*prompt, *ids[:place]], device=target.device)
    best = target.prefill(known, target.new_cache(known.numel())).logits[0].double().topk(2).values
    return Divergence(place, (best[0] - best[1]).item())
