"""A value of which nothing is left once it is read agrees with nothing, and is no silence."""

from __future__ import annotations

from typing import Any

import pytest

from registry.equality.affiliations import compare_affiliations
from registry.equality.bibtex_names import Name
from registry.equality.fields import Context, compare
from registry.equality.name_matching import match_names
from registry.equality.names import compare_author_lists
from registry.equality.pages import compare_pages
from registry.equality.product_words import compare_product_words
from registry.equality.titles import compare_titles
from registry.equality.venues import VenueNames

NOTHING = ["~", "{}", "$$", r"\textbf{}", "\u200b", "---", "?!", "<i></i>"]
PERSON = {"given": "Una", "family": "Dirke"}
CONTEXT = Context(VenueNames([]))


@pytest.mark.parametrize("nothing", NOTHING)
@pytest.mark.parametrize("same_work", [True, False])
def test_an_empty_title_differs_from_any_title(nothing: str, same_work: bool) -> None:
    for pair in ((nothing, "Swift Hedges"), ("Swift Hedges", nothing)):
        result = compare_titles(*pair, same_work=same_work)
        assert (result.outcome, result.kind) == ("different", "no title")
    for other in NOTHING:
        assert compare_titles(nothing, other, same_work=same_work).outcome == "cannot-tell"


@pytest.mark.parametrize("nothing", NOTHING)
def test_an_empty_name_is_nobody_s(nothing: str) -> None:
    for name in (Name(family=nothing), Name(literal=nothing), Name(given="-", family=nothing)):
        assert match_names(name, Name(literal="The Otter Group")).grade == "different"
        assert match_names(name, Name(given="Una", family="Dirke")).grade == "different"
        assert match_names(name, Name(literal="''")).grade == "different"
    result = compare_author_lists([{"literal": nothing}], ["Una Dirke"])
    assert result.outcome == "different"
    assert compare_author_lists([PERSON], [nothing]).outcome == "different"


def test_an_empty_list_differs_from_any_list() -> None:
    assert compare_author_lists([], ["Una Dirke"]).outcome == "different"
    assert compare_author_lists([], ["Una Dirke", "et al."]).outcome == "different"
    printed = [{"author": 1, "printed": "Snow University"}]
    assert compare_affiliations([], printed).outcome == "different"
    assert compare("authors", [], {"authors": ["Una Dirke"]}, CONTEXT).outcome == "different"
    assert compare("authors", [PERSON], {"authors": []}, CONTEXT).outcome == "cannot-tell"
    assert compare("authors", None, {"authors": ["Una Dirke"]}, CONTEXT).outcome == "cannot-tell"


@pytest.mark.parametrize(
    ("field", "nothing", "something"),
    [
        ("title", "~", "Swift Hedges"),
        ("volume", "-", "7"),
        ("pages", "{}", "11-20"),
        ("pages", "-", "11-20"),
        ("memory_type", "-", "HBM2"),
    ],
)
def test_what_is_empty_once_read_is_never_the_same(
    field: str, nothing: Any, something: Any
) -> None:
    for recorded, observed, outcome in (
        (nothing, something, "different"),
        (something, nothing, "different"),
        (something, something, "same"),
    ):
        assert compare(field, recorded, {field: observed}, CONTEXT).outcome == outcome
    if field != "memory_type":
        assert compare(field, nothing, {field: nothing}, CONTEXT).outcome == "cannot-tell"


def test_what_is_not_given_stays_a_silence() -> None:
    assert compare_titles("Swift Hedges", " ", same_work=True).kind == "not given"
    assert compare_pages("11-20", "").kind == "not given"
    assert compare_product_words("", "HBM2").kind == "not given"
