from __future__ import annotations

import pytest
from eagle.bench.small import CONFIG
from eagle.drafters.head_target import random_head
from eagle.tiny import tiny_weights

from eagle_impl.answer import Kit, shape_of
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.methods import Method, own_methods
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import HeadConfig
from eagle_impl.errors import OptionError
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.text import Text

PROMPT = (3, 1, 4, 1, 5, 9, 2, 6)


def own(clock: Clock, *keys: str) -> list[Method]:
    target = LlamaTarget(CONFIG, tiny_weights(CONFIG))
    first = EagleDrafter(random_head(HeadConfig.like(CONFIG)), target, shape_of("eagle-2", ""))
    return own_methods(Kit(target, Text.__new__(Text), first, "eagle-2"), clock, keys)


def test_methods_with_one_head_do_not_disturb_each_other() -> None:
    methods = own(Clock())
    assert len({method.key for method in methods}) == len(methods) == 5
    alone = {method.key: method.decode(PROMPT, 30) for method in methods}
    again = {method.key: method.decode(PROMPT, 30) for method in reversed(methods)}
    for key, outcome in alone.items():
        assert len(outcome.ids) == 30
        assert outcome.ids == alone["plain"].ids == again[key].ids
        told, retold = outcome.statistics, again[key].statistics
        assert told is not None
        assert retold is not None
        assert (told.cycles, told.tried, told.held) == (retold.cycles, retold.tried, retold.held)
        assert outcome.seconds >= told.prefill_seconds + told.verify_seconds


def test_drawn_outputs_are_the_same_where_drafts_are_not_drawn() -> None:
    """The same seed gives the same text; EAGLE-1's trees are drawn, and have the same law only."""
    clock = Clock()
    outputs = {one.key: one.decode(PROMPT, 30, 1.0, 5).ids for one in own(clock)}
    same = {one.key: one.same_ids(1.0) for one in own(clock)}
    assert same == {
        "plain": True,
        "eagle-2-7": True,
        "eagle-2-25": True,
        "eagle-1-chain": False,
        "eagle-1-tree": False,
    }
    assert {outputs[key] for key, equal in same.items() if equal} == {outputs["plain"]}
    assert outputs["eagle-1-chain"] != outputs["plain"] != outputs["eagle-1-tree"]
    assert own(clock)[0].decode(PROMPT, 30, 1.0, 6).ids != outputs["plain"]
    assert all(one.same_ids(0.0) for one in own(clock))


def test_methods_are_chosen_by_their_keys() -> None:
    keys = [one.key for one in own(Clock(), "eagle-1-chain", "plain")]
    assert keys == ["plain", "eagle-1-chain"]
    with pytest.raises(OptionError, match="no method 'eagle-9'") as refused:
        own(Clock(), "eagle-9")
    assert "eagle-2-7" in refused.value.hint


def test_chains_are_told_from_trees() -> None:
    assert [one.key for one in own(Clock()) if one.is_chain] == ["eagle-1-chain"]


def test_readings_of_the_clock_are_counted() -> None:
    clock = Clock()
    outcome = own(clock)[1].decode(PROMPT, 8)
    assert outcome.statistics is not None
    # Two for each token and five for each cycle, and those of the prompt and around all.
    least = 2 * len(outcome.ids) + 5 * outcome.statistics.cycles
    assert least <= outcome.readings <= least + 8
    assert clock.readings == outcome.readings


def test_trees_have_the_sizes_of_their_titles() -> None:
    methods = own(Clock())
    sizes = {one.key: (one.drafter.widest, one.drafter.depth) for one in methods if one.drafter}
    assert sizes == {
        "eagle-2-7": (8, 3),
        "eagle-2-25": (26, 5),
        "eagle-1-chain": (4, 3),
        "eagle-1-tree": (26, 5),
    }
