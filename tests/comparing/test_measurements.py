"""What this project measured, as rows of a class of their own."""

from __future__ import annotations

import csv
import io
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from measurements import benchmark, measured_world

from registry.comparing import Comparison
from registry.comparing.formats import as_text

from .worlds import compared

EAGLES = ("eagle", "eagle-2")
SVG = "{http://www.w3.org/2000/svg}"


def beside(folder: Path, *records: dict[str, Any], metric: str | None = None) -> Comparison:
    return compared(measured_world(folder, *records), *EAGLES, metric=metric)


def of(method: str, name: str, **changes: Any) -> dict[str, Any]:
    """A record of one of the methods alone."""
    results = [one for one in benchmark()["results"] if one["conditions"]["method"] == method]
    return benchmark(name, methods=[method], results=results, **changes)


def test_the_ways_of_one_run_stand_side_by_side_by_temperature(tmp_path: Path) -> None:
    found = beside(tmp_path, benchmark(), metric="speedup")
    cold, warm = (
        {method: sorted(one.value or 0 for one in numbers) for method, numbers in row.cells}
        for row in found.rows
    )
    assert cold == {"eagle": [0.875, 1.25], "eagle-2": [1.0, 1.375]}
    assert warm == {"eagle": [0.75, 1.125], "eagle-2": [0.875, 1.25]}
    assert {row.origin for row in found.rows} == {"here"}
    assert found.left_out == ()


def test_a_measurement_has_its_ends_and_quartiles(tmp_path: Path) -> None:
    (chain,) = (
        one
        for one in beside(tmp_path, benchmark(), metric="speedup").rows[0].numbers
        if one.drafting == "chain of 3"
    )
    assert (chain.low, chain.middle, chain.high) == (1.125, (1.1875, 1.3125), 1.375)
    assert (chain.repeats, chain.rule, chain.over) == (3, "median", "repeats")


def test_what_is_counted_once_is_no_median(tmp_path: Path) -> None:
    found = beside(tmp_path, benchmark(), metric="roofline")
    assert {one.rule for one in found.numbers} == {"value"}
    assert {one.middle for one in found.numbers} == {None}
    text = " ".join(as_text(found, "terminal").split())
    assert "one value over all runs" in text
    assert "median" not in text


def test_two_runs_of_the_same_code_head_prompts_and_machine_stand_side_by_side(
    tmp_path: Path,
) -> None:
    found = beside(tmp_path, of("eagle", "one"), of("eagle-2", "two"), metric="speedup")
    assert [len(row.cells) for row in found.rows] == [2, 2]


def test_runs_of_one_measurement_are_one_number_with_the_others_beside_it(tmp_path: Path) -> None:
    slower = benchmark()["results"]
    for one in slower:
        one |= {key: one[key] / 2 for key in one if isinstance(one[key], float)}
    runs = (
        benchmark(),
        benchmark("made-up-2", measured=date(2026, 5, 1), results=slower, commit="f" * 40),
        benchmark("made-up-3", measured=date(2026, 5, 3)),
    )
    found = beside(tmp_path, *runs, metric="speedup")
    assert {one.source.record for one in found.numbers} == {"benchmark/made-up-3"}
    (chain,) = (one for one in found.rows[0].numbers if one.drafting == "chain of 3")
    assert chain.value == 1.25
    assert chain.remark == ("in 2 more runs 0.62x, 1.25x [made-up-2, commit ffffffffffff; made-up]")


def test_an_accelerator_without_a_record_is_not_the_machine_it_is_in(tmp_path: Path) -> None:
    host = benchmark()["machine"]
    runs = (
        of("eagle", "one"),
        of("eagle-2", "two", machine=host | {"device": "Kestrel 48GB, driver 3"}),
    )
    found = beside(tmp_path, *runs, metric="speedup")
    assert list(found.rows) == []


WORK = {"name": "ripples.jsonl", "sha256": "2" * 64, "prompts": 12, "tokens": 64, "repeats": 3}


@pytest.mark.parametrize(
    ("change", "keys"),
    [
        ({"commit": "f" * 40}, {"engine"}),
        ({"uncommitted": True}, {"engine"}),
        ({"heads": [{"path": "head", "sha256": "3" * 64}]}, {"further"}),
        ({"workload": WORK}, {"dataset", "further"}),
    ],
)
def test_other_code_another_head_or_other_prompts_keep_two_runs_apart(
    tmp_path: Path, change: dict[str, Any], keys: set[str]
) -> None:
    other = of("eagle-2", "two", **change)
    found = beside(tmp_path, of("eagle", "one"), other, metric="speedup")
    assert found.rows == ()
    differing = {(one.key, one.kind) for out in found.left_out for one in out.differences}
    assert {key for key, kind in differing if kind == "differs"} >= keys
    assert {kind for _, kind in differing} == {"differs"}


def test_the_chart_has_error_bars_with_the_middle_half(tmp_path: Path) -> None:
    text = as_text(beside(tmp_path, benchmark(), metric="speedup"), "svg")
    drawn = ElementTree.fromstring(text)
    spans: dict[str, list[float]] = {"error": [], "middle-half": []}
    for line in drawn.iter(f"{SVG}line"):
        width = float(line.attrib["x2"]) - float(line.attrib["x1"])
        if line.attrib["class"] in spans and width:
            spans[line.attrib["class"]].append(width)
    # Every speedup lies between 1/8 below and above its median, the quartiles half as far.
    assert len(spans["error"]) == len(spans["middle-half"]) == 8
    for whole, half in zip(spans["error"], spans["middle-half"], strict=True):
        assert half == pytest.approx(whole / 2, abs=0.2)


def test_a_spreadsheet_gets_the_quartiles(tmp_path: Path) -> None:
    found = beside(tmp_path, benchmark(), metric="speedup")
    lines = list(csv.DictReader(io.StringIO(as_text(found, "csv"))))
    wanted = {("0.81", "0.94"), ("1.19", "1.31"), ("0.94", "1.06"), ("1.31", "1.44")}
    assert wanted <= {(one["lower_quartile"], one["upper_quartile"]) for one in lines}
