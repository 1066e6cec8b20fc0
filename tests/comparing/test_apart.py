"""Methods that are not interchangeable."""

from __future__ import annotations

import pytest
from world import World

from registry.comparing.formats import as_text

from .worlds import compared, table, told

DIVES = "Trees climb; Bushes spread."


@pytest.fixture
def told_apart(wood: World) -> World:
    told(wood, "trees", table({"trees": 2.5, "bushes": 3.0}))
    wood["method/trees"]["not_interchangeable_with"] = [{"method": "bushes", "because": DIVES}]
    return wood


@pytest.mark.parametrize("names", [("trees", "bushes"), ("bushes", "trees")])
def test_they_are_refused_with_the_reason_of_the_record(
    told_apart: World, names: tuple[str, str]
) -> None:
    found = compared(told_apart, *names)
    assert found.refused
    assert (found.rows, found.left_out) == ((), ())
    (pair,) = found.apart
    assert [(reason.record, reason.text) for reason in pair.because] == [("method/trees", DIVES)]
    text = as_text(found, "terminal")
    assert "NOT INTERCHANGEABLE" in text
    assert DIVES in text
    assert "2.50" not in text


def test_both_records_are_heard(told_apart: World) -> None:
    says = {"method": "trees", "because": "Bushes hide."}
    told_apart["method/bushes"]["not_interchangeable_with"] = [says]
    (pair,) = compared(told_apart).apart
    assert {reason.text for reason in pair.because} == {DIVES, "Bushes hide."}


def test_on_request_the_table_is_made_and_marked_in_every_format(told_apart: World) -> None:
    found = compared(told_apart, allow_apart=True)
    assert not found.refused
    assert len(found.rows) == 1
    for form in ("terminal", "markdown", "svg"):
        text = as_text(found, form)
        assert DIVES in text
        assert "Trees (!)" in text
        assert "Bushes (!)" in text
    lines = as_text(found, "csv").splitlines()
    assert [line.split(",")[-2] for line in lines[1:]] == ["trees", "bushes"]


def test_a_third_method_is_not_marked(told_apart: World) -> None:
    told_apart.records["method/ferns"] = told_apart["method/trees"] | {
        "id": "ferns",
        "name": "Ferns",
    }
    del told_apart["method/ferns"]["not_interchangeable_with"]
    told(told_apart, "trees", table({"trees": 2.5, "bushes": 3.0, "ferns": 4.0}))
    assert compared(told_apart, "trees", "bushes", "ferns").refused
    text = as_text(compared(told_apart, "trees", "bushes", "ferns", allow_apart=True), "terminal")
    assert "Ferns (!)" not in text
    assert "Ferns" in text


def test_what_builds_upon_such_a_method_is_compared_with_a_warning(told_apart: World) -> None:
    told_apart.records["method/shrubs"] = told_apart["method/bushes"] | {
        "id": "shrubs",
        "name": "Shrubs",
        "builds_on": ["bushes"],
    }
    told(told_apart, "trees", table({"trees": 2.5, "shrubs": 3.0}))
    found = compared(told_apart, "trees", "shrubs")
    assert not found.refused
    assert len(found.rows) == 1
    text = " ".join(as_text(found, "terminal").split())
    assert "Shrubs builds upon bushes; bushes and trees are not interchangeable" in text
    assert DIVES in text
    assert "(!)" not in text


def test_methods_that_build_upon_each_other_in_a_circle_end(told_apart: World) -> None:
    told_apart["method/trees"]["builds_on"] = ["bushes"]
    told_apart["method/bushes"]["builds_on"] = ["trees"]
    assert compared(told_apart).refused
