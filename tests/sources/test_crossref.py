from __future__ import annotations

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
from plays import crossref as play
from plays_interface import Asked, Played

from registry.equality.names import parse_authors
from registry.records.evidence import Observation
from registry.sources.crossref import SOURCE, doi_of
from registry.sources.crossref_works import read_work
from registry.sources.interface import Answer, Query
from registry.sources.shapes import UnexpectedShapeError

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "crossref"
DOI = "10.5555/Drafts.7"


def dated(*parts: int | None) -> dict[str, Any]:
    return {"date-parts": [list(parts)]}


def deposit(**changes: Any) -> dict[str, Any]:
    message = {
        "DOI": DOI,
        "type": "proceedings-article",
        "title": ["Drafts &amp; <i>Trees</i>"],
        "container-title": ["Proceedings of the 3rd Conference on Drafts"],
        "author": [
            {
                "given": "Zoë",
                "family": "Brandt",
                "sequence": "first",
                "affiliation": [{"name": "University of Nowhere"}, {"name": "Lab Seven"}],
            },
            {"given": "Jan", "family": "van der Berg", "sequence": "additional", "affiliation": []},
        ],
        "volume": "12",
        "page": "31-44",
        "issued": dated(2024, 7, 8),
        "published": dated(2024, 7, 8),
        "relation": {},
        **{name.replace("_", "-"): value for name, value in changes.items()},
    }
    return {"status": "ok", "message-type": "work", "message": message}


def update(kind: str, doi: str = "10.5555/notice", **more: Any) -> dict[str, Any]:
    return {"DOI": doi, "type": kind, "label": kind.title(), **more}


QUERY = Query(
    "paper/drafts",
    title="Drafts & Trees",
    authors=("Zoë Brandt", "Jan van der Berg"),
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


# What a deposit says


def test_a_deposit_in_full() -> None:
    found = read_work(deposit())
    assert found.observation == {
        "title": "Drafts &amp; <i>Trees</i>",
        "authors": ["Brandt, Zoë", "van der Berg, Jan"],
        "affiliations": [
            {"author": 1, "printed": "University of Nowhere", "origin": "printed"},
            {"author": 1, "printed": "Lab Seven", "origin": "printed"},
        ],
        "venue": "Proceedings of the 3rd Conference on Drafts",
        "year": 2024,
        "published": "2024-07-08",
        "volume": "12",
        "pages": "31-44",
        "doi": "10.5555/Drafts.7",
    }
    assert (found.status, found.notes) == ("active", ())
    Observation.model_validate(found.observation)


def test_lists_may_be_empty() -> None:
    thin = deposit(title=[], container_title=[], author=[], issued=dated(None), published=None)
    assert read_work(thin).observation == {"volume": "12", "pages": "31-44", "doi": DOI}


@pytest.mark.parametrize(
    ("author", "written", "read"),
    [
        ({"family": "Abe", "given": "Jun"}, "Abe, Jun", "Jun Abe"),
        ({"family": "de la Cruz", "given": "Ana"}, "de la Cruz, Ana", "Ana de la Cruz"),
        (
            {"family": "Castro Diaz", "given": "Ana B."},
            "Castro Diaz, Ana B.",
            "Ana B. Castro Diaz",
        ),
        (
            {"family": "Rossi", "given": "Ugo", "suffix": "Jr."},
            "Rossi, Jr., Ugo",
            "Ugo Rossi Jr.",
        ),
        ({"family": "Rossi, Jr.", "given": "Ugo"}, "{Rossi, Jr.}, Ugo", "Ugo Rossi, Jr."),
        ({"family": "Suharto"}, "Suharto", "Suharto"),
        ({"given": "Suharto"}, "Suharto", "Suharto"),
        ({"family": "Drafts Team"}, "{Drafts Team}", "Drafts Team"),
        ({"name": "Trees and Drafts Group"}, "{Trees and Drafts Group}", "Trees and Drafts Group"),
        ({"name": "Lab {Seven}, North"}, "{Lab Seven, North}", "Lab Seven, North"),
    ],
)
def test_names(author: dict[str, Any], written: str, read: str) -> None:
    observed = read_work(deposit(author=[author])).observation["authors"]
    assert observed == [written]
    assert [str(name) for name in parse_authors(observed).names] == [read]


def test_a_nameless_author_makes_the_whole_line_unknown() -> None:
    thin = deposit(author=[{"family": "Abe"}, {"ORCID": "https://orcid.org/0", "given": ""}])
    assert "authors" not in read_work(thin).observation


def test_a_volume_in_a_series_names_the_series_first() -> None:
    both = deposit(container_title=["Lecture Notes in Drafts", "Drafts 2024"])
    assert read_work(both).observation["venue"] == "Drafts 2024"
    assert read_work(both).observation["series"] == "Lecture Notes in Drafts"
    journal = deposit(container_title=["Journal of Drafts", "Zeitschrift"], type="journal-article")
    assert read_work(journal).observation["venue"] == "Journal of Drafts"
    assert "series" not in read_work(journal).observation


def test_an_article_number_stands_for_pages() -> None:
    found = read_work(deposit(page=None, article_number="e307"))
    assert found.observation["pages"] == "e307"


@pytest.mark.parametrize(
    ("issued", "published", "year", "day"),
    [
        (dated(2023, 12), dated(2023, 12, 30), 2023, "2023-12-30"),
        (dated(2024), None, 2024, None),
        (dated(None), dated(2022, 1, 2), 2022, "2022-01-02"),
        ({"date-parts": []}, {"date-parts": [[]]}, None, None),
        (dated(2024, 2, 31), None, 2024, None),
        (dated(10**30, 1, 1), None, 10**30, None),
    ],
)
def test_dates(issued: Any, published: Any, year: int | None, day: str | None) -> None:
    found = read_work(deposit(issued=issued, published=published)).observation
    assert (found.get("year"), found.get("published")) == (year, day)


def test_years_of_other_media_are_noted() -> None:
    media = {"published_print": dated(2025, 1), "published_online": dated(2024, 7, 8)}
    found = read_work(deposit(**media))
    assert found.observation["year"] == 2024
    assert found.notes == ("published in print in 2025",)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("retraction", "retracted"),
        ("withdrawal", "withdrawn"),
        ("removal", "withdrawn"),
        ("correction", "active"),
        ("erratum", "active"),
        ("expression_of_concern", "active"),
        ("expression-of-concern", "active"),
        ("partial_retraction", "active"),
        ("new_version", "active"),
    ],
)
def test_what_was_published_about_the_paper(kind: str, status: str) -> None:
    found = read_work(deposit(updated_by=[update(kind)]))
    assert found.status == status
    assert found.notes == (f"updated by {kind} 10.5555/notice",)


def test_day_and_source_of_an_update_are_noted() -> None:
    told = update("retraction", source="retraction-watch", updated=dated(2025, 2, 3))
    assert read_work(deposit(updated_by=[update("erratum"), told])).notes == (
        "updated by erratum 10.5555/notice",
        "updated by retraction 10.5555/notice (2025-02-03, says retraction-watch)",
    )


def test_the_notice_is_not_the_retracted_paper() -> None:
    notice = deposit(
        title=["RETRACTED: Drafts and Trees"], update_to=[update("retraction", "10.5555/paper")]
    )
    found = read_work(notice)
    assert found.status == "active"
    assert found.notes == ("it is a notice itself: retraction 10.5555/paper",)


def test_a_notice_that_only_its_title_tells() -> None:
    found = read_work(deposit(title=["Retraction: Drafts and Trees"]))
    assert found.status == "active"
    assert found.notes == ("it is the notice of a retraction, not the paper itself",)


def test_a_paper_that_was_retracted_under_its_own_doi() -> None:
    same = deposit(title=["RETRACTED: Drafts"], update_to=[update("retraction", DOI.lower())])
    assert read_work(same).status == "retracted"


def test_a_preprint_names_what_it_is_the_preprint_of() -> None:
    relation = {"is-preprint-of": [{"id-type": "doi", "id": "10.5555/paper"}]}
    assert read_work(deposit(relation=relation)).notes == ("it is the preprint of 10.5555/paper",)


@pytest.mark.parametrize(
    "broken",
    [
        None,
        [],
        {},
        {**deposit(), "message-type": "work-list"},
        {**deposit(), "message": [deposit()["message"]]},
        deposit(DOI=None),
        deposit(DOI="drafts"),
        deposit(title={"en": "Drafts"}),
        deposit(title=[["Drafts"]]),
        deposit(author={"family": "Abe"}),
        deposit(author=["Jun Abe"]),
        deposit(author=[{"family": ["Abe"]}]),
        deposit(issued=[2024]),
        deposit(issued={"date-parts": [2024]}),
        deposit(issued={"date-parts": [["2024"]]}),
        deposit(issued={"date-parts": [[True]]}),
        deposit(volume=12),
        deposit(updated_by={"type": "retraction"}),
        deposit(relation=["is-preprint-of"]),
    ],
)
def test_another_shape_is_refused(broken: Any) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_work(broken)


# A captured answer


def test_captured_article_with_a_correction() -> None:
    path = SAMPLES / "work_10.1371_journal.pone.0033693.json"
    if not path.exists():
        pytest.skip("the captured answers are not here")
    found = read_work(json.loads(path.read_text()))
    assert found.observation["title"].startswith("Methylphenidate Exposure Induces")
    assert found.observation["authors"] == [
        "Sadasivan, Shankar",
        "Pond, Brooks B.",
        "Pani, Amar K.",
        "Qu, Chunxu",
        "Jiao, Yun",
        "Smeyne, Richard J.",
    ]
    assert found.observation["venue"] == "PLoS ONE"
    assert found.observation["year"] == 2012
    assert found.observation["published"] == "2012-03-21"
    assert found.observation["volume"] == "7"
    assert found.observation["pages"] == "e33693"
    assert found.observation["doi"] == "10.1371/journal.pone.0033693"
    assert "affiliations" not in found.observation
    assert found.status == "active"
    notice = "10.1371/annotation/c76da2c1-ccb8-4797-94c1-359d3ceceeda"
    assert found.notes == (f"updated by correction {notice} (2012-05-08, says publisher)",)


# Asking


@pytest.mark.parametrize(
    ("doi", "asked"),
    [
        ("https://doi.org/10.52202/079017-0001", "10.52202/079017-0001"),
        ("10.48550/arXiv.2401.15077", ""),
        ("10.48550/arXiv.hep-th/9901001", ""),
        ("", ""),
        ("drafts", ""),
    ],
)
def test_arxivs_dois_are_not_asked_for(doi: str, asked: str) -> None:
    query = Query("q", doi=doi, arxiv_id="2401.15077", title="Drafts", authors=("Jun Abe",))
    assert doi_of(query) == asked
    assert SOURCE.can_ask(query) is bool(asked)


def test_one_request_for_each_paper() -> None:
    known = [paper for paper in papers(60) if paper.doi]
    client = client_for(SOURCE, playing(play, known))
    found = list(SOURCE.ask([query_of(paper) for paper in known], client))
    assert client.asked == {play.HOST: len(known)}
    for paper, answer in zip(known, found, strict=True):
        assert (answer.record, answer.outcome) == (f"paper/p{paper.number}", "answered")
        Observation.model_validate(answer.observation)
        assert answer.observation["pages"] == paper.pages
        assert answer.observation["published"] == "2024-07-08"
        assert answer.silent_on == ("volume", "affiliations")
        assert answer.locator == f"works/{paper.doi}"
        assert len(answer.sha256) == 64
        assert answer.notes == ()


def test_a_retracted_paper() -> None:
    [paper] = papers(1, venue="acl")
    [answer] = answers([query_of(paper)], playing(play, [replace(paper, retracted=True)]))
    assert answer.status == "retracted"
    assert answer.notes == (
        f"updated by retraction {paper.doi}.retraction (2025-02-03, says retraction-watch)",
    )


def test_an_unknown_doi() -> None:
    [answer] = answers([QUERY], playing(play, []))
    assert answer.outcome == "no-such-record"
    assert answer.locator == "works/10.5555/drafts.7"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (
            Played(b"<html><h1>Not Found</h1></html>", 404, "text/html"),
            "broken answer: HTTP 404 in an unknown form",
        ),
        (sent({"status": "failed"}), "broken answer: it describes no work"),
        (sent(deposit(DOI="10.5555/other")), "broken answer: it describes 10.5555/other"),
        (sent(deposit(title=7)), "broken answer: title is no list of texts"),
        (
            Played(b"<html><body>Down</body></html>", kind="text/html"),
            "broken answer: a web page came where json was expected",
        ),
        (Played(b"Not allowed", 403, "text/plain"), "refused: HTTP 403"),
        (Played(b"Slow down", 429, "text/plain"), "throttled: HTTP 429"),
    ],
)
def test_a_refusal_says_nothing_about_the_paper(reply: Played, reason: str) -> None:
    [answer] = answers([QUERY], lambda asked: reply)
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith(reason)


def test_throttling_takes_nothing_back_and_ends() -> None:
    replies = iter([sent(deposit())])
    limit = Played(b"Too many requests", 429, "text/plain", {"retry-after": "2"})
    client = client_for(SOURCE, lambda asked: next(replies, limit))
    queries = [QUERY, *(replace(QUERY, doi=f"10.5555/later.{place}") for place in range(4))]
    outcomes = [answer.outcome for answer in SOURCE.ask(queries, client)]
    assert outcomes == ["answered", *["could-not-ask"] * 4]
    assert client.asked[play.HOST] < 20


def test_mark_up_in_a_title_makes_it_no_other_paper() -> None:
    answer = answer_to(QUERY, sent(deposit()))
    assert answer.observation["title"] == "Drafts &amp; <i>Trees</i>"
    assert answer.notes == ()


def test_the_doi_of_another_paper() -> None:
    other = deposit(title=["Robots on Ice"], author=[{"family": "Diaz", "given": "Goran"}])
    answer = answer_to(QUERY, sent(other))
    assert answer.observation["authors"] == ["Diaz, Goran"]
    assert answer.notes == (
        "identifier belongs to another paper: DOI 10.5555/drafts.7 is titled “Robots on Ice” by "
        "Goran Diaz",
    )


@pytest.mark.parametrize(
    "doi", ["10.1002/(sici)1099(1998)36:2<1::aid-b2>3.0.co;2-y", "10.5555/a+b#c?d", "10.5555/e/"]
)
def test_any_doi_can_be_written_into_an_address(doi: str) -> None:
    paths: list[str] = []

    def script(asked: Asked) -> Played:
        paths.append(asked.path)
        return sent(deposit(DOI=doi))

    [answer] = answers([replace(QUERY, doi=doi)], script)
    assert paths == [f"/works/{doi}"]
    assert answer.outcome == "answered"


def test_ping() -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, []))) == ""
    assert SOURCE.ping(client_for(SOURCE, in_turn([sent({})]))).startswith("broken answer")
    lost = Played(b"Resource not found.", 404, "text/plain")
    assert SOURCE.ping(client_for(SOURCE, in_turn([lost]))).startswith("broken answer")


# Whatever comes


@given(st.sampled_from([200, 301, 404, 500]), BYTES)
def test_garbage_never_denies_a_paper(status: int, body: bytes) -> None:
    [answer] = answers([QUERY], lambda asked: Played(body, status))
    assert answer.outcome == "could-not-ask"


@given(
    damaged(
        deposit(
            updated_by=[update("retraction", updated=dated(2025, 2, 3))],
            update_to=[update("erratum")],
            relation={"is-preprint-of": [{"id": "10.5555/paper"}]},
            published_print=dated(2025),
        )
    )
)
def test_a_damaged_deposit_never_denies_a_paper(data: Any) -> None:
    [answer] = answers([QUERY], lambda asked: sent(data))
    assert answer.outcome in ("answered", "could-not-ask")
    if answer.outcome == "answered":
        Observation.model_validate(answer.observation)


@given(PLAIN)
def test_any_json_is_refused(data: Any) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_work(data)
