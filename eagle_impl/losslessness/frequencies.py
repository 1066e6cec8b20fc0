"""Whether texts come as often with drafts as plain decoding would have them.

Where drafts are drawn, the same seed gives another text with drafts than without, and only the law
of the texts is the same. Many short texts are drawn with drafts, one for each seed, and held
against the target's own distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from eagle_impl.drafters.interface import Drafter
from eagle_impl.errors import PromptError
from eagle_impl.generation import Statistics, generate
from eagle_impl.losslessness.chi_square import Fit, Partition, Words
from eagle_impl.losslessness.comparing import logits_after
from eagle_impl.sampling import Sampler
from eagle_impl.targets.interface import Target

LENGTH = 3
"""Tokens of a text. The first is drawn plainly, the second begins a cycle, the third is drafted
below a drafted one, or the target's own, or begins a cycle."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of many short texts after one prompt."""

    fit: Fit
    tried: int
    """Cycles that drafted."""
    held: int
    """Those of them in which a drafted token held."""


@torch.inference_mode()
def drafts_are_drawn(target: Target, drafter: Drafter) -> bool:
    """Whether a drafter draws what it drafts."""
    prompt = torch.zeros(1, dtype=torch.int64, device=target.device)  # any will do
    judged = target.prefill(prompt, target.new_cache(1))
    token = judged.logits.argmax(dim=-1)
    drafter.begin(1 + drafter.widest)
    drafter.observe(token, judged.features)
    tree = drafter.draft(int(token), torch.Generator().manual_seed(0))
    return tree.probabilities is not None


def count(
    target: Target, drafter: Drafter, prompt: Sequence[int], sampler: Sampler, seeds: range
) -> Counts:
    """Draw a text with each seed.

    Raises:
        EagleError: The prompt cannot be used.
    """
    if len(prompt) + LENGTH > target.config.max_positions:
        raise PromptError("the prompt leaves no room for an answer", "shorten it")
    partition = Partition(
        lambda words: sampler.distribution(logits_after(target, prompt, words)[None])[0],
        len(seeds),
        LENGTH,
        target.config.eos_ids,
    )
    texts, tried, held = list[Words](), 0, 0
    for seed in seeds:
        told = Statistics()
        tokens = generate(
            target,
            prompt,
            drafter=drafter,
            sampler=sampler,
            seed=seed,
            max_new_tokens=LENGTH,
            statistics=told,
        )
        texts.append(tuple(tokens))
        tried += sum(told.tried[:1])
        held += sum(told.held[:1])
    return Counts(partition.fit(texts), tried, held)
