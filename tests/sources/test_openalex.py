from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from damage import BYTES, PLAIN, damaged
from hypothesis import given
from hypothesis import strategies as st
from papers import Paper, papers
from played import Script, client_for, in_turn, playing
from plays import openalex as play
from plays_interface import Asked, Played

from registry.records.evidence import Observation
from registry.sources.interface import Answer, Query
from registry.sources.openalex import SOURCE, dois_of
from registry.sources.openalex_works import read_list, read_work
from registry.sources.shapes import UnexpectedShapeError

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "openalex"
DOI = "10.5555/drafts.7"


@pytest.fixture(autouse=True)
def _keyless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENALEX_API_KEY", raising=False)


def person(raw: str | None, display: str | None = None, *printed: str) -> dict[str, Any]:
    return {
        "author": {"id": None, "display_name": display},
        "institutions": [],
        "raw_author_name": raw,
        "raw_affiliation_strings": list(printed),
        "affiliations": [{"raw_affiliation_string": text} for text in printed],
    }


def work(**changes: Any) -> dict[str, Any]:
    return {
        "id": "https://openalex.org/W77",
        "doi": f"https://doi.org/{DOI}",
        "title": "Drafts of Trees: A Study",
        "display_name": "Drafts of Trees: A Study",
        "publication_year": 2024,
        "publication_date": "2031-01-01",
        "type": "article",
        "is_retracted": False,
        "biblio": {"volume": "12", "issue": None, "first_page": "31", "last_page": "44"},
        "primary_location": {"source": {"display_name": "Journal of Drafts"}},
        "authorships": [
            person("Brandt, Zoë", "Zoę Brandt", "University of Nowhere", "Lab Seven"),
            person("Bo O'Neil", "B. ONeil"),
        ],
        **changes,
    }


def listing(*works: dict[str, Any], **meta: Any) -> dict[str, Any]:
    return {"meta": {"count": len(works), "page": 1, **meta}, "results": list(works)}


QUERY = Query(
    "paper/drafts",
    title="Drafts of Trees: A Study",
    authors=("Zoë Brandt", "Bo O'Neil"),
    year=2024,
    doi=DOI,
)


def answers(queries: Sequence[Query], script: Script) -> list[Answer]:
    return list(SOURCE.ask(queries, client_for(SOURCE, script)))


def answer_to(query: Query, *replies: Played) -> Answer:
    [found] = answers([query], in_turn(replies))
    return found


def sent(data: Any, status: int = 200) -> Played:
    return Played(json.dumps(data).encode(), status)


def query_of(paper: Paper) -> Query:
    return Query(
        f"paper/p{paper.number}",
        title=paper.title,
        authors=paper.names,
        year=paper.year,
        arxiv_id=paper.arxiv_id,
        doi=paper.doi,
    )


# What a work says


def test_a_work_in_full() -> None:
    assert read_work(work()).observation == {
        "title": "Drafts of Trees: A Study",
        "authors": ["Brandt, Zoë", "Bo O'Neil"],
        "affiliations": [
            {"author": 1, "printed": "University of Nowhere", "origin": "printed"},
            {"author": 1, "printed": "Lab Seven", "origin": "printed"},
        ],
        "venue": "Journal of Drafts",
        "year": 2024,
        "volume": "12",
        "pages": "31-44",
        "doi": "https://doi.org/10.5555/drafts.7",
    }


def test_the_day_of_publication_is_not_taken() -> None:
    assert "published" not in read_work(work()).observation


def test_a_profile_name_stands_in_only_where_the_raw_name_is_missing() -> None:
    thin = work(authorships=[person("Aggarwal, C.", "Charų A."), person(None, "Dina Diaz")])
    assert read_work(thin).observation["authors"] == ["Aggarwal, C.", "Dina Diaz"]


def test_a_nameless_author_makes_the_whole_line_unknown() -> None:
    thin = work(authorships=[person("Dina Diaz"), person(None, None)])
    assert "authors" not in read_work(thin).observation


@pytest.mark.parametrize(
    "thin",
    [
        {"id": "https://openalex.org/W1", "title": None, "display_name": "Drafts"},
        {"id": "https://openalex.org/W1", "title": "Drafts", "primary_location": None},
        {"id": "https://openalex.org/W1", "title": "Drafts", "primary_location": {"source": None}},
        {"id": "https://openalex.org/W1", "title": "Drafts", "biblio": None, "authorships": None},
        {
            "id": "https://openalex.org/W1",
            "title": " Drafts\u00a0",
            "primary_location": {"source": {"display_name": ""}},
            "biblio": {"first_page": None, "last_page": "44", "volume": ""},
            "authorships": [{"author": {"id": None, "display_name": None}, "institutions": []}],
        },
    ],
)
def test_null_and_empty_fields_are_unknown(thin: dict[str, Any]) -> None:
    assert read_work(thin).observation == {"title": "Drafts"}


def test_the_name_in_the_metadata_stands_in_for_a_missing_source() -> None:
    place = {"source": None, "raw_source_name": "Proc. of Drafts"}
    assert read_work(work(primary_location=place)).observation["venue"] == "Proc. of Drafts"


@pytest.mark.parametrize(
    ("first", "last", "pages"),
    [("31", "44", "31-44"), ("31", None, "31"), ("31", "31", "31"), ("e5", "", "e5")],
)
def test_pages(first: str, last: str | None, pages: str) -> None:
    found = read_work(work(biblio={"first_page": first, "last_page": last}))
    assert found.observation["pages"] == pages


def test_a_hundred_authors_in_a_list_may_be_more() -> None:
    crowd = work(authorships=[person(f"Ada A{place}") for place in range(100)])
    assert read_work(crowd, in_list=True).observation["authors"][99:] == ["Ada A99", "others"]
    assert len(read_work(crowd).observation["authors"]) == 100


def test_a_printed_text_that_is_given_in_one_place_only_counts() -> None:
    one = {**person("Dina Diaz"), "affiliations": [{"raw_affiliation_string": "Lab Nine"}]}
    two = {**person("Bo Abe"), "raw_affiliation_strings": ["Lab Ten"]}
    assert read_work(work(authorships=[one, two])).observation["affiliations"] == [
        {"author": 1, "printed": "Lab Nine", "origin": "printed"},
        {"author": 2, "printed": "Lab Ten", "origin": "printed"},
    ]


def test_matched_institutions_are_no_affiliations() -> None:
    matched = {**person("Dina Diaz"), "institutions": [{"display_name": "Lab Nine"}]}
    found = read_work(work(authorships=[person("Bo Abe"), matched]))
    assert "affiliations" not in found.observation
    assert found.notes == ("institutions without a printed text: author 2: Lab Nine",)


def test_retracted() -> None:
    found = read_work(work(is_retracted=True))
    assert found.status == "retracted"
    assert found.notes == ("marked as retracted: confirm with a second source",)


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"type": "erratum"}, "it is an erratum, not the paper itself"),
        (
            {"type": "retraction", "is_retracted": True},
            "it is the notice of a retraction, not the paper itself",
        ),
        (
            {"title": "Retraction: Drafts of Trees", "is_retracted": True},
            "it is the notice of a retraction, not the paper itself",
        ),
    ],
)
def test_a_notice_is_not_the_paper(changes: dict[str, Any], note: str) -> None:
    found = read_work(work(**changes))
    assert (found.status, found.notes) == ("active", (note,))


@pytest.mark.parametrize(
    "broken",
    [
        None,
        [],
        "W77",
        {},
        {**work(), "id": "https://openalex.org/A77"},
        {**work(), "title": ["Drafts"]},
        {**work(), "authorships": {"author": {}}},
        {**work(), "authorships": ["Dina Diaz"]},
        {**work(), "primary_location": [{}]},
        {**work(), "publication_year": "2024"},
        {**work(), "is_retracted": "no"},
        {**work(), "biblio": {"first_page": 31}},
    ],
)
def test_another_shape_is_refused(broken: Any) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_work(broken)


# Lists


def test_a_list_is_read_by_doi() -> None:
    one, two = work(), work(doi="https://doi.org/10.5555/OTHER")
    found = read_list(listing(two, one), ["10.5555/drafts.7", "10.5555/other", "10.5555/none"])
    assert (found.works, found.fault) == ({DOI: one, "10.5555/other": two}, "")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (None, "it holds no list of works"),
        ({"results": []}, "it holds no list of works"),
        ({"meta": {"count": 0}, "results": {}}, "it holds no list of works"),
        ({"meta": {}, "results": []}, "it does not hold as many works as it says"),
        (listing(count=3), "it does not hold as many works as it says"),
        (listing(work(doi=None)), "it holds a work that was not asked for"),
        (listing(work(doi="https://doi.org/10.1/x")), "it holds a work that was not asked for"),
        (listing(work(id=7)), "it holds a work that was not asked for"),
    ],
)
def test_a_list_that_denies_nothing(data: Any, fault: str) -> None:
    assert read_list(data, [DOI]).fault == fault


# Captured answers


def captured(name: str) -> Any:
    path = SAMPLES / name
    if not path.exists():
        pytest.skip("the captured answers are not here")
    return json.loads(path.read_text())


def test_captured_preprint() -> None:
    [data] = captured("refchecker_cached_works.json")
    found = read_work(data)
    assert found.id == "W2982611619"
    observation = found.observation
    assert observation["title"] == "How can AI Automate End-to-End Data Science?"
    assert observation["authors"][0] == "Aggarwal, Charu"
    assert observation["authors"][-1] == "Gray, Alexander"
    assert len(observation["authors"]) == 12
    assert observation["affiliations"] == [{"author": 2, "printed": "IBM", "origin": "printed"}]
    assert observation["venue"] == "arXiv (Cornell University)"
    assert observation["year"] == 2019
    assert observation["doi"] == "https://doi.org/10.48550/arxiv.1910.14436"
    assert (found.status, found.notes) == ("active", ())


@pytest.mark.parametrize("name", ["openalex_work.json", "openalex_no_abstract.json"])
def test_captured_single_work(name: str) -> None:
    found = read_work(captured(f"kdense/{name}"))
    assert found.observation["title"].startswith("The state of OA: a large-scale analysis")
    assert found.observation["year"] == 2018
    assert found.observation["doi"] == "https://doi.org/10.7717/peerj.4375"


def test_captured_list_is_cut_off() -> None:
    wanted = ["10.1038/nprot.2013.143", "10.1126/science.1231143"]
    found = read_list(captured("kdense/openalex_list.json"), wanted)
    assert sorted(found.works) == wanted
    assert found.fault == "it does not hold as many works as it says"


# Asking


@pytest.mark.parametrize(
    ("query", "dois"),
    [
        (Query("q", doi="https://doi.org/10.5555/ABC"), ["10.5555/abc"]),
        (Query("q", arxiv_id="2401.15077"), ["10.48550/arxiv.2401.15077"]),
        (Query("q", arxiv_id="hep-th/9901001"), ["10.48550/arxiv.hep-th/9901001"]),
        (
            Query("q", doi="10.5555/abc", arxiv_id="arXiv:2401.15077v2"),
            ["10.5555/abc", "10.48550/arxiv.2401.15077"],
        ),
        (
            Query("q", doi="10.48550/arXiv.2401.15077", arxiv_id="2401.15077"),
            ["10.48550/arxiv.2401.15077"],
        ),
        (Query("q", title="Drafts", doi="nonsense"), []),
    ],
)
def test_the_dois_to_try(query: Query, dois: list[str]) -> None:
    assert dois_of(query) == dois
    assert SOURCE.can_ask(query) is bool(dois)


def test_a_hundred_papers_take_two_requests() -> None:
    known = papers(100)
    client = client_for(SOURCE, playing(play, known))
    found = list(SOURCE.ask([query_of(paper) for paper in known], client))
    assert client.asked == {play.HOST: 2}
    by_record = {answer.record: answer for answer in found}
    assert len(by_record) == len(found) == 100
    for paper in known:
        answer = by_record[f"paper/p{paper.number}"]
        assert answer.outcome == "answered"
        Observation.model_validate(answer.observation)
        assert answer.observation["title"] == paper.title
        assert answer.observation["doi"].endswith(paper.doi or f"arxiv.{paper.arxiv_id}")
        assert answer.silent_on[:1] == ("affiliations",)
        assert ("venue" in answer.silent_on) is (paper.number % 7 == 3)
        assert len(answer.sha256) == 64
        assert answer.notes == ()


def test_what_a_list_leaves_out_is_unknown() -> None:
    known, missing = papers(7)[:6], papers(7)[6]
    asked = [replace(query_of(paper), arxiv_id="") for paper in (missing, *known) if paper.doi]
    found = answers(
        [replace(query_of(missing), doi="10.5555/nobody", arxiv_id=""), *asked],
        playing(play, known),
    )
    assert [answer.outcome for answer in found] == ["no-such-record", *["answered"] * len(asked)]
    assert found[0].locator == "works API, doi:10.5555/nobody"


def test_the_preprint_is_tried_where_the_publication_is_unknown() -> None:
    [paper] = papers(1, venue="icml")
    query = replace(query_of(paper), doi="10.5555/unknown")
    [answer] = answers([query], playing(play, [paper]))
    assert answer.observation["venue"] == "arXiv (Cornell University)"
    assert answer.notes == (
        f"unknown by DOI 10.5555/unknown, asked by DOI 10.48550/arxiv.{paper.arxiv_id}",
    )


def test_neither_publication_nor_preprint_is_known() -> None:
    query = replace(QUERY, arxiv_id="2401.00009")
    [answer] = answers([query], playing(play, []))
    assert answer.outcome == "no-such-record"
    assert answer.locator == f"works API, doi:{DOI} and doi:10.48550/arxiv.2401.00009"


@pytest.mark.parametrize("doi", ["10.5555/jot.7,9", "10.5555/a|b", "10.5555/a+b<c>", "10.5555/x:1"])
def test_a_doi_that_would_cut_a_filter_in_two_is_looked_up_alone(doi: str) -> None:
    [odd, plain] = papers(2, venue="acl")
    odd = replace(odd, doi=doi)
    paths: list[str] = []

    def script(asked: Asked) -> Played:
        paths.append(asked.path)
        return play.answer(asked, [odd, plain])

    found = answers([query_of(odd), query_of(plain)], script)
    assert [answer.outcome for answer in found] == ["answered", "answered"]
    assert paths == ["/works", f"/works/doi:{doi}"]
    assert {answer.observation["doi"] for answer in found} == {
        f"https://doi.org/{doi}",
        f"https://doi.org/{plain.doi}",
    }


def test_an_unknown_single_work_is_a_page_with_404() -> None:
    [answer] = answers([replace(QUERY, doi="10.5555/a,b")], playing(play, []))
    assert answer.outcome == "no-such-record"


def test_a_404_without_its_words_denies_nothing() -> None:
    page = Played(b"<html><body>Gateway</body></html>", 404, "text/html")
    answer = answer_to(replace(QUERY, doi="10.5555/a,b"), page)
    assert (answer.outcome, answer.reason) == (
        "could-not-ask",
        "broken answer: HTTP 404 in an unknown form",
    )


def test_a_work_is_found_by_the_address_that_evidence_gives() -> None:
    query = Query("paper/drafts", addresses=("https://arxiv.org/", "https://openalex.org/W77"))
    assert SOURCE.can_ask(query)
    answer = answer_to(query, sent(work()))
    assert answer.locator == "works API, W77"
    assert answer.url.startswith("https://api.openalex.org/works/W77?")


def test_two_addresses_decide_nothing() -> None:
    both = ("https://openalex.org/W77", "https://api.openalex.org/works/W78")
    assert not SOURCE.can_ask(Query("paper/drafts", addresses=both))


def test_a_merged_work_redirects() -> None:
    moved = Played(b"", 301, "text/html", {"location": "https://api.openalex.org/works/W78"})
    query = Query("paper/drafts", addresses=("https://openalex.org/w77",))
    answer = answer_to(query, moved, sent(work(id="https://openalex.org/W78")))
    assert answer.locator == "works API, W78"


def test_the_same_doi_twice_gets_two_answers() -> None:
    found = answers([QUERY, replace(QUERY, record="paper/twin")], in_turn([sent(listing(work()))]))
    assert [answer.record for answer in found] == ["paper/drafts", "paper/twin"]
    assert [answer.outcome for answer in found] == ["answered", "answered"]


def test_the_id_of_another_paper() -> None:
    other = work(title="Robots on Ice", authorships=[person("Diaz, Goran")])
    answer = answer_to(QUERY, sent(listing(other)))
    assert answer.observation["title"] == "Robots on Ice"
    assert answer.notes == (
        f"identifier belongs to another paper: DOI {DOI} is titled “Robots on Ice” by Goran Diaz",
    )


def test_one_broken_work_does_not_hide_the_others() -> None:
    broken = work(doi="https://doi.org/10.5555/other", authorships="none")
    found = answers(
        [QUERY, replace(QUERY, record="paper/other", doi="10.5555/other")],
        in_turn([sent(listing(broken, work()))]),
    )
    assert [(answer.record, answer.outcome) for answer in found] == [
        ("paper/drafts", "answered"),
        ("paper/other", "could-not-ask"),
    ]
    assert found[1].reason == "broken answer: authorships is no list of mappings"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (
            sent({"error": "Forbidden", "message": "Rate limit exceeded"}, 403),
            "throttled: HTTP 403; OPENALEX_API_KEY is not set",
        ),
        (
            sent({"error": "Forbidden", "message": "An API key is required"}, 403),
            "refused: HTTP 403; OPENALEX_API_KEY is not set",
        ),
        (sent({"error": "Invalid filter"}, 400), "refused: HTTP 400"),
        (sent(listing(count=1)), "broken answer: it does not hold as many works as it says"),
        (
            Played(b"<html><body>Back soon</body></html>", kind="text/html"),
            "broken answer: a web page came where json was expected",
        ),
    ],
)
def test_a_refusal_says_nothing_about_the_paper(reply: Played, reason: str) -> None:
    [answer] = answers([QUERY], lambda asked: reply)
    assert answer.outcome == "could-not-ask"
    assert answer.reason.partition("; not asked again")[0] == reason


def test_a_spent_allowance_is_throttling() -> None:
    [answer] = answers([QUERY], lambda asked: sent({"error": "Too many requests"}, 429))
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith("throttled: HTTP 429")


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENALEX_API_KEY", play.KEY)
    keys: list[str] = []

    def script(asked: Asked) -> Played:
        keys.append(asked.query.get("api_key", ""))
        return sent(listing(work()))

    [answer] = answers([QUERY], script)
    assert keys == [play.KEY]
    assert play.KEY not in repr(answer)


def test_a_wrong_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENALEX_API_KEY", "not-the-key")
    [answer] = answers([QUERY], playing(play, papers(1)))
    assert answer.reason == "refused: HTTP 403; check OPENALEX_API_KEY"


def test_nothing_to_ask_by() -> None:
    [answer] = answers([Query("paper/drafts", title="Drafts")], playing(play, []))
    assert answer.outcome == "could-not-ask"


def test_ping(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, []))) == ""
    assert SOURCE.ping(client_for(SOURCE, in_turn([sent({})]))) == "broken answer: it is no work"
    monkeypatch.setenv("OPENALEX_API_KEY", "not-the-key")
    refused = SOURCE.ping(client_for(SOURCE, playing(play, [])))
    assert refused == "refused: HTTP 403; check OPENALEX_API_KEY"


# Whatever comes


@given(st.sampled_from([200, 301, 403, 404, 500]), BYTES)
def test_garbage_never_denies_a_paper(status: int, body: bytes) -> None:
    for query in (QUERY, replace(QUERY, doi="10.5555/a,b")):
        [answer] = answers([query], lambda asked: Played(body, status))
        assert answer.outcome == "could-not-ask"


@given(damaged(listing(work(), work(doi="https://doi.org/10.5555/other"))))
def test_a_damaged_list_never_denies_a_paper(data: Any) -> None:
    [answer] = answers([QUERY], lambda asked: sent(data))
    if answer.outcome == "no-such-record":
        assert (data["meta"]["count"], data["results"]) == (0, [])
    if answer.outcome == "answered":
        Observation.model_validate(answer.observation)


@given(damaged(work()))
def test_a_damaged_work_never_denies_a_paper(data: Any) -> None:
    [answer] = answers([replace(QUERY, doi="10.5555/a,b")], lambda asked: sent(data))
    assert answer.outcome in ("answered", "could-not-ask")


@given(PLAIN)
def test_any_json_is_read_or_refused(data: Any) -> None:
    before = copy.deepcopy(data)
    assert read_list(data, [DOI]).works == {}
    assert data == before
