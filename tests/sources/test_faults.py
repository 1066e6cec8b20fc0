from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from faults import EXPECTED, Row, question, sweep, table
from papers import Paper, papers
from plays import openalex, openreview, semantic_scholar
from plays_interface import Asked, Played
from stage import FAULTS

from registry.sources import MODULES, sources
from registry.sources.answers import NoReply
from registry.sources.interface import Answer, Query, Speech
from registry.sources.transport import Client, HostPolicy, Request

CREDENTIALS = {
    "S2_API_KEY": semantic_scholar.KEY,
    "OPENALEX_API_KEY": openalex.KEY,
    "OPENREVIEW_USERNAME": openreview.ACCOUNT,
    "OPENREVIEW_PASSWORD": openreview.PASSWORD,
}

Rows = dict[tuple[str, str], Row]


@pytest.fixture(scope="module")
def somewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder to work in with nothing in it, and no credentials."""
    folder = tmp_path_factory.mktemp("somewhere")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(folder))
        for source in sources():
            for name in source.key_variables:
                patch.delenv(name, raising=False)
        yield folder


@pytest.fixture(scope="module")
def rows(somewhere: Path) -> Rows:
    return {(row.source, row.fault): row for row in sweep()}


@pytest.fixture(scope="module")
def rows_with_keys(rows: Rows) -> Rows:
    keyed = [source for source in sources() if source.key_variables]
    with pytest.MonkeyPatch.context() as patch:
        for source in keyed:
            for name in source.key_variables:
                patch.setenv(name, CREDENTIALS[name])
        return {(row.source, row.fault): row for row in sweep(keyed)}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", MODULES)
def test_a_source_stands_a_fault(name: str, fault: str, rows: Rows) -> None:
    assert rows[name, fault].problems == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_credentials_change_nothing_and_show_nowhere(fault: str, rows_with_keys: Rows) -> None:
    for (_, tried), row in rows_with_keys.items():
        if tried == fault:
            assert row.problems == ()
            text = "\n".join(row.texts)
            assert [name for name, key in CREDENTIALS.items() if key in text] == []


def test_nothing_is_written(rows: Rows, rows_with_keys: Rows, somewhere: Path) -> None:
    assert len(rows) == len(MODULES) * len(FAULTS)
    assert rows_with_keys
    assert os.listdir(somewhere) == []


def test_every_fault_has_its_reason() -> None:
    assert EXPECTED.keys() == FAULTS.keys()


def test_questions_suit_every_source() -> None:
    known = papers(12)
    for source in sources():
        assert any(source.can_ask(question(paper)) for paper in known)


# The sweep itself must be able to find fault.


@dataclass(frozen=True)
class Plain:
    """A source with one page for each paper, and a weakness."""

    name: str
    weakness: str = ""
    key_variables: tuple[str, ...] = ()
    speaks: tuple[Speech, ...] = ()

    @property
    def host(self) -> str:
        return f"{self.name}.example"

    @property
    def policies(self) -> tuple[HostPolicy, ...]:
        return (HostPolicy(self.host),)

    def can_ask(self, query: Query) -> bool:
        return bool(query.title)

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        for query in queries:
            request = Request(f"https://{self.host}/{query.record}", "json")
            reply = client.get(request, ())
            if self.weakness == "waits by itself" and isinstance(reply, NoReply):
                client.clock.sleep(301.0)
            if not isinstance(reply, NoReply):
                yield Answer(query.record, self.name, "answered", observation=reply.data)
            elif self.weakness == "knows nothing of failure":
                yield Answer(query.record, self.name, "no-such-record")
            elif self.weakness == "makes up a reason":
                yield Answer(query.record, self.name, "could-not-ask", "it is offline")
            elif self.weakness == "raises":
                raise KeyError("title")
            elif self.weakness == "says nothing":
                return
            else:
                yield Answer(query.record, self.name, "could-not-ask", str(reply))

    def ping(self, client: Client) -> str:
        reply = client.get(Request(f"https://{self.host}/", "json"), ())
        return str(reply) if isinstance(reply, NoReply) and self.weakness != "always well" else ""

    def answer(self, asked: Asked, known: Sequence[Paper]) -> Played:
        return Played(json.dumps({"title": f"Page {asked.path}"}).encode())


def swept(weakness: str, fault: str) -> Row:
    weak, sound = Plain("weak", weakness), Plain("sound")
    played = {weak.host: weak, sound.host: sound}
    [row] = sweep([weak], [fault], beside=[weak, sound], played=played)  # type: ignore[arg-type]
    return row


@pytest.mark.parametrize("fault", ["500", "429-seconds", "truncated", "404"])
def test_a_sound_source_stands(fault: str) -> None:
    assert swept("", fault).problems == ()


@pytest.mark.parametrize(
    ("weakness", "problem"),
    [
        ("knows nothing of failure", "paper/p0: no-such-record"),
        ("makes up a reason", "paper/p0: it is offline, and not server error"),
        ("raises", "its reader failed"),
        ("says nothing", "gave no answer"),
        ("always well", "ping: no reason, and not server error"),
        ("waits by itself", "of 300 s"),
    ],
)
def test_a_weakness_is_found(weakness: str, problem: str) -> None:
    found = swept(weakness, "500").problems
    assert any(problem in text for text in found), found


def test_a_neighbour_that_answers_otherwise_was_disturbed() -> None:
    @dataclass(frozen=True)
    class Fickle(Plain):
        said: list[str] = field(default_factory=list)

        def answer(self, asked: Asked, known: Sequence[Paper]) -> Played:
            self.said.append(asked.path)
            return Played(json.dumps({"title": f"Answer {len(self.said)}"}).encode())

    weak, fickle = Plain("weak"), Fickle("fickle")
    played = {weak.host: weak, fickle.host: fickle}
    [row] = sweep([weak], ["500"], beside=[fickle], played=played)  # type: ignore[arg-type]
    assert len(row.problems) == 4
    assert all(text.startswith("fickle was disturbed: answered") for text in row.problems)


def test_a_source_that_does_not_work_at_all_cannot_be_swept() -> None:
    class Mute(Plain):
        def answer(self, asked: Asked, known: Sequence[Paper]) -> Played:
            return Played(b"", 404)

    weak, sound = Mute("weak"), Plain("sound")
    played = {weak.host: weak, sound.host: sound}
    with pytest.raises(AssertionError, match="weak without any fault"):
        sweep([weak], ["500"], beside=[weak, sound], played=played)  # type: ignore[arg-type]


def test_the_table_counts_what_was_tried_and_what_was_right() -> None:
    rows = [
        Row("arxiv", "429", ()),
        Row("arxiv", "html", ("paper/p0: answered",)),
        Row("semantic-scholar", "429", ()),
    ]
    assert table(rows) == (
        "fault         arxiv  semantic-scholar\n"
        "429           ok     ok\n"
        "html          WRONG  -\n"
        "faults tried  2      1\n"
        "faults right  1      1\n"
        "2 of 3 right\n"
        "arxiv, html: paper/p0: answered"
    )
