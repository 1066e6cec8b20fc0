from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.bench.figures import (
    Difference,
    Quartiles,
    Ratios,
    Run,
    Split,
    acceptance,
    clock_share,
    decoding_ratio,
    differences,
    quartiles,
    ratios,
    roofline,
    speedup,
    split,
    tau,
    unaccounted,
)
from eagle_impl.generation import Statistics


def run(question: str, tokens: int, seconds: float, repeat: int = 0) -> Run:
    return Run("any", question, repeat, tuple(range(tokens)), seconds)


def said(*ids: int, question: str = "a", repeat: int = 0) -> Run:
    return Run("any", question, repeat, ids, 1.0)


def timed(seconds: float, *, prefill: float, verify: float = 0.0, inside: float = 0.0) -> Run:
    told = Statistics(
        prefill_seconds=prefill,
        draft_seconds=0.25,
        verify_seconds=verify,
        accept_seconds=0.125,
        total_seconds=inside or seconds,
    )
    return Run("any", "a", 0, (1, 2), seconds, told, readings=40)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([4.0, 1.0, 3.0, 2.0], Quartiles(1.75, 2.5, 3.25)),
        ([10.0, 30.0, 20.0], Quartiles(15.0, 20.0, 25.0)),
        ([7.0], Quartiles(7.0, 7.0, 7.0)),
    ],
)
def test_quartiles(values: list[float], expected: Quartiles) -> None:
    assert quartiles(values) == expected


@given(st.lists(st.floats(0.1, 1e4), min_size=1, max_size=30))
def test_quartiles_are_those_of_numpy(values: list[float]) -> None:
    found = quartiles(values)
    assert [found.low, found.median, found.high] == pytest.approx(
        np.quantile(values, [0.25, 0.5, 0.75])
    )


def test_ratios_are_of_medians_of_totals_and_of_means() -> None:
    # 10, 5 and 5 tokens/s against 5, 2 and 1: medians 5 and 2. 30 tokens in 5 s against 17 s.
    mine = [run("a", 10, 1.0), run("b", 10, 2.0), run("c", 10, 2.0)]
    base = [run("a", 10, 2.0), run("b", 10, 5.0), run("c", 10, 10.0)]
    assert ratios(mine, base) == Ratios(
        medians=2.5, totals=pytest.approx(17 / 5), means=pytest.approx(20 / 8)
    )


def test_a_speedup_is_the_median_of_the_repeats() -> None:
    mine = [run("a", 10, seconds, repeat=at) for at, seconds in enumerate((1.0, 2.0, 4.0))]
    base = [run("a", 10, 6.0, repeat=at) for at in range(3)]
    assert speedup(mine, base) == 3.0
    assert speedup(mine, [run("b", 10, 6.0)]) is None


def test_ratios_are_of_the_runs_that_both_did() -> None:
    mine = [run("a", 10, 1.0), run("a", 10, 50.0, repeat=1), run("b", 10, 60.0)]
    base = [run("a", 10, 4.0), run("c", 10, 0.1)]
    assert ratios(mine, base) == Ratios(4.0, 4.0, 4.0)
    assert ratios(mine, [run("c", 10, 1.0)]) is None


def test_a_shorter_output_is_not_a_faster_one() -> None:
    assert ratios([run("a", 5, 1.0)], [run("a", 10, 2.0)]) == Ratios(1.0, 1.0, 1.0)


def test_tau_is_over_all_cycles_and_leaves_out_the_first_token() -> None:
    assert tau([Statistics(tokens=11, cycles=5), Statistics(tokens=7, cycles=5)]) == 1.6
    # One token: it came from the prompt, and there was no cycle.
    assert tau([Statistics(tokens=11, cycles=5), Statistics(tokens=1)]) == 2.0
    assert tau([Statistics(tokens=1)]) == 1.0


def test_acceptance_by_depth_is_over_all_cycles() -> None:
    told = [Statistics(tried=[5, 2], held=[2, 1]), Statistics(tried=[5, 3, 1], held=[3, 1, 0])]
    assert acceptance(told) == [0.5, 0.4, 0.0]
    assert acceptance([Statistics()]) == []


def test_the_split_adds_up() -> None:
    runs = [timed(3.0, prefill=0.5, verify=1.0), timed(1.0, prefill=0.25, verify=0.125)]
    assert split(runs) == Split(prefill=0.75, draft=0.5, verify=1.125, accept=0.25, other=1.375)


def test_time_that_no_part_has_is_told() -> None:
    # 7.5 s inside of 8 s, in whichever run it is missing.
    runs = [timed(3.0, prefill=0.5, inside=2.5), timed(5.0, prefill=0.5)]
    assert unaccounted(runs) == 0.0625
    assert split(runs).other == 7.5 - (1.0 + 0.5 + 0.25)
    assert unaccounted([run("a", 3, 1.0)]) == 0.0


def test_the_clock_takes_its_share() -> None:
    # 80 readings of 10 ms in 8 s; runs of other engines do not count.
    runs = [timed(3.0, prefill=0.5), timed(5.0, prefill=0.5), run("a", 3, 100.0)]
    assert clock_share(runs, 0.01) == pytest.approx(0.1)
    assert clock_share([], 0.01) == 0.0


def test_the_decoding_ratio_leaves_out_reading_the_prompts() -> None:
    assert decoding_ratio([timed(2.0, prefill=1.0)], [timed(4.0, prefill=1.0)]) == 3.0


def test_the_roofline() -> None:
    # 2 / (12.5 / 10 + 3 * 0.5 / 10)
    found = roofline(2.0, one=0.010, verify=0.0125, steps=3, step=0.0005)
    assert found == pytest.approx(2 / 1.4)
    # A tree of two that costs two passes, by a head that costs nothing, gains nothing.
    assert roofline(2.0, one=0.010, verify=0.020, steps=3, step=0.0) == pytest.approx(1.0)
    # Plain decoding.
    assert roofline(1.0, one=0.010, verify=0.010, steps=0, step=0.0) == 1.0


def test_differences_say_where_outputs_part() -> None:
    expected = [said(1, 2, 3), said(1, 2, 3, question="b"), said(9, 9, repeat=1)]
    runs = [
        said(1, 2, 3),
        said(1, 2, 4, repeat=1),
        said(1, 7, 3, repeat=2),
        said(1, 2, question="b"),
    ]
    assert differences(runs, expected) == [Difference("a", 1), Difference("b", 2)]
    assert differences([said(1, 2, 3)], expected) == []
