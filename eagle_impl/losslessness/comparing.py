"""Whether drafting gives the very ids of plain decoding, and how near it was where it does not.

Ids must be equal where the likeliest token is taken. They must be, too, where tokens are drawn and
drafts are not: every place of the output has its own random number (see ``eagle_impl.draws``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from eagle_impl.drafters.interface import Drafter
from eagle_impl.draws import uniform
from eagle_impl.generation import Statistics, generate
from eagle_impl.sampling import Sampler
from eagle_impl.targets.interface import Target

NEAR = {torch.float32: 1e-3, torch.float16: 0.1, torch.bfloat16: 1.0}
"""Logits that are no further apart may change places when a library adds the same numbers in
another order, as many do when they compute several tokens at once. In SmolLM2-135M, whose logits go
up to 30, one token alone and the same token among sixteen differed by up to 7e-5, 0.04 and 0.6."""

UP_TO_TIES = (
    "in bf16 and fp16, ids equal those of plain decoding only up to near-ties; fp32 is exact"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two texts differ, as plain decoding sees it."""

    place: int
    """How many ids before it are equal."""
    plain: int | None
    """Id of plain decoding, or None where it had ended."""
    drafted: int | None
    """Id that came with drafting, or None where it had ended."""
    leaders: tuple[int, int]
    """The two likeliest ids after what is equal, the likelier one first."""
    logits: tuple[float, float]
    """Theirs."""
    distance: float | None
    """How much would have to change for plain decoding to choose what drafting did: in logits, or
    in probability where tokens are drawn. None where one of them had ended."""
    near: bool
    """Whether other orders of adding can account for so much."""

    @property
    def gap(self) -> float:
        """How far the likeliest token is ahead of the next one, in logits."""
        return self.logits[0] - self.logits[1]


@dataclass(frozen=True, slots=True)
class Pair:
    """One answer, decoded plainly and with drafts."""

    plain: tuple[int, ...]
    drafted: tuple[int, ...]
    cycles: int
    """Forward passes that drafting took after the one that read the prompt."""
    difference: Difference | None


def compare(
    target: Target,
    drafter: Drafter,
    prompt: Sequence[int],
    sampler: Sampler,
    seed: int,
    max_new_tokens: int,
) -> Pair:
    """Decode plainly and with drafts.

    Raises:
        EagleError: The prompt cannot be used.
    """
    told = Statistics()
    plain, drafted = (
        tuple(
            generate(
                target,
                prompt,
                drafter=with_it,
                sampler=sampler,
                seed=seed,
                max_new_tokens=max_new_tokens,
                statistics=into,
            )
        )
        for with_it, into in ((None, None), (drafter, told))
    )
    found = first_difference(target, prompt, plain, drafted, sampler, seed)
    return Pair(plain, drafted, told.cycles, found)


@torch.inference_mode()
def logits_after(target: Target, prompt: Sequence[int], ids: Sequence[int]) -> Tensor:
    """A target's logits after a prompt and some ids, read one by one as plain decoding does.

    Returns:
        [vocab]
    """
    cache = target.new_cache(len(prompt) + len(ids))
    judged = target.prefill(torch.tensor(prompt, device=target.device), cache)
    root = torch.zeros(1, dtype=torch.int64, device=target.device)
    for token in ids:
        judged = target.verify(root + token, root + cache.length, root[None] == 0, cache)
        target.keep(root, cache)
    return judged.logits[-1]


def first_difference(
    target: Target,
    prompt: Sequence[int],
    plain: Sequence[int],
    drafted: Sequence[int],
    sampler: Sampler,
    seed: int,
) -> Difference | None:
    """Where two answers to a prompt part, and how near the target's choice was there.

    Args:
        target: What both came from.
        prompt: What they follow.
        plain: Ids that were decoded plainly.
        drafted: Ids that were decoded with drafts.
        sampler: How tokens were chosen.
        seed: What decided the draws.

    Returns:
        Nothing if they are the same.
    """
    if tuple(plain) == tuple(drafted):
        return None
    shorter = min(len(plain), len(drafted))
    place = next((at for at in range(shorter) if plain[at] != drafted[at]), shorter)
    logits = logits_after(target, prompt, plain[:place])
    scores, order = logits.double().sort(descending=True, stable=True)  # as argmax has it
    ours = plain[place] if place < len(plain) else None
    theirs = drafted[place] if place < len(drafted) else None
    distance, near = None, NEAR[target.dtype]
    if ours is not None and theirs is not None:
        if sampler.greedy:
            distance = float(scores[0] - logits[theirs])
        else:
            distance = _beside(sampler.distribution(logits[None])[0], theirs, uniform(seed, place))
            near /= sampler.temperature
    return Difference(
        place,
        ours,
        theirs,
        (int(order[0]), int(order[1])),
        (float(scores[0]), float(scores[1])),
        distance,
        distance is not None and distance <= near,
    )


def _beside(chances: Tensor, token: int, at: float) -> float:
    """How far a number lies from those that draw a token. [vocab]."""
    sums = chances.double().cumsum(0)
    end = float(sums[token] / sums[-1])
    start = end - float(chances[token].double() / sums[-1])
    return max(start - at, at - end, 0.0)
