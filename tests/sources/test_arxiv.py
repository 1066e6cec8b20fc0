from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from clock import FakeClock
from damage import torn
from hypothesis import given
from hypothesis import strategies as st
from papers import Paper, papers
from played import client_for, in_turn, playing
from plays import arxiv as play
from plays_interface import Asked, Played

from registry.records.evidence import Observation
from registry.sources.answers import NoReply
from registry.sources.arxiv import SOURCE
from registry.sources.arxiv_atom import read_page
from registry.sources.arxiv_history import Version
from registry.sources.interface import Answer, Query
from registry.sources.shapes import UnexpectedShapeError
from registry.sources.transport import Client

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT.parent / "shared" / "samples" / "arxiv"
captured = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no captured answers at hand")

ENTRY = """
  <entry>
    <id>http://arxiv.org/abs/2403.11111v2</id>
    <title>Sparse Trees at $\\mathcal{O}(n)$ Cost</title>
    <updated>2024-05-02T10:00:00Z</updated>
    <link href="https://arxiv.org/abs/2403.11111v2" rel="alternate" type="text/html"/>
    <summary>  Trees.</summary>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
    <published>2023-12-31T23:59:59Z</published>
    <arxiv:primary_category term="cs.LG"/>
    <author><name>Ada van der Berg</name></author>
    <author><name>Bo Li</name></author>
  </entry>
"""


def feed(*entries: str, total: int | str | None = None) -> bytes:
    counted = len(entries) if total is None else total
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" '
        'xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">\n'
        "  <id>https://arxiv.org/api/x</id>\n  <title>arXiv Query: id_list=x</title>\n"
        f"  <opensearch:totalResults>{counted}</opensearch:totalResults>\n"
        f"{''.join(entries)}</feed>"
    ).encode()


def atom(*entries: str, total: int | str | None = None, status: int = 200) -> Played:
    return Played(feed(*entries, total=total), status, "application/atom+xml; charset=utf-8")


def entry(name: str, title: str = "A Title", inside: str = "") -> str:
    return (
        f"<entry><id>http://arxiv.org/abs/{name}</id><title>{title}</title>"
        f"<published>2024-03-01T00:00:00Z</published>{inside}"
        "<author><name>Ada Abe</name></author></entry>"
    )


def query_of(paper: Paper, version: str = "") -> Query:
    return Query(
        f"paper/p{paper.number}",
        title=paper.title,
        authors=paper.names,
        year=paper.year,
        arxiv_id=paper.arxiv_id,
        arxiv_version=version,
    )


def asked_for(*names: str) -> list[Query]:
    return [Query(f"paper/p{place}", arxiv_id=name) for place, name in enumerate(names)]


def answers(queries: Sequence[Query], client: Client) -> dict[str, Answer]:
    found = list(SOURCE.ask(queries, client))
    assert sorted(answer.record for answer in found) == sorted(query.record for query in queries)
    return {answer.record: answer for answer in found}


def only(script: Callable[[Asked], Played], query: Query | None = None) -> Answer:
    wanted = query or Query("paper/p", arxiv_id="2403.11111")
    return answers([wanted], client_for(SOURCE, script))[wanted.record]


def always(played: Played) -> Callable[[Asked], Played]:
    return lambda asked: played


# What one entry says


def test_an_entry_of_the_present_form() -> None:
    answer = only(always(atom(ENTRY)))
    assert answer.outcome == "answered"
    assert answer.observation == {
        "title": "Sparse Trees at $\\mathcal{O}(n)$ Cost",
        "authors": ("Ada van der Berg", "Bo Li"),
        "venue": "arXiv",
        "year": 2023,
        "arxiv_id": "2403.11111v2",
    }
    assert set(answer.silent_on) == {"doi", "affiliations"}
    assert answer.version == "v2"
    assert answer.status == "active"
    assert answer.locator == "Atom API, entry 2403.11111v2"
    assert answer.url == ("https://export.arxiv.org/api/query?id_list=2403.11111&max_results=1")
    assert answer.notes == ()


def test_the_hash_is_of_what_was_read() -> None:
    assert only(always(atom(ENTRY))).sha256 == sha256(feed(ENTRY)).hexdigest()


@pytest.mark.parametrize(
    "written",
    [
        "A Title That Goes On\n  Over Two Lines",
        "A Title That  Goes On Over\u00a0Two Lines ",
        "\n A Title That Goes On Over\r\n\tTwo Lines",
    ],
)
def test_a_title_is_one_line(written: str) -> None:
    answer = only(always(atom(entry("2403.11111v1", written))))
    assert answer.observation["title"] == "A Title That Goes On Over Two Lines"


def test_odd_but_real_values_are_kept() -> None:
    inside = "<author><name>Dirk MÃ¼ller</name></author>"
    answer = only(always(atom(entry("2403.11111v1", "0", inside))))
    assert answer.observation["title"] == "0"
    assert answer.observation["authors"] == ("Dirk MÃ¼ller", "Ada Abe")


def test_the_order_of_elements_does_not_count() -> None:
    turned = (
        "<entry><author><name>Bo Li</name></author><published>2019-04-05T06:07:08Z</published>"
        '<title type="html">Turned Round</title><id>http://arxiv.org/abs/2403.11111v1</id></entry>'
    )
    answer = only(always(atom(turned)))
    assert answer.observation["title"] == "Turned Round"
    assert answer.observation["year"] == 2019


def test_affiliations_belong_to_authors_by_place() -> None:
    inside = (
        "<author><name>Eva Roy</name></author>"
        "<author><name>Max Tar</name><arxiv:affiliation>Uni A</arxiv:affiliation>"
        "<arxiv:affiliation>Lab\n  B</arxiv:affiliation></author>"
    )
    answer = only(always(atom(entry("2403.11111v1", inside=inside))))
    assert answer.observation["affiliations"] == (
        {"author": 2, "printed": "Uni A", "origin": "printed"},
        {"author": 2, "printed": "Lab B", "origin": "printed"},
    )
    Observation.model_validate(dict(answer.observation))


def test_only_the_doi_that_the_authors_gave_counts() -> None:
    inside = "<arxiv:doi>10.1000/x.1</arxiv:doi>"
    told = only(always(atom(entry("2403.11111v1", inside=inside))))
    assert told.observation["doi"] == "10.1000/x.1"
    assert "doi" in only(always(atom(entry("2403.11111v1")))).silent_on


def test_of_several_dois_the_first_counts_and_a_note_has_all() -> None:
    inside = "<arxiv:doi>10.1000/x.1 10.1000/y.2</arxiv:doi>"
    answer = only(always(atom(entry("2403.11111v1", inside=inside))))
    assert answer.observation["doi"] == "10.1000/x.1"
    assert answer.notes == ("more than one DOI: 10.1000/x.1, 10.1000/y.2",)


@pytest.mark.parametrize(
    ("inside", "note"),
    [
        ("<arxiv:comment>12 pages</arxiv:comment>", "comment: 12 pages"),
        (
            "<arxiv:comment>Accepted to\n ICML 2024</arxiv:comment>",
            "comment of the authors on acceptance: Accepted to ICML 2024",
        ),
        (
            "<arxiv:journal_ref>J. Trees 5:1-50, 2023</arxiv:journal_ref>",
            "journal reference: J. Trees 5:1-50, 2023",
        ),
    ],
)
def test_free_text_becomes_a_note_and_no_venue(inside: str, note: str) -> None:
    answer = only(always(atom(entry("2403.11111v1", inside=inside))))
    assert answer.notes == (note,)
    assert answer.observation["venue"] == "arXiv"


@pytest.mark.parametrize(
    ("comment", "status", "note"),
    [
        ("This paper has been withdrawn by the author due to a flaw in Lemma 2", "withdrawn", ""),
        ("Withdrawn; superseded by arXiv:2405.00003", "withdrawn", "arXiv 2405.00003"),
        ("12 pages. We study withdrawn drugs", "active", ""),
        ("Erratum added as appendix", "active", ""),
    ],
)
def test_only_the_comment_tells_that_a_paper_was_withdrawn(
    comment: str, status: str, note: str
) -> None:
    inside = f"<arxiv:comment>{comment}</arxiv:comment>"
    answer = only(always(atom(entry("2403.11111v2", inside=inside))))
    assert answer.outcome == "answered"
    assert answer.status == status
    assert any(one == f"to be read instead: {note}" for one in answer.notes) == bool(note)


@pytest.mark.parametrize("inside", ["", "<arxiv:comment/>", "<arxiv:comment>  </arxiv:comment>"])
def test_no_comment_is_normal(inside: str) -> None:
    answer = only(always(atom(entry("2403.11111v2", inside=inside))))
    assert (answer.status, answer.notes) == ("active", ())


def test_an_author_without_a_name_leaves_the_line_out() -> None:
    inside = "<author><name> </name></author>"
    answer = only(always(atom(entry("2403.11111v1", inside=inside))))
    assert "authors" not in answer.observation
    assert "authors" in answer.silent_on
    assert answer.notes == ("1 of 2 authors have no name",)


# An id of another paper


def test_an_id_of_another_paper_is_shown_and_noted() -> None:
    other = entry("2412.00009v2", "Cars That Fly: A Sky Study")
    wrong = Query(
        "paper/p", title="AllTest for Everybody", authors=("Gale, Bo",), arxiv_id="2412.00009"
    )
    answer = only(always(atom(other)), wrong)
    assert answer.outcome == "answered"
    assert answer.observation["title"] == "Cars That Fly: A Sky Study"
    (note,) = answer.notes
    assert note.startswith("identifier belongs to another paper: arXiv 2412.00009 is titled")
    assert "Cars That Fly" in note


def test_a_title_that_changed_is_no_other_paper() -> None:
    asked = Query("paper/p", title="An Older Name", authors=("Abe, Ada",), arxiv_id="2403.11111")
    assert only(always(atom(entry("2403.11111v1", "A Newer Name"))), asked).notes == ()


# Faults inside a feed


@pytest.mark.parametrize("status", [400, 200])
def test_a_fault_is_never_a_paper(status: int) -> None:
    fault = play.fault("incorrect id format for 2403.11111", "2403.11111", status)
    answer = only(always(fault))
    assert answer.outcome == "could-not-ask"
    assert answer.reason == "refused: incorrect id format for 2403.11111"


def test_a_paper_may_be_titled_error() -> None:
    assert only(always(atom(entry("2403.11111v1", "Error")))).observation["title"] == "Error"


def test_a_refusal_that_is_no_feed() -> None:
    answer = only(always(Played(b"Bad Request", 400, "text/plain")))
    assert (answer.outcome, answer.reason) == ("could-not-ask", "refused: HTTP 400")
    answer = only(always(atom(ENTRY, status=400)))
    assert (answer.outcome, answer.reason) == ("could-not-ask", "refused: HTTP 400")


def test_one_id_that_is_refused_does_not_spoil_the_others() -> None:
    known = papers(3)

    def script(asked: Asked) -> Played:
        if known[1].arxiv_id in asked.query["id_list"]:
            return play.fault(f"incorrect id format for {known[1].arxiv_id}", "")
        return play.answer(asked, known)

    client = client_for(SOURCE, script)
    found = answers([query_of(paper) for paper in known], client)
    assert [found[f"paper/p{n}"].outcome for n in range(3)] == [
        "answered",
        "could-not-ask",
        "answered",
    ]
    assert found["paper/p1"].reason.startswith("refused: incorrect id format")
    assert client.asked == {"export.arxiv.org": 2}


def test_refusing_everything_ends() -> None:
    client = client_for(SOURCE, always(play.fault("start must be an integer", "start", 200)))
    found = answers([query_of(paper) for paper in papers(5)], client)
    assert {answer.outcome for answer in found.values()} == {"could-not-ask"}
    assert client.asked == {"export.arxiv.org": 1}


# Ids


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("2403.11111", "2403.11111"),
        ("arXiv:2403.11111", "2403.11111"),
        ("https://arxiv.org/abs/2403.11111", "2403.11111"),
        ("arXiv:2403.11111 [cs.LG]", "2403.11111"),
        ("math.GT/0405010", "math/0405010"),
        ("solv-int/9701002", "solv-int/9701002"),
    ],
)
def test_forms_of_an_id(written: str, sent: str) -> None:
    seen: list[str] = []

    def script(asked: Asked) -> Played:
        seen.append(asked.query["id_list"])
        return atom(entry(f"{sent}v1"))

    assert only(script, Query("paper/p", arxiv_id=written)).outcome == "answered"
    assert seen == [sent]


def test_the_doi_of_the_preprint_holds_an_id() -> None:
    by_doi = Query("paper/p", doi="https://doi.org/10.48550/arXiv.2403.11111")
    assert SOURCE.can_ask(by_doi)
    assert only(always(atom(ENTRY)), by_doi).observation["arxiv_id"] == "2403.11111v2"
    assert not SOURCE.can_ask(Query("paper/p", title="T", doi="10.1000/x"))


@pytest.mark.parametrize(
    "bad", ["2413.00001", "0207016", "not-a-paper", "2401.15077v0", "2512.00007/sso-callback"]
)
def test_an_id_that_arxiv_would_refuse_is_not_sent(bad: str) -> None:
    client = client_for(SOURCE, in_turn([]))
    (answer,) = SOURCE.ask([Query("paper/p", arxiv_id=bad)], client)
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith(f"refused: “{bad}” is no arXiv id: ")
    assert client.asked == {}


def test_entries_are_matched_by_id_whatever_their_order() -> None:
    known = papers(60, seed=3)
    queries = [query_of(paper) for paper in known]
    random.Random(7).shuffle(queries)
    found = answers(queries, client_for(SOURCE, playing(play, known)))
    for paper in known:
        seen = found[f"paper/p{paper.number}"].observation
        assert seen["title"] == paper.title
        assert seen["authors"] == paper.names
        assert seen["arxiv_id"] == f"{paper.arxiv_id}v{paper.versions}"
        assert seen["year"] == 2024


def test_two_records_may_ask_for_one_paper() -> None:
    paper = papers(1)[0]
    twice = [query_of(paper), replace(query_of(paper), record="paper/again")]
    client = client_for(SOURCE, playing(play, [paper]))
    found = answers(twice, client)
    assert found["paper/p0"].observation == found["paper/again"].observation
    assert client.asked == {"export.arxiv.org": 1}


# Versions


def test_versions_are_told_apart() -> None:
    paper = replace(papers(1)[0], versions=3)
    queries = [
        query_of(paper),
        replace(query_of(paper, "v1"), record="paper/first"),
        replace(query_of(paper, "v2"), record="paper/second"),
    ]
    found = answers(queries, client_for(SOURCE, playing(play, [paper])))
    assert found["paper/p0"].version == "v3"
    assert found["paper/first"].version == "v1"
    assert found["paper/second"].version == "v2"
    assert found["paper/second"].observation["arxiv_id"] == f"{paper.arxiv_id}v2"


def test_a_version_in_the_id_counts() -> None:
    paper = replace(papers(1)[0], versions=3)
    wanted = Query("paper/p", arxiv_id=f"{paper.arxiv_id}v2")
    assert only(playing(play, [paper]), wanted).version == "v2"


def test_a_version_that_does_not_exist() -> None:
    paper = replace(papers(1)[0], versions=2)
    assert only(playing(play, [paper]), query_of(paper, "v9")).outcome == "no-such-record"


def test_another_version_than_the_wanted_is_no_answer() -> None:
    wanted = Query("paper/p", arxiv_id="2403.11111", arxiv_version="v1")
    answer = only(always(atom(ENTRY)), wanted)
    assert answer.outcome == "could-not-ask"
    assert answer.reason == "broken answer: 2403.11111v2 came where 2403.11111v1 was asked for"


# Papers that are not there


def test_an_unknown_id_alone() -> None:
    client = client_for(SOURCE, playing(play, []))
    (answer,) = SOURCE.ask(asked_for("2403.11111"), client)
    assert answer.outcome == "no-such-record"
    assert answer.locator == "Atom API, no entry 2403.11111"
    assert answer.sha256
    assert client.asked == {"export.arxiv.org": 1}


def test_unknown_ids_among_known_ones_are_left_out_by_arxiv() -> None:
    known = papers(5)
    client = client_for(SOURCE, playing(play, known[:3]))
    found = answers([query_of(paper) for paper in known], client)
    assert [found[f"paper/p{n}"].outcome for n in range(5)] == (
        ["answered"] * 3 + ["no-such-record"] * 2
    )
    assert client.asked == {"export.arxiv.org": 1}


def test_several_ids_of_which_none_is_known_are_asked_for_beside_a_paper_that_exists() -> None:
    client = client_for(SOURCE, playing(play, []))
    found = answers([query_of(paper) for paper in papers(100)], client)
    assert {answer.outcome for answer in found.values()} == {"no-such-record"}
    assert client.asked == {"export.arxiv.org": 2}


def test_a_page_that_is_empty_by_mistake_is_asked_for_again() -> None:
    known = papers(3)
    calls: list[Asked] = []

    def script(asked: Asked) -> Played:
        calls.append(asked)
        return atom(total=0) if len(calls) == 1 else play.answer(asked, known)

    found = answers([query_of(paper) for paper in known], client_for(SOURCE, script))
    assert {answer.outcome for answer in found.values()} == {"answered"}
    assert len(calls) == 2


@pytest.mark.parametrize("total", [0, 3, 4])
def test_an_empty_page_that_stays_empty_says_nothing_of_several_papers(total: int) -> None:
    client = client_for(SOURCE, always(atom(total=total)))
    found = answers([query_of(paper) for paper in papers(3)], client)
    assert {answer.outcome for answer in found.values()} == {"could-not-ask"}
    assert all(answer.reason.startswith("broken answer: ") for answer in found.values())
    assert client.asked == {"export.arxiv.org": 2}


def test_an_entry_that_is_counted_and_not_shown_is_not_unknown() -> None:
    answer = only(always(atom(total=1)))
    assert answer.outcome == "could-not-ask"
    assert answer.reason == "broken answer: the feed counts 1 and shows 0"


def test_what_is_counted_and_not_shown_is_asked_for_beside_a_paper_that_exists() -> None:
    def script(asked: Asked) -> Played:
        both = "1706.03762" in asked.query["id_list"].split(",")
        return play.answer(asked, []) if both else atom(total=1)

    assert only(script).outcome == "no-such-record"


def test_an_answer_that_counts_nothing_still_shows_papers() -> None:
    bare = feed(ENTRY).replace(b"<opensearch:totalResults>1</opensearch:totalResults>", b"")
    found = answers(
        asked_for("2403.11111", "2403.22222"),
        client_for(SOURCE, always(Played(bare, 200, "application/atom+xml"))),
    )
    assert found["paper/p0"].outcome == "answered"
    assert found["paper/p1"].outcome == "could-not-ask"


@pytest.mark.parametrize(
    "second",
    [
        entry("2403.99999v1"),  # was not asked for
        entry("2403.11111v2"),  # is there already
        "<entry><id>nonsense</id><title>T</title></entry>",
        entry("2403.22222v1").replace("2024-03-01", "soon"),
    ],
)
def test_a_page_with_a_wrong_entry_is_not_believed_about_absence(second: str) -> None:
    found = answers(
        asked_for("2403.11111", "2403.22222"), client_for(SOURCE, always(atom(ENTRY, second)))
    )
    assert found["paper/p0"].outcome == "answered"
    assert found["paper/p1"].outcome == "could-not-ask"


# Answers that are none


@pytest.mark.parametrize(
    ("played", "reason"),
    [
        (play.throttled(), "throttled: HTTP 429"),
        (Played(b"Not Acceptable", 406, "text/html"), "throttled: HTTP 406"),
        (Played(b"", 503, "text/plain", {"Retry-After": "5"}), "throttled: HTTP 503"),
        (Played(b"<html>oops</html>", 500, "text/html"), "server error: HTTP 500"),
        (Played(b"Rate exceeded.", 200, "text/plain"), "broken answer"),
        (Played(b"", 200, "application/atom+xml"), "broken answer"),
        (Played(b"<!DOCTYPE html><html>arXiv is down</html>", 200, "text/html"), "broken answer"),
        (Played(b"<html>arXiv is down</html>", 200, "text/html"), "broken answer"),
        (Played(b"<rss><channel/></rss>", 200, "text/xml"), "broken answer: it is no Atom feed"),
        (Played(b"<feed/>", 200, "text/xml"), "broken answer: it is no Atom feed"),
        (Played(feed(ENTRY)[:-30], 200, "application/atom+xml"), "broken answer"),
        (Played(b'{"error": "no"}', 200, "application/json"), "broken answer"),
        (
            Played(
                b'<!DOCTYPE x [<!ENTITY a "b">]><feed xmlns="http://www.w3.org/2005/Atom">&a;</feed>',
                200,
                "application/atom+xml",
            ),
            "broken answer",
        ),
        (Played(b"<html>404 Not Found</html>", 404, "text/html"), "refused: HTTP 404"),
    ],
)
def test_what_is_no_answer_says_nothing_of_the_paper(played: Played, reason: str) -> None:
    clock = FakeClock()
    client = client_for(SOURCE, always(played), clock=clock, budget=600.0)
    (answer,) = SOURCE.ask(asked_for("2403.11111"), client)
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith(reason)
    assert clock.now() <= 600


def test_throttling_ends_the_run_in_time_and_spoils_no_other_answer() -> None:
    known = papers(150)
    first = iter([True])

    def script(asked: Asked) -> Played:
        return play.answer(asked, known) if next(first, False) else play.throttled()

    clock = FakeClock()
    client = client_for(SOURCE, script, clock=clock, budget=120.0)
    found = answers([query_of(paper) for paper in known], client)
    outcomes = [found[f"paper/p{n}"].outcome for n in range(150)]
    assert outcomes == ["answered"] * 100 + ["could-not-ask"] * 50
    assert found["paper/p149"].reason.startswith("throttled: HTTP 429")
    assert clock.now() <= 120


# Requests


@pytest.mark.parametrize(("count", "requests"), [(1, 1), (100, 1), (101, 2), (200, 2)])
def test_a_hundred_papers_are_one_request(count: int, requests: int) -> None:
    known = papers(count)
    client = client_for(SOURCE, playing(play, known))
    found = answers([query_of(paper) for paper in known], client)
    assert {answer.outcome for answer in found.values()} == {"answered"}
    assert client.asked == {"export.arxiv.org": requests}


def test_requests_are_three_seconds_apart() -> None:
    clock = FakeClock()
    starts: list[float] = []
    known = papers(201)

    def script(asked: Asked) -> Played:
        starts.append(clock.now())
        return play.answer(asked, known)

    client = client_for(SOURCE, script, clock=clock)
    answers([query_of(paper) for paper in known], client)
    assert [later - start for start, later in pairwise(starts)] == [3.0, 3.0]
    assert {policy.concurrency for policy in SOURCE.policies} == {1}


def test_the_page_is_as_large_as_the_list() -> None:
    # Without max_results arXiv shows ten, and the others would look unknown.
    known = papers(30)
    found = answers([query_of(paper) for paper in known], client_for(SOURCE, playing(play, known)))
    assert {answer.outcome for answer in found.values()} == {"answered"}


def test_withdrawn_papers_of_the_play_are_seen() -> None:
    paper = replace(papers(1)[0], withdrawn=True)
    assert only(playing(play, [paper]), query_of(paper)).status == "withdrawn"


def test_ping() -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, []))) == ""
    assert SOURCE.ping(client_for(SOURCE, always(play.throttled()))).startswith("throttled")
    assert SOURCE.ping(client_for(SOURCE, always(atom(total=0)))) != ""


# The history of a paper


def oai(inside: str) -> Played:
    text = f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">{inside}</OAI-PMH>'
    return Played(text.encode(), 200, "text/xml")


def raw(name: str, *versions: tuple[str, str]) -> Played:
    listed = "".join(
        f'<version version="{version}"><date>{day}</date><size>9kb</size></version>'
        for version, day in versions
    )
    return oai(
        "<GetRecord><record><header/><metadata>"
        f'<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>{name}</id>{listed}</arXivRaw>'
        "</metadata></record></GetRecord>"
    )


def test_the_days_of_all_versions() -> None:
    paper = replace(papers(1)[0], versions=3, submitted=date(2024, 1, 31))
    client = client_for(SOURCE, playing(play, [paper]))
    assert SOURCE.history(f"arXiv:{paper.arxiv_id}v2", client) == (
        Version("v1", date(2024, 1, 31)),
        Version("v2", date(2024, 3, 1)),
        Version("v3", date(2024, 3, 31)),
    )
    assert client.asked == {"oaipmh.arxiv.org": 1}


def test_days_are_those_of_greenwich_and_versions_are_in_order() -> None:
    answer = raw(
        "hep-th/9901002",
        ("v2", "Mon, 4 Jan 1999 23:30:00 -0500"),
        ("v1", "Fri, 01 Jan 1999 10:00:00 GMT"),
    )
    found = SOURCE.history("hep-th/9901002", client_for(SOURCE, always(answer)))
    assert found == (Version("v1", date(1999, 1, 1)), Version("v2", date(1999, 1, 5)))


def test_no_such_paper_has_no_history() -> None:
    assert SOURCE.history("2403.11111", client_for(SOURCE, playing(play, []))) == ()


@pytest.mark.parametrize(
    ("played", "reason"),
    [
        (play.throttled(), "throttled"),
        (oai('<error code="badArgument">no such\n argument</error>'), "refused: badArgument no"),
        (oai(""), "broken answer: it holds no record"),
        (raw("2403.99999", ("v1", "Fri, 01 Mar 2024 10:00:00 GMT")), "broken answer: it holds no"),
        (raw("2403.11111"), "broken answer: its versions"),
        (raw("2403.11111", ("v2", "Fri, 01 Mar 2024 10:00:00 GMT")), "broken answer: its versions"),
        (raw("2403.11111", ("v1", "soon")), "broken answer: a version has"),
        (raw("2403.11111", ("", "Fri, 01 Mar 2024 10:00:00 GMT")), "broken answer: a version has"),
        (atom(ENTRY), "broken answer: it is no OAI-PMH document"),
    ],
)
def test_a_history_that_cannot_be_had(played: Played, reason: str) -> None:
    found = SOURCE.history("2403.11111", client_for(SOURCE, always(played)))
    assert isinstance(found, NoReply)
    assert str(found).startswith(reason)


def test_the_history_of_no_id_is_not_asked_for() -> None:
    client = client_for(SOURCE, in_turn([]))
    found = SOURCE.history("2413.00001", client)
    assert str(found) == "refused: “2413.00001” is no arXiv id: there is no month 13"
    assert client.asked == {}


# Whatever comes


def check(answer: Answer) -> None:
    """No answer that was damaged may deny a paper, and what is said can be kept."""
    assert answer.outcome in ("answered", "could-not-ask")
    assert bool(answer.reason) == (answer.outcome == "could-not-ask")
    if answer.outcome == "answered":
        Observation.model_validate(dict(answer.observation))
        assert "None" not in answer.observation.values()


KNOWN = papers(3)
VALID = play.answer(
    Asked(
        "GET",
        play.API,
        "/api/query",
        {"id_list": ",".join(paper.arxiv_id for paper in KNOWN), "max_results": "3"},
        {},
    ),
    KNOWN,
).body.decode()


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode), st.sampled_from([200, 400]))
def test_garbage_never_raises(body: bytes, status: int) -> None:
    client = client_for(SOURCE, always(Played(body, status, "application/atom+xml")))
    for answer in SOURCE.ask([query_of(paper) for paper in KNOWN], client):
        check(answer)


@given(torn(VALID))
def test_a_torn_feed_denies_no_paper(text: str) -> None:
    client = client_for(SOURCE, always(Played(text.encode("utf-8", "replace"))))
    for answer in SOURCE.ask([query_of(paper) for paper in KNOWN], client):
        check(answer)


@st.composite
def disturbed(draw: st.DrawFn) -> bytes:
    """The valid feed with some elements gone, emptied, renamed or filled with something else."""
    root = ElementTree.fromstring(VALID)
    for _ in range(draw(st.integers(1, 3))):
        places = [(parent, child) for parent in root.iter() for child in parent]
        if not places:
            break
        parent, child = draw(st.sampled_from(places))
        what = draw(st.sampled_from(("remove", "empty", "rename", "fill")))
        if what == "remove":
            parent.remove(child)
        elif what == "empty":
            child.clear()
        elif what == "rename":
            child.tag = draw(st.sampled_from(("entry", "{http://www.w3.org/2005/Atom}entry")))
        else:
            child.text = draw(st.sampled_from(("Error", "v", "9" * 40, "²", "2401.10001", " ")))
    return ElementTree.tostring(root)


@given(disturbed())
def test_a_disturbed_feed_denies_no_paper(body: bytes) -> None:
    client = client_for(SOURCE, always(Played(body, 200, "application/atom+xml")))
    for answer in SOURCE.ask([query_of(paper) for paper in KNOWN], client):
        check(answer)


@given(torn(raw("2403.11111", ("v1", "Fri, 01 Mar 2024 10:00:00 GMT")).body.decode()))
def test_a_torn_history_never_raises(text: str) -> None:
    client = client_for(SOURCE, always(Played(text.encode("utf-8", "replace"))))
    found = SOURCE.history("2403.11111", client)
    assert isinstance(found, NoReply) or found[0].version == "v1"


# What it says of itself


def test_it_claims_what_its_record_claims() -> None:
    record = yaml.safe_load((ROOT / "data" / "sources" / "arxiv.yaml").read_text("utf-8"))
    assert record["id"] == SOURCE.name
    own = {name: speech.trust for speech in SOURCE.speaks for name in speech.fields}
    recorded = {name: said["trust"] for said in record["speaks_about"] for name in said["fields"]}
    assert own == recorded


def test_it_takes_no_key() -> None:
    assert SOURCE.key_variables == ()


# Captured answers


def sample(name: str) -> tuple[int, bytes]:
    data = json.loads((SAMPLES / "arxiv.py" / name).read_text("utf-8"))
    return data["status_code"], data["body"].encode()


def from_sample(name: str, arxiv_id: str, version: str = "") -> Answer:
    status, body = sample(name)
    script = always(Played(body, status, "application/atom+xml; charset=utf-8"))
    return only(script, Query("paper/p", arxiv_id=arxiv_id, arxiv_version=version))


@captured
@pytest.mark.parametrize(
    ("name", "arxiv_id", "seen"),
    [
        (
            "id_1605.08386_s0_m100_199195aa31ad.json",
            "1605.08386",
            {
                "title": "Heat-bath random walks with Markov bases",
                "authors": ("Caprice Stanley", "Tobias Windisch"),
                "venue": "arXiv",
                "year": 2016,
                "arxiv_id": "1605.08386v1",
            },
        ),
        (
            "id_2104.12255v1_s0_m100_6ae69987ffe1.json",
            "2104.12255",
            {
                "title": "0",
                "authors": ("Quan Thoi Minh Nguyen",),
                "venue": "arXiv",
                "year": 2021,
                "arxiv_id": "2104.12255v1",
            },
        ),
        (
            "id_quant-ph_0201082v1_s0_m100_86989fe779ef.json",
            "quant-ph/0201082",
            {
                "title": "Quantum Computers and Quantum Computer Languages: Quantum Assembly "
                "Language and Quantum C Language",
                "authors": ("Stephen Blaha",),
                "venue": "arXiv",
                "year": 2002,
                "arxiv_id": "quant-ph/0201082v1",
            },
        ),
    ],
)
def test_captured_entries(name: str, arxiv_id: str, seen: dict[str, Any]) -> None:
    answer = from_sample(name, arxiv_id)
    assert answer.observation == seen
    assert answer.version == "v1"


@captured
def test_captured_affiliations_and_journal_reference() -> None:
    answer = from_sample("id_astro-ph_0601001_s0_m100_3150dca9dc76.json", "astro-ph/0601001")
    assert [(one["author"], one["printed"]) for one in answer.observation["affiliations"]] == [
        (1, "Ohio State"),
        (2, "Ohio State"),
        (3, "CfA"),
        (4, "Warsaw University Observatory"),
    ]
    assert "journal reference: ActaAstron.56:1-50,2006" in answer.notes
    assert answer.observation["year"] == 2006


@captured
def test_captured_list_with_an_unknown_id() -> None:
    status, body = sample("id_0808.05394_1707.08567_s0_m100_42e5aa0ec3af.json")
    # 0808.05394 has a digit too many, so another id that is not there stands in for it.
    script = always(Played(body, status, "application/atom+xml"))
    found = answers(asked_for("0808.0539", "1707.08567"), client_for(SOURCE, script))
    assert found["paper/p0"].outcome == "no-such-record"
    assert found["paper/p1"].observation["authors"][-2:] == ("Dirk WÃ¼bben", "Hirosuke Yamamoto")
    assert len(found["paper/p1"].observation["authors"]) == 34


@captured
def test_captured_empty_feed_and_fault() -> None:
    gone = from_sample("id_0808.05394_s0_m100_7b0c7d0a7cdd.json", "0808.0539")
    assert gone.outcome == "no-such-record"
    fault = from_sample("id_abc_s0_m100_b79c8dcf6bc3.json", "0808.0539")
    assert (fault.outcome, fault.reason) == (
        "could-not-ask",
        "refused: incorrect id format for abc",
    )
    other = (SAMPLES / "kdense" / "arxiv_error.xml").read_bytes()
    told = only(always(Played(other, 200, "application/atom+xml")))
    assert (told.outcome, told.reason) == ("could-not-ask", "refused: start must be an integer")


@captured
def test_captured_feed_of_a_later_year() -> None:
    body = (SAMPLES / "kdense" / "arxiv_feed.xml").read_bytes()
    answer = only(
        always(Played(body, 200, "application/atom+xml")), Query("paper/p", arxiv_id="1706.03762")
    )
    assert answer.observation["title"] == "Attention Is All You Need"
    assert answer.observation["authors"][5] == "Aidan N. Gomez"
    assert (answer.version, answer.observation["year"]) == ("v7", 2017)
    assert answer.notes == ("comment: 15 pages, 5 figures",)


@captured
def test_captured_throttling() -> None:
    body = (SAMPLES / "kdense" / "arxiv_rate_limited.txt").read_bytes()
    answer = only(always(Played(body, 429, "text/plain")))
    assert answer.reason.startswith("throttled: HTTP 429")


def test_reading_what_is_no_feed() -> None:
    with pytest.raises(UnexpectedShapeError, match="it is no Atom feed"):
        read_page(ElementTree.fromstring("<entry/>"))
