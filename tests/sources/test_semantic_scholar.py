from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from email.utils import formatdate
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from clock import FakeClock
from damage import BYTES, PLAIN, damaged, torn
from hypothesis import given
from papers import Paper, papers
from played import client_for, in_turn, playing
from plays import semantic_scholar as play
from plays_interface import Asked, Played

from registry.records.evidence import Observation
from registry.sources.interface import Answer, Query
from registry.sources.semantic_scholar import SOURCE
from registry.sources.semantic_scholar_entry import Ids, Reading, ids_from, read_batch, read_entry
from registry.sources.shapes import UnexpectedShapeError
from registry.sources.transport import Client

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT.parent / "shared" / "samples" / "semanticscholar"
captured = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no captured answers at hand")

FIELDS = "fields=title,authors,year,venue,publicationVenue,journal,externalIds"
GRAPH = "https://api.semanticscholar.org/graph/v1/paper"
ICML = "International Conference on Machine Learning"

PUBLISHED: dict[str, Any] = {
    "paperId": "0f" * 20,
    "externalIds": {
        "DBLP": "journals/corr/abs-2403-11111",
        "ArXiv": "2403.11111",
        "DOI": "10.48550/arXiv.2403.11111",
        "CorpusId": 268000001,
    },
    "publicationVenue": {
        "id": "aa-bb",
        "name": ICML,
        "type": "conference",
        "alternate_names": ["ICML"],
        "url": "https://icml.cc/",
    },
    "url": "https://www.semanticscholar.org/paper/" + "0f" * 20,
    "title": "Sparse Trees",
    "abstract": None,
    "venue": ICML,
    "year": 2023,
    "journal": {"name": "ArXiv", "volume": "abs/2403.11111"},
    "authors": [{"authorId": "1", "name": "Ada Abe"}, {"authorId": None, "name": "B. Li"}],
}
"""Upgraded by halves: the venue is the conference's, all the rest the preprint's."""


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("S2_API_KEY", raising=False)


def as_json(data: object, status: int = 200, **headers: str) -> Played:
    return Played(json.dumps(data).encode(), status, headers=headers)


def always(played: Played) -> Callable[[Asked], Played]:
    return lambda asked: played


def changed(**values: Any) -> dict[str, Any]:
    return {**PUBLISHED, **values}


def query_of(paper: Paper) -> Query:
    return Query(
        f"paper/p{paper.number}",
        title=paper.title,
        authors=paper.names,
        year=paper.year,
        arxiv_id=paper.arxiv_id,
        doi=paper.doi,
    )


def titled(paper: Paper) -> Query:
    return replace(query_of(paper), arxiv_id="", doi="")


def answers(queries: Sequence[Query], client: Client) -> dict[str, Answer]:
    found = list(SOURCE.ask(queries, client))
    assert sorted(answer.record for answer in found) == sorted(query.record for query in queries)
    return {answer.record: answer for answer in found}


def only(script: Callable[[Asked], Played], query: Query | None = None) -> Answer:
    wanted = query or Query("paper/p", arxiv_id="2403.11111")
    return answers([wanted], client_for(SOURCE, script))[wanted.record]


# What one entry says


def test_an_entry_upgraded_by_halves_is_given_as_it_is() -> None:
    answer = only(always(as_json(PUBLISHED)))
    assert answer.outcome == "answered"
    assert answer.observation == {
        "title": "Sparse Trees",
        "authors": ("Ada Abe", "B. Li"),
        "year": 2023,
        "venue": ICML,
        "doi": "10.48550/arXiv.2403.11111",
        "arxiv_id": "2403.11111",
    }
    assert set(answer.silent_on) == {"volume", "pages"}
    assert answer.url == f"{GRAPH}/ARXIV:2403.11111?{FIELDS}"
    assert answer.locator == (
        f"Academic Graph API, entry {'0f' * 20}, asked for by ARXIV:2403.11111"
    )
    assert answer.sha256 == sha256(json.dumps(PUBLISHED).encode()).hexdigest()
    assert (answer.status, answer.version, answer.notes) == ("active", "", ())


@pytest.mark.parametrize(
    ("values", "venue"),
    [
        ({"publicationVenue": {"name": "A"}, "venue": "B", "journal": {"name": "C"}}, "A"),
        ({"publicationVenue": None, "venue": "B", "journal": {"name": "C"}}, "B"),
        ({"publicationVenue": {"name": None}, "venue": "", "journal": {"name": "C"}}, "C"),
        ({"publicationVenue": None, "venue": None, "journal": None}, None),
        ({"publicationVenue": {"name": " "}, "venue": " ", "journal": {}}, None),
    ],
)
def test_the_best_name_of_the_venue(values: Mapping[str, Any], venue: str | None) -> None:
    seen = read_entry(changed(**values)).observation
    assert seen.get("venue") == venue


@pytest.mark.parametrize(
    ("journal", "volume", "pages"),
    [
        ({"name": "Mind", "volume": "LIX", "pages": "433-460"}, "LIX", "433-460"),
        ({"pages": "\n            12-\n 25"}, None, "12- 25"),
        ({"name": "ArXiv", "volume": "abs/2403.11111"}, None, None),
        ({"name": "CoRR", "volume": "Abs/2403.11111", "pages": ""}, None, None),
        ({}, None, None),
        (None, None, None),
    ],
)
def test_volume_and_pages(journal: object, volume: str | None, pages: str | None) -> None:
    seen = read_entry(changed(journal=journal)).observation
    assert (seen.get("volume"), seen.get("pages")) == (volume, pages)


@pytest.mark.parametrize(
    "thin",
    [
        {"paperId": "a", "title": "T"},
        {
            "paperId": "a",
            "title": "T",
            "venue": "",
            "publicationVenue": None,
            "journal": None,
            "year": None,
            "authors": [],
            "externalIds": None,
        },
    ],
)
def test_what_an_entry_lacks_is_silence(thin: Mapping[str, Any]) -> None:
    answer = only(always(as_json(thin)))
    assert answer.observation == {"title": "T"}
    assert set(answer.silent_on) == {
        "authors",
        "year",
        "arxiv_id",
        "venue",
        "volume",
        "pages",
        "doi",
    }


def test_a_track_is_never_said() -> None:
    answer = only(always(as_json(changed(publicationTypes=["Conference"]))))
    assert "venue_track" not in answer.observation
    assert "venue_track" not in answer.silent_on


def test_an_author_without_a_name_leaves_the_line_out() -> None:
    people = [{"authorId": "1", "name": "Ada Abe"}, {"authorId": None, "name": None}]
    answer = only(always(as_json(changed(authors=people))))
    assert "authors" not in answer.observation
    assert answer.notes == ("1 of 2 authors have no name",)


def test_half_a_character_is_not_kept() -> None:
    body = json.dumps(changed(title="Sparse?Trees\u0000")).replace("?", "\\ud83d").encode()
    title = only(always(Played(body))).observation["title"]
    assert title.encode().startswith(b"Sparse")
    assert title.endswith("Trees")


def test_a_retraction_notice_is_not_the_paper() -> None:
    reading = read_entry(changed(title="Retraction: Sparse Trees"))
    assert (reading.status, reading.notes) == ("active", ("this is a retraction notice",))
    assert read_entry(changed(title="RETRACTED: Sparse Trees")).status == "retracted"


@pytest.mark.parametrize(
    "values",
    [
        {"title": ["Sparse Trees"]},
        {"title": {"value": "Sparse Trees"}},
        {"year": "2023"},
        {"year": True},
        {"year": 2023.5},
        {"authors": {"name": "Ada Abe"}},
        {"authors": ["Ada Abe"]},
        {"authors": [None]},
        {"externalIds": []},
        {"externalIds": {"ArXiv": 2403.11111}},
        {"journal": "Mind"},
        {"publicationVenue": "ICML"},
        {"venue": 5},
        {"paperId": None},
        {"paperId": ""},
    ],
)
def test_a_value_of_another_type_is_a_broken_answer(values: Mapping[str, Any]) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_entry(changed(**values))
    answer = only(always(as_json(changed(**values))))
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith("broken answer: ")


@pytest.mark.parametrize("data", [[], [PUBLISHED], "x", 5, None, True, {}, {"error": "no"}])
def test_what_is_no_entry(data: object) -> None:
    answer = only(always(as_json(data)))
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith("broken answer: ")


# Identifiers


def test_the_doi_of_a_preprint_is_its_arxiv_id() -> None:
    assert ids_from("", "10.48550/arXiv.2403.11111") == Ids("2403.11111")
    assert ids_from("arXiv:2403.11111v2", "https://doi.org/10.1000/X") == Ids(
        "2403.11111", "10.1000/x"
    )
    assert ids_from("nonsense", "nonsense") == Ids()


@pytest.mark.parametrize(
    ("one", "other", "agreement"),
    [
        (Ids("2403.11111"), Ids("2403.11111", "10.1000/x"), "same"),
        (Ids("2403.11111"), Ids("2403.22222"), "different"),
        (Ids("2403.11111"), Ids("", "10.1000/x"), "unknown"),
        (Ids("2403.11111", "10.1000/x"), Ids("2403.22222", "10.1000/x"), "same"),
        (Ids(), Ids("2403.11111"), "unknown"),
    ],
)
def test_agreement_of_identifiers(one: Ids, other: Ids, agreement: str) -> None:
    assert one.agreement(other) == other.agreement(one) == agreement


def test_what_is_needed_to_ask() -> None:
    assert SOURCE.can_ask(Query("p", arxiv_id="2403.11111"))
    assert SOURCE.can_ask(Query("p", doi="10.1000/x"))
    assert SOURCE.can_ask(Query("p", title="T", authors=("Abe, Ada",)))
    assert not SOURCE.can_ask(Query("p", title="T"))
    assert not SOURCE.can_ask(Query("p", arxiv_id="2413.00001"))
    client = client_for(SOURCE, in_turn([]))
    (answer,) = SOURCE.ask([Query("p", title="T")], client)
    assert answer.outcome == "could-not-ask"
    assert client.asked == {}


def test_a_preprint_that_is_known_by_its_doi_only() -> None:
    entry = changed(externalIds={"DOI": "10.48550/arXiv.2403.11111", "CorpusId": 1})

    def script(asked: Asked) -> Played:
        if asked.path.endswith("/ARXIV:2403.11111"):
            return as_json({"error": "Paper with id ARXIV:2403.11111 not found"}, 404)
        assert asked.path == "/graph/v1/paper/DOI:10.48550/arXiv.2403.11111"
        return as_json(entry)

    answer = only(script)
    assert answer.outcome == "answered"
    assert answer.observation["doi"] == "10.48550/arXiv.2403.11111"
    assert "arxiv_id" in answer.silent_on


def test_identifiers_with_slashes_stand_in_the_path() -> None:
    seen: list[str] = []

    def script(asked: Asked) -> Played:
        seen.append(asked.path)
        return as_json(changed(externalIds={}))

    only(script, Query("paper/p", doi="10.1000/a(b)/c<d>"))
    only(script, Query("paper/p", arxiv_id="math.GT/0405010"))
    assert seen == ["/graph/v1/paper/DOI:10.1000/a(b)/c<d>", "/graph/v1/paper/ARXIV:math/0405010"]


def test_an_identifier_of_another_paper_is_shown_and_noted() -> None:
    wrong = Query("paper/p", title="AllTest", authors=("Gale, Cy",), arxiv_id="2403.11111")
    answer = only(always(as_json(PUBLISHED)), wrong)
    assert answer.observation["title"] == "Sparse Trees"
    (note,) = answer.notes
    assert note.startswith(
        "identifier belongs to another paper: arXiv 2403.11111 is titled “Sparse Trees”"
    )


def test_an_entry_that_was_led_elsewhere_is_no_answer() -> None:
    entry = changed(externalIds={"ArXiv": "2403.99999"})
    answer = only(always(as_json(entry)))
    assert answer.outcome == "could-not-ask"
    assert answer.reason == (
        "broken answer: the entry of 2403.99999 came where ARXIV:2403.11111 was asked for"
    )


@pytest.mark.parametrize("shown", ["10.48550/arXiv.2403.11111", "10.1000/other", None])
def test_a_doi_may_lead_to_an_entry_that_shows_another(shown: str | None) -> None:
    entry = changed(externalIds={"ArXiv": "2403.11111", "DOI": shown})
    asked = {"DOI:10.1000/x": Ids("2403.11111", "10.1000/x"), "ARXIV:2403.22222": Ids("2403.22222")}
    found = read_batch(asked, [entry, None])
    assert isinstance(found["DOI:10.1000/x"], Reading)
    assert found["ARXIV:2403.22222"] is None


# Batches


def ids(*names: str) -> dict[str, Ids]:
    return {f"ARXIV:{name}": Ids(name) for name in names}


def entry_with(arxiv_id: str | None) -> dict[str, Any]:
    external = {"ArXiv": arxiv_id} if arxiv_id else {"CorpusId": 1}
    return changed(externalIds=external, title=f"Paper {arxiv_id}")


def outcomes(found: Mapping[str, object]) -> list[str]:
    return [
        one.observation["title"] if isinstance(one, Reading) else "gap" if one is None else "broken"
        for one in found.values()
    ]


A, B, C = "2403.11111", "2403.22222", "2403.33333"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([entry_with(A), entry_with(B), entry_with(C)], [f"Paper {A}", f"Paper {B}", f"Paper {C}"]),
        ([entry_with(A), None, entry_with(C)], [f"Paper {A}", "gap", f"Paper {C}"]),
        ([None, None, None], ["gap", "gap", "gap"]),
        # By contract an entry without identifiers is that of its place.
        ([entry_with(None), entry_with(B), None], ["Paper None", f"Paper {B}", "gap"]),
        # An entry that was led elsewhere is nobody's; the others stand where they should.
        ([entry_with("2403.99999"), entry_with(B), None], ["broken", f"Paper {B}", "gap"]),
        ([{"paperId": 5}, entry_with(B), None], ["broken", f"Paper {B}", "gap"]),
        # Shifted or shortened: a gap says nothing, an entry only what it says itself.
        ([entry_with(B), entry_with(A), None], [f"Paper {A}", f"Paper {B}", "broken"]),
        ([None, entry_with(A), entry_with(B)], [f"Paper {A}", f"Paper {B}", "broken"]),
        ([entry_with(A), entry_with(C)], [f"Paper {A}", "broken", f"Paper {C}"]),
        ([entry_with(None), entry_with(A), None, None], [f"Paper {A}", "broken", "broken"]),
        ([], ["broken", "broken", "broken"]),
        ({"data": []}, ["broken", "broken", "broken"]),
        ({"message": "Internal error"}, ["broken", "broken", "broken"]),
        (None, ["broken", "broken", "broken"]),
    ],
)
def test_a_batch(data: object, said: list[str]) -> None:
    assert outcomes(read_batch(ids(A, B, C), data)) == said


def test_a_hundred_papers_are_one_request() -> None:
    known = papers(100)
    client = client_for(SOURCE, playing(play, known))
    found = answers([query_of(paper) for paper in known], client)
    assert client.asked == {"api.semanticscholar.org": 1}
    assert {answer.outcome for answer in found.values()} == {"answered"}
    for paper in known:
        assert found[f"paper/p{paper.number}"].observation["title"] == paper.title
        assert found[f"paper/p{paper.number}"].notes == ()


def test_a_request_has_no_more_than_five_hundred_names() -> None:
    known = papers(300)
    sizes: list[int] = []

    def script(asked: Asked) -> Played:
        sizes.append(len(json.loads(asked.body)["ids"]))
        return play.answer(asked, known)

    found = answers([query_of(paper) for paper in known], client_for(SOURCE, script))
    assert {answer.outcome for answer in found.values()} == {"answered"}
    assert len(sizes) == 2
    assert max(sizes) <= 500


def test_what_is_asked() -> None:
    known = papers(2, venue="acl")
    seen: list[Asked] = []

    def script(asked: Asked) -> Played:
        seen.append(asked)
        return play.answer(asked, known)

    answers([query_of(paper) for paper in known], client_for(SOURCE, script))
    (asked,) = seen
    assert (asked.method, asked.path) == ("POST", "/graph/v1/paper/batch")
    assert asked.query["fields"] == FIELDS.removeprefix("fields=")
    assert json.loads(asked.body) == {
        "ids": [
            name
            for paper in known
            for name in (
                f"ARXIV:{paper.arxiv_id}",
                f"DOI:10.48550/arXiv.{paper.arxiv_id}",
                f"DOI:{paper.doi}",
            )
        ]
    }


def test_a_gap_in_a_batch_is_an_unknown_paper() -> None:
    known = papers(4)
    found = answers(
        [query_of(paper) for paper in known], client_for(SOURCE, playing(play, known[:3]))
    )
    assert found["paper/p3"].outcome == "no-such-record"
    assert found["paper/p3"].locator.startswith("Academic Graph API, no entry for ARXIV:")
    assert [found[f"paper/p{n}"].outcome for n in range(3)] == ["answered"] * 3


def test_a_batch_of_which_nothing_is_known_is_asked_for_one_by_one() -> None:
    client = client_for(SOURCE, playing(play, []))
    found = answers([query_of(paper) for paper in papers(2, venue="icml")], client)
    assert {answer.outcome for answer in found.values()} == {"no-such-record"}
    assert client.asked == {"api.semanticscholar.org": 5}


def test_another_refusal_of_a_batch_says_nothing() -> None:
    refusal = as_json({"error": "Unrecognized or unsupported fields: [odd]"}, 400)
    client = client_for(SOURCE, always(refusal))
    found = answers([query_of(paper) for paper in papers(2)], client)
    assert {answer.reason for answer in found.values()} == {
        "refused: HTTP 400; Unrecognized or unsupported fields: [odd]"
    }
    assert {answer.outcome for answer in found.values()} == {"could-not-ask"}
    assert client.asked == {"api.semanticscholar.org": 1}


def test_a_404_of_a_batch_denies_nothing() -> None:
    missing = as_json({"error": "Paper not found"}, 404)
    found = answers([query_of(paper) for paper in papers(2)], client_for(SOURCE, always(missing)))
    assert {answer.outcome for answer in found.values()} == {"could-not-ask"}


# One paper


def test_an_unknown_paper_alone() -> None:
    answer = only(playing(play, []))
    assert answer.outcome == "no-such-record"
    assert answer.locator == (
        "Academic Graph API, no entry for ARXIV:2403.11111 or DOI:10.48550/arXiv.2403.11111"
    )


@pytest.mark.parametrize(
    "played",
    [
        Played(b"<html>404 Not Found</html>", 404, "text/html"),
        Played(b"Not found", 404, "text/plain"),
        as_json({"message": "Not Found"}, 404),
        as_json({"error": {"text": "Paper not found"}}, 404),
        as_json({"error": "Forbidden fruit"}, 404),
        as_json(["not found"], 404),
        as_json({"error": "Paper with id ARXIV:2403.11111 not found"}),
        as_json({"error": "Paper with id ARXIV:2403.11111 not found"}, 400),
    ],
)
def test_only_the_usual_404_denies_a_paper(played: Played) -> None:
    assert only(always(played)).outcome == "could-not-ask"


# A title alone


def test_a_title_is_confirmed_by_author_and_year() -> None:
    known = papers(30)
    client = client_for(SOURCE, playing(play, known))
    answer = answers([titled(known[14])], client)["paper/p14"]
    assert answer.outcome == "answered"
    assert answer.observation["title"] == known[14].title
    assert answer.url.startswith(f"{GRAPH}/search/match?query=")
    assert answer.notes == ("found by its title, an author and the year, not by an identifier",)


def match(**values: Any) -> Callable[[Asked], Played]:
    return always(as_json({"data": [{**changed(**values), "matchScore": 109.5}]}))


def by_title(**values: Any) -> Query:
    base = Query("paper/p", title="Sparse Trees", authors=("Abe, Ada",), year=2023)
    return replace(base, **values)


def test_a_title_alone_only_proposes() -> None:
    assert only(match(), by_title()).outcome == "answered"
    assert only(match(), by_title(year=2024)).outcome == "answered"

    other = only(match(), by_title(authors=("Roy, Eva",)))
    assert other.outcome == "no-such-record"
    assert other.observation == {}
    assert other.notes == (
        "the entry with the most similar title is another work: title found, no author in common",
    )

    later = only(match(), by_title(year=2020))
    assert later.outcome == "could-not-ask"
    assert later.reason.startswith("what the title finds is not confirmed: ")

    nameless = only(match(authors=[]), by_title())
    assert nameless.outcome == "could-not-ask"


def test_a_similar_title_is_another_paper() -> None:
    answer = only(match(title="Dense Trees"), by_title())
    assert answer.outcome == "no-such-record"
    assert "Dense Trees" in answer.notes[0]


@pytest.mark.parametrize(
    ("played", "outcome"),
    [
        (as_json({"error": "Title match not found"}, 404), "no-such-record"),
        (as_json({"message": "Not Found"}, 404), "could-not-ask"),
        (as_json({"data": [], "total": 0}), "could-not-ask"),
        (as_json({"total": 0, "offset": 0}), "could-not-ask"),
        (as_json({"data": {}}), "could-not-ask"),
        (as_json([]), "could-not-ask"),
        (as_json({"data": [{"title": "Sparse Trees"}]}), "could-not-ask"),
    ],
)
def test_a_title_that_finds_nothing(played: Played, outcome: str) -> None:
    assert only(always(played), by_title()).outcome == outcome


def test_a_title_is_sent_without_tex() -> None:
    seen: list[str] = []

    def script(asked: Asked) -> Played:
        seen.append(asked.query["query"])
        return as_json({"error": "Title match not found"}, 404)

    only(script, by_title(title=r"{\'E}tude of $k$ {Sparse} Trees & <i>More</i>"))
    assert seen == ["Étude of k Sparse Trees & More"]


# Refusals


@pytest.mark.parametrize(
    ("played", "reason"),
    [
        (play.throttled(), "throttled: HTTP 429"),
        (as_json({"message": "Internal Server Error"}, 500), "server error: HTTP 500"),
        (as_json({"message": "Endpoint request timed out"}, 504), "server error: HTTP 504"),
        (as_json({"message": "Forbidden"}, 403), "refused: HTTP 403"),
        (as_json({"error": "Bad fields"}, 400), "refused: HTTP 400; Bad fields"),
        (Played(b"oops", 400, "text/plain"), "refused: HTTP 400"),
        (Played(b"<html>Too Many Requests</html>", 200, "text/html"), "broken answer"),
        (Played(b""), "broken answer"),
        (Played(b'{"paperId": "a", "title"'), "broken answer"),
        (as_json({"message": "Too Many Requests", "code": "429"}), "broken answer"),
    ],
)
@pytest.mark.parametrize("count", [1, 2])
def test_a_refusal_says_nothing_of_the_paper(played: Played, reason: str, count: int) -> None:
    clock = FakeClock()
    client = client_for(SOURCE, always(played), clock=clock, budget=300.0)
    found = answers([query_of(paper) for paper in papers(count)], client)
    for answer in found.values():
        assert answer.outcome == "could-not-ask"
        assert answer.reason.startswith(reason)
    assert clock.now() <= 300


def test_throttling_after_some_answers() -> None:
    clock = FakeClock()
    known = papers(5)
    replies = [
        as_json({"data": [play.entry_of(known[0])]}),
        Played(b"", 429, headers={"Retry-After": "2"}),
        play.throttled(),
        Played(b"", 429, headers={"Retry-After": formatdate(clock.today() + 60, usegmt=True)}),
        Played(b"", 503),
        Played(b"<html>Too Many Requests</html>", 200, "text/html"),
    ]
    left = iter(replies)
    script = lambda asked: next(left, play.throttled())  # noqa: E731
    client = client_for(SOURCE, script, clock=clock, budget=120.0)
    found = answers([titled(paper) for paper in known], client)
    assert found["paper/p0"].outcome == "answered"
    assert {found[f"paper/p{n}"].outcome for n in range(1, 5)} == {"could-not-ask"}
    assert all(found[f"paper/p{n}"].reason for n in range(1, 5))
    assert clock.now() <= 120


def test_without_a_key_throttling_tells_what_would_help() -> None:
    assert "S2_API_KEY" in only(always(play.throttled())).reason


def test_requests_are_a_second_apart() -> None:
    clock = FakeClock()
    starts: list[float] = []
    known = papers(3)

    def script(asked: Asked) -> Played:
        starts.append(clock.now())
        return play.answer(asked, known)

    answers([titled(paper) for paper in known], client_for(SOURCE, script, clock=clock))
    assert starts == [0.0, 1.0, 2.0]


# The key


def test_the_key_is_sent_as_a_header_and_stands_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2_API_KEY", f" {play.KEY}\n")
    seen: list[Asked] = []
    known = papers(3)

    def script(asked: Asked) -> Played:
        seen.append(asked)
        return play.answer(asked, known)

    client = client_for(SOURCE, script)
    found = answers([*map(query_of, known[:2]), titled(known[2])], client)
    assert [asked.headers["x-api-key"] for asked in seen] == [play.KEY, play.KEY]
    assert play.KEY not in repr(list(found.values()))
    assert all(play.KEY not in f"{asked.path}{asked.query}{asked.body!r}" for asked in seen)
    assert SOURCE.key_variables == ("S2_API_KEY",)


@pytest.mark.parametrize("value", ["", "  "])
def test_without_a_key_no_header_is_sent(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("S2_API_KEY", value)
    seen: list[Asked] = []

    def script(asked: Asked) -> Played:
        seen.append(asked)
        return as_json(PUBLISHED)

    only(script)
    assert "x-api-key" not in seen[0].headers


def test_a_wrong_key_is_named_by_its_variable_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2_API_KEY", "not-the-key-at-all")
    answer = only(playing(play, []))
    assert answer.reason == "refused: HTTP 403; the key in S2_API_KEY may not be valid"


def test_ping(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, []))) == ""
    assert SOURCE.ping(client_for(SOURCE, always(play.throttled()))).startswith("throttled")
    missing = always(as_json({"error": "Paper with id x not found"}, 404))
    assert SOURCE.ping(client_for(SOURCE, missing)) != ""
    monkeypatch.setenv("S2_API_KEY", "not-the-key-at-all")
    assert "S2_API_KEY" in SOURCE.ping(client_for(SOURCE, playing(play, [])))


# Whatever comes


def check(answer: Answer, *, may_deny: bool = False) -> None:
    """No answer that was damaged may deny a paper, and what is said can be kept."""
    assert answer.outcome != "no-such-record" or may_deny
    assert bool(answer.reason) == (answer.outcome == "could-not-ask")
    if answer.outcome == "answered":
        Observation.model_validate(dict(answer.observation))
        json.dumps(answer.observation, ensure_ascii=False).encode()
        assert not {"None", "null", None} & {*map(str, answer.observation.values())}


KNOWN = papers(3)
BATCH = [
    play.entry_of(KNOWN[0]),
    play.entry_of(KNOWN[0]),
    play.entry_of(KNOWN[1]),
    play.entry_of(KNOWN[1]),
]


@given(BYTES)
def test_garbage_never_raises(body: bytes) -> None:
    for queries in ([query_of(KNOWN[0])], [*map(query_of, KNOWN)], [titled(KNOWN[0])]):
        for answer in SOURCE.ask(queries, client_for(SOURCE, always(Played(body)))):
            check(answer)


@given(PLAIN)
def test_garbage_with_404_never_denies(data: object) -> None:
    for queries in ([query_of(KNOWN[0])], [*map(query_of, KNOWN)], [titled(KNOWN[0])]):
        for answer in SOURCE.ask(queries, client_for(SOURCE, always(as_json(data, 404)))):
            check(answer)


@given(damaged(play.entry_of(KNOWN[0])))
def test_a_damaged_entry_never_denies(data: Any) -> None:
    check(only(always(as_json(data)), query_of(KNOWN[0])))


@given(damaged(BATCH))
def test_a_damaged_batch_never_denies(data: Any) -> None:
    # A gap in a list of the right length is how the host says that it knows no such paper.
    gaps = isinstance(data, list) and None in data
    queries = [replace(query_of(paper), doi="") for paper in KNOWN[:2]]
    for answer in SOURCE.ask(queries, client_for(SOURCE, always(as_json(data)))):
        check(answer, may_deny=gaps)


MATCH = {"data": [play.entry_of(KNOWN[0])]}


@given(damaged(MATCH))
def test_a_damaged_match_denies_only_where_it_names_another_work(data: Any) -> None:
    def work(match: Any) -> list[Any]:
        return [match["data"][0].get(key) for key in ("title", "authors")]

    answer = only(always(as_json(data)), titled(KNOWN[0]))
    check(answer, may_deny=answer.outcome == "no-such-record" and work(data) != work(MATCH))


@given(torn(json.dumps(BATCH)))
def test_a_torn_batch_never_denies(text: str) -> None:
    queries = [replace(query_of(paper), doi="") for paper in KNOWN[:2]]
    script = always(Played(text.encode("utf-8", "replace")))
    for answer in SOURCE.ask(queries, client_for(SOURCE, script)):
        check(answer)


# What it says of itself


def test_it_claims_what_its_record_claims() -> None:
    file = ROOT / "data" / "sources" / "semantic-scholar.yaml"
    record = yaml.safe_load(file.read_text("utf-8"))
    assert record["id"] == SOURCE.name
    own = {name: speech.trust for speech in SOURCE.speaks for name in speech.fields}
    recorded = {name: said["trust"] for said in record["speaks_about"] for name in said["fields"]}
    assert own == recorded


# Captured answers


def cassette(name: str) -> list[dict[str, Any]]:
    data: dict[str, Any] = yaml.safe_load((SAMPLES / name).read_text("utf-8"))
    return [interaction["response"] for interaction in data["interactions"]]


def body_of(response: Mapping[str, Any]) -> Any:
    text = response["content"] if "content" in response else response["body"]["string"]
    return json.loads(text)


@captured
def test_captured_half_upgraded_entry() -> None:
    data = json.loads((SAMPLES / "refchecker_cached_papers.json").read_text("utf-8"))
    answer = only(always(as_json(data["icml"])), Query("paper/p", arxiv_id="2202.06539"))
    assert answer.observation == {
        "title": "Deduplicating Training Data Mitigates Privacy Risks in Language Models",
        "authors": ("Nikhil Kandpal", "Eric Wallace", "Colin Raffel"),
        "year": 2022,
        "venue": "International Conference on Machine Learning",
        "arxiv_id": "2202.06539",
    }
    assert set(answer.silent_on) == {"volume", "pages", "doi"}


@captured
def test_captured_preprint_without_arxiv_id() -> None:
    data = json.loads((SAMPLES / "refchecker_cached_papers.json").read_text("utf-8"))
    reading = read_entry(data["arxiv"])
    assert reading.ids == Ids("2505.12081")
    assert reading.observation["venue"] == "arXiv.org"
    assert reading.observation["doi"] == "10.48550/arXiv.2505.12081"
    assert "volume" not in reading.observation
    assert "arxiv_id" not in reading.observation


@captured
def test_captured_entries_without_venue_or_with_cut_names() -> None:
    data = json.loads((SAMPLES / "refchecker_cached_papers.json").read_text("utf-8"))
    assert read_entry(data["neurips"]).observation["venue"] == (
        "Neural Information Processing Systems"
    )
    seen = read_entry(data["novenue"]).observation
    assert "venue" not in seen
    assert seen["authors"] == ("Victor Zhong", "Caiming Xiong", "R. Socher")
    assert seen["year"] == 2017


@captured
def test_captured_journal_paper() -> None:
    data = json.loads((SAMPLES / "Paper.trimmed.json").read_text("utf-8"))
    assert read_entry(data).observation == {
        "title": "Computing Machinery and Intelligence",
        "authors": ("A. Turing",),
        "year": 1950,
        "venue": "The Philosophy of Artificial Intelligence",
        "volume": "LIX",
        "pages": "433-460",
        "doi": "10.1093/MIND/LIX.236.433",
    }


@captured
def test_captured_eagle_has_the_pages_of_the_proceedings_and_the_doi_of_the_preprint() -> None:
    data = json.loads((SAMPLES / "eagle_excerpt_secondhand.json").read_text("utf-8"))
    seen = read_entry({"paperId": "x", **data}).observation
    assert seen == {
        "title": "EAGLE: Speculative Sampling Requires Rethinking Feature Uncertainty",
        "venue": "International Conference on Machine Learning",
        "pages": "28935-28948",
        "doi": "10.48550/arXiv.2401.15077",
        "arxiv_id": "2401.15077",
    }


@captured
def test_captured_batch_with_a_gap() -> None:
    (response,) = cassette("test_get_papers_return_not_found.yaml")
    dois = ("10.1000/unknown", "10.2139/ssrn.288970", "10.2139/ssrn.2250500", "10.1257/rct.1355")
    found = read_batch({f"DOI:{doi}": Ids("", doi) for doi in dois}, body_of(response))
    first, second, third, last = found.values()
    assert first is None
    assert isinstance(second, Reading)
    assert second.observation == {
        "title": "How Much Should We Trust Differences-in-Differences Estimates?",
        "authors": ("Marianne Bertrand", "E. Duflo", "S. Mullainathan"),
        "year": 2001,
        "venue": "Experimental & Empirical Studies eJournal",
        "doi": "10.2139/ssrn.288970",
    }
    assert isinstance(third, Reading)
    assert isinstance(last, Reading)
    assert "venue" not in last.observation


@captured
def test_captured_refusals() -> None:
    missing, _ = cassette("test_not_found.yaml")
    assert only(always(as_json(body_of(missing), 404))).outcome == "no-such-record"
    (bad,) = cassette("test_bad_query_parameters.yaml")
    answer = only(always(as_json(body_of(bad), 400)))
    assert answer.reason == "refused: HTTP 400; Unrecognized or unsupported fields: [unknown]"
    limit = json.loads((SAMPLES / "ratelimit_429_body.json").read_text("utf-8"))
    assert only(always(as_json(limit, 429))).reason.startswith("throttled: HTTP 429")
    miss = json.loads((SAMPLES / "search_match_404_body.json").read_text("utf-8"))
    assert only(always(as_json(miss, 404)), by_title()).outcome == "no-such-record"


@captured
def test_captured_match_is_not_taken_for_the_paper() -> None:
    (response,) = cassette("test_search_paper_match_title.yaml")
    answer = only(
        always(as_json(body_of(response))),
        by_title(title="mining association rules between", authors=("Abe, Ada",)),
    )
    assert answer.outcome in ("no-such-record", "could-not-ask")
