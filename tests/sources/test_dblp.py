from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from damage import BYTES, PLAIN, damaged, torn
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st
from papers import Paper, papers
from played import Script, client_for, in_turn, playing
from plays import dblp as play
from plays_interface import Asked, Played

from registry.records.evidence import Observation
from registry.sources.dblp import SOURCE
from registry.sources.dblp_records import choose, read_hits, read_record
from registry.sources.interface import Answer, Query
from registry.sources.shapes import UnexpectedShapeError

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "dblp"
KEY = "conf/draft/Brandt0024"
RECORD = f"""<?xml version="1.0" encoding="US-ASCII"?>
<dblp>
<inproceedings key="{KEY}" mdate="2024-09-02">
<author pid="1/2" orcid="0000-0001-0000-0000">Zo&#235; Brandt</author>
<author pid="3/4-3">Jun Abe 0003</author>
<title>Drafts with <i>n</i><sup>2</sup> Nodes &amp; a Tree.</title>
<pages>31-44</pages>
<year>2024</year>
<booktitle>DRAFT</booktitle>
<ee type="oa">https://openreview.net/forum?id=Qw3rTyUi0p</ee>
<ee>https://doi.org/10.5555/drafts.7</ee>
<crossref>conf/draft/2024</crossref>
<url>db/conf/draft/draft2024.html#Brandt0024</url>
</inproceedings>
</dblp>
"""
PREPRINT = """<?xml version="1.0" encoding="US-ASCII"?>
<dblp>
<article publtype="informal" key="journals/corr/abs-2401-00009" mdate="2024-02-05">
<author pid="1/2">Zo&#235; Brandt</author>
<title>Drafts.</title>
<year>2024</year>
<volume>abs/2401.00009</volume>
<journal>CoRR</journal>
<ee type="oa">https://doi.org/10.48550/arXiv.2401.00009</ee>
</article>
</dblp>
"""
QUERY = Query(
    "paper/drafts",
    title="Drafts with $n^2$ Nodes & a Tree",
    authors=("Zoë Brandt", "Jun Abe"),
    year=2024,
    arxiv_id="2401.00009",
)
BY_KEY = replace(QUERY, dblp_key=KEY)


def xml(text: str) -> Element:
    element: Element = fromstring(text.encode())
    return element


def hit(**changes: Any) -> dict[str, Any]:
    info = {
        "authors": {
            "author": [
                {"@pid": "1/2", "text": "Zoë Brandt"},
                {"@pid": "3/4-3", "text": "Jun Abe 0003"},
            ]
        },
        "title": "Drafts with n<sup>2</sup> Nodes &amp; a Tree.",
        "venue": "DRAFT",
        "pages": "31-44",
        "year": "2024",
        "type": "Conference and Workshop Papers",
        "key": KEY,
        "ee": "https://proceedings.example/drafts7.html",
        "url": f"https://dblp.org/rec/{KEY}",
        **changes,
    }
    info = {name: value for name, value in info.items() if value is not None}
    return {"@score": "7", "@id": "1", "info": info, "url": "URL#1"}


def found(*hits: dict[str, Any], total: int | None = None) -> dict[str, Any]:
    number = str(len(hits) if total is None else total)
    inner: dict[str, Any] = {"@total": number, "@computed": number, "@sent": str(len(hits))}
    if hits:
        inner["hit"] = list(hits)
    return {"result": {"status": {"@code": "200", "text": "OK"}, "hits": inner}}


CORR = hit(
    key="journals/corr/abs-2401-00009",
    venue="CoRR",
    volume="abs/2401.00009",
    pages=None,
    doi="10.48550/ARXIV.2401.00009",
)


def answers(queries: Sequence[Query], script: Script) -> list[Answer]:
    return list(SOURCE.ask(queries, client_for(SOURCE, script)))


def answer_to(query: Query, *replies: Played) -> Answer:
    [answer] = answers([query], in_turn(replies))
    return answer


def sent(data: Any, status: int = 200) -> Played:
    return Played(json.dumps(data).encode(), status)


def sent_xml(text: str) -> Played:
    return Played(text.encode(), kind="text/xml")


def query_of(paper: Paper, *, with_key: bool) -> Query:
    return Query(
        f"paper/p{paper.number}",
        title=paper.title,
        authors=paper.names,
        year=paper.year,
        arxiv_id=paper.arxiv_id,
        doi=paper.doi,
        openreview_id=paper.openreview_id,
        dblp_key=paper.dblp_key if with_key else "",
    )


# Records


def test_a_record_in_full() -> None:
    observation = read_record(xml(RECORD))
    assert observation == {
        "title": "Drafts with n2 Nodes & a Tree.",
        "authors": ["Zoë Brandt", "Jun Abe"],
        "venue": "DRAFT",
        "year": 2024,
        "pages": "31-44",
        "doi": "https://doi.org/10.5555/drafts.7",
        "openreview_id": "Qw3rTyUi0p",
        "dblp_key": KEY,
    }
    Observation.model_validate(observation)


def test_a_preprint_has_its_arxiv_id_for_a_volume() -> None:
    assert read_record(xml(PREPRINT)) == {
        "title": "Drafts.",
        "authors": ["Zoë Brandt"],
        "venue": "CoRR",
        "year": 2024,
        "doi": "https://doi.org/10.48550/arXiv.2401.00009",
        "arxiv_id": "2401.00009",
        "dblp_key": "journals/corr/abs-2401-00009",
    }


def test_a_journal_has_a_volume() -> None:
    text = PREPRINT.replace("journals/corr/abs-2401-00009", "journals/jd/Abe24")
    text = text.replace("abs/2401.00009", "51").replace("CoRR", "J. Drafts")
    observation = read_record(xml(text))
    assert (observation["volume"], observation["venue"]) == ("51", "J. Drafts")
    assert "arxiv_id" not in observation


def test_a_record_with_next_to_nothing() -> None:
    text = f'<dblp><inproceedings key="{KEY}"><author/><title></title></inproceedings></dblp>'
    assert read_record(xml(text)) == {"dblp_key": KEY}


@pytest.mark.parametrize(
    "broken",
    [
        "<dblp/>",
        "<feed><entry key='conf/draft/X'/></feed>",
        "<dblp><inproceedings/></dblp>",
        "<dblp><inproceedings key='?'/></dblp>",
        "<dblp><inproceedings key='conf/draft/X'><year>soon</year></inproceedings></dblp>",
        "<dblp><article key='conf/a/A'/><article key='conf/a/B'/></dblp>",
    ],
)
def test_another_shape_is_refused(broken: str) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_record(xml(broken))


# Hits


def test_a_hit_in_full() -> None:
    reading = read_hits(found(hit(doi="10.5555/DRAFTS.7", ee="https://doi.org/10.5555/drafts.7")))
    assert reading.total == 1
    assert reading.observations == (
        {
            "title": "Drafts with n<sup>2</sup> Nodes &amp; a Tree.",
            "authors": ["Zoë Brandt", "Jun Abe"],
            "venue": "DRAFT",
            "year": 2024,
            "pages": "31-44",
            "doi": "10.5555/DRAFTS.7",
            "dblp_key": KEY,
        },
    )


def test_no_hit_is_no_list() -> None:
    assert read_hits(found()).observations == ()


def test_one_author_is_an_object() -> None:
    one = hit(authors={"author": {"@pid": "1/2", "text": "Zoë Brandt"}})
    [observation] = read_hits(found(one)).observations
    assert observation["authors"] == ["Zoë Brandt"]


def test_a_hit_may_lack_authors_and_venue() -> None:
    [observation] = read_hits(found(hit(authors=None, venue=None))).observations
    assert "authors" not in observation
    assert "venue" not in observation


def test_of_several_venues_the_first_is_taken() -> None:
    several = hit(venue=["DRAFT", "DRAFT Findings"], ee=["https://a.example", "https://b.example"])
    [observation] = read_hits(found(several)).observations
    assert observation["venue"] == "DRAFT"


@pytest.mark.parametrize(
    "broken",
    [
        None,
        [],
        {},
        {"result": {"hits": []}},
        {"result": {"hits": {"hit": []}}},
        {"result": {"hits": {"@total": 0}}},
        {"result": {"hits": {"@total": "many"}}},
        found(total=2),
        found(hit(), total=0),
        found(hit(title=None)),
        found(hit(title=7)),
        found(hit(key=None)),
        found(hit(year="soon")),
        found(hit(authors={"author": "Zoë Brandt"})),
        found(hit(authors=["Zoë Brandt"])),
        found({"info": None}),
    ],
)
def test_another_shape_of_hits_is_refused(broken: Any) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_hits(broken)


def chosen(query: Query, *hits: dict[str, Any]) -> str:
    choice = choose(query, read_hits(found(*hits)).observations)
    return choice.observation["dblp_key"] if choice.observation else choice.undecided


def test_the_publication_goes_before_the_preprint() -> None:
    assert chosen(QUERY, CORR, hit()) == KEY
    assert chosen(QUERY, CORR) == "journals/corr/abs-2401-00009"


def test_a_title_alone_proposes_nothing() -> None:
    others = {"author": [{"text": "Goran Diaz"}]}
    assert chosen(QUERY, hit(authors=others)) == ""


def test_years_may_lie_one_apart() -> None:
    assert chosen(QUERY, hit(year="2025")) == KEY
    assert chosen(QUERY, hit(year="2026")) == (
        f"{KEY}: title and author found, but 2024 and 2026 lie apart"
    )


def test_the_nearer_year_is_taken_and_the_other_noted() -> None:
    later = hit(year="2025", key="journals/jd/Brandt25")
    choice = choose(QUERY, read_hits(found(later, CORR, hit())).observations)
    assert choice.observation is not None
    assert choice.observation["dblp_key"] == KEY
    assert choice.notes == ("also under this title and an author of it: journals/jd/Brandt25",)


def test_a_differing_identifier_leaves_it_undecided() -> None:
    query = replace(QUERY, doi="10.5555/drafts.8")
    assert chosen(query, hit(doi="10.5555/drafts.7")) == (
        f"{KEY}: DOI 10.5555/drafts.8 against 10.5555/drafts.7"
    )


def test_a_hit_without_authors_leaves_it_undecided() -> None:
    assert chosen(QUERY, hit(authors=None)) == f"{KEY}: title found, but one side names no author"


# Captured answers


def captured(name: str) -> Any:
    path = SAMPLES / name
    if not path.exists():
        pytest.skip("the captured answers are not here")
    return json.loads(path.read_text())


def test_captured_hits() -> None:
    first, second = read_hits(found(*captured("refchecker_publ_api_hits.json"))).observations
    assert first["title"].startswith("Active Exploration and Learning in real-Valued Spaces")
    assert first["authors"] == ["Marcos Salganicoff", "Lyle H. Ungar"]
    assert (first["venue"], first["year"], first["pages"]) == ("ICML", 1995, "480-487")
    assert first["doi"] == "10.1016/B978-1-55860-377-6.50066-9"
    assert first["dblp_key"] == "conf/icml/SalganicoffU95"
    assert second["dblp_key"] == "conf/icml/NieDHJC24"
    assert (second["year"], second["pages"]) == (2024, "38071-38090")
    assert "doi" not in second


def test_captured_hit_with_one_author() -> None:
    hits = captured("refchecker_publ_api_single_author_hit.json")
    [observation] = read_hits(found(*hits)).observations
    assert observation["authors"] == ["Peter Hall"]
    assert (observation["venue"], observation["volume"]) == ("Comput. Stat. Data Anal.", "51")
    assert observation["dblp_key"] == "journals/csda/Hall07"


# Asking


def test_what_can_be_asked() -> None:
    assert SOURCE.can_ask(Query("q", dblp_key="DBLP:conf/draft/Brandt0024"))
    assert SOURCE.can_ask(Query("q", title="Drafts", authors=("Jun Abe",)))
    assert not SOURCE.can_ask(Query("q", title="Drafts"))
    assert not SOURCE.can_ask(Query("q", title="?!", authors=("Jun Abe",)))
    assert not SOURCE.can_ask(Query("q", doi="10.5555/drafts.7", authors=("Jun Abe",)))


@pytest.mark.parametrize("with_key", [True, False])
def test_one_request_for_each_paper(with_key: bool) -> None:
    known = papers(24)
    client = client_for(SOURCE, playing(play, known))
    queries = [query_of(paper, with_key=with_key) for paper in known]
    replies = list(SOURCE.ask(queries, client))
    assert client.asked == {play.HOST: 24}
    for paper, answer in zip(known, replies, strict=True):
        assert (answer.record, answer.outcome) == (f"paper/p{paper.number}", "answered")
        seen = answer.observation
        Observation.model_validate(seen)
        assert seen["authors"] == list(paper.names)
        assert seen["dblp_key"] == paper.dblp_key
        assert seen["year"] == 2024
        assert seen.get("openreview_id", "") == paper.openreview_id
        assert ("pages" in answer.silent_on) is (paper.venue == "icml")
        assert {"volume", "arxiv_id"} <= set(answer.silent_on)
        assert answer.notes == ()
        assert answer.status == "active"


def test_locators() -> None:
    by_key = answer_to(BY_KEY, sent_xml(RECORD))
    assert by_key.locator == f"record {KEY}"
    assert by_key.url == f"https://dblp.org/rec/{KEY}.xml"
    by_title = answer_to(QUERY, sent(found(hit())))
    assert by_title.locator == f"publication search, {KEY}"


def test_the_search_is_for_plain_words() -> None:
    sought: list[str] = []

    def script(asked: Asked) -> Played:
        sought.append(asked.query["q"])
        return sent(found())

    query = replace(QUERY, title="Naïve $drafts$ | -trees- (author:Abe) “EAGLE-2”: 16×16?")
    assert answers([query], script)[0].outcome == "no-such-record"
    assert sought == ["naive drafts trees author abe eagle 2 16x16"]


def test_an_unknown_key() -> None:
    [answer] = answers([BY_KEY], playing(play, []))
    assert (answer.outcome, answer.locator) == ("no-such-record", f"record {KEY}")


def test_a_title_that_nobody_wrote() -> None:
    [answer] = answers([QUERY], playing(play, papers(3)))
    assert (answer.outcome, answer.locator) == ("no-such-record", "publication search by title")


def test_a_key_that_was_assigned_anew() -> None:
    moved = RECORD.replace(KEY, "conf/draft/BrandtA24")
    answer = answer_to(BY_KEY, sent_xml(moved))
    assert answer.observation["dblp_key"] == "conf/draft/BrandtA24"
    assert answer.notes == (f"asked for {KEY}, DBLP answers with conf/draft/BrandtA24",)


@pytest.mark.parametrize("by", [BY_KEY, replace(BY_KEY, dblp_key="journals/corr/abs-2401-00009")])
def test_the_key_of_another_paper(by: Query) -> None:
    text = RECORD if by.dblp_key == KEY else PREPRINT
    query = replace(by, title="Robots on Ice", authors=("Goran Diaz",))
    answer = answer_to(query, sent_xml(text))
    assert answer.observation["authors"][0] == "Zoë Brandt"
    [note] = answer.notes
    assert note.startswith("identifier belongs to another paper: ")
    assert note.endswith("by Zoë Brandt")


def test_hits_that_were_not_sent_may_be_the_paper() -> None:
    answer = answer_to(QUERY, sent(found(hit(title="Drafts of Trees with n2 Nodes"), total=812)))
    assert answer.outcome == "could-not-ask"
    assert answer.reason == ("more records than it sends answer to the title: 1 of 812 were sent")


def test_what_is_undecided_is_not_unknown() -> None:
    answer = answer_to(QUERY, sent(found(hit(authors=None))))
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith(f"no record is surely the paper: {KEY}")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (
            Played(b"<html><h1>Gateway</h1></html>", 404, "text/html"),
            "broken answer: HTTP 404 in an unknown form",
        ),
        (sent_xml("<dblp></dblp>"), "broken answer: it does not hold one record"),
        (sent_xml(RECORD[:-20]), "broken answer: it is not XML without entities"),
        (
            sent_xml("<!DOCTYPE dblp [<!ENTITY a 'b'>]><dblp>&a;</dblp>"),
            "broken answer: it is not XML without entities",
        ),
        (play.throttled(), "throttled: HTTP 429"),
    ],
)
def test_a_refusal_says_nothing_about_the_paper(reply: Played, reason: str) -> None:
    [answer] = answers([BY_KEY], lambda asked: reply)
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith(reason)


def test_ping() -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, []))) == ""
    assert SOURCE.ping(client_for(SOURCE, in_turn([sent_xml("<a/>")]))).startswith("broken answer")
    refused = SOURCE.ping(client_for(SOURCE, lambda asked: play.throttled()))
    assert refused.startswith("throttled: HTTP 429")


# Whatever comes


@given(st.sampled_from([200, 301, 404, 500]), BYTES)
def test_garbage_never_denies_a_paper(status: int, body: bytes) -> None:
    for query in (QUERY, BY_KEY):
        [answer] = answers([query], lambda asked: Played(body, status))
        assert answer.outcome == "could-not-ask"


@given(torn(RECORD))
def test_a_torn_record_never_denies_a_paper(text: str) -> None:
    body = text.encode("utf-8", "replace")
    [answer] = answers([BY_KEY], lambda asked: Played(body, kind="text/xml"))
    assert answer.outcome in ("answered", "could-not-ask")
    if answer.outcome == "answered":
        Observation.model_validate(answer.observation)


@given(damaged(found(hit())))
def test_damaged_hits_never_deny_a_paper(data: Any) -> None:
    [answer] = answers([QUERY], lambda asked: sent(data))
    if answer.outcome == "answered":
        Observation.model_validate(answer.observation)
    if answer.outcome == "no-such-record":
        # Nothing is missing, and what is there is said to be another paper.
        [only] = data["result"]["hits"]["hit"]
        if only["info"]["title"] == hit()["info"]["title"]:
            people = only["info"]["authors"]["author"]
            several = people if isinstance(people, list) else [people]
            assert "Zoë Brandt" not in [person["text"] for person in several]


@given(PLAIN)
def test_any_json_is_refused(data: Any) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_hits(data)
