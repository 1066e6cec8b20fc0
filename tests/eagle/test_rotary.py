from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.rotary import cos_sin, inverse_frequencies, rotate
from eagle_impl.targets.interface import RopeConfig

LLAMA3 = RopeConfig(
    theta=500000.0,
    scaling="llama3",
    factor=8.0,
    low_frequency_factor=1.0,
    high_frequency_factor=4.0,
    original_positions=8192,
)


def turned(x: list[float], position: float, rope: RopeConfig) -> list[float]:
    """One head's vector as complex numbers, its first half real and its second imaginary."""
    half = len(x) // 2
    z = [
        complex(x[i], x[i + half]) * complex(math.cos(a), math.sin(a))
        for i, a in enumerate(position * rope.theta ** (-i / half) for i in range(half))
    ]
    return [c.real for c in z] + [c.imag for c in z]


@given(
    st.lists(st.floats(-3, 3, width=32), min_size=6, max_size=6),
    st.integers(0, 5000),
    st.sampled_from([10000.0, 500.0]),
)
def test_it_turns_pairs_of_halves_by_the_position(
    x: list[float], position: int, theta: float
) -> None:
    rope = RopeConfig(theta=theta)
    cos, sin = cos_sin(torch.tensor([position]), inverse_frequencies(rope, 6))
    got = rotate(torch.tensor([x]), cos, sin)[0]
    assert got.tolist() == pytest.approx(turned(x, position, rope), abs=4e-3)


def test_two_radians_by_hand() -> None:
    # theta 10000 and two pairs: one radian and a hundredth of one per position.
    cos, sin = cos_sin(torch.tensor([2]), inverse_frequencies(RopeConfig(), 4))
    got = rotate(torch.tensor([[1.0, 1.0, 0.0, 0.0]]), cos, sin)[0]
    assert got.tolist() == pytest.approx([-0.4161468, 0.9998000, 0.9092974, 0.0199987], abs=1e-6)


def test_linear_scaling_divides_positions() -> None:
    plain = inverse_frequencies(RopeConfig(theta=500.0), 8)
    linear = inverse_frequencies(RopeConfig(theta=500.0, scaling="linear", factor=4.0), 8)
    assert torch.allclose(
        cos_sin(torch.tensor([12]), linear)[0], cos_sin(torch.tensor([3]), plain)[0]
    )


def test_llama3_scaling_leaves_fast_pairs_and_slows_slow_ones() -> None:
    plain = inverse_frequencies(RopeConfig(theta=500000.0), 128).double()
    scaled = inverse_frequencies(LLAMA3, 128).double()
    wavelength = 2 * math.pi / plain
    fast, slow = wavelength < 8192 / 4, wavelength > 8192 / 1
    assert torch.allclose(scaled[fast], plain[fast], rtol=1e-6)
    assert torch.allclose(scaled[slow], plain[slow] / 8, rtol=1e-6)
    between = ~fast & ~slow
    assert between.sum() > 2
    assert (scaled[between] < plain[between]).all()
    assert (scaled[between] > plain[between] / 8).all()
    # Pair 32 of 64 turns 8192 / (2 pi sqrt(500000)) = 1.843848 times, so that (1.843848 - 1) / 3 of
    # it is kept and the rest slowed: sqrt(1 / 500000) * (0.281283 + 0.718717 / 8).
    assert scaled[32].item() == pytest.approx(5.248462e-4, rel=1e-5)


@given(st.integers(0, 2**20), st.sampled_from([RopeConfig(), LLAMA3]))
def test_any_position_has_an_angle_and_keeps_lengths(position: int, rope: RopeConfig) -> None:
    x = torch.randn(3, 1, 32, generator=torch.Generator().manual_seed(position))
    got = rotate(x, *cos_sin(torch.tensor([position]), inverse_frequencies(rope, 32)))
    assert torch.allclose(got.norm(dim=-1), x.norm(dim=-1), rtol=1e-5)


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500))
def test_products_depend_on_the_distance_alone(first: int, second: int, shift: int) -> None:
    query, key = torch.randn(
        2, 16, generator=torch.Generator().manual_seed(first), dtype=torch.float64
    )
    frequencies = inverse_frequencies(RopeConfig(theta=100.0), 16)

    def product(m: int, n: int) -> float:
        cos, sin = cos_sin(torch.tensor([m, n]), frequencies)
        return float(rotate(query, cos[0], sin[0]) @ rotate(key, cos[1], sin[1]))

    assert product(first + shift, second + shift) == pytest.approx(product(first, second), abs=1e-3)


def test_more_dimensions_of_positions() -> None:
    positions = torch.tensor([[0, 1, 2], [5, 6, 7]])
    cos, sin = cos_sin(positions, inverse_frequencies(RopeConfig(), 10))
    assert cos.shape == sin.shape == (2, 3, 10)
    assert torch.equal(cos[1], cos_sin(positions[1], inverse_frequencies(RopeConfig(), 10))[0])
