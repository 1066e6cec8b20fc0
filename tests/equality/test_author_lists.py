from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.equality.names import compare_author_lists

PEOPLE = ["Una Birke", "Tom Meer", "Ida Aue", "Sol Tal", "Kim Ohara", "Eva Ruiz"]


def person(name: str) -> dict[str, Any]:
    given_name, _, family = name.rpartition(" ")
    return {"given": given_name, "family": family}


RECORDED = [person(name) for name in PEOPLE]


def test_the_same_line() -> None:
    result = compare_author_lists(RECORDED, PEOPLE)
    assert (result.outcome, result.kind, result.note) == ("same", "", "")


def test_order_is_named_with_positions() -> None:
    moved = [*PEOPLE[:3], PEOPLE[4], PEOPLE[5], PEOPLE[3]]
    result = compare_author_lists(RECORDED, moved)
    assert (result.outcome, result.kind) == ("different", "author order")
    assert "positions 4-6" in result.note
    assert "Sol Tal, Kim Ohara, Eva Ruiz" in result.note
    assert "Kim Ohara, Eva Ruiz, Sol Tal" in result.note


def test_an_alphabetical_source_is_named_as_one() -> None:
    by_family = sorted(PEOPLE, key=lambda name: name.split()[-1])
    result = compare_author_lists(RECORDED, by_family)
    assert result.kind == "author order"
    assert "sorts by family name" in result.note


def test_missing_and_added_authors() -> None:
    missing = compare_author_lists(RECORDED, PEOPLE[:-1])
    added = compare_author_lists(RECORDED, [*PEOPLE, "Max Neu"])
    both = compare_author_lists(RECORDED, [PEOPLE[1], PEOPLE[0], *PEOPLE[3:], "A Neu", "B Alt"])
    assert (missing.kind, missing.note) == ("author missing", "missing in the source: Eva Ruiz")
    assert (added.kind, added.note) == ("author added", "only in the source: Max Neu")
    assert both.kind == "author missing"
    assert "Ida Aue" in both.note
    assert "A Neu, B Alt" in both.note
    assert "another order" in both.note


def test_an_inverted_name_is_named() -> None:
    result = compare_author_lists(RECORDED, ["Una Birke", "Meer Tom", *PEOPLE[2:]])
    assert (result.outcome, result.kind) == ("different", "name inverted")
    assert result.note == "position 2: “Meer Tom” for “Tom Meer”"


def test_another_person_in_the_same_place() -> None:
    result = compare_author_lists(RECORDED, ["Una Birke", "Tim Maar", *PEOPLE[2:]])
    assert (result.outcome, result.kind) == ("different", "name differs")
    assert "position 2" in result.note


@pytest.mark.parametrize("marker", ["others", "et al.", "et. al.", "{et al.}"])
def test_a_truncated_list_agrees_as_a_prefix(marker: str) -> None:
    result = compare_author_lists(RECORDED, ["Birke, Una", marker])
    assert (result.outcome, result.kind) == ("same", "author list truncated")
    assert result.note == "author list truncated (1 of 6 given)"


def test_a_family_name_before_et_al_is_enough() -> None:
    result = compare_author_lists(RECORDED, ["Birke et. al."])
    assert result.outcome == "same"
    assert result.note.startswith("author list truncated (1 of 6 given)")


def test_a_truncated_list_with_a_wrong_author_differs() -> None:
    result = compare_author_lists(RECORDED, ["Dirke, Una", "others"])
    assert (result.outcome, result.kind) == ("different", "name differs")


def test_a_truncated_list_in_another_order_differs() -> None:
    result = compare_author_lists(RECORDED, ["Meer, Tom", "others"])
    assert (result.outcome, result.kind) == ("different", "author order")


@pytest.mark.parametrize(
    ("recorded", "observed"), [(RECORDED, []), ([], []), (RECORDED, ["et al."])]
)
def test_an_empty_list_decides_nothing(recorded: list[Any], observed: list[str]) -> None:
    assert compare_author_lists(recorded, observed).outcome == "cannot-tell"


def test_forms_of_names_are_noted() -> None:
    recorded = [person("Élodie Petit"), person("Jo D. Marsh")]
    result = compare_author_lists(recorded, ["Elodie Petit", "J. Marsh"])
    assert (result.outcome, result.kind) == ("same", "name form")
    assert "“Elodie Petit” for “Élodie Petit” (accents)" in result.note


def test_groups_particles_and_homonyms() -> None:
    recorded = [
        {"literal": "Society for Rain and Snow"},
        {"given": "Tom", "particle": "van der", "family": "Meer"},
        person("Mei Ling"),
    ]
    observed = ["{Society for Rain and Snow}", "van der Meer, Tom", "Mei Ling 0007"]
    assert compare_author_lists(recorded, observed).outcome == "same"


def test_two_authors_may_share_a_name() -> None:
    twins = [person("Wei Wang"), person("Una Birke"), person("Wei Wang")]
    result = compare_author_lists(twins, ["Wei Wang", "Wei Wang", "Una Birke"])
    assert result.kind == "author order"
    assert "positions 2-3" in result.note


def test_a_moved_name_is_recognised_in_another_form() -> None:
    recorded = [person("Örn Łuk"), person("Hans Müller"), person("Una Birke")]
    result = compare_author_lists(recorded, ["Una Birke", "Orn Luk", "H. Mueller"])
    assert result.kind == "author order"


@given(st.permutations(PEOPLE))
def test_any_permutation_is_an_order_and_nothing_else(names: list[str]) -> None:
    result = compare_author_lists(RECORDED, names)
    expected = ("same", "") if names == PEOPLE else ("different", "author order")
    assert (result.outcome, result.kind) == expected


@given(st.integers(1, 6))
def test_any_prefix_with_a_marker_agrees(count: int) -> None:
    result = compare_author_lists(RECORDED, [*PEOPLE[:count], "others"])
    assert result.note == f"author list truncated ({count} of 6 given)"


@given(st.sets(st.integers(0, 5), min_size=1, max_size=5))
def test_any_gap_is_a_missing_author(gaps: set[int]) -> None:
    rest = [name for i, name in enumerate(PEOPLE) if i not in gaps]
    result = compare_author_lists(RECORDED, rest)
    assert result.kind == "author missing"
