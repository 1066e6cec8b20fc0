"""Recipes: everything that decides what a trained head is, but for its target and the seed."""

from __future__ import annotations

import msgspec

from eagle_impl.errors import OptionError


class Recipe(msgspec.Struct, frozen=True):
    """How much to learn from, and how. Written beside the head."""

    response_tokens: int
    """Tokens of answers to learn from, those that are held out included."""
    epochs: int
    """How often each of them is learnt from."""
    script_batch: int = 192
    """Scripts in a shard of conversations. Shards are what generating goes on from after a kill."""
    slots: int = 48
    """Conversations that are held at once. The own kernels are no faster with more."""
    context: int = 1024
    """Most tokens of a conversation."""
    lanes: int = 2
    """Parts of a step that can be computed at once. They decide the order in which gradients are
    added, so that a head does not depend on how many cores there are."""
    lane_tokens: int = 768
    """Most tokens of a part, prompts and padding included."""
    learning_rate: float = 2e-3
    """At its highest."""
    final_rate: float = 0.02
    """Of the highest, at the end of the cosine."""
    warmup: float = 0.02
    """Of all steps, in which it rises."""
    betas: tuple[float, float] = (0.9, 0.95)
    weight_decay: float = 0.0
    clip: float = 0.5
    """Longest gradient, all weights taken as one vector."""
    classified_ids: int = 4096
    """Most frequent ids over which the cross-entropy is taken."""
    coverage: float = 0.98
    """Of the answers' tokens, that the draft vocabulary must hold at least."""
    held_out: int = 32
    """One conversation in so many is held out."""
    judged: int = 12
    """Most held-out conversations of each kind by which a head is judged."""
    judgements: int = 12
    """How often a head is judged while it learns."""


PRESETS = {
    "smoke": Recipe(12_000, 8, script_batch=16, slots=16, held_out=8, judgements=2),
    "base": Recipe(1_500_000, 6),
    "full": Recipe(3_000_000, 5),
}
"""A check that all works, in some minutes; the shipped head; what more data would give.

For the shipped head "base" took 100 minutes, on two cores that did other work as well: 70 to hold
the conversations, and 29 to learn from them. "full" was never run to its end; it has twice as much
to hold.
"""


def preset(name: str) -> Recipe:
    """A recipe by its name.

    Raises:
        OptionError: There is none.
    """
    if name not in PRESETS:
        raise OptionError(f"no preset {name!r}", f"use one of: {', '.join(PRESETS)}")
    return PRESETS[name]
