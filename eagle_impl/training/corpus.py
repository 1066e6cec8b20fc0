"""What a trainer makes of conversations: what is held out, frequent tokens, features, batches."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import torch
from torch import Tensor

from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.targets.interface import Target
from eagle_impl.training.conversations import Conversation

T = TypeVar("T")

Step: TypeAlias = tuple[tuple[int, ...], ...]
"""Conversations of each lane, by their place in the corpus."""

_STEP_OF_VOCABULARY = 1024
_WINDOW = 32
"""Steps' worth of conversations that are sorted by length together: short ones share batches."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Conversations, some of them held out."""

    learnt: tuple[Conversation, ...]
    held_out: tuple[Conversation, ...]

    @classmethod
    def of(cls, conversations: Iterable[Conversation], held_out: int) -> Corpus:
        """Divide conversations.

        What was asked first decides, so that the same question is never on both sides; and of the
        same conversation twice, one is left out.

        Args:
            conversations: Any.
            held_out: One in so many is held out.
        """
        sides: tuple[list[Conversation], list[Conversation]] = ([], [])
        seen = set[bytes]()
        for one in conversations:
            ids = one.ids.numpy()
            if (whole := ids.tobytes()) not in seen:
                seen.add(whole)
                asked = hashlib.sha256(ids[: one.responses[0][0]].tobytes()).digest()
                sides[int.from_bytes(asked[:8], "big") % held_out == 0].append(one)
        return cls(tuple(sides[0]), tuple(sides[1]))

    def counts(self, vocab_size: int) -> Tensor:
        """How often each token occurs in the answers that are learnt from. [vocab], int64."""
        return occurrences(self.learnt, vocab_size)

    def jury(self, most: int) -> list[Conversation]:
        """Greedy conversations that are held out, so many of each kind at most."""
        chosen: dict[str, list[Conversation]] = {}
        for one in self.held_out:
            if one.greedy:
                chosen.setdefault(one.kind, []).append(one)
        return [one for kind in sorted(chosen) for one in chosen[kind][:most]]


class Features:
    """The target's features, kept or computed anew."""

    def __init__(self, target: Target) -> None:
        """Compute with ``target`` what is not kept."""
        self._target = target

    def of(self, one: Conversation) -> Tensor:
        """Features of a conversation. [tokens, hidden], float32."""
        device = self._target.device
        if one.features is not None:
            return one.features.to(device).float()
        cache = self._target.new_cache(len(one.ids))
        features = self._target.prefill(one.ids.to(device), cache).features
        # As exact as if they had been kept; and a copy is no inference tensor, as autograd wants.
        return features.half().clone().float()


def occurrences(conversations: Iterable[Conversation], vocab_size: int) -> Tensor:
    """How often each token occurs in answers. [vocab], int64."""
    counts = torch.zeros(vocab_size, dtype=torch.int64)
    for one in conversations:
        counts += torch.bincount(one.ids[one.in_response], minlength=vocab_size)
    return counts


def most_frequent(counts: Tensor, size: int) -> Tensor:
    """The most frequent ids in ascending order, the lower of equals. [vocab] -> [size]."""
    return counts.sort(descending=True, stable=True).indices[:size].sort().values


def draft_vocabulary(counts: Tensor, coverage: float) -> tuple[DraftVocabulary, float]:
    """The most frequent ids that make up a share of all tokens, a multiple of 1024 ids.

    Args:
        counts: How often each id occurs. [vocab]
        coverage: The share, at most 1.

    Returns:
        The vocabulary, and the share that it has.
    """
    sums = counts.sort(descending=True).values.cumsum(0) / counts.sum()
    needed = int((sums < coverage).sum()) + 1
    size = min(-(-needed // _STEP_OF_VOCABULARY) * _STEP_OF_VOCABULARY, len(counts))
    vocabulary = DraftVocabulary.of(most_frequent(counts, size), len(counts))
    return vocabulary, sums[size - 1].item()


def steps(lengths: Sequence[int], tokens: int, lanes: int, chance: random.Random) -> list[Step]:
    """All conversations once, in random order, in batches of about equal size.

    Args:
        lengths: Of every conversation.
        tokens: Most tokens of a batch after padding, if a conversation is no longer than that.
        lanes: Batches in a step; the last step may have fewer.
        chance: Decides the order.
    """
    order = list(range(len(lengths)))
    _shuffle(order, chance)
    window = max(1, _WINDOW * lanes * tokens * len(lengths) // max(1, sum(lengths)))
    batches = list[tuple[int, ...]]()
    for start in range(0, len(order), window):
        batch = list[int]()
        for at in sorted(order[start : start + window], key=lambda at: (lengths[at], at)):
            if batch and (len(batch) + 1) * lengths[at] > tokens:
                batches.append(tuple(batch))
                batch = []
            batch.append(at)
        batches.append(tuple(batch))
    found = [tuple(batches[at : at + lanes]) for at in range(0, len(batches), lanes)]
    _shuffle(found, chance)
    return found


def _shuffle(items: list[T], chance: random.Random) -> None:
    """As ``random.shuffle`` does, which may do it otherwise in another release of Python."""
    for last in range(len(items) - 1, 0, -1):
        other = int(chance.random() * (last + 1))
        items[last], items[other] = items[other], items[last]
