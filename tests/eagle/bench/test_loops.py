from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.bench.loops import looping

STRAIGHT = list(range(100, 120))


def test_a_piece_over_and_over() -> None:
    assert looping([*STRAIGHT, *[7, 8, 9] * 12]) == 36
    assert looping([5] * 32) == 32
    assert looping([*STRAIGHT * 3]) == 60


def test_what_stands_before_is_counted_as_far_as_it_fits() -> None:
    assert looping([1, *STRAIGHT[-5:], *STRAIGHT * 3]) == 65


def test_little_or_seldom_is_no_loop() -> None:
    assert looping([]) == 0
    assert looping([5] * 31) == 0
    assert looping([*STRAIGHT, *[7, 8, 9] * 3]) == 0
    assert looping(STRAIGHT * 2) == 0
    assert looping(list(range(128))) == 0


def test_a_loop_that_was_left_is_none() -> None:
    assert looping([*[7, 8, 9] * 12, *STRAIGHT]) == 0


@given(
    st.lists(st.integers(0, 5), max_size=40),
    st.lists(st.integers(6, 9), min_size=1, max_size=20),
    st.integers(3, 6),
)
def test_every_loop_is_found_whole(before: list[int], piece: list[int], times: int) -> None:
    loop = piece * times
    if len(loop) >= 32:
        assert looping([*before, *loop]) == len(loop)
