from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from eagle.bench.small import CONFIG
from eagle.tiny import tiny_weights
from torch import Tensor

from eagle_impl.bench import batches
from eagle_impl.bench.batches import CONTEXT, Batch, decode, missing
from eagle_impl.bench.clock import Clock
from eagle_impl.generation import generate
from eagle_impl.targets.llama import LlamaTarget

TARGET = LlamaTarget(CONFIG, tiny_weights(CONFIG))
PROMPTS = [(3, 1, 4, 1, 5, 9), (2, 7, 1, 8, 2, 8, 1, 8)]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What is read, step by step."""
    steps = list[list[int]]()
    right = batches.step

    def noted(target: LlamaTarget, ids: Tensor, *more: object) -> object:
        steps.append(ids.tolist())
        return right(target, ids, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(batches, "step", noted)
    return steps


def plainly(prompt: Sequence[int], tokens: int) -> list[int]:
    return list(generate(TARGET, prompt, max_new_tokens=tokens, eos_ids=()))


def test_each_sequence_is_decoded_as_if_alone(read: list[list[int]]) -> None:
    found = decode(TARGET, PROMPTS, size=3, repeat=1, tokens=9, clock=Clock())
    assert (found.size, found.repeat, found.tokens) == (3, 1, 27)
    rows = torch.tensor(read).t().tolist()  # [size, steps]
    # As long as the shortest, and the last token is not read any more.
    for row, prompt in zip(rows, (PROMPTS[0], PROMPTS[1], PROMPTS[0]), strict=True):
        assert row == [*prompt[:6], *plainly(prompt[:6], 8)]


def test_long_prompts_are_cut_and_contexts_end(read: list[list[int]]) -> None:
    found = decode(TARGET, [[1] * 100], size=1, repeat=0, tokens=10_000, clock=Clock())
    assert found.tokens == CONFIG.max_positions - CONTEXT
    assert len(read) == CONTEXT - 1 + found.tokens


def test_reading_the_prompts_is_not_timed() -> None:
    ticks = iter([10.0, 12.5])
    found = decode(TARGET, PROMPTS, size=2, repeat=0, tokens=3, clock=lambda: next(ticks))
    assert found == Batch(2, 0, 6, 2.5)


def test_why_there_are_none_is_told() -> None:
    assert missing(TARGET, (1, 2)) == ""
    assert missing(TARGET, ()) == "no batch was asked for"
    assert "one sequence at a time" in missing(object(), (1,))  # type: ignore[arg-type]
