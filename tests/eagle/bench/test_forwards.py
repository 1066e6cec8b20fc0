from __future__ import annotations

import pytest
import torch
from eagle.bench.small import CONFIG
from eagle.drafters.head_target import random_head
from eagle.tiny import tiny_weights

from eagle_impl.answer import Kit, shape_of
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.forwards import Bench, Forwards, Outline, Typical, lengths, typical
from eagle_impl.bench.methods import PLAIN, own_methods
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import HeadConfig
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.text import Text


def test_lengths_are_those_that_runs_meet() -> None:
    assert lengths([40, 90, 50], tokens=128, longest=1000) == (40, 114, 218)
    assert lengths([40, 90, 50], tokens=128, longest=100) == (40, 100)
    assert lengths([40], tokens=1, longest=1000) == (40, 41)


@pytest.mark.parametrize(
    ("method", "words", "rows"),
    [
        # EAGLE-1's tree has children below 4 of its nodes of depth 1, 4 of depth 2, then 1 and 1.
        ("eagle", "static", [4, 4, 1, 1]),
        ("eagle", "chain:3", [1, 1]),
        ("eagle", "chain:1", []),
        ("eagle-2", "4,3,7", [4, 4]),
        ("eagle-2", "8,5,25", [8, 8, 8, 8]),
    ],
)
def test_an_outline_has_the_steps_of_its_shape(method: str, words: str, rows: list[int]) -> None:
    shape = shape_of(method, words)
    outline = Outline(shape)
    assert [frontier.tokens.numel() for frontier in outline.frontiers] == rows
    assert outline.steps == len(rows) + 1 == shape.depth
    assert outline.tree.tokens.numel() == shape.total + 1


def test_an_outline_is_grown_as_it_was() -> None:
    outline = Outline(shape_of("eagle-2", ""))
    for _ in range(2):
        growth = outline.plant(0)
        grown = [growth.grow(torch.zeros(1)) for _ in range(3)]
        assert grown == [*outline.frontiers, None]
        assert growth.tree() is outline.tree


def test_typical_takes_medians() -> None:
    def cycle(method: str, length: int, *times: float) -> Forwards:
        return Forwards(method, length, *times, steps=4)

    cycles = [
        cycle("a", 50, 10.0, 12.0, 2.0),
        cycle("a", 50, 30.0, 13.0, 6.0),
        cycle("a", 50, 11.0, 90.0, 4.0),
        cycle("b", 50, 14.0, 1.0, 1.0),
        cycle("b", 50, 14.0, 1.0, 1.0),
        cycle("a", 60, 99.0, 99.0, 99.0),
    ]
    # One token: of 10, 11, 14, 14 and 30, whichever tree came next.
    assert typical(cycles, "a", 50) == Typical(one=14.0, verify=13.0, steps=4, step=1.0)


def test_every_method_is_measured_at_every_length() -> None:
    target = LlamaTarget(CONFIG, tiny_weights(CONFIG))
    head = random_head(HeadConfig.like(CONFIG))
    drafter = EagleDrafter(head, target, shape_of("eagle-2", ""))
    methods = own_methods(Kit(target, Text.__new__(Text), drafter, "eagle-2"), Clock())
    bench = Bench(target, methods, [1, 2, 3], (1, 20), Clock())
    for _ in range(2):  # nothing of the first is left in the caches
        found = bench.round()
        drafting = [method.key for method in methods if method.key != PLAIN]
        assert [(one.method, one.length) for one in found] == [
            (key, length) for length in (1, 20) for key in drafting
        ]
        assert all(min(one.one, one.verify, one.draft) > 0 for one in found)
