from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from world import TODAY, World

from registry.checks.matrix import Comparer
from registry.live import hear, hear_in_rounds, with_answers
from registry.recording import record_answer
from registry.sources.interface import Answer, Query, Speech
from registry.sources.queries import query_from, query_of
from registry.sources.transport import Client, HostPolicy
from registry.store.index import Index
from registry.verify import Options, load, report_on

NO_HOSTS = Client(())


@dataclass
class Told:
    """A source that says what a test tells it to."""

    name: str
    says: dict[str, Answer] = field(default_factory=dict)
    needs: str = "title"
    fault: BaseException | None = None
    asked: list[Query] = field(default_factory=list)
    policies: tuple[HostPolicy, ...] = ()
    speaks: tuple[Speech, ...] = ()
    key_variables: tuple[str, ...] = ()

    def can_ask(self, query: Query) -> bool:
        return bool(getattr(query, self.needs))

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        for query in queries:
            self.asked.append(query)
            if self.fault is not None:
                raise self.fault
            if query.record in self.says:
                yield self.says[query.record]

    def ping(self, client: Client) -> str:
        return ""


def said(source: str, outcome: str = "answered", **more: Any) -> Answer:
    return Answer("paper/trees", source, outcome, **more)  # type: ignore[arg-type]


QUERY = Query("paper/trees", title="Draft Trees: A Study")


def test_the_question_holds_what_the_record_prefers(world: World) -> None:
    index = load(world.write(), use_cache=False).index
    query = query_of(index.entries["paper/trees"], index)
    assert query.title == "Draft Trees: A Study"
    assert query.authors == ("Abel, Ada", "van Berg, Bo")
    assert (query.year, query.venue, query.arxiv_id) == (2025, "ict", "")


@pytest.mark.parametrize(
    ("text", "arxiv", "version", "doi"),
    [
        ("https://arxiv.org/abs/2401.15077v1", "2401.15077", "v1", ""),
        ("arXiv:2401.15077", "2401.15077", "", ""),
        ("doi:10.18653/V1/2024.acl-long.7", "", "", "10.18653/v1/2024.acl-long.7"),
    ],
)
def test_a_question_from_an_identifier(text: str, arxiv: str, version: str, doi: str) -> None:
    query = query_from(text)
    assert query is not None
    assert (query.arxiv_id, query.arxiv_version, query.doi) == (arxiv, version, doi)


def test_what_is_no_identifier_makes_no_question() -> None:
    assert query_from("eagle") is None


def test_every_source_is_asked_and_one_failure_silences_no_other() -> None:
    good = Told("good", {"paper/trees": said("good", observation={"year": 2025})})
    bad = Told("bad", fault=TypeError("secret"))
    mute = Told("mute")
    unable = Told("unable", needs="doi")
    heard = hear([QUERY], [good, bad, mute, unable], NO_HOSTS)
    by_source = {answer.source: answer for answer in heard.answers}
    assert set(by_source) == {"good", "bad", "mute"}
    assert by_source["good"].outcome == "answered"
    assert by_source["bad"].outcome == by_source["mute"].outcome == "could-not-ask"
    assert "TypeError" in by_source["bad"].reason
    assert "secret" not in by_source["bad"].reason
    assert unable.asked == []
    assert heard.expected == 3


def test_an_interrupt_keeps_what_was_heard() -> None:
    sources = [Told("one", {"paper/trees": said("one")})]

    def interrupt(answer: Answer) -> None:
        raise KeyboardInterrupt

    heard = hear([QUERY, Query("paper/x", title="X")], sources, Client(()), interrupt)
    assert heard.stopped
    assert [(a.record, a.outcome) for a in heard.answers] == [
        ("paper/trees", "answered"),
        ("paper/x", "could-not-ask"),
    ]
    assert heard.answers[1].reason.startswith("stopped")


def test_what_one_source_says_lets_the_next_be_asked(world: World) -> None:
    venues = Comparer(load(world.write(), use_cache=False).index).venues
    first = Told("first", needs="arxiv_id")
    first.says["arXiv:2501.00001"] = Answer(
        "arXiv:2501.00001",
        "first",
        "answered",
        observation={"title": "Trees", "authors": ["Ada Abel"], "doi": "10.1000/xyz"},
    )
    second = Told("second", needs="doi")
    third = Told("third", needs="openreview_id")
    query = Query("arXiv:2501.00001", arxiv_id="2501.00001")
    heard = hear_in_rounds(query, [third, second, first], NO_HOSTS, venues)
    assert [answer.source for answer in heard.answers] == ["first", "second"]
    assert second.asked == [replace(query, title="Trees", authors=("Ada Abel",), doi="10.1000/xyz")]
    assert third.asked == []


def live_findings(world: World, *answers: Answer) -> dict[str, str]:
    """Code to message of errors and warnings once the answers are heard."""
    registry = with_answers(load(world.write(), use_cache=False), answers, TODAY)
    report = report_on(registry, Options(today=TODAY, ids=("paper/trees",)))
    return {f.code: f.message for f in report.findings if f.severity != "info"}


def test_live_answers_are_judged_like_recorded_evidence(world: World) -> None:
    assert live_findings(world, said("index", observation={"year": 2025})) == {}
    found = live_findings(world, said("index", observation={"year": 2024}))
    assert "Index says `2024`" in found["EVD001"]


def test_silence_and_failure_say_nothing_against_a_value(world: World) -> None:
    failed = said("copycat", "could-not-ask", reason="throttled: HTTP 429")
    unknown = said("copycat", "no-such-record")
    assert live_findings(world, failed) == live_findings(world, unknown) == {}


def test_a_retraction_anywhere_is_an_error(world: World) -> None:
    found = live_findings(world, said("index", status="retracted", observation={"year": 2025}))
    assert "retracted" in found["EVD012"]


def test_an_identifier_that_belongs_to_another_paper(world: World) -> None:
    other = {"title": "Robots That Drive: A Road Study", "authors": ["Bo Hua"], "year": 2019}
    found = live_findings(world, said("index", observation=other))
    # One finding that names the other paper; nothing else of it is held against the record.
    assert list(found) == ["EVD013"]
    assert "`Robots That Drive: A Road Study` by Bo Hua" in found["EVD013"]


def test_a_changed_title_by_the_same_people_is_not_another_paper(world: World) -> None:
    other = {"title": "Trees Drafted Anew", "authors": ["Ada Abel", "Bo van Berg"]}
    assert list(live_findings(world, said("index", observation=other))) == ["EVD001"]


def test_what_only_its_title_led_to_confirms_nothing(world: World) -> None:
    source = Told("index", {"paper/trees": said("index", observation={"year": 2024})})
    heard = hear([Query("paper/trees", title="Draft Trees: A Study")], [source], NO_HOSTS)
    assert [answer.proposed for answer in heard.answers] == [True]
    assert live_findings(world, *heard.answers) == {}
    path = record_answer(world.write(), Index(()), heard.answers[0], TODAY)
    assert path is not None
    assert "confirmed: false" in path.read_text("utf-8")
    identified = Query("paper/trees", title="Draft Trees: A Study", doi="10.1/x")
    heard = hear([identified], [source], NO_HOSTS)
    assert [answer.proposed for answer in heard.answers] == [False]


def test_that_there_is_no_such_record_can_be_recorded(world: World) -> None:
    root = world.write()
    answer = said("index", "no-such-record", notes=("title found, but no author in common",))
    path = record_answer(root, Index(()), answer, TODAY)
    assert path is not None
    registry = load(root, use_cache=False)
    assert [f for f in registry.findings if f.file.endswith(path.name)] == []
    (matrix,) = report_on(registry, Options(today=TODAY, ids=("paper/trees",))).matrices
    assert {c.verdict for c in matrix.cells if c.source == "index"} == {"confirmed"}


def test_a_run_without_network_does_not_look_like_one_with(world: World) -> None:
    failed = said("index", "could-not-ask", reason="unreachable")
    registry = with_answers(load(world.write(), use_cache=False), [failed], TODAY)
    (matrix,) = report_on(registry, Options(today=TODAY, ids=("paper/trees",))).matrices
    notes = {cell.note for cell in matrix.cells if cell.source == "index"}
    assert notes == {"as recorded, not now: unreachable"}


def test_the_eleventh_answer_of_a_day_is_the_latest(world: World) -> None:
    root = world.write()
    for number in range(12):
        index = load(root, use_cache=False).index
        answer = said("index", observation={"pages": f"{1 + number}-99"}, locator="its page")
        assert record_answer(root, index, answer, TODAY) is not None
    latest = load(root, use_cache=False).index.evidence_about["paper/trees"][-1]
    assert latest.heard is not None
    assert latest.heard.observed == {"pages": "12-99"}


def recorded(root: Path) -> dict[str, str]:
    folder = root / "data" / "evidence"
    return {path.name: path.read_text("utf-8") for path in folder.glob("*2026-06-01*.yaml")}


def test_recording_adds_and_never_overwrites(world: World) -> None:
    root = world.write()
    before = {path: path.read_bytes() for path in root.rglob("*.yaml")}

    def index() -> Index:
        return load(root, use_cache=False).index

    first = said("index", observation={"year": 2025, "pages": "101-112"}, locator="its page")
    assert record_answer(root, index(), first, TODAY) is not None
    assert list(recorded(root)) == ["trees-index-2026-06-01.yaml"]
    # The same answer on the same day is nothing new; a changed one is.
    assert record_answer(root, index(), first, TODAY) is None
    changed = said("index", observation={"year": 2024}, locator="its page")
    path = record_answer(root, index(), changed, TODAY)
    assert path is not None
    assert path.name == "trees-index-2026-06-01-2.yaml"
    assert {p: p.read_bytes() for p in before} == before
    # The same answer more than a year later renews the evidence.
    later = record_answer(root, index(), changed, date(2027, 7, 1))
    assert later is not None


def test_what_was_recorded_reads_back_and_verifies(world: World) -> None:
    root = world.write()
    answer = said(
        "index",
        observation={
            "title": "Draft Trees: A Study",
            "authors": ["Abel, Ada", "{No Group}"],
            "arxiv_id": "2401.15070",
            "volume": "010",
            "published": date(2025, 7, 8),
            "venue": "no",
        },
        silent_on=("doi",),
        notes=("A note: with a colon",),
        locator="its page",
        url="https://example.org/x?id=1",
        sha256="0" * 64,
        version="v2",
    )
    path = record_answer(root, Index(()), answer, TODAY, via="http://127.0.0.1:9")
    assert path is not None
    registry = load(root, use_cache=False)
    assert [f for f in registry.findings if f.file.endswith(path.name)] == []
    heard = registry.index.entries[f"evidence/{path.stem}"].heard
    assert heard is not None
    assert heard.observed["arxiv_id"] == "2401.15070"
    assert heard.observed["volume"] == "010"
    assert heard.observed["venue"] == "no"
    assert heard.observed["published"] == "2025-07-08"
    assert heard.how == "fetched"
    assert "mirror" in path.read_text("utf-8")


def test_a_source_that_could_not_be_asked_is_not_recorded(world: World) -> None:
    root = world.write()
    failed = said("index", "could-not-ask", reason="throttled")
    assert record_answer(root, Index(()), failed, TODAY) is None
    assert recorded(root) == {}
