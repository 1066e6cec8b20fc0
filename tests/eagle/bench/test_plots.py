"""Plots of a made-up record, read back from the files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from measurements import WAYS, benchmark, measured_world

from eagle_impl.bench.plot_style import DARK, GRID, INK, PAGE, QUIET, SERIES
from eagle_impl.bench.plots import PLOTS
from eagle_impl.bench.shown import Shown, open_benchmark
from eagle_impl.cli import app

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"

Open = Callable[..., Shown]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Writes the record with changes and opens it."""

    def open_it(**changes: Any) -> Shown:
        root = measured_world(tmp_path / "world", benchmark(**changes)).write()
        return open_benchmark("made-up", root)

    return open_it


def drawn(shown: Shown, name: str) -> ElementTree.Element:
    text = PLOTS[name](shown)
    assert text is not None
    return ElementTree.fromstring(text)


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def styled(root: ElementTree.Element, *wanted: str) -> list[ElementTree.Element]:
    return [one for one in root.iter() if all(w in one.attrib.get("style", "") for w in wanted)]


@pytest.mark.parametrize("name", list(PLOTS))
def test_every_plot_says_model_machine_day_commit_and_prompts(opened: Open, name: str) -> None:
    said = " ".join(texts(drawn(opened(), name)))
    for truth in (
        "Oak 7B",
        "fp32, on Heron(R) Grey(R) Processor @ 2.60GHz, 8 cores, 16 GiB, 4 threads",
        "12 prompts of ripples.jsonl, at most 64 tokens each, 3 times",
        "benchmark/made-up, measured 2026-05-02, commit 0123456789ab",
    ):
        assert truth in said


def test_code_that_was_not_committed_is_only_near_its_commit(opened: Open) -> None:
    said = " ".join(texts(drawn(opened(uncommitted=True), "speedup")))
    assert "near commit 0123456789ab" in said


def test_marks_lie_as_far_from_nought_as_the_speedups_are_large(opened: Open) -> None:
    root = drawn(opened(), "speedup")
    found = [
        (float(one.attrib["y"]), float(one.attrib["x"]))
        for one in styled(root, f"fill: {SERIES[0]}")
        if one.tag == f"{SVG}use"
    ]
    # The legend has the same mark, above and to the left of all others.
    marks = [x for _, x in sorted(found)[1:]]
    wanted = [way[1] for way in WAYS.values()] + [0.625]
    assert len(marks) == len(wanted)
    scale = (marks[0] - marks[1]) / (wanted[0] - wanted[1])
    places = [marks[0] + (value - wanted[0]) * scale for value in wanted]
    assert marks == pytest.approx(places, abs=0.1)
    labels = [text for text in texts(root) if text.endswith("x")]
    cold = ["1.25x", "0.88x", "1.38x", "1.00x", "0.62x"]
    assert labels == [*cold, "1.12x", "0.75x", "1.25x", "0.88x"]


def test_a_chain_begins_at_depth_one_like_all_drafts(opened: Open) -> None:
    depths = {way.drafting: [depth for depth, _ in way.depths(0)] for way in opened().ways}
    assert depths["chain of 3"] == [1, 2, 3]
    assert depths["static tree of 25 nodes"] == [1, 2, 3, 4]
    root = drawn(opened(), "acceptance")
    assert {"temperature 0", "temperature 1", "depth in the draft"} <= set(texts(root))


def test_throughput_has_every_batch_size_and_all_drafts_at_one(opened: Open) -> None:
    root = drawn(opened(), "throughput")
    for size in ("1", "2", "4", "8", "batch size", "plain decoding in batches"):
        assert size in texts(root)
    heights = [
        float(one.attrib["y"])
        for one in styled(root, f"fill: {SERIES[0]}")
        if one.tag == f"{SVG}use" and float(one.attrib["x"]) > 50
    ]
    # 80, 150, 260 and 400 tokens a second.
    rises = [heights[0] - height for height in heights[1:4]]
    assert [rise / rises[-1] for rise in rises] == pytest.approx([70 / 320, 180 / 320, 1], abs=0.01)


def test_the_roofline_says_what_was_reached_of_what(opened: Open) -> None:
    said = texts(drawn(opened(), "roofline"))
    assert "1.25x of 1.50x: 83%" in said
    assert "1.00x of 1.25x: 80%" in said
    assert "possible" in said


def test_there_is_no_plot_of_what_was_not_measured(opened: Open) -> None:
    baselines = [one for one in benchmark()["baselines"] if one["metric"]["name"] == "speed"]
    results = [one for one in benchmark()["results"] if one["metric"]["name"] == "speed"]
    shown = opened(baselines=baselines, results=results)
    assert {name: draw(shown) for name, draw in PLOTS.items()} == dict.fromkeys(PLOTS)


def test_what_a_record_holds_is_text(opened: Open) -> None:
    work = benchmark()["workload"] | {"name": "$x^2$ <b>&\u202e.jsonl"}
    text = PLOTS["speedup"](opened(workload=work))
    assert text is not None
    assert "$x^2$ &lt;b&gt;&amp;\\u202e.jsonl" in text


@pytest.mark.parametrize("name", list(PLOTS))
def test_the_same_record_gives_the_same_file(opened: Open, name: str) -> None:
    shown = opened()
    first, second = PLOTS[name](shown), PLOTS[name](shown)
    assert first == second
    assert first is not None
    assert "dc:date" not in first
    assert shown.record.hash in first


@pytest.mark.parametrize("name", list(PLOTS))
def test_every_colour_has_one_for_dark_pages(opened: Open, name: str) -> None:
    root = drawn(opened(), name)
    used = {
        colour
        for one in root.iter()
        for colour in re.findall(r"(?:fill|stroke): (#\w+)", one.attrib.get("style", ""))
    }
    assert {PAGE, INK, QUIET, SERIES[0]} <= used <= set(DARK)
    # Text without a colour would be black on either page.
    assert all("fill: #" in one.attrib["style"] for one in root.iter(f"{SVG}text"))
    (rules,) = (one.text or "" for one in root.iter(f"{SVG}style") if "media" in (one.text or ""))
    for light in used:
        assert f'[style*="fill: {light}"] {{ fill: {DARK[light]} !important }}' in rules


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_and_marks_stand_out_on_both_pages() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    for page, turned in ((PAGE, lambda colour: colour), (DARK[PAGE], DARK.__getitem__)):
        for colour in (INK, QUIET):
            assert contrast(turned(colour), page) >= 4.5  # WCAG 1.4.3
        for colour in SERIES:
            assert contrast(turned(colour), page) >= 3  # WCAG 1.4.11
        assert contrast(turned(GRID), page) < 3  # a grid is not to stand out


def run(*words: object) -> int:
    try:
        return app.run([str(word) for word in words])
    except SystemExit as ended:
        return int(ended.code or 0)


def test_the_command_writes_a_file_for_each_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = measured_world(tmp_path / "world", benchmark()).write()
    folder = tmp_path / "new" / "plots"
    assert run("plot", "benchmark/made-up", "--root", root, "--output", folder) == 0
    files = [folder / f"made-up-{name}.svg" for name in PLOTS]
    assert capsys.readouterr().out.splitlines() == [f"{file}" for file in files]
    assert all(file.read_text(encoding="utf-8").endswith("</svg>\n") for file in files)


def test_a_record_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = measured_world(tmp_path / "world", benchmark()).write()
    assert run("plot", "made-ups", "--root", root) == 2
    assert capsys.readouterr().err == (
        "eagle_impl: there is no usable benchmark/made-ups (did you mean made-up?)\n"
    )


def test_without_matplotlib_the_extra_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = measured_world(tmp_path / "world", benchmark()).write()
    monkeypatch.delitem(sys.modules, "eagle_impl.bench.plots")
    monkeypatch.delitem(sys.modules, "eagle_impl.bench.plot_style")
    for module in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, module, None)
    assert run("plot", "made-up", "--root", root) == 2
    assert "pip install '.[plot]' in a clone" in capsys.readouterr().err


def test_numbers_that_nothing_can_have_measured_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = benchmark()["results"]
    for one in results:
        if one["metric"]["name"] == "roofline":
            one["median"] = one["low"] = one["high"] = 0.0
    root = measured_world(tmp_path / "world", benchmark(results=results)).write()
    assert run("plot", "made-up", "--output", tmp_path, "--root", root) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "benchmark/made-up: roofline cannot be drawn: " in told


def test_a_pipe_is_no_place_for_a_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = measured_world(tmp_path / "world", benchmark()).write()
    os.mkfifo(tmp_path / "made-up-speedup.svg")
    assert run("plot", "made-up", "--output", tmp_path, "--root", root) == 2
    assert "made-up-speedup.svg: is not a regular file" in capsys.readouterr().err
