"""A real model: what comes with the project says, with drafts, what the model says alone.

The model is taken from where ``eagle_impl`` keeps it. A gate fetches it if it must; elsewhere the
test waits until somebody has.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import pytest
import torch

from eagle_impl.answer import shape_of
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.formats.fitting import load_eagle
from eagle_impl.generation import Statistics, generate
from eagle_impl.heads import shipped_head
from eagle_impl.static_trees import chain
from eagle_impl.targets.batched import BatchCache, step
from eagle_impl.targets.interface import Target
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.targets.loading import load_target, load_target_text
from eagle_impl.targets.packaged import NAME, cache
from eagle_impl.trees import TreeShape
from eagle_impl.workloads import read_workload

KEPT = cache() / NAME
"""Where the model is kept, before tests are given a cache of their own."""

ANSWERS, TOKENS = 40, 128


@dataclass
class Sequence:
    """A prompt and its answer."""

    prompt: list[int]
    answer: list[int] = field(default_factory=list)


@pytest.fixture
def _packaged(monkeypatch: pytest.MonkeyPatch) -> None:
    if not os.environ.get("CI") and not (KEPT / "origin.json").exists():
        pytest.skip(f"{NAME} is not kept here; `eagle_impl generate hello` fetches it (93 MB)")
    monkeypatch.setenv("XDG_CACHE_HOME", str(KEPT.parents[2]))


def plain_answers(target: Target, sequences: list[Sequence]) -> None:
    """Decode one token at a time, of all sequences at once where that changes no bit."""
    if not isinstance(target, LlamaTarget) or target.kernels is None:
        for one in sequences:
            one.answer = list(generate(target, one.prompt, max_new_tokens=TOKENS))
        return
    longest = max(len(one.prompt) for one in sequences) + TOKENS
    cache = BatchCache(target, len(sequences), longest)
    at_work = list(range(len(sequences)))
    read = 0
    while at_work:
        texts = [sequences[slot].prompt + sequences[slot].answer for slot in at_work]
        ids = torch.tensor([text[read] for text in texts])
        said = step(target, ids, torch.tensor(at_work), cache).logits.argmax(dim=-1).tolist()
        read += 1
        for slot, token in zip(list(at_work), said, strict=True):
            one = sequences[slot]
            if read < len(one.prompt):
                continue
            one.answer.append(token)
            if token in target.config.eos_ids or len(one.answer) == TOKENS:
                at_work.remove(slot)


def drafting(target: Target) -> list[EagleDrafter]:
    """The shipped head, or one that has learnt nothing, so that each draft costs and few hold."""
    folder = shipped_head(NAME)
    if folder is not None:
        head, vocabulary = load_eagle(folder, target)
        return [EagleDrafter(head, target, shape_of("eagle-2", ""), vocabulary)]
    torch.manual_seed(0)
    head = EagleHead(HeadConfig.like(target.config)).to(target.dtype)
    shapes: list[TreeShape] = [chain(1), DynamicTree(top_k=2, depth=2, total=3)]
    return [EagleDrafter(head, target, shape) for shape in shapes]


@pytest.mark.usefixtures("_packaged")
def test_forty_answers_are_those_of_plain_decoding() -> None:
    text, target = load_target_text(NAME), load_target(NAME)
    questions = read_workload()[:ANSWERS]
    prompts = [text.encode(one.turns[0], chat=True) for one in questions]
    sequences = [Sequence(prompt) for prompt in prompts]
    plain_answers(target, sequences)
    assert len(sequences) == ANSWERS
    assert sum(len(one.answer) for one in sequences) > ANSWERS * TOKENS / 2
    # What the others are held against is what the loop itself says without drafts.
    first = sequences[0]
    assert list(generate(target, first.prompt, max_new_tokens=TOKENS)) == first.answer

    drafters = drafting(target)
    cycles = tokens = 0
    for number, one in enumerate(sequences):
        told = Statistics()
        drafter = drafters[number % len(drafters)]
        drafted = generate(
            target, one.prompt, drafter=drafter, max_new_tokens=TOKENS, statistics=told
        )
        assert list(drafted) == one.answer, f"prompt {number}"
        cycles, tokens = cycles + told.cycles, tokens + told.tokens - 1
    if shipped_head(NAME) is not None:
        assert tokens / cycles > 1.5  # or drafts were hardly tried
