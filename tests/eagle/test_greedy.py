"""Greedy text is that of plain decoding, for targets, heads and trees of all kinds."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
import torch
from eagle.guessing import Guesser
from eagle.tiny import tiny_config, tiny_weights
from eagle.tiny_text import byte_level

from eagle_impl.answer import Asked, Kit, answer
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.drafters.interface import Drafter
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.generation import Statistics, generate
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import EAGLE_1_TREE, chain
from eagle_impl.targets.interface import RopeConfig
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.text import Text

SHAPES = [chain(3), EAGLE_1_TREE, DynamicTree(top_k=3, depth=3, total=8)]

TARGETS: dict[str, dict[str, Any]] = {
    "one key-value head": {"kv_heads": 1},
    "a key-value head for each": {"kv_heads": 4},
    "eight heads": {"heads": 8, "kv_heads": 2},
    "wide heads": {"head_dim": 32},
    "tied": {"tied": True},
    "biases": {"attention_bias": True},
    "linear rotary": {"rope": RopeConfig(500.0, "linear", 4.0)},
    "llama3 rotary": {"rope": RopeConfig(500000.0, "llama3", 8.0, 1.0, 4.0, 64)},
    "one layer": {"layers": 1},
    "few tokens": {"vocab_size": 12},
    "several ends": {"eos_ids": tuple(range(2, 61, 7))},
}


def llama(seed: int, **changes: Any) -> LlamaTarget:
    config = tiny_config(**{"layers": 2, "eos_ids": ()} | changes)
    return LlamaTarget(config, tiny_weights(config, seed))


def drafters(target: LlamaTarget, ids: list[int], seed: int) -> Iterator[Drafter]:
    """Heads that have learnt nothing, of whose vocabulary half is left out, and a guesser."""
    size = target.config.vocab_size
    torch.manual_seed(seed)
    head = EagleHead(HeadConfig.like(target.config))
    half = DraftVocabulary.of(Random(seed).sample(range(size), size // 2), size)
    for number, shape in enumerate(SHAPES):
        yield EagleDrafter(head, target, shape, half if number == seed % len(SHAPES) else None)
    yield Guesser(ids, size, seed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", TARGETS)
def test_ids_are_those_of_plain_decoding(name: str, seed: int) -> None:
    target = llama(seed, **TARGETS[name])
    chance = Random(f"{name} {seed}")
    prompt = chance.choices(range(target.config.vocab_size), k=chance.randint(1, 20))
    length = chance.randint(0, 64)
    plain = Statistics()
    ids = list(generate(target, prompt, max_new_tokens=length, statistics=plain))
    for drafter in drafters(target, prompt + ids, seed):
        told = Statistics()
        drafted = generate(target, prompt, drafter=drafter, max_new_tokens=length, statistics=told)
        assert list(drafted) == ids
        assert (told.tokens, told.end) == (plain.tokens, plain.end)


def test_a_guesser_is_right_often_enough_to_try_anything() -> None:
    target = llama(0)
    ids = list(generate(target, [5], max_new_tokens=64))
    told = Statistics()
    guesser = Guesser([5, *ids], 61, seed=0)
    list(generate(target, [5], drafter=guesser, statistics=told, max_new_tokens=64))
    assert len(told.held) == Guesser.depth
    assert told.held[-1] > 0
    assert sum(told.held) < sum(told.tried)


@pytest.mark.parametrize("seed", range(20))
def test_texts_with_stops_are_those_of_plain_decoding(seed: int) -> None:
    target = llama(seed, vocab_size=261, eos_ids=(256, 10))
    text = Text(byte_level())
    chance = Random(seed)
    prompt = tuple(chance.choices(range(256), k=chance.randint(1, 12)))
    free = answer(Kit(target, text, None, "vanilla"), Asked(prompt, Sampler()), lambda _: None)
    size = min(3, len(free.text))
    start = chance.randrange(len(free.text) - size + 1)
    stops = (free.text[start : start + size], "never said") if size else ("never said",)
    asked = Asked(prompt, Sampler(), max_new_tokens=64, stops=stops)
    right = answer(Kit(target, text, None, "vanilla"), asked, lambda _: None)
    for drafter in drafters(target, [*prompt, *free.ids], seed):
        shown = list[str]()
        told = answer(Kit(target, text, drafter, "eagle"), asked, shown.append)
        assert (told.ids, told.text, told.stop) == (right.ids, right.text, right.stop)
        assert "".join(shown) == right.text
        assert told.statistics.tokens == len(right.ids)
