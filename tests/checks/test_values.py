from __future__ import annotations

import copy
from datetime import date
from typing import Any

import pytest
from world import World, assertion, tracked


def field(value: Any) -> dict[str, Any]:
    return tracked("asserted", assertion(value, because="Read by hand."))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("arxiv_id", "2413.00001", "no arXiv id"),
        ("arxiv_id", "2401.1507", "no arXiv id"),
        ("arxiv_id", "1234.5678", "no arXiv id"),
        ("year", -5, "no paper is of the year -5"),
        ("year", 20255, "no paper is of the year 20255"),
        ("pages", "20-10", "run backwards"),
        ("pages", "20-", "lack an end"),
        ("pages", "–20", "lack an end"),
    ],
)
def test_values_that_cannot_be(world: World, name: str, value: Any, words: str) -> None:
    world["paper/trees"][name] = field(value)
    (found,) = world.found("VAL001")
    assert found.field == f"{name}.assertions[0].value"
    assert words in found.message


@pytest.mark.parametrize("value", ["101-112", "9", "e17", "i-iv", "123-5", "20--30", "43+"])
def test_pages_that_can_be(world: World, value: str) -> None:
    world["paper/trees"]["pages"] = field(value)
    assert world.found("VAL001") == []


@pytest.mark.parametrize("author", [0, 3])
def test_an_affiliation_needs_its_author(world: World, author: int) -> None:
    world["paper/trees"]["affiliations"] = field([{"author": author, "printed": "Somewhere"}])
    (found,) = world.found("VAL001")
    assert f"there is no author {author}; there are 2" in found.message


@pytest.mark.parametrize(
    ("versions", "place"),
    [
        ([("v1", None), ("v1", None)], "arxiv_versions[1].version"),
        ([("v2", None), ("v1", None)], "arxiv_versions[1].version"),
        (
            [("v1", date(2025, 2, 1)), ("v2", date(2025, 1, 1))],
            "arxiv_versions[1].submitted",
        ),
    ],
)
def test_versions_stand_in_order(
    world: World, versions: list[tuple[str, date | None]], place: str
) -> None:
    world["paper/trees"]["arxiv_versions"] = [
        {"version": name, "evidence": ["index-trees"]} | ({"submitted": day} if day else {})
        for name, day in versions
    ]
    assert [finding.field for finding in world.found("VAL002")] == [place]


def test_no_paper_is_its_own_successor(world: World) -> None:
    world["paper/trees"]["related"] = [
        {"relation": "successor", "text": "Itself", "paper": "trees"}
    ]
    assert [finding.field for finding in world.found("VAL002")] == ["related[0].paper"]


def test_an_identifier_belongs_to_one_paper(world: World) -> None:
    world["paper/trees"]["arxiv_id"] = field("2501.00001")
    twin = copy.deepcopy(world["paper/trees"]) | {"id": "twin", "methods": []}
    del world["paper/trees"]["methods"]
    del world.records["method/trees"]
    world.records["paper/twin"] = {
        key: twin[key] for key in ("kind", "id", "arxiv_id") if key in twin
    } | {"title": field("Another"), "authors": field([{"family": "Cole"}])}
    found = world.found("VAL003")
    assert {finding.record for finding in found} == {"paper/trees", "paper/twin"}
    world["paper/twin"]["withdrawn"] = {
        "reason": "duplicate",
        "because": "Entered twice.",
        "by": "editor",
        "recorded": date(2026, 2, 2),
    }
    assert world.found("VAL003") == []


def hardware(world: World, **changes: Any) -> dict[str, Any]:
    """A link to an accelerator with 40 GB, in the form SXM4."""
    world.records["accelerator/x1"] = {
        "kind": "accelerator",
        "id": "x1",
        "name": "X1",
        "vendor": "maker",
        "memory_size": field({"value": 40.0, "unit": "GB"}),
        "form_factor": field("SXM4"),
    }
    link: dict[str, Any] = {
        "accelerator": "x1",
        "used_for": "training",
        "basis": "inferred",
        "stated": {"text": "X1 (40G)", "memory_size": "40G"},
        "inferred": [{"property": "form_factor", "value": "SXM4", "inferred_from": "Its server."}],
        "locator": "section 1",
        "evidence": ["proceedings-trees"],
        "recorded": date(2026, 1, 1),
        "by": "editor",
    }
    world["paper/trees"]["hardware"] = [link | changes]
    return link


def test_a_link_that_fits_is_right(world: World) -> None:
    hardware(world)
    assert world.found() == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"stated": {"text": "X1 (80G)", "memory_size": "80G"}}, "VAL004"),
        (
            {"inferred": [{"property": "form_factor", "value": "PCIe", "inferred_from": "It."}]},
            "VAL004",
        ),
        ({"basis": "stated"}, "VAL002"),
        ({"stated": {"text": "X1 (40G)", "count": -1}}, "VAL001"),
    ],
)
def test_a_link_at_odds_with_itself_or_its_accelerator(
    world: World, changes: dict[str, Any], code: str
) -> None:
    hardware(world, **changes)
    assert [finding.code for finding in world.found()] == [code]


def test_a_method_is_introduced_by_one_paper(world: World) -> None:
    world.records["paper/other"] = {
        "kind": "paper",
        "id": "other",
        "title": field("Another"),
        "authors": field([{"family": "Cole"}]),
        "methods": ["trees"],
    }
    (found,) = world.found()
    assert (found.code, found.record, found.field) == ("VAL004", "paper/other", "methods[0]")


def test_what_refers_to_a_broken_file_is_not_to_blame(world: World) -> None:
    root = world.write()
    (root / "data/papers/trees.yaml").write_text("kind: [\n", "utf-8")
    (root / "data/evidence/index-trees.yaml").write_text("kind: evidence\n", "utf-8")
    world.records.clear()
    found = world.report().findings
    assert {finding.file for finding in found} == {
        "data/papers/trees.yaml",
        "data/evidence/index-trees.yaml",
    }


@pytest.mark.parametrize(
    ("name", "value", "place", "words"),
    [
        ("title", "~", "", "the title `~` has no letter or digit"),
        ("title", "{}", "", "has no letter or digit"),
        ("title", "$$", "", "has no letter or digit"),
        ("title", r"\textbf{}", "", "has no letter or digit"),
        ("title", "\u2060\u00ad", "", "has no letter or digit"),
        ("title", "Draft Trees\nA Study", "", "a line break"),
        ("title", "Draft Trees: A Study\n", "", "a line break"),
        ("authors", [], "", "names nobody"),
        ("authors", [{"family": "Abel"}, {"literal": "{}"}], "[1]", "has no letter or digit"),
        ("authors", [{"given": "-", "family": "--"}], "[0]", "has no letter or digit"),
        ("affiliations", [], "", "the list of affiliations is empty"),
    ],
)
def test_a_value_in_which_nothing_stands(
    world: World, name: str, value: Any, place: str, words: str
) -> None:
    world["paper/trees"][name] = field(value)
    (found,) = world.found("VAL001")
    assert found.field == f"{name}.assertions[0].value{place}"
    assert words in found.message


@pytest.mark.parametrize("title", ["∀2", "樹", "Ωmega", "C++", "$\\alpha$", "1"])
def test_a_title_may_be_short(world: World, title: str) -> None:
    world["paper/trees"]["title"] = field(title)
    assert world.found("VAL001") == []


@pytest.mark.parametrize(("name", "value"), [("title", "~"), ("title", "{}"), ("authors", [])])
def test_nothing_is_no_answer_to_a_source_that_says_something(
    world: World, name: str, value: Any
) -> None:
    world["paper/trees"][name] = field(value)
    found = world.found("EVD001")
    assert {one.field for one in found} == {f"{name}.assertions[0].value"}


def test_nobody_can_have_read_a_title_without_a_letter(world: World) -> None:
    seen = world["evidence/index-trees"]
    seen["observation"] |= {"title": "{}", "authors": ["Ada Abel", "~"]}
    assert {one.field for one in world.found("VAL001")} == {
        "observation.title",
        "observation.authors[1]",
    }
    # What a source sends is kept as it was sent; it is held against the record all the same.
    seen["how"] = "fetched"
    assert world.found("VAL001") == []
    assert "title.assertions[0].value" in {one.field for one in world.found("EVD001")}
