"""A comparison in each format, read back as its readers read it."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len
from world import World

from registry.comparing import Comparison
from registry.comparing.csv import HEAD, harmless
from registry.comparing.formats import as_text
from registry.comparing.page import page_of
from registry.comparing.wording import letters
from registry.errors import ComparisonError
from registry.views.terminal import render_page

from .worlds import benchmark, claim, compared, table, told, without

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "=cmd|' /C calc'!A1 <b>&\"| *x* \u202e `a`"


@pytest.fixture
def mixed(wood: World) -> Comparison:
    """A table, two ranges that may stand together, a measurement of each, and one number alone."""
    span = {"range": {"low": 2.4, "high": 3.1}, "locator": "Section 1"}
    told(
        wood,
        "trees",
        table({"trees": [2.5, 4], "bushes": [3.0, 5]}, without("batch", "temperature")),
        claims=(claim("trees", **span, remark=NASTY),),
    )
    for column, warmth in zip(wood["claims/trees"]["tables"][0]["columns"], (0, 1), strict=True):
        column["conditions"] = {"temperature": warmth}
    alone = claim("bushes", without("engine"), id="alone", value=7.125, bound="up-to")
    told(wood, "bushes", claims=(claim("bushes", **span), alone))
    wood.records["benchmark/trees-here"] = benchmark("trees", 1.5)
    wood.records["benchmark/bushes-here"] = benchmark("bushes", 1.25)
    return compared(wood)


def test_a_terminal_sees_numbers_letters_and_legend(mixed: Comparison) -> None:
    text = as_text(mixed, "terminal")
    assert all(cell_len(line) <= 100 for line in text.splitlines())
    assert re.search(r"Oak 7B +Riddles +0 +3\.00x a +2\.50x b\n", text)
    assert re.search(r"Oak 7B +Riddles +1 +5\.00x a +4\.00x b\n", text)
    flat = " ".join(text.split())
    assert "a paper/trees about a method of another paper: v1, Table 1" in flat
    assert (
        "b paper/trees about its own method: v1, Table 1 [claims/trees]; batch not stated" in flat
    )
    assert "2.4x-3.1x" in text
    assert "median of 5, 1.25 to 2.00x" in flat
    assert "measured here on 2026-05-02" in flat
    assert "up to 7.125x [claims/bushes alone]" in flat
    assert "differs: kind of number · unknown: engine" in flat
    assert "\x1b" not in text


def test_markdown_shows_the_same_and_nothing_acts(mixed: Comparison) -> None:
    text = as_text(mixed, "markdown")
    html = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert html.count("<table>") == 3
    assert "<b>" not in html
    assert "<code>a</code>" not in html
    assert "=cmd|' /C calc'!A1 &lt;b&gt;&amp;&quot;| *x* \\u202e `a`" in html


def test_json_has_everything(mixed: Comparison) -> None:
    data = json.loads(as_text(mixed, "json"))
    assert [one["id"] for one in data["methods"]] == ["bushes", "trees"]
    assert data["asked"] == {"metric": None, "model": None, "dataset": None, "temperature": None}
    cells = [one for row in data["rows"] for cell in row["cells"].values() for one in cell]
    assert len(cells) == 8
    out = data["left_out"]
    assert [(one["number"]["value"], one["number"]["bound"]) for one in out] == [(7.125, "up-to")]
    engine = {"key": "engine", "kind": "unknown", "here": "unknown", "there": "Mill"}
    assert engine in out[0]["differences"]
    assert {one["remark"] for one in cells} == {"", NASTY}
    known = {one["conditions"]["batch"] is None for one in cells}
    assert known == {True, False}
    assert data["recorded"] == {"bushes": {"speedup": 5}, "trees": {"speedup": 4}}


def lines(comparison: Comparison) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_text(comparison, "csv"), newline="")))


def test_csv_has_one_number_a_line(mixed: Comparison) -> None:
    found = lines(mixed)
    assert list(found[0]) == list(HEAD)
    assert len(found) == 9
    rows: dict[str, set[tuple[str, ...]]] = {}
    for line in found:
        shown = (line["method"], line["value"], line["low"], line["high"])
        rows.setdefault(line["row"], set()).add(shown)
    assert {("bushes", "3.00", "", ""), ("trees", "2.50", "", "")} in rows.values()
    assert {("bushes", "", "2.4", "3.1"), ("trees", "", "2.4", "3.1")} in rows.values()
    assert rows[""] == {("bushes", "7.125", "", "")}
    (alone,) = (line for line in found if not line["row"])
    assert alone["unknown"] == "engine"
    assert "engine unknown against Mill" in alone["apart_from_nearest_by"]


def test_csv_counts_rows_as_the_tables_have_them(mixed: Comparison) -> None:
    found = lines(mixed)
    counted = [int(line["row"]) for line in found if line["row"]]
    assert counted == sorted(counted)
    text = as_text(mixed, "terminal")
    shown = re.findall(r"^Oak 7B .*?([\d.]+)x", text, re.MULTILINE)
    bushes = [line["value"] or line["low"] for line in found if line["method"] == "bushes"]
    assert bushes[: len(shown)] == shown


def test_csv_has_no_formula(mixed: Comparison) -> None:
    remarks = {line["remark"] for line in lines(mixed)}
    assert remarks == {"", "'" + NASTY.replace("\u202e", "\\u202e")}


@given(st.text(max_size=12).map(lambda text: f"=1{text}") | st.text(max_size=12))
def test_no_text_begins_a_formula(text: str) -> None:
    for shown in (
        harmless(text),
        harmless(f" {text}"),
        harmless(f"@{text}"),
        harmless(f"\t{text}"),
    ):
        assert shown.lstrip()[:1] not in {"=", "+", "-", "@", "＝", "＋", "－", "＠"}
        assert not re.search("[\x00-\x1f]", shown)


def chart(comparison: Comparison) -> ElementTree.Element:
    return ElementTree.fromstring(as_text(comparison, "svg"))


def bars(root: ElementTree.Element) -> list[tuple[float, float]]:
    """Left end and width of each bar."""
    found = [bar for bar in root.iter(f"{SVG}rect") if "fill" in bar.attrib]
    return [(float(bar.attrib["x"]), float(bar.attrib["width"])) for bar in found]


def test_bars_are_as_long_as_their_numbers(wood: World) -> None:
    told(wood, "trees", table({"bushes": [1, 4], "trees": [2, 8]}))
    for column, warmth in zip(wood["claims/trees"]["tables"][0]["columns"], (0, 1), strict=True):
        column["conditions"] = {"temperature": warmth}
    wood["claims/trees"]["tables"][0]["conditions"] = without("temperature")
    found = bars(chart(compared(wood)))
    assert len({left for left, _ in found}) == 1
    longest = found[-1][1]
    assert [width / longest for _, width in found] == pytest.approx(
        [1 / 8, 2 / 8, 4 / 8, 1], abs=1e-3
    )


def test_a_chart_prints_numbers_axis_and_conditions(mixed: Comparison) -> None:
    root = chart(mixed)
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert {"3.00x a", "2.50x b", "5.00x a", "4.00x b"} <= set(texts)
    assert texts.count("speedup (x)") == 3
    assert "Oak 7B · Riddles · temperature 0" in texts
    assert any(text.startswith("a: paper/trees about a method of another paper") for text in texts)
    assert any("batch 1, precision fp16" in text for text in texts)
    assert "Not drawn: numbers that stand beside no other (1)." in texts
    style = root.find(f"{SVG}style")
    assert style is not None
    assert "prefers-color-scheme: dark" in (style.text or "")


def test_no_line_of_the_grid_runs_through_words(mixed: Comparison) -> None:
    shapes = list(chart(mixed))
    grid = [one for one in shapes if one.attrib.get("class") == "grid"]
    assert grid
    for place, one in enumerate(shapes):
        if one.tag != f"{SVG}text":
            continue
        x, y = float(one.attrib["x"]), float(one.attrib["y"])
        beside = [
            line
            for line in grid
            if float(line.attrib["y1"]) < y < float(line.attrib["y2"])
            and x < float(line.attrib["x1"])
        ]
        if beside and one.attrib.get("class") != "end":
            hides = shapes[place - 1]
            assert (hides.tag, hides.attrib["class"]) == (f"{SVG}rect", "page")
            left, width = float(hides.attrib["x"]), float(hides.attrib["width"])
            assert left < x < x + 6 * len(one.text or "") < left + width
            assert all(shapes.index(line) < place for line in beside)


def test_a_chart_that_nobody_could_read_is_not_drawn(wood: World) -> None:
    def grown(rows: int) -> Comparison:
        values = [float(place) for place in range(1, rows + 1)]
        drawn = table({"bushes": values, "trees": values}, without("batch"))
        for place, column in enumerate(drawn["columns"], start=1):
            column["conditions"] = {"batch": place}
        told(wood, "trees", drawn)
        return compared(wood)

    assert len(bars(chart(grown(40)))) == 80
    with pytest.raises(ComparisonError, match="a chart of 41 rows") as caught:
        as_text(grown(41), "svg")
    assert "--metric" in caught.value.hint


def test_repeats_have_error_bars_from_the_smallest_to_the_largest(mixed: Comparison) -> None:
    root = chart(mixed)
    whiskers = [
        (float(line.attrib["x1"]), float(line.attrib["x2"]))
        for line in root.iter(f"{SVG}line")
        if line.attrib["class"] == "error" and line.attrib["x1"] != line.attrib["x2"]
    ]
    assert len(whiskers) == 2
    # Drawn on one scale with the bar of 5: low 1.0 and high 1.75, low 1.25 and high 2.0.
    (left, width) = next(bar for bar in bars(root) if bar[1] == max(w for _, w in bars(root)))
    shown = [tuple((end - left) / width * 5 for end in ends) for ends in whiskers]
    assert shown == [pytest.approx((1.0, 1.75), abs=0.01), pytest.approx((1.25, 2.0), abs=0.01)]


def test_a_range_is_drawn_from_end_to_end(mixed: Comparison) -> None:
    found = bars(chart(mixed))
    zero, longest = min(left for left, _ in found), max(width for _, width in found)
    spans = {((left - zero) / longest * 5, width / longest * 5) for left, width in found}
    starts = [span for span in spans if span[0] > 0.1]
    assert starts == [pytest.approx((2.4, 0.7), abs=0.01)]


@pytest.mark.parametrize(
    "numbers", [(0, 0), (-1, 2), (-3, -2), (1e308, -1e308), (5e-324, 1), (1e-300, 2e-300)]
)
def test_no_number_breaks_the_chart(wood: World, numbers: tuple[float, float]) -> None:
    told(wood, "trees", table({"bushes": numbers[0], "trees": numbers[1]}))
    text = as_text(compared(wood), "svg")
    assert "nan" not in text
    assert all(
        0 <= left <= 900 and width >= 0 for left, width in bars(ElementTree.fromstring(text))
    )


def test_what_a_record_holds_is_text_in_a_chart(wood: World) -> None:
    told(wood, "trees", table({"bushes": 1, "trees": 2}, locator=NASTY))
    wood["model/oak-7b"]["name"] = NASTY
    root = chart(compared(wood))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg",
        "title",
        "style",
        "rect",
        "text",
        "line",
    }
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert any('<b>&"| *x* \\u202e' in text for text in texts)


def test_letters_go_on_after_z() -> None:
    assert [letters(place) for place in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "a",
        "z",
        "aa",
        "ab",
        "az",
        "ba",
        "zz",
        "aaa",
    ]


def test_conditions_that_tell_rows_apart_are_columns_and_others_stand_above(wood: World) -> None:
    def batched(batch: int) -> dict[str, Any]:
        return {"id": f"batch-{batch}", "metrics": ["speedup"], "conditions": {"batch": batch}}

    told(
        wood,
        "trees",
        table(
            {"bushes": [1, 2], "trees": [3, 4]},
            without("batch"),
            columns=[batched(16), batched(2)],
        ),
    )
    text = as_text(compared(wood), "terminal")
    assert re.search(r"model +dataset +temperature +batch +Bushes +Trees\n", text)
    assert re.search(r"0 +2 +2\.00x a +4\.00x b\n.* 0 +16 +1\.00x a +3\.00x b\n", text)
    assert "all: precision fp16, baseline plain decoding, engine Mill, hardware 1x Kestrel" in text


@pytest.mark.parametrize("width", [80, 100])
def test_no_word_of_a_table_is_broken_where_all_have_room(wood: World, width: int) -> None:
    wood["model/oak-7b"]["name"] = "Oak of the Seventh Billion"
    wood["dataset/riddles"]["name"] = "Riddle-Bench"
    told(
        wood,
        "trees",
        table({"bushes": [1, 2], "trees": [3, 4]}, without("hardware")),
    )
    for column, other in zip(
        wood["claims/trees"]["tables"][0]["columns"],
        ("the group for mathematics and whatever belongs to it", "the group for translation"),
        strict=True,
    ):
        column["conditions"] = {"other": [other]}
    text = render_page(page_of(compared(wood)), width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    words = set(text.split())
    assert {"model", "dataset", "temperature", "conditions", "Bushes", "Trees"} <= words
    assert {"Riddle-Bench", "Seventh", "mathematics", "translation", "1.00x"} <= words


def test_a_mean_over_datasets_is_named_where_the_dataset_stands(wood: World) -> None:
    drawn = table({"bushes": [1, 2], "trees": [3, 4]}, without("dataset"))
    drawn["columns"][0]["conditions"] = {"dataset": "sums"}
    drawn["columns"][1]["conditions"] = {"other": ["mean of all"]}
    told(wood, "trees", drawn)
    text = as_text(compared(wood), "terminal")
    assert re.search(r"Oak 7B +Sums +0 +1\.00x a +3\.00x b\n", text)
    assert re.search(r"Oak 7B +mean of all +0 +2\.00x a +4\.00x b\n", text)
    assert "not stated" not in text


def test_a_dataset_that_nothing_stands_for_is_not_stated(wood: World) -> None:
    told(wood, "trees", table({"bushes": [1, 2], "trees": [3, 4]}, without("dataset")))
    wood["claims/trees"]["tables"][0]["columns"][0]["conditions"] = {"dataset": "sums"}
    text = as_text(compared(wood), "terminal")
    assert re.search(r"Oak 7B +unknown +0 +2\.00x c +4\.00x d\n", text)
    assert "dataset not stated" in " ".join(text.split())
