"""What a new record holds, by what the sources say."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from adding.hearing import (
    ARXIV_ID,
    AUTHORS,
    TITLE,
    TODAY,
    answer,
    arxiv,
    everybody,
    judged,
    planned,
    pmlr,
    record,
    shelf,
    values,
)
from hypothesis import given
from hypothesis import strategies as st
from papers import papers

from registry.adding.addition import write
from registry.errors import EditError, OccupiedError
from registry.sources.arxiv_history import Version
from registry.sources.interface import Answer
from registry.store.reader import read
from registry.verify import Options, Registry, load, verify


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return shelf(tmp_path_factory.mktemp("shelf"))


def test_values_are_taken_from_whoever_may_be_trusted_most(registry: Registry) -> None:
    data = record(
        registry, arxiv(), pmlr(), answer("semantic-scholar", authors=["A. Abel", "B. van Berg"])
    )
    assert list(data) == [
        "kind", "id", "title", "authors", "venue", "year", "volume", "pages", "arxiv_id",
    ]  # fmt: skip
    assert data["id"] == "crow"
    assert values(data["authors"]) == [
        (
            [
                {"given": "Ada", "family": "Abel"},
                {"given": "Bo", "particle": "van", "family": "Berg"},
            ],
            "preferred",
        )
    ]
    assert values(data["venue"]) == [("icml", "preferred")]
    assert values(data["pages"]) == [("10-19", "preferred")]
    assert values(data["volume"]) == [("235", "preferred")]
    assert data["title"]["status"] == "corroborated"
    # Semantic Scholar copies from arXiv: that is one voice.
    assert data["arxiv_id"]["status"] == "asserted"
    assert data["title"]["assertions"][0] == {
        "value": TITLE,
        "rank": "preferred",
        "recorded": TODAY,
        "by": "mira",
        "basis": "stated",
        "evidence": [f"crow-{name}-2026-06-01" for name in ("pmlr", "arxiv", "semantic-scholar")],
    }


def test_a_disagreement_is_contested_from_the_first_day(registry: Registry) -> None:
    old = "CROW: Counting Some Rows"
    data = record(registry, pmlr(), arxiv(title=old), answer("openalex", title=old, doi=None))
    assert data["title"]["status"] == "contested"
    assert values(data["title"]) == [(TITLE, "preferred"), (old, "normal")]
    because = data["title"]["contested_because"]
    assert "Proceedings of Machine Learning Research says `" + TITLE in because
    assert f"arXiv and OpenAlex say `{old}`" in because
    assert "authoritative" in because
    assert data["authors"]["status"] == "corroborated"


def test_differing_authors_pages_and_years_are_all_kept(registry: Registry) -> None:
    data = record(
        registry,
        pmlr(),
        arxiv(authors=[*AUTHORS, "Cy Cole"]),
        answer("dblp", venue="ICML", year=2023, pages="10-20", arxiv_id=None),
    )
    assert [len(value) for value, _ in values(data["authors"])] == [2, 3]
    assert values(data["pages"]) == [("10-19", "preferred"), ("10-20", "normal")]
    assert values(data["year"]) == [(2024, "preferred"), (2023, "normal")]
    assert {data[name]["status"] for name in ("authors", "pages", "year")} == {"contested"}


def test_what_is_the_preprints_own_is_not_the_papers(registry: Registry) -> None:
    data = record(
        registry,
        arxiv(year=2023),
        pmlr(),
        answer("semantic-scholar", doi=f"10.48550/arXiv.{ARXIV_ID}", venue="arXiv.org", year=2023),
        answer("dblp", venue="CoRR", year=2023, dblp_key="journals/corr/abs-2401-20001"),
    )
    assert values(data["year"]) == [(2024, "preferred")]
    assert values(data["venue"]) == [("icml", "preferred")]
    assert not {"doi", "dblp_key"} & set(data)
    assert data["year"]["assertions"][0]["evidence"] == ["crow-pmlr-2026-06-01"]


def test_a_preprint_is_where_its_server_says(registry: Registry) -> None:
    data = record(registry, arxiv(), answer("dblp", venue="CoRR", year=2024, volume="abs/1"))
    (venue,) = data["venue"]["assertions"]
    assert (venue["value"], venue["basis"]) == ("arxiv-preprint", "stated")
    assert values(data["year"]) == [(2024, "preferred")]
    assert "volume" not in data


def test_silence_on_the_venue_makes_a_preprint_by_inference_only(registry: Registry) -> None:
    data = record(registry, answer("semantic-scholar", year=2024))
    (venue,) = data["venue"]["assertions"]
    assert (venue["value"], venue["basis"]) == ("arxiv-preprint", "inferred")
    assert (
        venue["inferred_from"]
        == "Semantic Scholar says nothing of a venue, and the paper is on arXiv."
    )
    assert venue["evidence"] == ["crow-semantic-scholar-2026-06-01"]


def test_a_publishers_doi_means_that_it_appeared_somewhere(registry: Registry) -> None:
    addition = planned(registry, arxiv(doi="10.1000/Rows.1"), answer("semantic-scholar"))
    assert judged(registry, addition).new == ()
    assert "venue" not in addition.made.data
    assert values(addition.made.data["doi"]) == [("10.1000/rows.1", "preferred")]
    assert (
        "# venue: the DOI 10.1000/rows.1 is a publisher's" in addition.files[addition.key].decode()
    )


def test_a_venue_without_a_record_is_left_out_with_its_name(registry: Registry) -> None:
    found = answer(
        "dblp", venue="Journal of Wheat", year=2025, pages="7-9", dblp_key="journals/wheat/A1"
    )
    addition = planned(registry, arxiv(), found)
    assert judged(registry, addition).new == ()
    assert "venue" not in addition.made.data
    assert values(addition.made.data["year"]) == [(2025, "preferred")]
    assert values(addition.made.data["pages"]) == [("7-9", "preferred")]
    text = addition.files[addition.key].decode()
    assert "# venue: DBLP says “Journal of Wheat”; arXiv says “arXiv”." in text
    assert "data/venues/VENUE.yaml" in text
    command = "#   registry correct crow venue VENUE --evidence crow-dblp-2026-06-01 --because WHY"
    assert command in text


def test_a_venue_that_is_denied_by_an_unknown_one_is_not_held(registry: Registry) -> None:
    addition = planned(registry, pmlr(), answer("dblp", venue="Journal of Wheat", year=2024))
    assert judged(registry, addition).new == ()
    assert "venue" not in addition.made.data
    assert "DBLP says “Journal of Wheat”" in addition.files[addition.key].decode()


def test_affiliations_are_left_to_be_read(registry: Registry) -> None:
    seen = [{"author": 1, "printed": "Wheat Institute", "origin": "printed"}]
    addition = planned(registry, arxiv(affiliations=seen))
    assert "affiliations" not in addition.made.data
    text = addition.files[addition.key].decode()
    assert "# affiliations: to be read from the first page of the paper" in text
    assert "registry cite-evidence FILE --about paper/crow" in text


def test_a_track_is_one_of_the_venues(registry: Registry) -> None:
    usual = {"venue": "ICML 2024 Poster", "year": 2024, "openreview_id": "Crow123456"}
    assert "venue_track" not in record(registry, pmlr(), answer("openreview", **usual))
    review = answer("openreview", **usual, venue_track="ICML.cc/2024/Conference")
    assert values(record(registry, pmlr(), review)["venue_track"]) == [("main", "preferred")]
    review = answer("openreview", **usual, venue_track="no such track")
    assert "venue_track" not in record(registry, pmlr(), review)


def test_an_identifier_that_leads_elsewhere_is_kept_and_not_believed(registry: Registry) -> None:
    stray = answer("semantic-scholar", title="Milling Flour At Night", authors=["Zoe Zander"])
    addition = planned(registry, arxiv(), stray, pmlr())
    assert judged(registry, addition).new == ()
    (name,) = addition.strangers
    assert name == "crow-semantic-scholar-2026-06-01"
    kept = read(addition.files[f"evidence/{name}"], "").data
    assert kept is not None
    assert kept["confirmed"] is False
    assert "Milling Flour At Night" in kept["unconfirmed_because"]
    assert name not in addition.files[addition.key].decode()


def test_whoever_assigns_the_identifier_says_which_paper_it_is(registry: Registry) -> None:
    stray = pmlr(title="Milling Flour At Night", authors=["Zoe Zander"])
    data = record(registry, stray, arxiv())
    assert values(data["title"]) == [(TITLE, "preferred")]
    assert values(data["venue"]) == [("arxiv-preprint", "preferred")]


def test_a_retracted_paper_is_recorded_as_withdrawn(registry: Registry) -> None:
    data = record(registry, replace(arxiv(), status="withdrawn"))
    assert data["withdrawn"] == {
        "reason": "retracted",
        "because": "arXiv says that the paper was withdrawn (read 2026-06-01).",
        "by": "mira",
        "recorded": TODAY,
    }


def test_versions_are_those_that_arxiv_lists(registry: Registry) -> None:
    listed = (Version("v1", date(2024, 1, 9)), Version("v2", date(2024, 3, 1)))
    data = record(registry, arxiv(), versions=listed)
    evidence = ["crow-arxiv-2026-06-01"]
    assert data["arxiv_versions"] == [
        {"version": "v1", "submitted": date(2024, 1, 9), "evidence": evidence},
        {"version": "v2", "submitted": date(2024, 3, 1), "evidence": evidence},
    ]
    data = record(registry, replace(arxiv(), version="v2"))
    assert data["arxiv_versions"] == [{"version": "v2", "evidence": evidence}]


def test_what_a_source_took_back_is_deprecated(tmp_path: Path) -> None:
    registry = shelf(tmp_path)
    first = planned(registry, arxiv(title="CROW: Counting Rows At Dawn"), day=TODAY - timedelta(9))
    path = tmp_path / "data" / "evidence" / "crow-arxiv-2026-05-23.yaml"
    path.write_bytes(first.files["evidence/crow-arxiv-2026-05-23"])
    registry = load(tmp_path, use_cache=False)
    data = record(registry, arxiv())
    assert data["title"]["status"] == "asserted"
    assert values(data["title"]) == [
        (TITLE, "preferred"),
        ("CROW: Counting Rows At Dawn", "deprecated"),
    ]
    because = data["title"]["assertions"][1]["because"]
    assert because == "arXiv said so on 2026-05-23, and something else on 2026-06-01."


def test_the_asked_id_stands_though_nobody_repeats_it(registry: Registry) -> None:
    data = record(registry, answer("openalex", arxiv_id=None, doi="10.1000/rows.2"))
    (assertion,) = data["arxiv_id"]["assertions"]
    assert (assertion["value"], assertion["basis"]) == (ARXIV_ID, "inferred")
    assert "OpenAlex says nothing of it" in assertion["inferred_from"]


@pytest.mark.parametrize(
    "title",
    [
        "CROW: Rows\nid: other",
        "CROW: <<<<<<< Rows " + "of wheat " * 30,
        "CROW: “Rows” # of {wheat}",
        "yes",
        "2024-07-08",
        "'crow': [rows, \"wheat\"]",
    ],
)
def test_no_text_of_a_source_can_upset_the_file(registry: Registry, title: str) -> None:
    data = record(registry, arxiv(title=title), answer("dblp", venue=title, year=2024), slug="crow")
    assert data["id"] == "crow"


@pytest.mark.parametrize("others", [(), (pmlr(),)])
def test_a_title_that_hides_something_is_held_by_no_record(
    registry: Registry, others: tuple[Answer, ...]
) -> None:
    with pytest.raises(EditError, match="the sources give no record a title") as refused:
        planned(registry, arxiv(title="CROW: \u202eswoR"), *others, slug="crow")
    assert "arXiv says “CROW: swoR”" in refused.value.hint


def test_a_paper_that_is_on_record_under_another_identifier_is_refused(tmp_path: Path) -> None:
    registry = shelf(tmp_path)
    write(
        tmp_path,
        planned(
            registry,
            answer("dblp", doi="10.1000/rows.3", arxiv_id=None, dblp_key="conf/icml/Crow24"),
            asked="10.1000/rows.3",
        ),
    )
    registry = load(tmp_path, use_cache=False)
    with pytest.raises(OccupiedError, match=r"doi 10\.1000/rows\.3 is on record: paper/crow"):
        planned(registry, arxiv(doi="https://doi.org/10.1000/ROWS.3"))


def test_without_a_title_or_authors_there_is_no_record(registry: Registry) -> None:
    with pytest.raises(EditError, match="no source gives a title"):
        planned(registry, arxiv(title=None))
    with pytest.raises(EditError, match="no record an author line"):
        planned(registry, arxiv(authors=None))


def test_a_fresh_registry_gets_the_sources_that_spoke(tmp_path: Path) -> None:
    from registry.starter import start

    start(tmp_path / "own", TODAY)
    registry = load(tmp_path / "own", use_cache=False)
    addition = planned(registry, arxiv(), answer("openalex", doi=None))
    # OpenAlex draws on Crossref and on arXiv.
    added = {key for key in addition.files if key.startswith("source/")}
    assert added == {"source/arxiv", "source/openalex", "source/crossref"}
    write(registry.root, addition)
    report = verify(registry.root, Options(today=TODAY))
    assert [one for one in report.findings if one.severity != "info"] == []


def test_a_contested_title_makes_no_stranger_of_whoever_gave_it(registry: Registry) -> None:
    # One agrees on the title alone, one on the authors alone, and the latter is trusted most.
    told = planned(
        registry,
        arxiv(),
        answer("dblp", authors=["Zoe Zander"]),
        pmlr(title="Wheat, Milled: A Study"),
    )
    titles = told.made.data["title"]["assertions"]
    assert [one["value"] for one in titles] == ["Wheat, Milled: A Study", TITLE]
    assert [found for found in judged(registry, told).new if found.severity == "error"] == []


# Whatever comes together

KNOWN = papers(12)
_CHANGES: dict[str, Any] = {
    "title": ["Wheat, Milled: A Study", "", "x" * 50],
    "authors": [["Zoe Zander"], ["Ada Abel", "others"], ["{The Wheat Group}", "Bo Berg"]],
    "venue": ["NeurIPS", "Journal of Wheat", "arXiv", "ICML 2024 Workshop on Wheat", "PMLR"],
    "venue_track": ["Findings", "ICML.cc/2024/Workshop/Wheat", "Submitted to ICML", "no such"],
    "year": [1999, 2023, 2024, 3],
    "volume": ["7", "abs/2401.1"],
    "pages": ["9-2", "12", "S1-S9", "passim", "10–19"],
    "doi": ["10.1000/a b", "10.1000/x", "none", "10.48550/arXiv.2401.00001"],
    "arxiv_id": ["2401.00007v2", "2413.1"],
    "openreview_id": ["AnotherId1", "?"],
    "dblp_key": ["conf/nips/Other24", "journals/corr/abs-1"],
    "published": ["2024-07-09"],
    "code": ["github.com/a/b", "a b"],
}


@pytest.fixture(scope="module")
def said(registry: Registry) -> list[list[Answer]]:
    return [everybody(paper, KNOWN, registry) for paper in KNOWN]


@given(data=st.data())
def test_whoever_answers_and_whatever_they_say_the_record_verifies(
    registry: Registry, said: list[list[Answer]], data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(KNOWN) - 1))
    chosen = data.draw(st.lists(st.sampled_from(said[number]), min_size=1, unique_by=id))
    answers: list[Answer] = []
    for one in chosen:
        changed = data.draw(
            st.dictionaries(st.sampled_from(sorted(_CHANGES)), st.none(), max_size=2)
        )
        values = {name: data.draw(st.sampled_from(_CHANGES[name])) for name in changed}
        observed = {k: v for k, v in (dict(one.observation) | values).items() if v != ""}
        silent = tuple(name for name in one.silent_on if name not in observed)
        answers.append(replace(one, observation=observed, silent_on=silent))
    whole = [one for one in answers if {"title", "authors"} <= one.observation.keys()]
    if not whole:
        return
    addition = planned(registry, *answers, asked=KNOWN[number].arxiv_id)
    trial = judged(registry, addition)
    assert [found for found in trial.new if found.severity == "error"] == []
    # Every value that a source gave for a field that is held is in an assertion or denies none.
    cited = {
        name
        for field in addition.made.data.values()
        if isinstance(field, dict) and "assertions" in field
        for one in field["assertions"]
        for name in one["evidence"]
    }
    assert {f"evidence/{name}" for name in cited} <= set(addition.files)
