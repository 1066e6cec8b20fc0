"""Throughput of plain decoding when many sequences are decoded at once.

Trees are drafted and judged for one sequence at a time (``eagle_impl.generation``), so that there
is nothing to measure of methods that draft beyond batch 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
import torch

from eagle_impl.targets.batched import BatchCache, step
from eagle_impl.targets.interface import Target
from eagle_impl.targets.llama import LlamaTarget

CONTEXT = 32
"""Tokens of each prompt that are read first, at most."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some sequences decoded together, once."""

    size: int
    repeat: int
    tokens: int
    """Of all sequences."""
    seconds: Annotated[float, msgspec.Meta(gt=0)]


def missing(target: Target, sizes: Sequence[int]) -> str:
    """Why batches are not measured; empty if they are."""
    if not sizes:
        return "no batch was asked for"
    if not isinstance(target, LlamaTarget):
        return "this target decodes one sequence at a time"
    return ""


def decode(
    target: Target,
    prompts: Sequence[Sequence[int]],
    *,
    size: int,
    repeat: int,
    tokens: int,
    clock: Callable[[], float],
) -> Batch:
    """Decode greedily, all sequences equally long; what ends a text is read on over.

    Args:
        target: One that batches are measured of.
        prompts: What the sequences begin with, in turn.
        size: How many sequences.
        repeat: The number of this repeat.
        tokens: That each generates.
        clock: Seconds.
    """
    assert isinstance(target, LlamaTarget), "see missing()"
    length = min(CONTEXT, *map(len, prompts))
    tokens = min(tokens, target.config.max_positions - length)
    rows = [list(prompts[row % len(prompts)][:length]) for row in range(size)]
    read = torch.tensor(rows, device=target.device)  # [size, length]
    slots = torch.arange(size, device=target.device)
    cache = BatchCache(target, size, length + tokens)
    for column in range(length - 1):
        step(target, read[:, column], slots, cache)
    ids = read[:, -1]
    began = clock()
    for _ in range(tokens):
        ids = step(target, ids, slots, cache).logits.argmax(dim=-1)
    return Batch(size, repeat, size * tokens, clock() - began)
