from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.static_trees import chain
from eagle_impl.trees import DraftTree


def test_a_tree_by_hand() -> None:
    #      0
    #    1   2
    #   3 4    5
    tree = DraftTree(torch.tensor([7, 1, 2, 1, 3, 2]), torch.tensor([-1, 0, 0, 1, 1, 2]))
    assert tree.mask.dtype == torch.bool
    assert tree.mask.int().tolist() == [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0],
        [1, 1, 0, 1, 0, 0],
        [1, 1, 0, 0, 1, 0],
        [1, 0, 1, 0, 0, 1],
    ]
    assert tree.depths.tolist() == [0, 1, 1, 2, 2, 2]
    assert tree.children == ((1, 2), (3, 4), (5,), (), (), ())


def test_masks_and_depths_are_computed_once() -> None:
    tree = DraftTree(torch.tensor([7, 1]), torch.tensor([-1, 0]))
    assert tree.mask is tree.mask
    assert tree.depths is tree.depths
    assert tree.children is tree.children


@st.composite
def parent_lists(draw: st.DrawFn) -> list[int]:
    size = draw(st.integers(1, 12))
    return [-1, *(draw(st.integers(0, node - 1)) for node in range(1, size))]


@given(parents=parent_lists())
def test_a_node_sees_its_ancestors_and_itself(parents: list[int]) -> None:
    tree = DraftTree(torch.zeros(len(parents), dtype=torch.int64), torch.tensor(parents))
    for node in range(len(parents)):
        line = [node]
        while parents[line[-1]] >= 0:
            line.append(parents[line[-1]])
        assert tree.mask[node].nonzero().flatten().tolist() == sorted(line)
        assert tree.depths[node] == len(line) - 1


def test_rows_must_fit_the_frontier() -> None:
    for growth in (chain(2).plant(0), DynamicTree(1, 2, 2).plant(0)):
        with pytest.raises(ValueError, match="zip"):
            growth.grow(torch.zeros(2, 5))
