"""The commands that ask sources, against the server that plays them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from shelve import shelve

import pytest
from papers import papers
from server import Server

from registry.cli.app import run
from registry.cli.live import MIRROR
from registry.verify import load

KNOWN = papers(6)
QUICK = ("--source", "pmlr", "--source", "semantic-scholar")
"""Sources that answer about all papers in one request, so that no test waits."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with Server(KNOWN) as playing:
        monkeypatch.setenv(MIRROR, playing.address)
        yield playing


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return shelve(tmp_path / "shelf", KNOWN)


def registry(*words: str | Path) -> int:
    """Exit code of a command."""
    try:
        return run([str(word) for word in words])
    except SystemExit as end:
        return int(end.code or 0)


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_live_shows_who_says_what_and_changes_nothing(
    server: Server, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(root)
    assert registry("verify", "--live", *QUICK, "--root", root, "p0", "--format", "json") == 0
    captured = capsys.readouterr()
    (matrix,) = json.loads(captured.out)["matrices"]
    verdicts = {(cell["field"], cell["source"]): cell["verdict"] for cell in matrix["cells"]}
    assert verdicts["pages", "pmlr"] == verdicts["title", "semantic-scholar"] == "confirmed"
    assert verdicts["venue_track", "pmlr"] == "silent"
    assert "asked 2 sources about 1 paper: 2 answers" in captured.err
    assert files(root) == before
    assert [seen.asked.host for seen in server.seen] != []


def test_a_wrong_record_is_contradicted_live(
    server: Server, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = root / "data" / "papers" / "p0.yaml"
    path.write_text(path.read_text("utf-8").replace(KNOWN[0].pages, "1-13"), "utf-8")
    assert registry("verify", "--live", "--source", "pmlr", "--root", root) == 1
    out = capsys.readouterr().out
    assert "EVD001" in out
    assert f"says `{KNOWN[0].pages}`" in out


def test_record_keeps_answers_once(
    server: Server, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(root)
    assert registry("verify", "--live", "--record", *QUICK, "--root", root) == 0
    after = files(root)
    new = sorted(set(after) - set(before))
    assert len(new) == 1 + len(KNOWN)  # one ICML paper at PMLR, all at Semantic Scholar
    assert {name: after[name] for name in before} == before
    assert f"{len(new)} new observations recorded" in capsys.readouterr().err
    # What was recorded verifies offline, and says that it came through a mirror.
    assert [f for f in load(root, use_cache=False).findings if f.severity == "error"] == []
    assert all(b"Read through a mirror" in after[name] for name in new)
    assert registry("verify", "--live", "--record", *QUICK, "--root", root) == 0
    assert files(root) == after


def test_a_source_that_cannot_be_asked_fails_only_a_strict_run(
    server: Server, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.spoil("proceedings.mlr.press", "403")
    words = ("verify", "--live", *QUICK, "--root", root, "p0", "--ignore", "LNK")
    assert registry(*words) == 0
    assert "could not be" not in capsys.readouterr().err
    assert registry(*words, "--strict") == 3
    assert "pmlr: refused: HTTP 403" in capsys.readouterr().err


def test_fetch_needs_no_record(
    server: Server, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paper = KNOWN[0]
    before = files(root)
    name = f"https://arxiv.org/abs/{paper.arxiv_id}"
    (root / "data" / "papers" / "p0.yaml").unlink()
    # Semantic Scholar is asked by the id, and what it says lets PMLR be asked.
    assert registry("fetch", name, *QUICK, "--root", root, "--format", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["asked_about"] == f"arXiv:{paper.arxiv_id}"
    answers = {answer["source"]: answer for answer in told["answers"]}
    assert answers["semantic-scholar"]["observation"]["title"] == paper.title
    assert answers["pmlr"]["observation"]["pages"] == paper.pages
    assert set(files(root)) == set(before) - {"data/papers/p0.yaml"}


def test_fetch_prints_values_side_by_side(
    server: Server, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert registry("fetch", "p0", *QUICK, "--root", root) == 0
    out = capsys.readouterr().out
    assert f"{KNOWN[0].title}  [pmlr, semantic-scholar]" in out
    assert registry("fetch", "nothing at all", "--root", root) == 2
    assert "neither a paper on record nor an identifier" in capsys.readouterr().err


def test_fetch_shows_the_versions_on_arxiv(
    server: Server, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paper = KNOWN[2]
    assert paper.versions == 3
    assert registry("fetch", paper.arxiv_id, "--source", "arxiv", "--root", root) == 0
    out = capsys.readouterr().out
    assert f"arxiv: versions: v1 {paper.submitted}, v2 " in out
    server.spoil("oaipmh.arxiv.org", "403")
    assert registry("fetch", paper.arxiv_id, "--source", "arxiv", "--root", root) == 0
    assert "its versions could not be asked (refused: HTTP 403" in capsys.readouterr().out


def test_sources_are_listed_and_pinged(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("S2_API_KEY", "very-secret")
    assert registry("sources") == 0
    out = capsys.readouterr().out
    assert "S2_API_KEY set" in out
    assert "OPENALEX_API_KEY not set" in out
    assert "very-secret" not in out
    monkeypatch.delenv("S2_API_KEY")
    assert registry("sources", *QUICK, "--ping") == 0
    server.spoil("proceedings.mlr.press", "403")
    assert registry("sources", *QUICK, "--ping") == 3
    assert "pmlr              does not answer: refused: HTTP 403" in capsys.readouterr().out


def test_answers_that_cannot_be_kept_are_still_shown(
    server: Server, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = root / "data" / "evidence"
    folder.rmdir()
    folder.write_text("in the way", "utf-8")
    words = ("verify", "--live", "--record", *QUICK, "--root", root, "p0", "--ignore", "FIL")
    assert registry(*words, "--format", "json") == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["matrices"]
    assert "not all answers were recorded" in captured.err


def test_a_report_says_that_it_is_incomplete(
    server: Server, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.spoil("proceedings.mlr.press", "403")
    for form in ("terminal", "json", "markdown"):
        assert registry("verify", "--live", *QUICK, "--root", root, "--format", form) == 0
        assert "pmlr: refused: HTTP 403" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["ftp://127.0.0.1", "127.0.0.1:8", "http://u:secret@127.0.0.1:8"])
def test_a_mirror_is_plain_and_holds_no_password(
    word: str, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(MIRROR, word)
    assert registry("verify", "--live", "--root", root) == 2
    captured = capsys.readouterr()
    assert "http://127.0.0.1:PORT" in captured.err
    assert "secret" not in captured.err + captured.out
