"""Three ways to attend, held against the definition: one head, one token, one key at a time."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.attention import Attend, Heads, Rotation, TorchAttention, fused, products
from eagle_impl.native import kernels as native
from eagle_impl.native.kernels import NativeAttention
from eagle_impl.rotary import cos_sin, inverse_frequencies, rotate
from eagle_impl.targets.interface import RopeConfig

KERNELS = native.kernels()
WAYS = ["products", "fused", *(["native"] if KERNELS else [])]
CAPACITY = 64


def attention(
    way: str, heads: Heads, rotation: Rotation, start: int, mask: Tensor | None
) -> Attend:
    if way == "native":
        assert KERNELS is not None
        columns = torch.arange(start, start + len(rotation[0]))
        seen = columns + 1 if mask is None else torch.full_like(columns, start)
        return NativeAttention(
            KERNELS, heads, rotation, columns, seen, capacity=CAPACITY, mask=mask
        )
    gather = {"products": products, "fused": fused}[way]
    return TorchAttention(heads, rotation, start, mask, gather)


def attended(
    way: str,
    heads: Heads,
    rotation: Rotation,
    start: int,
    mask: Tensor | None,
    qkv: Tensor,
    keys: Tensor,
    values: Tensor,
) -> Tensor:
    """Attend by one way; keys lie as the definition has them, before and after."""
    attend = attention(way, heads, rotation, start, mask)
    if way != "native":
        return attend(qkv, keys, values)
    panels = keys.unflatten(1, (-1, native.PANEL)).mT.contiguous()
    got = attend(qkv, panels, values)
    keys.copy_(panels.mT.flatten(1, 2))
    return got


def by_definition(
    qkv: Tensor, heads: Heads, rotation: Rotation, keys: Tensor, values: Tensor, sees: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """What is gathered, and keys and values of all columns up to the tokens' own."""
    tokens = len(qkv)
    split = qkv.double().view(tokens, -1, heads.head_dim)
    cos, sin = (part.double()[:, None] for part in rotation)
    turned = rotate(split, cos, sin)
    values_at = heads.heads + heads.kv_heads
    keys = torch.cat((keys.double(), turned[:, heads.heads : values_at].transpose(0, 1)), dim=1)
    values = torch.cat((values.double(), split[:, values_at:].transpose(0, 1)), dim=1)
    out = torch.zeros(tokens, heads.heads, heads.head_dim, dtype=torch.float64)
    for token in range(tokens):
        for head in range(heads.heads):
            shared = head * heads.kv_heads // heads.heads
            columns = sees[token].nonzero()[:, 0].tolist()
            weights = [
                math.exp(float(turned[token, head] @ keys[shared, c]) / math.sqrt(heads.head_dim))
                for c in columns
            ]
            for weight, column in zip(weights, columns, strict=True):
                out[token, head] += weight / sum(weights) * values[shared, column]
    return out.flatten(1), keys, values


@st.composite
def masks(draw: st.DrawFn) -> Tensor | None:
    size = draw(st.integers(1, 7))
    if draw(st.booleans()):
        return None
    seen = draw(st.lists(st.booleans(), min_size=size * size, max_size=size * size))
    return torch.tensor(seen).view(size, size).tril() | torch.eye(size, dtype=torch.bool)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=40)
@given(
    masks(),
    st.integers(0, 57),
    st.sampled_from([Heads(4, 2, 16), Heads(3, 3, 32), Heads(6, 2, 80), Heads(4, 1, 64)]),
    st.integers(0, 99),
)
def test_every_way_is_the_definition(
    way: str, mask: Tensor | None, start: int, heads: Heads, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    tokens = 7 if mask is None else len(mask)
    positions = start + torch.arange(tokens)
    rotation = cos_sin(positions, inverse_frequencies(RopeConfig(theta=50.0), heads.head_dim))
    width = (heads.heads + 2 * heads.kv_heads) * heads.head_dim
    qkv = torch.randn(tokens, width, generator=generator)
    shape = (heads.kv_heads, CAPACITY, heads.head_dim)
    keys, values = torch.randn(2, *shape, generator=generator)
    among = torch.ones(tokens, tokens, dtype=torch.bool).tril() if mask is None else mask
    sees = torch.cat((torch.ones(tokens, start, dtype=torch.bool), among), dim=1)
    expected, all_keys, all_values = by_definition(
        qkv, heads, rotation, keys[:, :start], values[:, :start], sees
    )
    after = keys[:, start + tokens :].clone(), values[:, start + tokens :].clone()

    got = attended(way, heads, rotation, start, mask, qkv.clone(), keys, values)

    assert torch.allclose(got.double(), expected, atol=1e-5)
    assert torch.allclose(keys[:, : start + tokens].double(), all_keys, atol=1e-5)
    assert torch.equal(values[:, : start + tokens].double(), all_values)
    assert torch.equal(keys[:, start + tokens :], after[0])
    assert torch.equal(values[:, start + tokens :], after[1])


@pytest.mark.parametrize("way", WAYS)
def test_scores_that_differ_by_far(way: str) -> None:
    # Two tokens with equal keys but for length: the second key's score is 800 less than the first.
    heads = Heads(1, 1, 16)
    unturned = torch.ones(2, 16), torch.zeros(2, 16)
    query, key = torch.full((16,), 20.0), torch.full((16,), 10.0)
    qkv = torch.stack(
        (torch.cat((query, key, torch.ones(16))), torch.cat((query, -key, torch.zeros(16))))
    )
    keys, values = torch.zeros(2, 1, CAPACITY, 16)
    got = attended(way, heads, unturned, 0, None, qkv, keys, values)
    assert got[0].tolist() == [1.0] * 16
    assert got[1].tolist() == pytest.approx([1.0] * 16)
