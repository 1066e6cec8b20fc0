from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
from eagle.growing import ROOT, Words, logs, paths_of, ranked, watched
from torch import Tensor

from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.errors import OptionError
from eagle_impl.static_trees import EAGLE_1_TREE, StaticTree, chain


def test_a_chain_takes_the_likeliest_token_after_each() -> None:
    after = {(): logs(0.1, 0.7, 0.2), (1,): logs(0.2, 0.3, 0.5), (1, 2): logs(0.8, 0.1, 0.1)}
    shape = chain(3)
    tree, held = watched(shape.plant(ROOT), after.__getitem__)
    assert tree.tokens.tolist() == [ROOT, 1, 2, 0]
    assert tree.parents.tolist() == [-1, 0, 1, 2]
    assert tree.probabilities is None
    assert held == [[(1,)], [(1, 2)]]  # nothing is asked after the last token
    assert (shape.depth, shape.total, shape.expansions) == (3, 3, 2)


def test_the_tree_of_eagle_1() -> None:
    # As published: 25 nodes, five passes of the head, one of them after the root.
    tree, held = watched(EAGLE_1_TREE.plant(ROOT), ranked)
    assert [int((tree.depths == depth).sum()) for depth in range(6)] == [1, 4, 8, 8, 3, 2]
    assert [len(nodes) for nodes in held] == [4, 4, 1, 1]
    assert held[1] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert held[2:] == [[(0, 0, 0)], [(0, 0, 0, 0)]]
    assert set(paths_of(tree)) == set(EAGLE_1_TREE.paths)
    assert (EAGLE_1_TREE.depth, EAGLE_1_TREE.total, EAGLE_1_TREE.expansions) == (5, 25, 10)


def test_paths_may_come_in_any_order_and_leave_ranks_out() -> None:
    shape = StaticTree(((1, 2), (1, 0), (3,), (1,)))
    tree, held = watched(shape.plant(ROOT), ranked)
    assert paths_of(tree) == [(1,), (3,), (1, 0), (1, 2)]
    assert held == [[(1,)]]


def test_a_vocabulary_names_the_columns() -> None:
    names = torch.tensor([20, 10, 40, 30, 50])
    tree, held = watched(StaticTree(((0,), (1,), (1, 0))).plant(ROOT, names), ranked)
    assert paths_of(tree) == [(20,), (10,), (10, 20)]
    assert held == [[(10,)]]
    tree, _ = watched(DynamicTree(1, 2, 2).plant(ROOT, names), ranked)
    assert paths_of(tree) == [(20,), (20, 20)]


def test_ranks_that_a_small_vocabulary_lacks_are_left_out_with_all_below() -> None:
    tree, held = watched(EAGLE_1_TREE.plant(ROOT), lambda path: logs(0.6, 0.4))
    assert set(paths_of(tree)) == {path for path in EAGLE_1_TREE.paths if max(path) < 2}
    assert [len(nodes) for nodes in held] == [2, 3, 1, 1]


@pytest.mark.parametrize(
    ("paths", "complaint"),
    [
        ((), "total is 0"),
        (((0,), (0,)), "(0,) twice"),
        (((),), "() twice"),  # the root is always there
        (((0,), (1, 0)), "(1, 0) has no parent"),
        (((-1,),), "(-1,) has no parent, or a negative rank"),
    ],
)
def test_impossible_static_trees_are_refused(paths: tuple[Words, ...], complaint: str) -> None:
    with pytest.raises(OptionError) as caught:
        StaticTree(paths)
    assert complaint in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("depth", [0, -3])
def test_a_chain_has_at_least_one_token(depth: int) -> None:
    with pytest.raises(OptionError, match=f"depth is {depth}, less than 1"):
        chain(depth)


# Drafts that are drawn


def scripted(script: Sequence[int], weights_seen: list[list[float]]) -> Callable[[Tensor], int]:
    rest = iter(script)

    def draw(weights: Tensor) -> int:
        weights_seen.append(weights.tolist())
        return next(rest)

    return draw


def test_siblings_are_drawn_without_replacement() -> None:
    weights: list[list[float]] = []
    shape = StaticTree(((0,), (1,), (0, 0)))
    tree, held = watched(
        shape.plant_drawn(ROOT, scripted([0, 2, 0], weights)), lambda path: logs(0.5, 0.3, 0.2)
    )
    assert paths_of(tree) == [(0,), (2,), (0, 0)]
    assert held == [[(0,)]]
    expected = [[0.5, 0.3, 0.2], [0.0, 0.6, 0.4], [0.5, 0.3, 0.2]]
    assert weights == [pytest.approx(row) for row in expected]
    assert tree.probabilities is not None
    assert tree.probabilities[1:].tolist() == [pytest.approx(row) for row in expected]


def test_the_distribution_of_each_node_is_its_own_though_the_tree_sorts_by_level() -> None:
    rows = {(): logs(0.5, 0.3, 0.2), (0,): logs(0.1, 0.2, 0.7), (2,): logs(0.8, 0.1, 0.1)}
    shape = StaticTree(((0,), (1,), (0, 0), (1, 0)))
    tree, _ = watched(shape.plant_drawn(ROOT, scripted([0, 2, 2, 0], [])), rows.__getitem__)
    assert paths_of(tree) == [(0,), (2,), (0, 2), (2, 0)]
    assert tree.probabilities is not None
    assert tree.probabilities[3].tolist() == pytest.approx([0.1, 0.2, 0.7])
    assert tree.probabilities[4].tolist() == pytest.approx([0.8, 0.1, 0.1])


def test_drawing_ends_where_no_probability_is_left() -> None:
    shape = StaticTree(((0,), (1,), (2,), (2, 0)))
    tree, held = watched(
        shape.plant_drawn(ROOT, scripted([0, 1], [])), lambda path: logs(0.5, 0.5, 0.0)
    )
    assert paths_of(tree) == [(0,), (1,)]
    assert held == []
