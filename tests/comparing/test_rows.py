"""What may stand side by side, and what may not."""

from __future__ import annotations

from typing import Any

import pytest
from world import World

from .worlds import (
    HOST,
    KNOWN,
    benchmark,
    claim,
    compared,
    leaderboard,
    reasons,
    table,
    told,
    values,
    without,
)

OTHER: dict[str, Any] = {
    "model": "oak-13b",
    "dataset": "sums",
    "temperature": 1,
    "batch": 4,
    "precision": "int4",
    "baseline": "another drafter",
    "engine": "press",
    "hardware": {"text": "one Heron", "accelerator": "heron", "count": 1},
    "other": ["in the dark"],
}


def test_numbers_of_two_papers_stand_side_by_side_if_all_is_known_and_equal(wood: World) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    told(wood, "bushes", table({"bushes": 3.0}))
    found = compared(wood)
    assert values(found) == [{"bushes": [3.0], "trees": [2.5]}]
    assert found.left_out == ()
    papers = {number.method: number.source.paper for number in found.rows[0].numbers}
    assert papers == {"trees": "trees", "bushes": "bushes"}


@pytest.mark.parametrize("key", list(OTHER))
def test_a_condition_that_differs_keeps_numbers_apart(wood: World, key: str) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    told(wood, "bushes", table({"bushes": 3.0}, without(key, **{key: OTHER[key]})))
    found = compared(wood)
    assert found.rows == ()
    assert len(found.left_out) == 2
    assert reasons(found) == {("further" if key == "other" else key, "differs")}


@pytest.mark.parametrize(("part_of", "together"), [("table-1", 1), (None, 0)])
def test_a_part_that_was_entered_apart_leaves_the_same_unsaid_as_its_table(
    wood: World, part_of: str | None, together: int
) -> None:
    silent = without("batch", "hardware")
    part = table({"bushes": 3.0}, silent, id="table-1-bushes")
    told(
        wood,
        "trees",
        table({"trees": 2.5}, silent),
        part | ({"part_of": part_of} if part_of else {}),
    )
    assert len(compared(wood).rows) == together


@pytest.mark.parametrize("key", list(KNOWN))
@pytest.mark.parametrize("both", [True, False])
def test_what_is_unknown_equals_nothing(wood: World, key: str, both: bool) -> None:
    told(wood, "trees", table({"trees": 2.5}, without(key)))
    told(wood, "bushes", table({"bushes": 3.0}, without(key) if both else KNOWN))
    found = compared(wood)
    assert found.rows == ()
    assert reasons(found) == {(key, "unknown")}


@pytest.mark.parametrize("key", list(KNOWN))
def test_what_a_table_leaves_unsaid_is_the_same_for_its_cells(wood: World, key: str) -> None:
    told(wood, "bushes", table({"trees": 2.5, "bushes": 3.0}, without(key)))
    told(wood, "trees", table({"trees": 9.0}, without(key)))
    assert values(compared(wood)) == [{"bushes": [3.0], "trees": [2.5]}]


def test_two_tables_of_one_paper_are_two_tables(wood: World) -> None:
    first = table({"trees": 2.5}, without("batch"))
    second = table({"bushes": 3.0}, without("batch"), id="table-2")
    told(wood, "bushes", first, second)
    assert compared(wood).rows == ()


def test_two_statements_of_one_paper_are_two_places(wood: World) -> None:
    first = claim("trees", without("batch"), id="slow")
    told(wood, "bushes", claims=(first, claim("bushes", without("batch"))))
    assert compared(wood).rows == ()


def test_a_row_that_states_more_than_another_of_its_table_stands_apart(wood: World) -> None:
    mixed = table({"trees": 2.5, "bushes": 3.0}, without("batch"))
    mixed["rows"][0]["conditions"]["batch"] = 1
    told(wood, "bushes", mixed)
    assert reasons(compared(wood)) == {("batch", "unknown")}


def test_a_leaderboard_is_one_table_under_whichever_paper_it_is_entered(wood: World) -> None:
    leaderboard(wood, "trees", 2.5)
    leaderboard(wood, "bushes", 3.0)
    assert values(compared(wood)) == [{"bushes": [3.0], "trees": [2.5]}]


@pytest.mark.parametrize("change", [{"version": "Board 2"}, {"id": "other-board"}])
def test_another_state_or_table_of_a_leaderboard_is_another_place(
    wood: World, change: dict[str, str]
) -> None:
    leaderboard(wood, "trees", 2.5)
    leaderboard(wood, "bushes", 3.0, **change)
    assert reasons(compared(wood)) == {("engine", "unknown")}


def test_evidence_from_elsewhere_is_another_place(wood: World) -> None:
    leaderboard(wood, "trees", 2.5)
    leaderboard(wood, "bushes", 3.0)
    wood["evidence/bushes-board"]["locator"] = "Board @2"
    assert compared(wood).rows == ()


def test_the_same_words_may_mean_two_machines(wood: World) -> None:
    vague = without("hardware", hardware={"text": "one Kestrel", "count": 1})
    told(wood, "trees", table({"trees": 2.5}, vague))
    told(wood, "bushes", table({"bushes": 3.0}, vague))
    assert reasons(compared(wood)) == {("hardware", "unknown")}
    told(wood, "trees", table({"trees": 2.5, "bushes": 3.0}, vague))
    assert len(compared(wood).rows) == 1


def test_how_many_accelerators_is_part_of_the_hardware(wood: World) -> None:
    one = without("hardware", hardware={"text": "Kestrels", "accelerator": "kestrel", "count": 2})
    some = without("hardware", hardware={"text": "Kestrels", "accelerator": "kestrel"})
    told(wood, "trees", table({"trees": 2.5}))
    told(wood, "bushes", table({"bushes": 3.0}, one))
    assert reasons(compared(wood)) == {("hardware", "differs")}
    told(wood, "bushes", table({"bushes": 3.0}, some))
    assert reasons(compared(wood)) == {("hardware", "unknown")}


def test_other_words_for_one_accelerator_change_nothing(wood: World) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    words = {"text": "a Kestrel of our own", "accelerator": "kestrel", "count": 1}
    told(wood, "bushes", table({"bushes": 3.0}, without("hardware", hardware=words)))
    assert len(compared(wood).rows) == 1


def test_letters_and_spaces_make_no_other_baseline(wood: World) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    again = without(baseline="Plain  decoding", precision="FP16")
    told(wood, "bushes", table({"bushes": 3.0}, again))
    assert len(compared(wood).rows) == 1


def test_only_a_ratio_needs_a_baseline(wood: World) -> None:
    tau = {"metrics": [{"name": "speedup", "unit": "tokens"}]}
    told(wood, "trees", table({"trees": 2.5}, **tau))
    told(wood, "bushes", table({"bushes": 3.0}, without("baseline"), **tau))
    assert len(compared(wood).rows) == 1


def test_a_metric_in_two_units_is_two_metrics(wood: World) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    told(wood, "bushes", table({"bushes": 3.0}, metrics=[{"name": "speedup", "unit": "percent"}]))
    found = compared(wood)
    assert found.rows == ()
    assert [one.nearest for one in found.left_out] == [None, None]


@pytest.mark.parametrize(
    "number",
    [
        {"value": 3, "bound": "up-to"},
        {"value": 3, "bound": "about"},
        {"range": {"low": 2, "high": 3}},
        {
            "value": 3,
            "derivation": {
                "rule": "maximum",
                "over": "runs",
                "cells": [{"table": "table-1", "metric": "speedup"}],
            },
        },
    ],
)
def test_a_best_a_range_and_a_value_are_never_mixed(wood: World, number: dict[str, Any]) -> None:
    told(wood, "trees", claims=(claim("trees"),))
    told(wood, "bushes", claims=(claim("bushes", **number),))
    found = compared(wood)
    assert found.rows == ()
    assert reasons(found) == {("kind", "differs")}
    told(wood, "trees", claims=(claim("trees", **number),))
    assert len(compared(wood).rows) == 1


def test_a_value_taken_from_one_cell_is_a_value(wood: World) -> None:
    cells = [{"table": "table-1", "metric": "speedup"}]
    once = {"derivation": {"rule": "value", "over": "one cell", "cells": cells}}
    told(wood, "trees", claims=(claim("trees", **once),))
    told(wood, "bushes", table({"bushes": 3.0}))
    assert values(compared(wood)) == [{"bushes": [3.0], "trees": [2]}]


def test_who_measured_is_never_mixed(wood: World) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    told(wood, "bushes", table({"bushes": 3.0}, origin="third-party"))
    assert reasons(compared(wood)) == {("origin", "differs")}


def test_a_paper_speaks_of_its_own_method_and_of_others(wood: World) -> None:
    told(wood, "bushes", table({"trees": 2.5, "bushes": 3.0}, without("batch")))
    numbers = compared(wood).rows[0].numbers
    assert {number.method: number.own for number in numbers} == {"trees": False, "bushes": True}
    assert {number.source.paper for number in numbers} == {"bushes"}


def test_chain_and_tree_are_two_numbers_of_one_method(wood: World) -> None:
    drawn = table({"trees": [2.5, 2.0], "bushes": [3.0, "unread"]})
    for column, shape in zip(drawn["columns"], ("tree", "chain"), strict=True):
        column["conditions"] = {"drafting": shape}
    told(wood, "bushes", drawn)
    (row,) = compared(wood).rows
    shapes = {(one.method, one.value, one.drafting) for one in row.numbers}
    assert shapes == {("trees", 2.5, "tree"), ("trees", 2.0, "chain"), ("bushes", 3.0, "tree")}


def test_what_was_measured_here_has_rows_of_its_own(wood: World) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    told(wood, "bushes", table({"bushes": 3.0}))
    wood.records["benchmark/trees-here"] = benchmark("trees", 1.5)
    wood.records["benchmark/bushes-here"] = benchmark("bushes", 1.25)
    found = compared(wood)
    assert {row.origin: len(row.numbers) for row in found.rows} == {"authors": 2, "here": 2}
    here = next(row for row in found.rows if row.origin == "here")
    assert {(one.method, one.value, one.low, one.high, one.repeats) for one in here.numbers} == {
        ("trees", 1.5, 1.25, 2.0, 5),
        ("bushes", 1.25, 1.0, 1.75, 5),
    }


def test_another_machine_here_is_another_row(wood: World) -> None:
    wood.records["benchmark/trees-here"] = benchmark("trees", 1.5)
    wood.records["benchmark/bushes-here"] = benchmark("bushes", 1.25, machine=HOST | {"threads": 2})
    assert reasons(compared(wood)) == {("hardware", "differs")}


def test_other_prompts_here_are_other_conditions(wood: World) -> None:
    wood.records["benchmark/trees-here"] = benchmark("trees", 1.5)
    work = wood["benchmark/trees-here"]["workload"] | {"tokens": 128}
    wood.records["benchmark/bushes-here"] = benchmark("bushes", 1.25, workload=work)
    assert reasons(compared(wood)) == {("further", "differs")}


def test_what_no_longer_counts_is_left_out(wood: World) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    told(wood, "bushes", table({"bushes": 3.0}))
    wood["claims/bushes"]["withdrawn"] = {
        "reason": "entered-in-error",
        "because": "It is of another paper.",
        "by": "editor",
        "recorded": "2026-02-01",
    }
    found = compared(wood)
    assert found.missing == ("bushes",)
    assert [one.number.method for one in found.left_out] == ["trees"]


def test_a_number_without_a_method_is_nobodys(wood: World) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    nobody = table({"bushes": 3.0})
    nobody["rows"][0]["conditions"] = {"other": ["no drafting"]}
    told(wood, "bushes", nobody)
    assert compared(wood).missing == ("bushes",)


def test_an_ill_formed_table_is_told_and_hides_no_other(wood: World) -> None:
    broken = table({"trees": 2.5, "bushes": 3.0}, id="table-2")
    broken["rows"][0]["cells"] = [1, 2]
    told(wood, "bushes", broken, table({"trees": 2.5, "bushes": 3.0}))
    found = compared(wood)
    assert found.unreadable == ("table-2 of claims/bushes",)
    assert len(found.rows) == 1


def test_the_nearest_number_is_the_one_that_least_keeps_apart(wood: World) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    near = table({"bushes": 3.0}, without("batch"), id="near")
    far = table({"bushes": 9.0}, without("batch", "engine"), id="far")
    told(wood, "bushes", far, near)
    nearest = {
        out.number.value: out.nearest and out.nearest.value for out in compared(wood).left_out
    }
    assert nearest == {2.5: 3.0, 3.0: 2.5, 9.0: 2.5}
