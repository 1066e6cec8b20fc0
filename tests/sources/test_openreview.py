from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from clock import FakeClock
from damage import BYTES, PLAIN, damaged
from hypothesis import given
from hypothesis import strategies as st
from papers import Paper, papers
from played import Script, client_for, in_turn, playing
from plays import openreview as play
from plays_interface import Asked, Played

from registry.equality.tracks import compare_tracks
from registry.equality.venues import VenueNames, compare_venue
from registry.records.evidence import Observation
from registry.sources.interface import Answer, Query
from registry.sources.openreview import SOURCE, forum_of, seconds_until_reset
from registry.sources.openreview_notes import ReplyNoteError, read_note
from registry.sources.shapes import UnexpectedShapeError

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "openreview"
ICLR = VenueNames(
    [
        {
            "id": "iclr",
            "name": "International Conference on Learning Representations",
            "short_name": "ICLR",
            "type": "conference",
        }
    ]
)


@pytest.fixture(autouse=True)
def _anonymous(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SOURCE.key_variables:
        monkeypatch.delenv(name, raising=False)


def envelope(content: Any, forum: str = "Qw3rTyUi0p", **note: Any) -> dict[str, Any]:
    return {"notes": [{"id": forum, "forum": forum, "content": content, **note}]}


def wrapped(**content: Any) -> dict[str, Any]:
    return envelope({key: {"value": value} for key, value in content.items()})


def read(data: Any, *, first_api: bool = False) -> dict[str, Any]:
    return dict(read_note(data, "Qw3rTyUi0p", first_api=first_api).observation)


def query_of(paper: Paper) -> Query:
    return Query(
        f"paper/p{paper.number}",
        title=paper.title,
        authors=tuple(f"{family}, {given}" for given, family in paper.authors),
        year=paper.year,
        openreview_id=paper.openreview_id,
    )


def asked_of(
    script: Script, queries: Sequence[Query], clock: FakeClock | None = None, budget: float = 1e4
) -> tuple[list[Answer], dict[str, int]]:
    client = client_for(SOURCE, script, clock=clock, budget=budget)
    return list(SOURCE.ask(queries, client)), client.asked


FORUM = "Qw3rTyUi0p"
ONE = Query("paper/leaf", title="Leaves of a Tree", openreview_id=FORUM)


# What a note says


def test_a_note_of_the_newer_interface_is_read() -> None:
    data = wrapped(
        title="Leaves of a Tree: Drafting in Parallel",
        authors=["Mia Holm", "José de la Cruz"],
        venue="ICLR 2025 Spotlight",
        venueid="ICLR.cc/2025/Conference",
        pdf="/pdf/0a1b.pdf",
    )
    reading = read_note(data, FORUM)
    assert reading.observation == {
        "title": "Leaves of a Tree: Drafting in Parallel",
        "authors": ["Mia Holm", "José de la Cruz"],
        "venue": "ICLR 2025 Spotlight",
        "venue_track": "ICLR.cc/2025/Conference",
        "year": 2025,
        "openreview_id": FORUM,
    }
    assert reading.silent_on == ()
    assert reading.notes == ()
    assert compare_tracks("main", "ICLR.cc/2025/Conference").outcome == "same"


def test_a_note_of_the_older_interface_has_bare_values() -> None:
    content = {
        "title": "Leaves",
        "authors": ["Mia Holm"],
        "venue": "RobustLeaves 2022 Oral",
        "venueid": "NeurIPS.cc/2022/Workshop/RobustLeaves",
    }
    assert read(envelope(content), first_api=True) == {
        "title": "Leaves",
        "authors": ["Mia Holm"],
        "venue": "RobustLeaves 2022 Oral",
        "venue_track": "NeurIPS.cc/2022/Workshop/RobustLeaves",
        "year": 2022,
        "openreview_id": FORUM,
    }


@pytest.mark.parametrize(
    ("venueid", "track"),
    [
        ("ICML.cc/2025/Conference", "main"),
        ("NeurIPS.cc/2025/Workshop_Mexico_City/Trees", "workshop"),
        ("ICLR.cc/2024/Workshop/Trees", "workshop"),
        ("NeurIPS.cc/2024/Track/Datasets_and_Benchmarks", "datasets-and-benchmarks"),
        ("NeurIPS.cc/2024/Datasets_and_Benchmarks_Track", "datasets-and-benchmarks"),
        ("ICML.cc/2025/Position_Paper_Track", "position"),
    ],
)
def test_the_venue_id_gives_the_track(venueid: str, track: str) -> None:
    observed = read(wrapped(title="T", venueid=venueid, venue="a name that tells of no track"))
    assert compare_tracks(track, observed["venue_track"]).outcome == "same"
    other = "workshop" if track != "workshop" else "main"
    assert compare_tracks(other, observed["venue_track"]).outcome == "different"


def test_the_venue_stands_in_where_there_is_no_venue_id() -> None:
    observed = read(wrapped(title="T", venue="ICLR 2025 Poster", venueid=None))
    assert observed["venue_track"] == "ICLR 2025 Poster"
    assert observed["year"] == 2025


@pytest.mark.parametrize(
    ("venueid", "venue"),
    [
        ("ICLR.cc/2024/Conference/Rejected_Submission", "Submitted to ICLR 2024"),
        (
            "ICLR.cc/2024/Conference/Withdrawn_Submission",
            "ICLR 2024 Conference Withdrawn Submission",
        ),
        (
            "ICLR.cc/2024/Conference/Desk_Rejected_Submission",
            "ICLR 2024 Conference Desk Rejected Submission",
        ),
        ("ICLR.cc/2024/Conference/Submission", "ICLR 2024 Conference Submission"),
        ("ICLR.cc/2024/Conference/Rejected_Submission", None),
        ("ICLR.cc/2024/Conference/Rejected_Submission", "ICLR 2024"),
        (None, "Submitted to ICLR 2024"),
    ],
)
def test_a_submission_that_was_not_taken_does_not_read_as_published(
    venueid: str | None, venue: str | None
) -> None:
    reading = read_note(wrapped(title="T", venueid=venueid, venue=venue), FORUM)
    observed = reading.observation
    assert "year" not in observed
    assert compare_venue("iclr", 2024, observed["venue"], names=ICLR).outcome != "same"
    assert compare_tracks("main", observed["venue_track"]).outcome != "same"
    assert any("not accepted" in note for note in reading.notes)


@pytest.mark.parametrize("ending", ["Rejected", "Withdrawn", "Desk_Rejected"])
def test_a_refused_submission_contradicts_the_main_track(ending: str) -> None:
    observed = read(wrapped(title="T", venueid=f"ICLR.cc/2024/Conference/{ending}_Submission"))
    result = compare_tracks("main", observed["venue_track"])
    assert (result.outcome, result.kind) == ("different", "not accepted")


def test_the_older_interface_files_rejected_papers_under_the_bare_venue() -> None:
    content = {"title": "T", "venueid": "ICLR.cc/2022/Conference", "venue": "ICLR 2022 Submitted"}
    observed = read(envelope(content), first_api=True)
    assert compare_tracks("main", observed["venue_track"]).outcome == "cannot-tell"
    assert "year" not in observed


def test_the_older_interfaces_venue_id_alone_tells_of_no_acceptance() -> None:
    reading = read_note(
        envelope({"title": "T", "venueid": "ICLR.cc/2022/Conference"}), FORUM, first_api=True
    )
    assert reading.observation == {"title": "T", "openreview_id": FORUM}
    assert reading.silent_on == ("authors",)
    assert reading.notes == (
        "whether ICLR.cc/2022/Conference took the paper cannot be told from the note",
    )


def test_the_older_interfaces_invitation_tells_of_a_withdrawal() -> None:
    data = envelope(
        {"title": "T", "venue": "ICLR 2021 Poster", "venueid": "ICLR.cc/2021/Conference"},
        invitation="ICLR.cc/2021/Conference/-/Withdrawn_Submission",
    )
    observed = read(data, first_api=True)
    assert "venue" not in observed
    assert compare_tracks("main", observed["venue_track"]).kind == "not accepted"


@pytest.mark.parametrize(
    ("venueid", "venue", "year"),
    [
        ("dblp.org/conf/ICML/2020", "ICML 2020", 2020),
        ("dblp.org/journals/CORR/2018", "CoRR2018", 2018),
    ],
)
def test_a_mirrored_entry_says_so_and_names_no_track(venueid: str, venue: str, year: int) -> None:
    reading = read_note(wrapped(title="T", authors=["A B"], venueid=venueid, venue=venue), FORUM)
    assert reading.observation["venue"] == venue
    assert reading.observation["year"] == year
    assert reading.silent_on == ("venue_track",)
    assert reading.notes == (
        f"only a copy of a DBLP entry ({venueid}); OpenReview names no track of it",
    )


def test_a_journal_without_a_year_gives_none() -> None:
    reading = read_note(wrapped(title="T", venue="Accepted by TMLR", venueid="TMLR"), FORUM)
    assert reading.observation["venue"] == "Accepted by TMLR"
    assert set(reading.silent_on) == {"authors", "venue_track", "year"}


@pytest.mark.parametrize("nothing", [None, "", "  ", [], {"value": None}, {"readers": ["x"]}])
def test_an_absent_value_is_silence_and_never_the_text_none(nothing: Any) -> None:
    keys = ("title", "authors", "venue", "venueid")
    reading = read_note(envelope(dict.fromkeys(keys, nothing)), FORUM)
    assert reading.observation == {"openreview_id": FORUM}
    assert set(reading.silent_on) == {"title", "authors", "venue", "venue_track", "year"}


def test_a_key_may_be_missing_altogether() -> None:
    reading = read_note(envelope({}), FORUM)
    assert reading.observation == {"openreview_id": FORUM}


def test_a_title_in_a_list_or_over_two_lines_is_one_title() -> None:
    assert read(wrapped(title=["Leaves\n  of a Tree"]))["title"] == "Leaves of a Tree"


def test_names_may_be_objects_and_a_comma_turns_none_around() -> None:
    names = [{"fullname": "Mia Holm", "username": "~Mia_Holm1"}, "Rolf Berg, Jr."]
    assert read(wrapped(title="T", authors=names))["authors"] == ["Mia Holm", "{Rolf Berg, Jr.}"]


@pytest.mark.parametrize("authors", ["Mia Holm, Rolf Berg", ["Mia Holm", None], [{}], {"a": 1}, 7])
def test_authors_that_cannot_be_read_are_neither_cut_short_nor_silent(authors: Any) -> None:
    reading = read_note(wrapped(title="T", authors=authors), FORUM)
    assert "authors" not in reading.observation
    assert "authors" not in reading.silent_on
    assert reading.notes == ("the list of authors has a form that cannot be read",)


def test_authors_withheld_for_blind_review_are_silence() -> None:
    assert "authors" in read_note(wrapped(title="T", authors=["Anonymous"]), FORUM).silent_on


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"notes": None},
        {"notes": {}},
        {"notes": []},
        {"notes": [None]},
        {"notes": [{"id": "Another0ne", "content": {"title": {"value": "T"}}}]},
        {"notes": [{"id": FORUM, "content": None}]},
        {"notes": [{"id": FORUM, "content": []}]},
        {"notes": [{"id": FORUM, "content": {"title": {"value": 7}}}]},
        {"notes": [{"id": FORUM, "content": {"venueid": {"value": ["a", "b"]}}}]},
    ],
)
def test_an_unexpected_shape_is_a_broken_answer(data: Any) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_note(data, FORUM)


def test_the_id_of_a_reply_is_not_read_as_a_paper() -> None:
    data = {"notes": [{"id": FORUM, "forum": "Paren7Note", "content": {"title": {"value": "R"}}}]}
    with pytest.raises(ReplyNoteError, match="Paren7Note"):
        read_note(data, FORUM)


def test_the_right_note_is_taken_by_its_id() -> None:
    data = {"notes": [{"id": "Another0ne", "content": {}}, *wrapped(title="Mine")["notes"]]}
    assert read(data)["title"] == "Mine"


# Which note is asked for


def test_the_id_is_found_in_evidence_if_it_is_the_only_one() -> None:
    page = f"https://openreview.net/forum?id={FORUM}"
    pdf = f"https://openreview.net/pdf?id={FORUM}"
    other = "https://openreview.net/forum?id=An0therF0rum"
    assert (
        forum_of(Query("paper/a", addresses=("https://example.org/abcdefgh", page, pdf))) == FORUM
    )
    assert forum_of(Query("paper/a", addresses=(page, other))) == ""
    assert forum_of(Query("paper/a", openreview_id="MyOwnF0rum", addresses=(page, other))) == (
        "MyOwnF0rum"
    )


def test_without_an_id_it_is_not_asked() -> None:
    assert not SOURCE.can_ask(Query("paper/a", title="Leaves of a Tree", doi="10.1/x"))


# Asking


def test_a_hundred_papers_cost_one_request_each() -> None:
    known = papers(100, venue="iclr")
    answers, asked = asked_of(playing(play, known), [query_of(paper) for paper in known])
    assert asked == {"api2.openreview.net": 100}
    for paper, answer in zip(known, answers, strict=True):
        assert answer.record == f"paper/p{paper.number}"
        assert answer.outcome == "answered"
        assert answer.notes == ()
        assert answer.observation == {
            "title": paper.title,
            "authors": list(paper.names),
            "venue": "ICLR 2024 Poster",
            "venue_track": "ICLR.cc/2024/Conference",
            "year": 2024,
            "openreview_id": paper.openreview_id,
        }
        assert answer.url == f"https://api2.openreview.net/notes?id={paper.openreview_id}"
        assert answer.locator == f"API 2, note {paper.openreview_id}"
        assert len(answer.sha256) == 64
        Observation.model_validate(answer.observation)


def test_what_the_newer_interface_lacks_is_asked_of_the_older() -> None:
    known = [replace(paper, year=2022) for paper in papers(3, venue="neurips")]
    answers, asked = asked_of(playing(play, known), [query_of(paper) for paper in known])
    assert asked == {"api2.openreview.net": 3, "api.openreview.net": 3}
    assert [answer.observation["title"] for answer in answers] == [p.title for p in known]
    assert {answer.locator for answer in answers} == {
        f"API 1, note {paper.openreview_id}" for paper in known
    }


def test_a_venue_id_of_the_older_interface_is_read_as_such() -> None:
    content = {"title": "Leaves of a Tree", "venueid": "ICLR.cc/2022/Conference"}
    answers = [
        play.error(404, "NotFoundError", "not found"),
        play.notes(envelope(content)["notes"]),
    ]
    [answer], _ = asked_of(in_turn(answers), [ONE])
    assert answer.observation == {"title": "Leaves of a Tree", "openreview_id": FORUM}


def test_what_neither_interface_has_is_no_such_record() -> None:
    known = papers(2, venue="icml")
    answers, asked = asked_of(playing(play, known[:1]), [query_of(known[1])])
    assert answers[0].outcome == "no-such-record"
    assert answers[0].observation == {}
    assert asked == {"api2.openreview.net": 1, "api.openreview.net": 1}


def test_a_withdrawn_submission_is_told_in_a_note() -> None:
    paper = replace(papers(1, venue="iclr")[0], withdrawn=True)
    [answer], _ = asked_of(playing(play, [paper]), [query_of(paper)])
    assert answer.observation["venue_track"] == "ICLR.cc/2024/Conference/Withdrawn_Submission"
    assert "year" not in answer.observation
    # Leaving one conference is no withdrawal of the paper.
    assert answer.status == "active"
    assert "Withdrawn_Submission" in answer.notes[0]


def test_an_id_of_another_paper_is_noted_and_the_answer_kept() -> None:
    one, other = papers(2, venue="iclr")
    mixed = replace(query_of(one), openreview_id=other.openreview_id)
    mixed = replace(mixed, title="Robots That Drive a Road", authors=("Gale, Ann",))
    [answer], _ = asked_of(playing(play, [one, other]), [mixed])
    assert answer.observation["title"] == other.title
    [note] = answer.notes
    assert note.startswith("identifier belongs to another paper: ")
    assert other.title in note


def test_a_query_that_cannot_be_asked_gets_its_answer_without_a_request() -> None:
    [answer], asked = asked_of(in_turn([]), [Query("paper/a", title="T")])
    assert (answer.outcome, answer.reason) == ("could-not-ask", "no forum id is known")
    assert asked == {}


# Refusals


def test_a_challenge_is_met_once_and_is_no_verdict() -> None:
    others = [Query(f"paper/{n}", openreview_id=f"F0rumNumber{n}") for n in range(3)]
    answers, asked = asked_of(lambda _: play.challenge(), others)
    assert [answer.outcome for answer in answers] == ["could-not-ask"] * 3
    assert answers[0].reason == (
        "refused: it wants a browser to solve a challenge (HTTP 403); "
        "set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD"
    )
    assert answers[2].reason == f"not asked again: {answers[0].reason}"
    assert asked == {"api2.openreview.net": 1}


def test_a_hidden_note_is_refused_without_the_name_of_the_account() -> None:
    two = Query("paper/b", openreview_id="Vis1bleN0te")

    def script(asked: Asked) -> Played:
        if asked.query["id"] == FORUM:
            return play.hidden(FORUM)
        return play.notes([{"id": "Vis1bleN0te", "content": {"title": {"value": "T"}}}])

    answers, asked = asked_of(script, [ONE, two])
    assert answers[0].outcome == "could-not-ask"
    assert answers[0].reason.startswith("refused: the note is hidden from view (HTTP 403)")
    assert play.ACCOUNT not in repr(answers)
    assert answers[1].outcome == "answered"
    assert asked == {"api2.openreview.net": 2}


def test_the_older_interface_is_not_asked_after_a_refusal() -> None:
    _, asked = asked_of(lambda _: play.hidden(FORUM), [ONE])
    assert "api.openreview.net" not in asked


def test_a_refusal_by_the_older_interface_is_no_absence() -> None:
    answers = [play.error(404, "NotFoundError", "not found"), play.challenge()]
    [answer], _ = asked_of(in_turn(answers), [ONE])
    assert answer.outcome == "could-not-ask"


@pytest.mark.parametrize(
    "body",
    [b"<html><h1>404</h1></html>", b"not found", b"{}", b'{"name": 404}', b'{"name": "Error"}'],
)
def test_a_404_of_anybody_else_is_no_absence(body: bytes) -> None:
    [answer], _ = asked_of(lambda _: Played(body, 404), [ONE])
    assert (answer.outcome, answer.reason.split(":")[0]) == ("could-not-ask", "broken answer")


def test_a_page_in_place_of_an_answer_is_a_broken_answer() -> None:
    page = Played(b"<!doctype html><title>Verifying your browser</title>", kind="text/html")
    [answer], _ = asked_of(lambda _: page, [ONE])
    assert answer.reason == (
        "broken answer: a web page came where json was expected; "
        "set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD"
    )


def test_the_wait_that_the_body_of_a_429_names_is_kept() -> None:
    clock = FakeClock(today=datetime(2026, 8, 31, 8, 0, tzinfo=UTC).timestamp())
    told = play.throttled("2026-08-31T08:00:42.500Z")
    answers = [told, play.notes(wrapped(title="Leaves of a Tree")["notes"])]
    [answer], asked = asked_of(in_turn(answers), [ONE], clock)
    assert answer.outcome == "answered"
    assert asked == {"api2.openreview.net": 2}
    assert 42.5 in [round(wait, 1) for wait in clock.slept]


def test_a_wait_beyond_the_budget_is_not_begun() -> None:
    clock = FakeClock(today=datetime(2026, 8, 31, 8, 0, tzinfo=UTC).timestamp())
    told = play.throttled("2026-08-31T08:59:25.212Z")
    [answer], asked = asked_of(lambda _: told, [ONE], clock, budget=60)
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith("throttled: HTTP 429")
    assert "3565 s" in answer.reason
    assert asked == {"api2.openreview.net": 1}
    assert clock.moment < 60


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Too many requests",
        b"[]",
        b'{"details": null}',
        b'{"details": {"resetTime": 17}}',
        b'{"details": {"resetTime": "soon"}}',
        b"\xff\xfe",
    ],
)
def test_a_429_without_a_moment_names_no_wait(body: bytes) -> None:
    assert seconds_until_reset(body, 0.0) is None


def test_a_moment_that_has_passed_asks_for_no_wait() -> None:
    assert seconds_until_reset(b'{"details": {"resetTime": "2026-01-01T00:00:00Z"}}', 4e9) == 0.0


# Credentials


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def set_password(password: str) -> None:
        monkeypatch.setenv("OPENREVIEW_USERNAME", "bo@reviewer.example")
        monkeypatch.setenv("OPENREVIEW_PASSWORD", password)

    return set_password


def gated(known: Sequence[Paper], seen: list[Asked]) -> Script:
    """Hosts that show notes to those who logged in, and to nobody else."""

    def script(asked: Asked) -> Played:
        seen.append(asked)
        if asked.path == "/notes" and asked.headers.get("authorization") != f"Bearer {play.TOKEN}":
            return play.challenge()
        return play.answer(asked, known)

    return script


def test_one_login_opens_both_hosts(account: Callable[[str], None]) -> None:
    account(play.PASSWORD)
    new, old = papers(2, venue="iclr")
    old = replace(old, year=2022)
    seen: list[Asked] = []
    script = gated([new, old], seen)
    client = client_for(SOURCE, script)
    answers = list(SOURCE.ask([query_of(new), query_of(old)], client))
    assert [answer.outcome for answer in answers] == ["answered", "answered"]
    assert SOURCE.ping(client) == ""
    assert [(asked.method, asked.host, asked.path) for asked in seen] == [
        ("POST", "api2.openreview.net", "/login"),
        ("GET", "api2.openreview.net", "/notes"),
        ("GET", "api2.openreview.net", "/notes"),
        ("GET", "api.openreview.net", "/notes"),
        ("GET", "api2.openreview.net", "/notes"),
    ]
    assert json.loads(seen[0].body) == {"id": "bo@reviewer.example", "password": play.PASSWORD}


def test_no_answer_and_no_log_holds_a_credential(
    account: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    account(play.PASSWORD)
    caplog.set_level("DEBUG")
    known = papers(1, venue="iclr")
    scripts: list[Script] = [
        gated(known, []),
        lambda asked: play.hidden(FORUM) if asked.path == "/notes" else play.answer(asked, known),
        lambda asked: (
            play.throttled("2031-01-01T00:00:00Z")
            if asked.path == "/notes"
            else play.answer(asked, known)
        ),
        lambda _: play.error(400, "Error", "Invalid username or password bo@reviewer.example"),
    ]
    secrets = (play.TOKEN, play.PASSWORD, "bo@reviewer.example", play.ACCOUNT)
    for script in scripts:
        answers, _ = asked_of(script, [query_of(known[0]), ONE], budget=60)
        assert not [secret for secret in secrets if secret in repr(answers) + caplog.text]


def test_who_has_an_account_is_not_told_to_get_one(account: Callable[[str], None]) -> None:
    account(play.PASSWORD)

    def script(asked: Asked) -> Played:
        return play.hidden(FORUM) if asked.path == "/notes" else play.answer(asked, ())

    [answer], _ = asked_of(script, [ONE])
    assert answer.reason == "refused: the note is hidden from view (HTTP 403)"


def test_a_failed_login_goes_on_without_an_account(account: Callable[[str], None]) -> None:
    account("wrong")
    known = papers(1, venue="iclr")
    [answer], asked = asked_of(playing(play, known), [query_of(known[0])])
    assert answer.outcome == "answered"
    assert asked == {"api2.openreview.net": 2}
    [answer], _ = asked_of(gated(known, []), [query_of(known[0])])
    assert answer.reason == (
        "refused: it wants a browser to solve a challenge (HTTP 403); "
        "logging in failed (refused: HTTP 400)"
    )


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"token": null}', b'{"token": "a\\nb"}', b"[1"])
def test_a_login_without_a_token_goes_on_without_an_account(
    account: Callable[[str], None], body: bytes
) -> None:
    account(play.PASSWORD)

    def script(asked: Asked) -> Played:
        return Played(body) if asked.path == "/login" else play.challenge()

    [answer], _ = asked_of(script, [ONE])
    assert answer.outcome == "could-not-ask"
    assert "logging in failed (broken answer" in answer.reason


def test_half_of_the_credentials_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENREVIEW_USERNAME", "bo@reviewer.example")
    _, asked = asked_of(lambda _: play.challenge(), [ONE])
    assert asked == {"api2.openreview.net": 1}


# Asking whether it answers


def test_ping_is_content_with_any_answer_of_the_api() -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, ()))) == ""


def test_ping_tells_why_not() -> None:
    refused = SOURCE.ping(client_for(SOURCE, lambda _: play.challenge()))
    assert refused.startswith("refused: it wants a browser to solve a challenge")
    broken = SOURCE.ping(client_for(SOURCE, lambda _: Played(b"oops", 502)))
    assert broken == "server error: HTTP 502"


# Captured answers


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the captured answers are not here")
def test_a_captured_refusal_names_its_wait() -> None:
    body = (SAMPLES / "ratelimit_429_body.json").read_bytes()
    today = datetime(2026, 8, 31, 7, 59, 25, tzinfo=UTC).timestamp()
    assert seconds_until_reset(body, today) == pytest.approx(3600.212)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the captured answers are not here")
def test_a_captured_note_put_back_into_its_envelope() -> None:
    taken = json.loads((SAMPLES / "refchecker_processed_note.json").read_text(encoding="utf-8"))
    content = {key: {"value": taken[key]} for key in ("title", "authors", "venue", "venueid")}
    data = {"notes": [{"id": "JFY9MZtWTu", "forum": "JFY9MZtWTu", "content": content}]}
    assert read_note(data, "JFY9MZtWTu").observation == {
        "title": "T-TAMER: Provably Taming Trade-offs in ML Serving",
        "authors": [
            "Yuanyuan Chloe Yang",
            "Ruimin Zhang",
            "Jamie Heather Morgenstern",
            "Haifeng Xu",
        ],
        "venue": "ICLR 2026 Poster",
        "venue_track": "ICLR.cc/2026/Conference",
        "year": 2026,
        "openreview_id": "JFY9MZtWTu",
    }


# The source's record


def test_the_record_of_the_source_says_the_same(shipped: Path) -> None:
    record = yaml.safe_load((shipped / f"data/sources/{SOURCE.name}.yaml").read_text("utf-8"))
    assert [(speech.fields, speech.trust, speech.because) for speech in SOURCE.speaks] == [
        (tuple(own["fields"]), own["trust"], own["because"]) for own in record["speaks_about"]
    ]


# Whatever comes


@given(BYTES, st.sampled_from([200, 301, 400, 401, 403, 404, 410]))
def test_garbage_never_raises_and_is_never_an_absence(body: bytes, status: int) -> None:
    [answer], _ = asked_of(lambda _: Played(body, status), [ONE])
    assert answer.outcome == "could-not-ask"
    assert answer.reason


PAPER = replace(papers(1, venue="iclr")[0], openreview_id=FORUM)


@given(damaged({"notes": [play.note_of(PAPER)]}))
def test_a_damaged_answer_never_raises_and_is_never_an_absence(data: Any) -> None:
    [answer], _ = asked_of(lambda _: Played(json.dumps(data).encode()), [query_of(PAPER)])
    assert answer.outcome in ("answered", "could-not-ask")
    assert answer.status == "active"
    if answer.outcome == "answered":
        Observation.model_validate(answer.observation)
        assert answer.observation.get("title") != "None"


@given(damaged({"notes": [play.first_note_of(PAPER)]}))
def test_a_damaged_answer_of_the_older_interface_is_never_an_absence(data: Any) -> None:
    missing = play.error(404, "NotFoundError", "not found")
    body = Played(json.dumps(data).encode())
    [answer], _ = asked_of(
        lambda asked: missing if asked.host == play.API_2 else body, [query_of(PAPER)]
    )
    assert answer.outcome in ("answered", "could-not-ask")


@given(PLAIN)
def test_any_data_is_read_or_refused(data: Any) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_note({"notes": data}, FORUM)
