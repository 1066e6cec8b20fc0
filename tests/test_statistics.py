"""Counts of the made-up library, counted by hand."""

from __future__ import annotations

import json
import re
from datetime import date
from io import StringIO
from pathlib import Path

import pytest
from library import library
from rich.console import Console
from world import World, evidence, small_world

from registry.cli import main
from registry.statistics import Statistics, statistics
from registry.verify import load
from registry.views.coverage import as_json, as_text, print_to


def count(world: World) -> Statistics:
    return statistics(load(world.write()))


@pytest.fixture
def small(tmp_path: Path) -> World:
    return World(small_world(), tmp_path)


def test_facts_are_counted_by_status_and_what_is_missing_is_unknown(tmp_path: Path) -> None:
    found = count(library(tmp_path))
    paper = next(one for one in found.kinds if one.kind == "paper")
    assert paper.records == 2
    fields = {one.field: one for one in paper.fields}
    venue, pages, volume = fields["venue"], fields["pages"], fields["volume"]
    none = {"corroborated": 0, "asserted": 0, "contested": 0, "settled": 0}
    assert venue.statuses == none | {"corroborated": 1, "contested": 1}
    assert (venue.unknown, venue.assertions) == (0, 3)
    assert pages.statuses == none | {"corroborated": 1, "settled": 1}
    assert (volume.statuses, volume.unknown, volume.evidence, volume.oldest) == (none, 2, 0, "")
    accelerator = next(one for one in found.kinds if one.kind == "accelerator")
    peaks = next(one for one in accelerator.fields if one.field == "peaks")
    assert peaks.statuses == none | {"asserted": 1}


def test_evidence_of_a_field_is_that_which_its_values_cite(small: World) -> None:
    small["evidence/index-trees"]["retrieved"] = date(2025, 3, 4)
    (paper,) = count(small).kinds
    title = next(one for one in paper.fields if one.field == "title")
    assert (title.evidence, title.oldest, title.newest) == (2, "2025-03-04", "2026-01-04")


@pytest.mark.parametrize("width", [30, 50, 80, 100])
def test_a_page_shows_every_count_in_any_width(tmp_path: Path, width: int) -> None:
    found = count(library(tmp_path))
    text = StringIO()
    print_to(found, Console(file=text, width=width, color_system=None, force_terminal=False))
    lines = text.getvalue().splitlines()
    assert all(len(line) <= width for line in lines)
    assert "…" not in text.getvalue()
    paper = text.getvalue().partition("paper: facts")[2].partition("accelerator: facts")[0]
    heads = ("corroborated", "asserted", "contested", "settled", "unknown", "values", "evidence")
    assert all(paper.split().count(head) == 1 for head in (*heads, "oldest"))
    days = sorted(one.oldest for one in found.kinds[0].fields if one.oldest)
    assert sorted(re.findall(r"\d{4}-\d\d-\d\d", paper)) == [days[0], *days]


def test_evidence_is_counted_once_by_how_it_was_obtained(small: World) -> None:
    for name, more in {
        "asked": {"how": "fetched"},
        "doubtful": {"how": "reported", "confirmed": False},
        "throttled": {"outcome": "could-not-ask", "reason": "throttled"},
        "told": {"how": "reported", "reported_by": "mira"},
    }.items():
        small.records[f"evidence/{name}"] = evidence("paper/trees", "index", **more) | {"id": name}
    found = {one.obtained: one.records for one in count(small).evidence}
    assert found == {
        "fetched": 1,
        "transcribed": 2,
        "reported": 1,
        "unconfirmed": 1,
        "no-such-record": 0,
        "could-not-ask": 1,
    }


def test_withdrawn_and_unusable_records_count_only_as_that(small: World) -> None:
    small["paper/trees"]["withdrawn"] = {
        "reason": "not-a-paper",
        "because": "A poster.",
        "by": "editor",
        "recorded": date(2026, 2, 2),
    }
    small["method/trees"]["name"] = 7
    found = count(small)
    assert (found.withdrawn, found.unusable, found.kinds) == (1, 1, ())
    assert "paper" not in found.records
    assert "Not counted: 1 withdrawn record, 1 file without a usable record" in as_text(found)


def test_claims_of_authors_and_of_third_parties_are_counted_apart(small: World) -> None:
    table = {
        "locator": "Table 1",
        "version": "v1",
        "shows": "Speed.",
        "metrics": [{"name": "speedup", "unit": "x"}, {"name": "tau", "unit": "tokens"}],
        "columns": [
            {"id": "one", "metrics": ["speedup", "tau"]},
            {"id": "two", "metrics": ["speedup"]},
        ],
        "rows": [
            {"id": "a", "cells": [[2.5, 3.1], 2.0]},
            {"id": "b", "cells": [[2.7, "unread"], "unread"]},
        ],
        "evidence": ["index-trees"],
    }
    small.records["claims/trees"] = {
        "kind": "claims",
        "id": "trees",
        "paper": "trees",
        "claims": [],
        "tables": [
            table | {"id": "own", "origin": "authors"},
            table | {"id": "other", "origin": "third-party", "rows": table["rows"][:1]},
        ],
    }
    authors, others = count(small).claims
    assert (authors.origin, authors.tables, authors.cells) == ("authors", 1, 4)
    assert (authors.numbers, authors.unread) == (4, 2)
    assert (others.origin, others.cells, others.numbers, others.unread) == ("third-party", 2, 3, 0)


def test_the_page_fits_and_json_has_everything(shipped: Path) -> None:
    found = statistics(load(shipped))
    assert max(map(len, as_text(found).splitlines())) <= 100
    assert json.loads(as_json(found))["records"] == found.records


@pytest.mark.parametrize(
    ("form", "start"), [("terminal", "10 records: 1 paper, "), ("json", "{\n")]
)
def test_both_formats_can_be_asked_for(
    small: World, capsys: pytest.CaptureFixture[str], form: str, start: str
) -> None:
    small.write()
    with pytest.raises(SystemExit) as caught:
        main(["stats", "--format", form, "--root", str(small.root)])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(start)
