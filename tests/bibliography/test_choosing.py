"""What a manifestation is made of, and what is said of it."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from world import World, assertion, tracked

from registry.bibliography.bibtex import render
from registry.bibliography.choosing import Choice, Chooser
from registry.bibliography.manifestation import Preference
from registry.errors import ExportError
from registry.records.names import Group
from registry.records.paper import Paper
from registry.verify import load
from registry.views.shelf import Shelf

PAPER = "paper/trees"


def choose(world: World, prefer: Preference = "published") -> Choice:
    shelf = Shelf(load(world.write()))
    paper = shelf.get(Paper, "trees")
    assert paper is not None
    return Chooser(shelf, prefer).choose(paper)


def both(world: World, **more: Any) -> dict[str, Any]:
    """Let the paper be on arXiv, too, a year before the conference."""
    paper = world[PAPER]
    paper["arxiv_id"] = tracked("asserted", assertion("2401.00001"))
    paper["arxiv_versions"] = [
        {"version": "v1", "submitted": date(2023, 12, 31), "evidence": ["index-trees"]},
        {"version": "v2", "submitted": date(2025, 2, 2), "evidence": ["index-trees"]},
    ]
    paper["doi"] = tracked("asserted", assertion("10.5555/trees.1"))
    for field, value in more.items():
        paper[field] = tracked("asserted", assertion(value))
    return paper


def test_what_was_published_has_nothing_of_the_preprint(world: World) -> None:
    both(world)
    found = choose(world)
    work = found.work
    assert (work.form, work.year, work.pages) == ("proceedings", 2025, "101-112")
    assert (work.doi, work.arxiv_id) == ("10.5555/trees.1", "")
    assert work.container == "International Conference on Trees"
    assert found.remarks == ()


def test_the_preprint_has_nothing_of_what_was_published(world: World) -> None:
    both(world)
    found = choose(world, "preprint")
    work = found.work
    assert (work.form, work.year, work.day) == ("preprint", 2023, date(2023, 12, 31))
    assert (work.doi, work.arxiv_id) == ("10.48550/arXiv.2401.00001", "2401.00001")
    assert (work.pages, work.volume, work.container) == ("", "", "")
    assert found.remarks == ()


def test_a_conference_never_gets_the_doi_of_the_preprint(world: World) -> None:
    both(world, doi="10.48550/arXiv.2401.00001")
    assert choose(world).work.doi == ""


@pytest.mark.parametrize(
    ("arxiv_id", "year"),
    [
        ("2310.08461", 2023),
        ("0704.0001", 2007),
        ("hep-th/9901001", 1999),
        ("math.GT/0309136", 2003),
    ],
)
def test_a_preprint_is_of_the_year_that_its_id_begins_with(
    world: World, arxiv_id: str, year: int
) -> None:
    both(world, arxiv_id=arxiv_id)
    world[PAPER]["arxiv_versions"] = [{"version": "v4", "evidence": ["index-trees"]}]
    work = choose(world, "preprint").work
    assert (work.year, work.day) == (year, None)
    assert work.doi == f"10.48550/arXiv.{arxiv_id}"


def test_where_there_is_no_such_manifestation_the_other_is_given_and_it_is_said(
    world: World,
) -> None:
    found = choose(world, "preprint")
    assert found.work.form == "proceedings"
    assert found.remarks == ("no preprint is recorded, so that this is what was published",)
    both(world, venue="preprints")
    found = choose(world)
    assert (found.work.form, found.work.doi) == ("preprint", "10.48550/arXiv.2401.00001")
    assert found.remarks == ("nothing published is recorded, so that this is the preprint",)


def test_a_paper_that_appeared_nowhere_is_not_placed_somewhere(world: World) -> None:
    del world[PAPER]["venue"], world[PAPER]["year"]
    found = choose(world)
    assert found.work.form == "unplaced"
    assert found.remarks == (
        "neither a venue nor an arXiv id is recorded",
        "no year is recorded",
    )
    assert render([found.work]).startswith("@misc{trees,\n")


def test_the_volume_tells_the_title_of_the_proceedings_and_their_series(world: World) -> None:
    world.records["venue/forestry"] = {
        "kind": "venue",
        "id": "forestry",
        "name": "Papers in Forestry",
        "short_name": "PIF",
        "type": "series",
    }
    world["venue/ict"]["volumes"] = [
        {"series": "forestry", "number": "7", "year": year, "title": f"Proceedings of {year}"}
        for year in (2024, 2025)
    ]
    world["venue/ict"]["volumes"][1]["published"] = date(2025, 7, 8)
    world[PAPER]["volume"] = tracked("asserted", assertion("7"))
    work = choose(world).work
    assert (work.container, work.venue) == (
        "Proceedings of 2025",
        "International Conference on Trees",
    )
    assert (work.series, work.publisher, work.volume) == ("Papers in Forestry", "PIF", "7")
    assert work.day == date(2025, 7, 8)


def test_proceedings_that_came_out_a_year_later_keep_their_year(world: World) -> None:
    world[PAPER]["published"] = tracked("asserted", assertion(date(2026, 1, 3)))
    work = choose(world).work
    assert (work.year, work.day) == (2025, None)


@pytest.mark.parametrize(
    ("track", "container"),
    [
        ("main", "International Conference on Trees"),
        ("findings", "Findings of the Society of Trees: ICT"),
        ("workshop", "International Conference on Trees, Workshops"),
        ("saplings", "International Conference on Trees, saplings"),
    ],
)
def test_a_track_is_not_taken_for_the_conference(world: World, track: str, container: str) -> None:
    world["venue/ict"]["tracks"] += [
        {
            "id": "findings",
            "name": "Findings",
            "aliases": ["findings-ict", "Findings of the Society of Trees: ICT"],
        },
        {"id": "workshop", "name": "Workshops", "aliases": ["Workshop"]},
    ]
    world[PAPER]["venue_track"] = tracked("asserted", assertion(track))
    assert choose(world).work.container == container


@pytest.mark.parametrize("title", ["Advances in Trees", "Proceedings of Trees and Shrubs"])
def test_a_volume_has_the_title_of_what_the_venue_prints(world: World, title: str) -> None:
    world["venue/ict"]["aliases"] = ["Trees", title]
    world[PAPER]["volume"] = tracked("asserted", assertion("31"))
    work = choose(world).work
    assert (work.container, work.volume) == (title, "31")
    assert work.venue == "International Conference on Trees"
    world[PAPER]["venue_track"] = tracked("asserted", assertion("workshop"))
    assert choose(world).work.container == "International Conference on Trees, workshop"


def test_a_journal_is_a_journal(world: World) -> None:
    world["venue/ict"].update({"type": "journal", "name": "Annals of Trees"})
    work = choose(world).work
    assert (work.form, work.container) == ("journal", "Annals of Trees")


def test_only_preferred_values_count_and_contested_ones_are_named(world: World) -> None:
    paper = both(world)
    paper["title"] = tracked(
        "contested",
        assertion("Draft Shrubs", rank="normal"),
        assertion("Draft Trees: A Study"),
        contested_because="It changed.",
    )
    paper["pages"] |= {"status": "contested", "contested_because": "A page is missing."}
    found = choose(world)
    assert found.work.title == "Draft Trees: A Study"
    assert found.work.contested == ("title", "pages")
    assert found.remarks == ("contested: title, pages (`registry show trees` tells why)",)
    assert choose(world, "preprint").work.contested == ("title",)


def test_withdrawn_records_and_venues_without_a_record_are_told_of(world: World) -> None:
    world[PAPER]["withdrawn"] = {
        "reason": "retracted",
        "because": "The trees were shrubs.",
        "by": "editor",
        "recorded": date(2026, 2, 2),
    }
    world[PAPER]["venue"] = tracked("asserted", assertion("nowhere"))
    found = choose(world)
    assert found.remarks[:2] == (
        "the record is withdrawn (retracted): The trees were shrubs.",
        "venue/nowhere is no usable record, so that nothing can be said of it",
    )


def test_a_name_that_is_hidden_stays_hidden_and_so_does_its_hash(world: World) -> None:
    stand_in = f"name hidden on request 2026-06-01 ({'0123456789abcdef' * 3})"
    people = [{"literal": stand_in}, {"given": "Bo", "particle": "van", "family": "Berg"}]
    world[PAPER]["authors"] = tracked("asserted", assertion(people))
    found = choose(world)
    assert found.work.authors[0] == Group(literal="name hidden on request")
    assert "a name is hidden on request" in found.remarks
    assert "author = {{name hidden on request} and van Berg, Bo}" in render([found.work])


def test_names_of_records_keep_their_capital_in_titles(world: World) -> None:
    world["method/trees"]["name"] = "Osprey"
    world[PAPER]["title"] = tracked("asserted", assertion("Diving with Osprey and Kestrel"))
    assert choose(world).work.names == {"Osprey"}


def test_a_record_without_a_preferred_title_cannot_be_exported(world: World) -> None:
    world[PAPER]["title"]["assertions"][0]["rank"] = "normal"
    with pytest.raises(ExportError, match="prefers no title"):
        choose(world)
