from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.draws import generator_draws, pick, token_draws, uniform
from eagle_impl.errors import EagleError

ALMOST_1 = 1 - 2.0**-53


def test_uniform_numbers_stay_the_same_for_ever() -> None:
    # The first 53 bits of BLAKE2b-64 of "42 0" and "-1 7", by coreutils' b2sum.
    assert uniform(42, 0) == (0xDCB631248585CB09 >> 11) / 2**53
    assert uniform(-1, 7) == (0x0DD1FFE44087B921 >> 11) / 2**53


def test_each_seed_and_each_place_has_a_number_of_its_own() -> None:
    numbers = {uniform(seed, place) for seed in range(100) for place in range(100)}
    assert len(numbers) == 10_000
    # Not even as a shifted copy: what seed 1 has at some place is not what seed 0 has later.
    assert all(0 <= number < 1 for number in numbers)


@pytest.mark.parametrize("along", ["seeds", "places"])
def test_uniform_numbers_are_uniform(along: str) -> None:
    cells = [0] * 16
    for index in range(20_000):
        number = uniform(index, 3) if along == "seeds" else uniform(3, index)
        cells[int(number * 16)] += 1
    expected = 20_000 / 16
    # 37.7 is passed by one fair experiment in a thousand (15 degrees of freedom).
    assert sum((count - expected) ** 2 / expected for count in cells) < 37.7


@pytest.mark.parametrize(
    ("at", "index"),
    [(0.0, 1), (0.2499, 1), (0.25, 3), (0.7499, 3), (0.75, 4), (ALMOST_1, 4)],
)
def test_the_running_sum_decides(at: float, index: int) -> None:
    assert pick(torch.tensor([0.0, 1.0, 0.0, 2.0, 1.0, 0.0]), at) == index


@given(
    weights=st.lists(st.floats(0, 1, width=32), min_size=1, max_size=20).filter(any),
    at=st.sampled_from([0.0, 0.5, ALMOST_1]) | st.floats(0, ALMOST_1),
)
def test_what_has_no_weight_is_never_picked(weights: list[float], at: float) -> None:
    assert weights[pick(torch.tensor(weights), at)] > 0


def test_half_precision_weights_are_summed_precisely() -> None:
    # A running sum in bfloat16 stops at 256, where adding 1 changes nothing any more.
    assert pick(torch.ones(1000, dtype=torch.bfloat16), 0.9) == 900


@pytest.mark.parametrize("weights", [[0.0, 0.0], [0.5, math.nan], [math.inf, 1.0]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(EagleError, match="no token can be drawn") as caught:
        pick(torch.tensor(weights), 0.5)
    assert "float32" in caught.value.hint


def test_tokens_are_drawn_place_by_place() -> None:
    weights = torch.ones(1000)
    draw = token_draws(5, 2)
    assert [draw(weights) for _ in range(3)] == [int(uniform(5, at) * 1000) for at in (2, 3, 4)]


def test_a_generator_draws_the_same_again_and_leaves_the_global_one_alone() -> None:
    before = torch.random.get_rng_state()
    weights = torch.ones(1000)
    runs = []
    for seed in (1, 1, 2):
        draw = generator_draws(torch.Generator().manual_seed(seed))
        runs.append([draw(weights) for _ in range(5)])
    assert runs[0] == runs[1] != runs[2]
    assert len(set(runs[0])) > 1
    token_draws(1)(weights)
    assert torch.equal(torch.random.get_rng_state(), before)
