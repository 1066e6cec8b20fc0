"""How good a head is, on conversations that it has not learnt from.

All that matters is how many drafted tokens hold. For greedy answers this needs no generating: the
answer says which tokens hold after every place, and what the head would have drafted there can be
computed for all places at once (``unrolling.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass

import torch
from torch import Tensor

from eagle_impl.drafters.head import EagleHead
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.targets.interface import Target
from eagle_impl.training.alignment import align
from eagle_impl.training.conversations import Conversation
from eagle_impl.training.corpus import Features
from eagle_impl.training.losses import CLASSIFICATION_WEIGHT, losses
from eagle_impl.training.unrolling import unrolled

DEPTH = 5
"""Tokens of the chains that are drafted."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came out for some conversations."""

    loss: float
    regression: float
    classification: float
    acceptance: tuple[float, ...]
    """By depth: share of drafted tokens that hold where all before them did. At depth 0 it is the
    accuracy of the head's first choice, with the target's features."""
    tau: float
    """Tokens in a cycle with chains, the target's own included."""


def judge(
    head: EagleHead,
    target: Target,
    vocabulary: DraftVocabulary,
    conversations: Iterable[Conversation],
    features: Features,
    pool: Executor,
) -> dict[str, Judgement]:
    """Judge a head.

    Args:
        head: In its ordinary form.
        target: Lends its embedding and its LM head.
        vocabulary: What may be drafted.
        conversations: With greedy answers.
        features: The target's.
        pool: Conversations are judged in it.

    Returns:
        By kind of conversation, and of all under "all".
    """
    ids = vocabulary.ids.to(target.device)
    lm_head = target.lm_head_weight[ids].float()

    def sums(one: Conversation) -> Tensor:
        return _sums(head, target, ids, lm_head, one, features.of(one))

    held = list(conversations)
    by_kind: dict[str, Tensor] = {}
    for one, values in zip(held, pool.map(sums, held), strict=True):
        for kind in ("all", one.kind):
            by_kind[kind] = by_kind[kind] + values if kind in by_kind else values
    return {kind: _judgement(values) for kind, values in sorted(by_kind.items())}


def _judgement(sums: Tensor) -> Judgement:
    """From what ``_sums`` gave for some conversations, added up."""
    rows, regression, classification, cycles, tokens, *depths = sums.tolist()
    regression, classification = regression / max(rows, 1), classification / max(rows, 1)
    return Judgement(
        regression + CLASSIFICATION_WEIGHT * classification,
        regression,
        classification,
        tuple(h / max(t, 1) for t, h in zip(depths[:DEPTH], depths[DEPTH:], strict=True)),
        tokens / max(cycles, 1),
    )


@torch.no_grad()
def _sums(
    head: EagleHead,
    target: Target,
    ids: Tensor,
    lm_head: Tensor,
    one: Conversation,
    features: Tensor,
) -> Tensor:
    """Rows, two losses; cycles, tokens; tried and held by depth. [5 + 2 * DEPTH]."""
    pairs = align(one.ids, features, one.in_response)
    embeddings = target.embedding_weight[pairs.ids.to(target.device)].float()
    predicted = [p[0] for p in unrolled(head, embeddings[None], pairs.features[None], DEPTH)]
    counts = pairs.counts.to(target.device)
    of_rows = losses(predicted[0][counts], pairs.wanted[counts], lm_head)
    drafted = torch.stack([ids[(p @ lm_head.t()).argmax(dim=-1)].cpu() for p in predicted])
    tried, held, cycles, tokens = chains(drafted, one)
    return torch.tensor(
        [
            int(counts.sum()),
            of_rows.regression.sum().item(),
            of_rows.classification.sum().item(),
            cycles,
            tokens,
            *tried,
            *held,
        ],
        dtype=torch.float64,
    )


def chains(drafted: Tensor, one: Conversation) -> tuple[list[int], list[int], int, int]:
    """What holds of the chains that are drafted in an answer.

    Args:
        drafted: At depth d row i is what is drafted for position i + 2 + d, if all tokens up to
            position i + 1 + d are those of the text. [depths, rows]
        one: The conversation.

    Returns:
        By depth, at how many places a token was drafted after a chain that holds, and how many of
        these held; and when the answers are generated with such chains, cycles and tokens in them.
    """
    tried, held = [0] * DEPTH, [0] * DEPTH
    cycles = tokens = 0
    text, drafts = one.ids.tolist(), drafted.t().tolist()
    for start, end in one.responses:
        # By the place of the last certain token: how long a chain holds after it.
        lengths = {}
        for root in range(start, end):
            chain, left = drafts[root - 1], end - root - 1
            length = 0
            while length < min(DEPTH, left) and chain[length] == text[root + 1 + length]:
                length += 1
            lengths[root] = length
            for depth in range(min(length + 1, DEPTH, left)):
                tried[depth] += 1
                held[depth] += depth < length
        root = start
        while root < end - 1:
            cycles += 1
            root += lengths[root] + 1
        tokens += min(root, end - 1) - start
    return tried, held, cycles, tokens
