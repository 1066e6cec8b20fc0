from __future__ import annotations

import json
from datetime import date

import pytest
from rich.cells import cell_len
from world import World

from registry.records import KINDS
from registry.verify import load
from registry.views import listing


@pytest.fixture
def lines(books: World) -> list[listing.Line]:
    return listing.lines(load(books.write()))


def test_records_are_ordered_by_kind_and_id(lines: list[listing.Line]) -> None:
    order = list(KINDS)
    places = [(order.index(line.kind), line.id) for line in lines]  # type: ignore[arg-type]
    assert places == sorted(places)
    assert [line.key for line in lines[:2]] == ["paper/osprey", "paper/trees"]


def test_a_paper_has_its_preferred_year_and_venue(lines: list[listing.Line]) -> None:
    assert (lines[0].year, lines[0].venue) == ("2025", "ict")
    assert (lines[-1].year, lines[-1].venue) == ("", "")


def test_what_must_be_known_is_remarked(books: World) -> None:
    books["paper/trees"]["withdrawn"] = {
        "reason": "retracted",
        "because": "Felled.",
        "by": "mira",
        "recorded": date(2026, 4, 4),
    }
    books["method/osprey"]["surprise"] = True
    found = {line.key: line for line in listing.lines(load(books.write()))}
    assert found["paper/osprey"].remarks() == "venue, venue_track contested; pages settled"
    assert found["accelerator/kestrel-48gb"].remarks() == "power contested"
    assert found["paper/trees"].remarks() == "withdrawn"
    assert found["method/osprey"].remarks() == "no usable record"
    assert found["organization/holt"].remarks() == ""


def test_many_fields_of_one_status_are_counted(books: World) -> None:
    books["paper/osprey"]["year"]["status"] = "contested"
    found = listing.lines(load(books.write()), "paper")
    assert found[0].remarks() == "venue, venue_track and 1 more contested; pages settled"


@pytest.mark.parametrize(
    ("kind", "status", "keys"),
    [
        ("paper", "", ["paper/osprey", "paper/trees"]),
        ("", "contested", ["paper/osprey", "accelerator/kestrel-48gb"]),
        ("accelerator", "settled", []),
        ("", "settled", ["paper/osprey"]),
        ("", "corroborated", ["paper/trees"]),
        ("", "withdrawn", []),
    ],
)
def test_a_list_can_be_narrowed(books: World, kind: str, status: str, keys: list[str]) -> None:
    found = listing.lines(load(books.write()), kind, status)
    assert [line.key for line in found] == keys


def test_the_status_asked_for_is_shown(books: World) -> None:
    (line,) = listing.lines(load(books.write()), "paper", "corroborated")
    assert line.remarks("corroborated") == "title, authors and 3 more corroborated"


def test_a_table_has_one_line_for_each_record_and_fits(books: World) -> None:
    books["organization/holt"]["name"] = "Holt\nUniversity " + "of Everything " * 20 + "日本語"
    found = listing.lines(load(books.write()))
    for width in (140, 200):
        rows = listing.as_lines(found, width=width).splitlines()
        assert len(rows) == len(found) + 1
        assert all(cell_len(row) <= width for row in rows)
    assert rows[0].split() == ["kind", "id", "label", "year", "venue", "status"]
    holt = next(row for row in rows if " holt " in row)
    assert holt.rstrip().endswith("…")
    assert "Holt University of" in holt


@pytest.mark.parametrize("width", [30, 60, 80])
def test_where_a_table_has_no_room_nothing_is_cut(books: World, width: int) -> None:
    title = "Osprey: Diving Decoders and Whatever Else There Is to Be Said of Them at Length"
    books["paper/osprey"]["title"]["assertions"][0]["value"] = title
    books["paper/osprey"]["note"] = "A note."
    found = listing.lines(load(books.write()), "paper")
    shown = listing.as_lines(found, width=width).splitlines()
    assert all(cell_len(line) <= width for line in shown)
    head, *others = " ".join(" ".join(shown).split()).partition(" paper/trees ")[0::2]
    assert head == f"paper/osprey 2025 ict {title} venue, venue_track contested; pages settled"
    assert "…" not in others[0]
    assert [line for line in shown if not line.startswith(" ")] == [
        "paper/osprey  2025  ict",
        "paper/trees  2025  ict",
    ]


def test_columns_that_nothing_fills_are_left_out(books: World) -> None:
    found = listing.lines(load(books.write()), "organization")
    rows = listing.as_lines(found).splitlines()
    assert [row.split() for row in rows] == [
        ["kind", "id", "label"],
        ["organization", "holt", "Holt", "University"],
        ["organization", "maker", "Maker"],
    ]


def test_json_has_every_line_with_every_key(lines: list[listing.Line]) -> None:
    loaded = json.loads(listing.as_json(lines))
    assert len(loaded) == len(lines)
    assert loaded[0] == {
        "kind": "paper",
        "id": "osprey",
        "label": "Osprey: Diving Decoders",
        "year": "2025",
        "venue": "ict",
        "statuses": {
            "title": "asserted",
            "authors": "asserted",
            "affiliations": "asserted",
            "venue": "contested",
            "venue_track": "contested",
            "year": "asserted",
            "pages": "settled",
            "doi": "asserted",
            "arxiv_id": "asserted",
        },
        "withdrawn": False,
        "usable": True,
        "file": "data/papers/osprey.yaml",
    }


def test_ids_can_be_given_to_other_commands(lines: list[listing.Line]) -> None:
    assert listing.as_ids(lines).splitlines()[:2] == ["paper/osprey", "paper/trees"]
