from __future__ import annotations

from eagle.bench.small import CONFIG
from eagle.drafters.head_target import random_head
from eagle.tiny import tiny_weights

from eagle_impl.answer import Kit, shape_of
from eagle_impl.bench.methods import own_methods
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import HeadConfig
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.text import Text

PROMPT = (3, 1, 4, 1, 5, 9, 2, 6)


def test_methods_with_one_head_do_not_disturb_each_other() -> None:
    target = LlamaTarget(CONFIG, tiny_weights(CONFIG))
    first = EagleDrafter(random_head(HeadConfig.like(CONFIG)), target, shape_of("eagle-2", ""))
    methods = own_methods(Kit(target, Text.__new__(Text), first, "eagle-2"))
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


def test_trees_have_the_sizes_of_their_titles() -> None:
    target = LlamaTarget(CONFIG, tiny_weights(CONFIG))
    first = EagleDrafter(random_head(HeadConfig.like(CONFIG)), target, shape_of("eagle-2", ""))
    methods = own_methods(Kit(target, Text.__new__(Text), first, "eagle-2"))
    sizes = {one.key: (one.drafter.widest, one.drafter.depth) for one in methods if one.drafter}
    assert sizes == {
        "eagle-2-7": (8, 3),
        "eagle-2-25": (26, 5),
        "eagle-1-chain": (4, 3),
        "eagle-1-tree": (26, 5),
    }
