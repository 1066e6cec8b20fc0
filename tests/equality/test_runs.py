from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measurements import benchmark, result

from registry.equality.runs import latest_runs, other_runs, spread_of_speedups
from registry.records.benchmark import Benchmark


def run(number: int, *speedups: float, transformers: float = 0.5, **changes: Any) -> Benchmark:
    results = [
        result("speedup", "x", value, 0.0, 1, "repeats", method="eagle", drafting=f"chain of {at}")
        for at, value in enumerate(speedups, start=1)
    ]
    other = result("speedup", "x", transformers, 0.0, 1, "repeats", name="transformers")
    record = benchmark(f"run-{number}", results=results, baselines=[other], **changes)
    return Benchmark.model_validate(record)


@pytest.mark.parametrize(
    ("runs", "spread"),
    [
        ([run(1, 1.5)], None),
        ([run(1, 1.5), run(2, 1.5)], 0.0),
        # The lowest and the highest count, whichever of them is shown.
        ([run(1, 1.0), run(2, 1.05), run(3, 0.95)], 1.05 / 0.95 - 1),
        ([run(1, 1.0, 2.0), run(2, 1.25, 2.0)], 0.25),
        ([run(1, 1.0, transformers=0.5), run(2, 1.0, transformers=0.75)], 0.5),
    ],
)
def test_how_far_speedups_are_apart(runs: list[Benchmark], spread: float | None) -> None:
    assert spread_of_speedups(runs) == (spread if spread is None else pytest.approx(spread))


@given(st.permutations([run(1, 1.0), run(2, 1.125), run(3, 1.25), run(4, 9.0, seed=8)]))
def test_the_order_of_the_records_does_not_matter(records: list[Benchmark]) -> None:
    found = {one.run.id: [other.id for other in one.others] for one in latest_runs(records)}
    assert found == {"run-3": ["run-1", "run-2"], "run-4": []}
    assert {one.id for one in other_runs(records[0], records)} == {
        other.id
        for repeated in latest_runs(records)
        for other in (repeated.run, *repeated.others)
        if records[0] in (repeated.run, *repeated.others) and other is not records[0]
    }
