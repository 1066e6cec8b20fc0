from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.equality.affiliations import compare_affiliations


def printed(*pairs: tuple[int, str], origin: str = "") -> list[dict[str, Any]]:
    extra = {"origin": origin} if origin else {}
    return [{"author": place, "printed": text, **extra} for place, text in pairs]


RECORDED = printed((1, "Snow University"), (1, "Rain Institute"), (2, "Hail Labs, Oslo"))


@given(st.permutations(RECORDED))
def test_the_order_within_an_author_does_not_count(observed: list[dict[str, Any]]) -> None:
    assert compare_affiliations(RECORDED, observed).outcome == "same"


@pytest.mark.parametrize("text", ["hail labs, OSLO", "Hail  Labs,\n Oslo.", r"{H}ail Labs, Oslo"])
def test_case_spacing_and_mark_up_do_not_count(text: str) -> None:
    observed = [*RECORDED[:2], *printed((2, text))]
    assert compare_affiliations(RECORDED, observed).outcome == "same"


def test_another_affiliation_is_named_with_its_author() -> None:
    observed = [*RECORDED[:2], *printed((2, "Fog Inc."))]
    result = compare_affiliations(RECORDED, observed)
    assert (result.outcome, result.kind) == ("different", "affiliation")
    assert result.note == "author 2: the record has “Hail Labs, Oslo” and the source has “Fog Inc.”"


def test_one_of_two_affiliations_missing() -> None:
    result = compare_affiliations(RECORDED, RECORDED[1:])
    assert result.note == "author 1: the record has “Snow University”"


def test_authors_without_affiliation_are_unknown() -> None:
    result = compare_affiliations(RECORDED, RECORDED[:2])
    assert (result.outcome, result.kind) == ("same", "affiliation missing")
    assert compare_affiliations(RECORDED, printed((7, "Fog"))).outcome == "cannot-tell"


def test_a_profile_is_not_what_the_paper_prints() -> None:
    profile = printed((1, "Snow University"), (2, "Fog Inc."), origin="profile")
    result = compare_affiliations(RECORDED, profile)
    assert (result.outcome, result.kind) == ("cannot-tell", "profile affiliation")
    assert compare_affiliations(RECORDED, [*RECORDED, *profile]).outcome == "same"
    assert compare_affiliations(profile, profile).outcome == "same"


@pytest.mark.parametrize(("recorded", "observed"), [([], []), (RECORDED, [])])
def test_nothing_given_decides_nothing(recorded: list[Any], observed: list[Any]) -> None:
    assert compare_affiliations(recorded, observed).outcome == "cannot-tell"
