from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from eagle.tiny import tiny_config, tiny_weights
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Generator, Tensor

from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.drafters.interface import Drafter
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.errors import EagleError, OptionError, PromptError
from eagle_impl.generation import Statistics, generate
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import EAGLE_1_TREE, chain
from eagle_impl.targets.interface import Target
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.trees import DraftTree, TreeShape

SHAPES: dict[str, TreeShape] = {
    "chain 1": chain(1),
    "chain 4": chain(4),
    "static": EAGLE_1_TREE,
    "dynamic": DynamicTree(top_k=3, depth=2, total=7),
}
CPU = torch.device("cpu")


def llama(seed: int = 0, **changes: Any) -> LlamaTarget:
    config = tiny_config(layers=2, **changes)
    weights = tiny_weights(config, seed)
    return LlamaTarget(config, weights, device=CPU, dtype=torch.float32)


def untrained(target: Target, shape: TreeShape, seed: int = 0, **changes: Any) -> EagleDrafter:
    """A drafter that has learned nothing."""
    torch.manual_seed(seed)
    head = EagleHead(replace(HeadConfig.like(target.config), **changes))
    return EagleDrafter(head, target, shape)


class Oracle:
    """Drafts what plain decoding would say, or always something else."""

    max_positions = 10**6

    def __init__(self, ids: Sequence[int], depth: int, *, wrong: bool = False) -> None:
        self.ids, self.depth, self.widest, self.wrong = list(ids), depth, depth + 1, wrong
        self.place = 0

    def begin(self, capacity: int) -> None:
        self.place = 0

    def observe(self, ids: Tensor, features: Tensor) -> None:
        self.place += ids.numel()

    def draft(self, root: int, generator: Generator | None) -> DraftTree:
        start = self.place + 1
        ahead = (self.ids[start : start + self.depth] + [0] * self.depth)[: self.depth]
        if self.wrong:
            ahead = [(token + 1) % 61 for token in ahead]
        nodes = torch.tensor([root, *ahead])
        return DraftTree(nodes, torch.arange(-1, self.depth))


def run(target: Target, prompt: Sequence[int], drafter: Drafter | None = None, **more: Any) -> Any:
    told = Statistics()
    ids = list(generate(target, prompt, drafter=drafter, statistics=told, **more))
    assert told.tokens == len(ids)
    return ids, told


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(20))
def test_greedy_output_is_that_of_plain_decoding(shape: str, seed: int) -> None:
    target = llama(seed, eos_ids=())
    drafter = untrained(target, SHAPES[shape], seed)
    random = torch.Generator().manual_seed(seed)
    for length in (0, 1, 2, 17, 64):
        size = int(torch.randint(1, 21, (), generator=random))
        prompt = torch.randint(61, (size,), generator=random).tolist()
        plain, _ = run(target, prompt, max_new_tokens=length)
        drafted, told = run(target, prompt, drafter, max_new_tokens=length)
        assert drafted == plain
        assert told.end == "length"
        assert len(plain) == length


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "sampler",
    [
        Sampler(temperature=1.0),
        Sampler(temperature=0.7, top_p=0.9),
        Sampler(temperature=1.3, top_k=5),
        Sampler(temperature=1.0, min_p=0.05, repetition_penalty=1.3),
        Sampler(temperature=0.0, repetition_penalty=1.5),
    ],
)
def test_drafts_that_are_not_drawn_change_no_sampled_text(shape: str, sampler: Sampler) -> None:
    target = llama(3, eos_ids=())
    drafter = untrained(target, SHAPES[shape])
    for seed in range(3):
        plain, _ = run(target, [5, 6, 7], sampler=sampler, seed=seed, max_new_tokens=40)
        same, _ = run(target, [5, 6, 7], drafter, sampler=sampler, seed=seed, max_new_tokens=40)
        assert same == plain


def test_seeds_decide_and_nothing_else_does() -> None:
    target = llama(4, eos_ids=())
    warm = Sampler(temperature=1.0)
    state = torch.random.get_rng_state()
    first, _ = run(target, [5], sampler=warm, seed=42)
    run(target, [9, 9], sampler=warm, seed=1)
    assert run(target, [5], sampler=warm, seed=42)[0] == first
    assert run(target, [5], sampler=warm, seed=43)[0] != first
    assert run(target, [5], seed=1)[0] == run(target, [5], seed=2)[0]
    assert torch.equal(torch.random.get_rng_state(), state)


def test_drafts_that_are_drawn_repeat_with_their_seeds() -> None:
    target, warm = llama(4, eos_ids=()), Sampler(temperature=1.0)
    torch.manual_seed(0)
    head = EagleHead(HeadConfig.like(target.config))
    drafter = EagleDrafter(head, target, EAGLE_1_TREE, sampler=warm)
    state = torch.random.get_rng_state()
    first, _ = run(target, [5], drafter, sampler=warm, seed=42)
    run(target, [9, 9], drafter, sampler=warm, seed=1)
    assert run(target, [5], drafter, sampler=warm, seed=42)[0] == first
    assert run(target, [5], drafter, sampler=warm, seed=43)[0] != first
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize("seed", [-1, 1 << 63, 10**30])
def test_a_seed_that_no_generator_takes_is_refused_also_where_nothing_is_drawn(seed: int) -> None:
    for sampler in (Sampler(), Sampler(temperature=1.0)):
        with pytest.raises(OptionError, match="is not between 0 and"):
            next(generate(llama(), [1], seed=seed, sampler=sampler))
    assert list(generate(llama(), [1], seed=(1 << 63) - 1, max_new_tokens=2))


def test_positions_follow_the_prompt_and_those_of_a_tree_its_depths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = llama(5, eos_ids=())
    plain, _ = run(target, range(7), max_new_tokens=9)
    seen: list[list[int]] = []
    verify = target.verify

    def watched(ids: Tensor, positions: Tensor, mask: Tensor, cache: Any) -> Any:
        seen.append(positions.tolist())
        return verify(ids, positions, mask, cache)

    monkeypatch.setattr(target, "verify", watched)
    # After 7 tokens, the root stands at 7 and is followed by 3 drafts; then 4 tokens are certain.
    run(target, range(7), Oracle([*range(7), *plain], 3), max_new_tokens=9)
    assert seen == [[7, 8, 9, 10], [11, 12, 13, 14]]
    seen.clear()
    run(target, range(7), untrained(target, EAGLE_1_TREE), max_new_tokens=2)
    depths = [0] + [1] * 4 + [2] * 8 + [3] * 8 + [4] * 3 + [5] * 2
    assert seen == [[7 + depth for depth in depths]]


def test_a_perfect_draft_is_always_accepted_and_a_wrong_one_never() -> None:
    target = llama(5, eos_ids=())
    prompt = [4, 8, 15]
    plain, _ = run(target, prompt, max_new_tokens=41)
    whole = prompt + plain
    ids, told = run(target, prompt, Oracle(whole, 4), max_new_tokens=41)
    assert ids == plain
    # The first token comes from the prompt; each cycle then gives 4 drafted tokens and 1 more.
    assert (told.cycles, told.tau) == (8, 5.0)
    assert told.acceptance == [1.0] * 4
    ids, told = run(target, prompt, Oracle(whole, 4, wrong=True), max_new_tokens=41)
    assert ids == plain
    assert (told.cycles, told.tau) == (40, 1.0)
    assert told.acceptance == [0.0]


@pytest.mark.parametrize("drafting", [False, True])
def test_nothing_comes_after_an_end(drafting: bool) -> None:
    target = llama(6, eos_ids=())
    prompt = [3, 1, 4]
    plain, _ = run(target, prompt, max_new_tokens=30)
    drafter = Oracle(prompt + plain, 6) if drafting else None
    for end in dict.fromkeys(plain):
        ids, told = run(target, prompt, drafter, max_new_tokens=30, eos_ids={end, 10**6})
        assert ids == plain[: plain.index(end) + 1]
        assert told.end == "eos"


def test_whoever_stops_listening_stops_the_count() -> None:
    target = llama(7, eos_ids=())
    plain, _ = run(target, [3], max_new_tokens=20)
    told = Statistics()
    heard = generate(target, [3], drafter=Oracle([3, *plain], 6), statistics=told)
    assert [next(heard) for _ in range(5)] == plain[:5]
    heard.close()
    assert (told.tokens, told.end) == (5, "stopped")


@pytest.mark.parametrize("shape", SHAPES)
def test_the_context_is_used_to_its_last_position(shape: str) -> None:
    target = llama(8, eos_ids=(), max_positions=24)
    drafter = untrained(target, SHAPES[shape])
    plain, told = run(target, [1] * 10, max_new_tokens=100)
    assert (len(plain), told.end) == (15, "context")
    assert run(target, [1] * 10, drafter, max_new_tokens=100)[0] == plain


@pytest.mark.parametrize("size", [12, 20])
def test_beyond_the_limit_of_the_head_decoding_is_plain(size: int) -> None:
    target = llama(9, eos_ids=(), max_positions=64)
    drafter = untrained(target, chain(3), max_positions=16)
    prompt = list(range(size))
    plain, _ = run(target, prompt, max_new_tokens=20)
    ids, told = run(target, prompt, drafter, max_new_tokens=20)
    assert ids == plain
    assert told.fell_back_at is not None
    assert told.fell_back_at >= min(size, 13)


def test_the_parts_of_the_time_make_up_its_whole() -> None:
    target = llama(10, eos_ids=())
    _, told = run(target, [1, 2], untrained(target, EAGLE_1_TREE), max_new_tokens=20)
    parts = told.prefill_seconds + told.draft_seconds + told.verify_seconds + told.accept_seconds
    assert 0 < parts <= told.total_seconds


@pytest.mark.parametrize(
    ("prompt", "more", "error"),
    [
        ([], {}, PromptError),
        ([61], {}, PromptError),
        ([-1], {}, PromptError),
        ([1] * 257, {}, PromptError),
        ([1], {"max_new_tokens": -1}, OptionError),
    ],
)
def test_what_cannot_be_generated_is_refused(
    prompt: list[int], more: dict[str, int], error: type[EagleError]
) -> None:
    with pytest.raises(error):
        list(generate(llama(), prompt, **more))


@given(st.data())
@settings(max_examples=30)
def test_any_prompt_and_shape(data: st.DataObject) -> None:
    target = llama(data.draw(st.integers(0, 3)), eos_ids=())
    top_k, depth = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    total = data.draw(st.integers(1, top_k * depth))
    drafter = untrained(target, DynamicTree(top_k=top_k, depth=depth, total=total))
    prompt = data.draw(st.lists(st.integers(0, 60), min_size=1, max_size=12))
    plain, _ = run(target, prompt, max_new_tokens=12)
    assert run(target, prompt, drafter, max_new_tokens=12)[0] == plain
