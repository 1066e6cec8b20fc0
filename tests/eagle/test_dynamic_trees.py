from __future__ import annotations

import itertools
import math

import pytest
import torch
from eagle.growing import ROOT, Words, logs, paths_of, watched
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl import trees
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.errors import OptionError


def test_a_dynamic_tree_by_hand() -> None:
    #        .60 a                .32 b             .08 c
    #   aa .300  ab .240     ba .288  bb .016
    a, b, c = range(3)
    after = {
        (): logs(0.60, 0.32, 0.08),
        (a,): logs(0.50, 0.40, 0.10),
        (b,): logs(0.90, 0.05, 0.05 - 1e-4),
    }
    by_total = {
        1: [(a,)],
        2: [(a,), (b,)],
        3: [(a,), (b,), (a, a)],
        4: [(a,), (b,), (a, a), (b, a)],
        5: [(a,), (b,), (a, a), (a, b), (b, a)],
        6: [(a,), (b,), (a, a), (a, b), (b, a), (b, b)],
    }
    for total, paths in by_total.items():
        tree, held = watched(DynamicTree(2, 2, total).plant(ROOT), after.__getitem__)
        assert paths_of(tree) == paths
        assert held == [[(a,), (b,)]]
    assert c not in tree.tokens.tolist()


def test_the_best_nodes_of_a_level_are_expanded_best_first() -> None:
    a, b = range(2)
    after = {
        (): logs(0.6, 0.4),
        (a,): logs(0.5, 0.5),
        (b,): logs(0.01, 0.99),  # bb .396 is the best of its level, then aa and ab at .3
        (b, b): logs(0.7, 0.3),
        (a, a): logs(0.6, 0.4),
    }
    shape = DynamicTree(top_k=2, depth=3, total=10)
    tree, held = watched(shape.plant(ROOT), after.__getitem__)
    assert held == [[(a,), (b,)], [(b, b), (a, a)]]
    assert len(paths_of(tree)) == 10
    assert (shape.depth, shape.total, shape.expansions) == (3, 10, 4)


def test_a_drafter_that_is_certain_yields_one_connected_path() -> None:
    # Every node on the path has the score 0: nothing but age tells a parent from its child.
    certain = torch.tensor([0.0, -math.inf, -math.inf])
    for total in range(1, 5):
        tree, _ = watched(DynamicTree(3, 4, total).plant(ROOT), lambda path: certain)
        assert paths_of(tree) == [(0,) * length for length in range(1, total + 1)]


def test_rounding_above_certainty_does_not_tear_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    above = torch.tensor([[0, 1]]), torch.tensor([[1e-6, -20.0]])
    monkeypatch.setattr(trees, "likeliest", lambda logits, count: above)
    tree, _ = watched(DynamicTree(1, 3, 2).plant(ROOT), lambda path: torch.zeros(2))
    assert paths_of(tree) == [(0,), (0, 0)]


def test_logits_of_any_level_grow_the_same_tree() -> None:
    after = {(): logs(0.6, 0.4), (0,): logs(0.7, 0.3) + 50.0, (1,): logs(0.9, 0.1) - 50.0}
    tree, _ = watched(DynamicTree(2, 2, 4).plant(ROOT), after.__getitem__)
    assert paths_of(tree) == [(0,), (1,), (0, 0), (1, 0)]  # .6, .4, .42 and .36, not .18


@given(seed=st.integers(0, 2**32), total=st.integers(1, 14))
def test_where_everything_is_expanded_the_likeliest_paths_of_all_are_kept(
    seed: int, total: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    table = {
        path: torch.randn(2, generator=generator).log_softmax(0)
        for length in range(3)
        for path in itertools.product(range(2), repeat=length)
    }
    scores = {
        path: sum(float(table[path[:at]][path[at]]) for at in range(length))
        for length in range(1, 4)
        for path in itertools.product(range(2), repeat=length)
    }
    tree, _ = watched(DynamicTree(4, 3, total).plant(ROOT), table.__getitem__)
    assert set(paths_of(tree)) == set(sorted(scores, key=scores.__getitem__, reverse=True)[:total])


@given(
    seed=st.integers(0, 2**32),
    top_k=st.integers(1, 4),
    depth=st.integers(1, 4),
    total=st.integers(1, 60),
    levels=st.integers(1, 3),
)
def test_ties_never_tear_a_tree(seed: int, top_k: int, depth: int, total: int, levels: int) -> None:
    total = min(total, top_k + (depth - 1) * top_k**2)
    generator = torch.Generator().manual_seed(seed)

    def after(path: Words) -> Tensor:  # few different values, certainty among them
        return -torch.randint(levels, (4,), generator=generator).float()

    tree, held = watched(DynamicTree(top_k, depth, total).plant(ROOT), after)
    paths = paths_of(tree)
    assert len(paths) == len(set(paths)) == total
    assert [len(path) for path in paths] == sorted(len(path) for path in paths)
    assert len(held) == depth - 1


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ((0, 2, 1), "top-k is 0, less than 1"),
        ((2, 0, 1), "depth is 0, less than 1"),
        ((2, 2, 0), "total is 0, less than 1"),
        ((1, 3, 7), "top-k 1 and depth 3 has no more than 3 nodes"),
        ((10, 8, 711), "no more than 710 nodes"),
    ],
)
def test_impossible_dynamic_trees_are_refused(limits: tuple[int, int, int], complaint: str) -> None:
    with pytest.raises(OptionError) as caught:
        DynamicTree(*limits)
    assert complaint in caught.value.message
    assert "\n" not in caught.value.message
