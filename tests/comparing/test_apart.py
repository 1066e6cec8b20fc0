"""Methods that are not interchangeable."""

from __future__ import annotations

import pytest
from world import World

from registry.comparing import Comparison
from registry.comparing.formats import as_text

from .worlds import compared, table, told, without

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


@pytest.fixture
def heirs(told_apart: World) -> World:
    """Shrubs build upon Bushes, Hedges upon Shrubs."""
    for name, base in (("shrubs", "bushes"), ("hedges", "shrubs")):
        told_apart.records[f"method/{name}"] = told_apart["method/bushes"] | {
            "id": name,
            "name": name.capitalize(),
            "builds_on": [base],
        }
    return told_apart


def in_words(found: Comparison, form: str = "terminal") -> str:
    return " ".join(as_text(found, form).replace("┃", " ").split())


@pytest.mark.parametrize("heir", ["shrubs", "hedges"])
def test_what_builds_upon_such_a_method_is_refused_as_well(heirs: World, heir: str) -> None:
    told(heirs, "trees", table({"trees": 2.5, heir: 3.0}))
    found = compared(heirs, "trees", heir)
    assert found.refused
    text = in_words(found)
    assert f"Bushes and Trees are not interchangeable: [method/trees] {DIVES}" in text
    name = heir.capitalize()
    assert f"The same holds of {name} and Trees, since {name} builds upon Bushes." in text
    assert "READ WITH CARE" not in text


def test_what_belongs_to_one_line_is_compared(heirs: World) -> None:
    told(heirs, "trees", table({"bushes": 2.5, "hedges": 3.0, "shrubs": 3.5}))
    found = compared(heirs, "bushes", "hedges", "shrubs")
    assert (found.refused, found.apart) == (False, ())
    assert "(!)" not in as_text(found, "terminal")


@pytest.mark.parametrize("form", ["terminal", "markdown", "svg"])
def test_a_reason_is_told_once_and_all_that_it_concerns_are_marked(heirs: World, form: str) -> None:
    told(heirs, "trees", table({"trees": 2.5, "bushes": 3.0, "shrubs": 3.5}))
    found = compared(heirs, "trees", "bushes", "shrubs", allow_apart=True)
    text = in_words(found, form)
    assert text.count(DIVES) == 1
    assert all(f"{name} (!)" in text for name in ("Trees", "Bushes", "Shrubs"))


def test_in_a_table_without_the_other_nothing_is_marked(heirs: World) -> None:
    told(heirs, "trees", table({"trees": 2.5, "bushes": 3.0}))
    told(heirs, "bushes", table({"bushes": 4.0, "shrubs": 5.0}, without("batch")))
    found = compared(heirs, "trees", "bushes", "shrubs", allow_apart=True)
    for form in ("terminal", "markdown"):
        heads = [line for line in as_text(found, form).splitlines() if "temperature" in line]
        marked = {line.count("(!)") for line in heads}
        assert (len(heads), marked) == (2, {0, 2})


def test_methods_that_build_upon_each_other_in_a_circle_end(told_apart: World) -> None:
    told_apart["method/trees"]["builds_on"] = ["bushes"]
    told_apart["method/bushes"]["builds_on"] = ["trees"]
    assert compared(told_apart).refused
