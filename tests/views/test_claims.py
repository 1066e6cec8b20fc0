from __future__ import annotations

import pytest
from world import World

from registry.records.claims import Hardware
from registry.views.claim_lines import amount, hardware_text

from .reading import Show, flowing, section


@pytest.mark.parametrize(
    ("value", "unit", "decimals", "text"),
    [
        (3, "x", None, "3x"),
        (3.0, "x", None, "3.0x"),
        (4, "x", 2, "4.00x"),
        (160.4, "tokens/s", None, "160.4 tokens/s"),
        (0.75, "fraction", 2, "0.75"),
        (40, "percent", None, "40%"),
        (172800, "s", None, "172,800 s"),
    ],
)
def test_amounts_keep_their_decimals_and_their_unit(
    value: float, unit: str, decimals: int | None, text: str
) -> None:
    assert amount(value, unit, decimals) == text


@pytest.mark.parametrize(
    ("words", "count", "text"),
    [
        ("4 A100 (40G) GPUs", 4, "“4 A100 (40G) GPUs”"),
        ("A100 (40G)", 4, "“A100 (40G)” (count 4)"),
    ],
)
def test_a_count_is_not_said_twice(words: str, count: int, text: str) -> None:
    assert hardware_text(Hardware(text=words, count=count)) == text


def test_every_claim_is_shown_with_all_it_has(show: Show) -> None:
    words = section(show("claims/osprey"), "Claims")
    assert "2.4x-3.1x · speedup · Osprey is 2.4 to 3.1 times as fast. [speedup]" in words
    assert "Osprey, Pond 7B, batch 1, hardware UNKNOWN" in words
    assert "range of 2 cells of table-1 over temperature" in words
    assert "evidence: osprey-archive" in words
    assert "Counted by hand." in words
    assert "A condition that is not named is unknown." in words


def test_what_others_measured_stands_apart_from_the_claims(show: Show) -> None:
    text = show("claims/osprey")
    assert "third party" not in section(text, "Claims")
    others = section(text, "Measured by third parties")
    assert "third party, v2: Abstract" in others
    assert "authors, v2" not in others


def test_tables_are_shown_cell_by_cell(show: Show) -> None:
    text = show("claims/osprey")
    words = section(text, "table-1")
    assert "Speedup and tau by temperature. · Table 1 · the authors' numbers, v2" in words
    assert "each cell: speedup (x) / tau (tokens) · conditions: Osprey, Ripples" in words
    assert "cold warm pond-7b 3.10 / 3.0 2.40 / unread" in words
    assert "cold temperature 0 warm temperature 1" in words
    other = section(text, "table-2")
    assert "a third party's numbers" in other
    assert "conditions:" not in other


def test_conditions_that_only_repeat_a_name_are_left_out(books: World, show: Show) -> None:
    assert "Pond 7B" not in section(show("claims/osprey"), "table-1")
    row = books["claims/osprey"]["tables"][0]["rows"][0]
    row["conditions"]["precision"] = "fp16"
    assert "pond-7b Pond 7B, fp16" in section(show("claims/osprey"), "table-1")


def test_columns_with_metrics_of_their_own_tell_them(books: World, show: Show) -> None:
    table = books["claims/osprey"]["tables"][0]
    table["columns"][1]["metrics"] = ["tau"]
    table["rows"][0]["cells"][1] = "unread"
    words = section(show("claims/osprey"), "table-1")
    assert "each cell: see its column below" in words
    assert "cold speedup (x) / tau (tokens) · temperature 0 warm tau (tokens)" in words


def test_cells_that_fit_no_column_are_not_hidden(books: World, show: Show) -> None:
    row = books["claims/osprey"]["tables"][0]["rows"][0]
    row["cells"] = [[3.1]]
    text = show("claims/osprey")
    assert "3.10 / (no number) (no cell)" in section(text, "table-1")
    assert "range of 0 cells of table-1" in flowing(text)
    row["cells"] = [[3.1, 3.0], [2.4, 2.5], 7]
    assert "2.40 / 2.5 7" in section(show("claims/osprey"), "table-1")


def test_the_paper_gives_the_page_its_title(show: Show) -> None:
    assert show("claims/osprey").startswith("Claims of Osprey: Diving Decoders [claims/osprey]")
