"""Reading with the kernels, held against reading with torch."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from eagle.drafters.head_target import CONFIG, SIXTEENS, random_head
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.drafters.native import NativeReader, kernels_for
from eagle_impl.drafters.reading import Reader, TorchReader
from eagle_impl.linears import Kind
from eagle_impl.native import kernels as native

KERNELS = native.kernels()
needs_kernels = pytest.mark.skipif(KERNELS is None, reason="no compiler here")

BIASED = replace(SIXTEENS, fc_bias=True, attention_bias=True)
KINDS: list[Kind] = ["native", "int8"]


def native_reader(head: EagleHead, kind: Kind) -> NativeReader:
    assert KERNELS is not None
    return NativeReader(head, KERNELS, kind)


def normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


Level = tuple[int, Tensor]
"""Nodes, and which of the pairs after the certain ones each sees."""


@st.composite
def levels(draw: st.DrawFn) -> list[Level]:
    """Levels of a tree: every node sees itself, and any of the nodes of levels above."""
    drawn, before = list[Level](), 0
    for _ in range(draw(st.integers(0, 3))):
        nodes = draw(st.integers(1, 4))
        above = draw(st.lists(st.booleans(), min_size=nodes * before, max_size=nodes * before))
        mask = torch.cat(
            (torch.tensor(above, dtype=torch.bool).view(nodes, before), torch.eye(nodes).bool()), 1
        )
        drawn.append((nodes, mask))
        before += nodes
    return drawn


def everything(reader: Reader, cycles: list[tuple[int, list[Level]]], hidden: int) -> list[Tensor]:
    """What a reader predicts while a text grows: after what is certain, then level by level."""
    reader.begin(sum(new for new, _ in cycles) + 16)
    certain, predicted = 0, list[Tensor]()
    for new, tree in cycles:
        seed = 10 * certain
        pairs = normal(seed, 2, new, hidden)
        predicted.append(reader.read(pairs[0], pairs[1], certain))
        certain += new
        read = certain
        for level, (nodes, mask) in enumerate(tree):
            pairs = normal(seed + 1 + level, 2, nodes, hidden)
            predicted.append(reader.read_level(*pairs, read, certain + level, mask))
            read += nodes
    return predicted


@needs_kernels
@pytest.mark.parametrize("config", [SIXTEENS, BIASED], ids=["no biases", "biases"])
@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 40), levels()), min_size=1, max_size=3))
def test_kernels_predict_what_torch_does(
    config: HeadConfig, cycles: list[tuple[int, list[Level]]]
) -> None:
    head = random_head(config)
    with torch.inference_mode():
        right = everything(TorchReader(head), cycles, 32)
        exact = everything(native_reader(head, "native"), cycles, 32)
        rounded = everything(native_reader(head, "int8"), cycles, 32)
    for one, two, three in zip(right, exact, rounded, strict=True):
        assert one.shape == two.shape == three.shape
        assert torch.allclose(two, one, rtol=1e-5, atol=1e-5)
        assert (three - one).norm() < 0.05 * one.norm()


@needs_kernels
@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_certain_pairs_at_once_and_one_by_one_to_the_last_bit(kind: Kind) -> None:
    reader = native_reader(random_head(SIXTEENS), kind)
    pairs = normal(0, 2, 50, 32)
    reader.begin(50)
    together = reader.read(*pairs, 0)
    reader.begin(50)
    for at in range(50):
        alone = reader.read(*pairs[:, at : at + 1], at)
    assert torch.equal(alone, together)


@needs_kernels
@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_a_path_in_a_tree_and_in_a_row_to_the_last_bit(kind: Kind) -> None:
    reader = native_reader(random_head(SIXTEENS), kind)
    pairs, other = normal(1, 2, 33, 32), normal(2, 2, 1, 32)
    reader.begin(40)
    for at in range(33):
        in_a_row = reader.read(*pairs[:, at : at + 1], at)
    reader.read(*pairs[:, :31], 0)
    first = torch.cat((other, pairs[:, 31:32]), dim=1)
    reader.read_level(*first, 31, 31, torch.eye(2, dtype=torch.bool))
    second = torch.cat((pairs[:, 32:33], other), dim=1)
    mask = torch.tensor([[False, True, True, False], [True, False, False, True]])
    in_a_tree = reader.read_level(*second, 33, 32, mask)
    assert torch.equal(in_a_tree[:1], in_a_row)


@pytest.mark.parametrize(
    "head",
    [
        random_head(CONFIG),
        random_head(replace(SIXTEENS, intermediate_size=40)),
        random_head(replace(SIXTEENS, head_dim=8)),
        random_head(SIXTEENS).double(),
        random_head(SIXTEENS).to(torch.bfloat16),
    ],
    ids=["hidden size", "intermediate size", "size of a head", "float64", "bfloat16"],
)
def test_heads_that_kernels_cannot_read(head: EagleHead) -> None:
    assert kernels_for(head) is None


@needs_kernels
def test_a_head_that_kernels_can_read() -> None:
    assert kernels_for(random_head(SIXTEENS)) is not None
