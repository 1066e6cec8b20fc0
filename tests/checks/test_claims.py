from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import World

from registry.checks.claims import agrees


def claims() -> dict[str, Any]:
    return {
        "kind": "claims",
        "id": "trees",
        "paper": "trees",
        "claims": [
            {
                "id": "speedup",
                "statement": "Faster than plain decoding.",
                "metric": "speedup",
                "range": {"low": 2.7, "high": 3.5},
                "unit": "x",
                "version": "v1",
                "locator": "Abstract",
                "origin": "authors",
                "derivation": {
                    "rule": "range",
                    "over": "dataset x temperature",
                    "cells": [{"table": "t1", "metric": "speedup", "where": {"model": "big"}}],
                },
                "evidence": ["proceedings-trees"],
            }
        ],
        "tables": [
            {
                "id": "t1",
                "locator": "Table 1",
                "version": "v1",
                "origin": "authors",
                "shows": "Speedup and tau.",
                "metrics": [
                    {"name": "speedup", "unit": "x"},
                    {"name": "tau", "unit": "tokens"},
                ],
                "conditions": {"batch": 1, "method": "trees"},
                "columns": [
                    {"id": "t0", "metrics": ["speedup", "tau"], "conditions": {"temperature": 0.0}},
                    {"id": "t1", "metrics": ["speedup", "tau"], "conditions": {"temperature": 1.0}},
                ],
                "rows": [
                    {
                        "id": "big",
                        "conditions": {"model": "big"},
                        "cells": [[3.52, 4.42], [2.65, 3.47]],
                    },
                    {
                        "id": "small",
                        "conditions": {"model": "small"},
                        "cells": [[9.9, 9.9], ["unread", 1.0]],
                    },
                ],
                "evidence": ["proceedings-trees"],
            }
        ],
    }


@pytest.fixture
def told(world: World) -> World:
    for size in ("big", "small"):
        world.records[f"model/{size}"] = {"kind": "model", "id": size, "name": size}
    world.records["claims/trees"] = claims()
    return world


def test_a_range_within_rounding_of_its_cells_is_right(told: World) -> None:
    # 2.65 rounds to 2.7 and 3.52 to 3.5; the other model's 9.9 is not selected.
    assert told.found() == []


Change = Callable[[dict[str, Any]], None]


def put(*path: str | int, value: Any) -> Change:
    def change(record: dict[str, Any]) -> None:
        target: Any = record
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        (put("claims", 0, "range", "low", value=2.6), None, ""),
        (put("claims", 0, "range", "low", value=2.5), "CLM001", "claims[0].range.low"),
        (put("claims", 0, "range", "high", value=3.6), "CLM001", "claims[0].range.high"),
        (
            put("tables", 0, "rows", 0, "cells", 0, value=[3.58, 4.42]),
            "CLM001",
            "claims[0].range.high",
        ),
        (
            put("claims", 0, "derivation", "cells", 0, "table", value="t9"),
            "CLM002",
            "claims[0].derivation.cells[0]",
        ),
        (
            put("claims", 0, "derivation", "cells", 0, "where", value={"batch": 8}),
            "CLM002",
            "claims[0].derivation.cells[0]",
        ),
        (put("claims", 0, "value", value=3.0), "CLM003", "claims[0].range"),
        (put("claims", 0, "metric", value="property"), "CLM003", "claims[0].metric"),
        (put("claims", 0, "unit", value="tokens"), "CLM007", "claims[0].derivation.cells[0]"),
        (
            put("tables", 0, "columns", 0, "conditions", "temperature", value=-1.0),
            "CLM004",
            "tables[0].columns[0].conditions.temperature",
        ),
        (
            put("tables", 0, "rows", 0, "conditions", "batch", value=2),
            "CLM004",
            "tables[0].rows[0].conditions.batch",
        ),
        (put("tables", 0, "conditions", "batch", value=0), "CLM004", "tables[0].conditions.batch"),
        (
            put("tables", 0, "rows", 0, "cells", value=[[3.52, 4.42]]),
            "CLM005",
            "tables[0].rows[0].cells",
        ),
        (
            put("tables", 0, "rows", 0, "cells", 1, value=[2.65]),
            "CLM005",
            "tables[0].rows[0].cells[1]",
        ),
        (
            put("tables", 0, "columns", 0, "metrics", 1, value="alpha"),
            "CLM005",
            "tables[0].columns[0].metrics[1]",
        ),
        (put("tables", 0, "rows", 1, "id", value="big"), "CLM005", "tables[0].rows[1].id"),
    ],
)
def test_what_is_wrong_is_named(told: World, change: Change, code: str | None, place: str) -> None:
    change(told["claims/trees"])
    found = told.found()
    if code is None:
        assert found == []
    else:
        assert (code, place) in [(finding.code, finding.field) for finding in found]


def test_a_number_needs_a_unit(told: World) -> None:
    del told["claims/trees"]["claims"][0]["unit"]
    assert [finding.code for finding in told.found()] == ["CLM003"]


def test_methods_that_are_not_interchangeable_share_no_table(told: World) -> None:
    told.records["method/heads"] = {
        "kind": "method",
        "id": "heads",
        "name": "Heads",
        "introduced_by": "trees",
        "summary": "Drafts with heads.",
        "not_interchangeable_with": [{"method": "trees", "because": "It predicts tokens."}],
    }
    table = told["claims/trees"]["tables"][0]
    del table["conditions"]["method"]
    table["rows"][0]["conditions"]["method"] = "trees"
    table["rows"][1]["conditions"]["method"] = "heads"
    (found,) = told.found()
    assert (found.code, found.field) == ("CLM006", "tables[0].rows[1].conditions.method")
    assert "It predicts tokens." in found.message
    del told["method/heads"]["not_interchangeable_with"]
    assert told.found() == []


@given(st.integers(0, 10**6), st.integers(0, 4), st.integers(0, 4))
def test_a_number_agrees_with_what_it_was_rounded_from(digits: int, places: int, more: int) -> None:
    cell = Decimal(digits).scaleb(-places - more)
    assert agrees(float(round(cell, places)) if places else round(cell), cell)


@pytest.mark.parametrize(
    ("claimed", "cell", "right"),
    [
        (2.7, "2.65", True),
        (3.5, "3.52", True),
        (2.7, "2.64", False),
        (3, "3.4", True),
        (3, "3.6", False),
        (160.4, "160.4", True),
    ],
)
def test_agreement_within_rounding(claimed: float, cell: str, right: bool) -> None:
    assert agrees(claimed, Decimal(cell)) is right


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (put("claims", 0, "conditions", value={"model": "small"}), "CLM004"),
        (put("claims", 0, "conditions", value={"batch": 8}), "CLM004"),
        (put("claims", 0, "conditions", value={"temperature": 0.0}), "CLM004"),
        (put("claims", 0, "metric", value="speed-up"), "CLM007"),
    ],
)
def test_a_claim_does_not_contradict_the_cells_behind_it(
    told: World, change: Change, code: str
) -> None:
    change(told["claims/trees"])
    assert code in {finding.code for finding in told.found()}


def test_conditions_that_the_cells_do_not_state_are_no_contradiction(told: World) -> None:
    told["claims/trees"]["claims"][0]["conditions"] = {"model": "big", "precision": "fp16"}
    assert told.found() == []


def test_a_part_is_read_where_its_table_is(world: World) -> None:
    whole = claims()["tables"][0]
    part = whole | {"id": "t1-rest", "part_of": "t1"}
    world.records["claims/trees"] = claims() | {"tables": [whole, part]}
    assert world.found("CLM005") == []
    for changed, message in (
        ({"part_of": "t2"}, "`t2` is no table that `t1-rest` can be part of"),
        ({"part_of": "t1-rest"}, "`t1-rest` is no table that `t1-rest` can be part of"),
        ({"version": "v2"}, "`t1-rest` has another version or origin than `t1`"),
        ({"origin": "third-party"}, "`t1-rest` has another version or origin than `t1`"),
    ):
        world["claims/trees"]["tables"] = [whole, part | changed]
        (found,) = world.found("CLM005")
        assert (found.field, found.message) == ("tables[1].part_of", message)
