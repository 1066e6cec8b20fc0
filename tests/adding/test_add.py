"""``registry add`` against the server that plays the sources, and with nobody to ask."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from shelve import shelve

import pytest
from adding.hearing import TODAY, arxiv, planned, pmlr
from papers import papers
from server import Server

from registry.adding import addition
from registry.cli.app import run
from registry.cli.live import MIRROR
from registry.verify import Options, load, verify

KNOWN = papers(6)
CROW = KNOWN[0]
QUICK = ("--source", "pmlr", "--source", "semantic-scholar")
"""Sources that need no second request to the same host."""

Command = Callable[..., int]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with Server(KNOWN) as playing:
        monkeypatch.setenv(MIRROR, playing.address)
        yield playing


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return shelve(tmp_path / "shelf", [])


@pytest.fixture
def add(root: Path) -> Command:
    def command(*words: str) -> int:
        try:
            return run(["add", *words, "--root", str(root), "--today", TODAY.isoformat()])
        except SystemExit as end:
            return int(end.code or 0)

    return command


def errors(root: Path) -> list[str]:
    findings = verify(root, Options(today=TODAY)).findings
    return [f"{one.file}: {one.message}" for one in findings if one.severity != "info"]


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_all_sources_answer_and_the_registry_verifies(
    server: Server, root: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(CROW.arxiv_id, "--by", "mira") == 0
    captured = capsys.readouterr()
    name = "latency-attention-tree-0"
    assert f"Added paper/{name}, “{CROW.title}”: data/papers/{name}.yaml" in captured.out
    assert "6 new, 0 recorded before" in captured.out
    assert f"registry verify {name}" in captured.out
    assert errors(root) == []
    entry = load(root, use_cache=False).index.entries[f"paper/{name}"]
    held = {fact.name: fact.preferred.value for fact in entry.facts if fact.preferred}
    assert held == {
        "title": CROW.title,
        "authors": [{"given": given, "family": family} for given, family in CROW.authors],
        "venue": "icml",
        "venue_track": "main",
        "year": 2024,
        "volume": "235",
        "pages": CROW.pages,
        "arxiv_id": CROW.arxiv_id,
        "openreview_id": CROW.openreview_id,
        "dblp_key": CROW.dblp_key,
    }
    text = (root / "data" / "papers" / f"{name}.yaml").read_text("utf-8")
    assert f"submitted: {CROW.submitted}" in text
    assert "by: mira" in text


def test_a_doi_leads_to_the_same_record(server: Server, root: Path, add: Command) -> None:
    paper = KNOWN[4]
    sources = ("--source", "semantic-scholar", "--source", "crossref")
    assert add(f"https://doi.org/{paper.doi}", *sources, "--id", "crow") == 0
    assert errors(root) == []
    (root / "data" / "papers" / "crow.yaml").unlink()
    for path in (root / "data" / "evidence").iterdir():
        path.unlink()
    assert add(f"arXiv:{paper.arxiv_id}v1", *sources, "--id", "crow") == 0
    assert errors(root) == []


def test_one_source_that_is_throttled_is_named_and_can_be_asked_later(
    server: Server, root: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    server.spoil("api.semanticscholar.org", "429")
    words = ("--source", "semantic-scholar", "--source", "openalex", "--max-wait", "1")
    assert add(CROW.arxiv_id, *words, "--id", "crow") == 0
    captured = capsys.readouterr()
    assert "semantic-scholar: throttled: HTTP 429" in captured.err
    assert "1 source could not be asked; ask again: registry verify crow --live" in captured.out
    assert errors(root) == []


def test_nobody_could_be_asked(
    server: Server, root: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(root)
    for host in ("export.arxiv.org", "api.semanticscholar.org", "api.openalex.org"):
        server.spoil(host, "403")
    assert add(CROW.arxiv_id) == 3
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"registry: nobody could be asked about arXiv:{CROW.arxiv_id}: arxiv: ")
    assert "semantic-scholar: refused" in last
    assert files(root) == before


def test_no_source_knows_it(
    server: Server, root: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    server.spoil("api.openalex.org", "403")
    # arXiv gives out the ids: what it does not know is none.
    assert add("2401.29999") == 2
    assert "registry: no source knows arXiv:2401.29999" in capsys.readouterr().err
    assert add("2401.29999", "--source", "semantic-scholar", "--source", "openalex") == 3
    assert "semantic-scholar know no such paper" in capsys.readouterr().err


def test_what_is_no_identifier_is_refused_before_anybody_is_asked(
    server: Server, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    for word in ("crow", "2413.00001", "10.1000", ""):
        assert add(word) == 2
        assert "is neither an arXiv id nor a DOI" in capsys.readouterr().err
    assert add(CROW.arxiv_id, "--id", "No Id") == 2
    assert "'No Id' is no id" in capsys.readouterr().err
    assert server.seen == []


def test_a_paper_on_record_and_an_id_that_is_taken_are_refused(
    server: Server, root: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(CROW.arxiv_id, *QUICK, "--id", "crow") == 0
    before = files(root)
    capsys.readouterr()
    asked = len(server.seen)
    assert add(f"https://arxiv.org/abs/{CROW.arxiv_id}") == 2
    said = capsys.readouterr().err
    assert f"arxiv_id {CROW.arxiv_id} is on record: paper/crow, “{CROW.title}”" in said
    assert add(KNOWN[1].arxiv_id, "--id", "crow") == 2
    assert "the id is taken: paper/crow" in capsys.readouterr().err
    assert len(server.seen) == asked
    assert files(root) == before


def test_a_dry_run_prints_the_record_and_writes_nothing(
    server: Server, root: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(root)
    assert add(CROW.arxiv_id, *QUICK, "--dry-run") == 0
    assert capsys.readouterr().out.startswith("# yaml-language-server: $schema=../../schemas/paper")
    assert files(root) == before


@pytest.mark.parametrize("written", [1, 2])
def test_what_was_cut_short_is_completed_by_asking_once_more(
    server: Server,
    root: Path,
    add: Command,
    written: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    left = [written]

    def create(path: Path, content: bytes) -> None:
        if not left[0]:
            raise SystemExit(9)
        left[0] -= 1
        path.write_bytes(content)

    with monkeypatch.context() as crash:
        crash.setattr(addition, "create", create)
        assert add(CROW.arxiv_id, *QUICK, "--id", "crow") == 9
    begun = files(root)
    assert [name for name in begun if "/papers/" in name] == []
    assert len([name for name in begun if "/evidence/" in name]) == written
    # The id that was chosen is known from the evidence, and what is written is not written again.
    assert add(CROW.arxiv_id, *QUICK) == 0
    assert f"{2 - written} new, {written} recorded before" in capsys.readouterr().out
    after = files(root)
    assert "data/papers/crow.yaml" in after
    assert begun.items() <= after.items()
    assert errors(root) == []


def test_recorded_evidence_is_enough_offline(
    root: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    made = planned(load(root, use_cache=False), arxiv(), pmlr())
    for key, raw in made.files.items():
        if key.startswith("evidence/"):
            (root / "data" / f"{key}.yaml").write_bytes(raw)
    assert add("2401.20001", "--offline", "--id", "other") == 2
    assert "is recorded about paper/crow" in capsys.readouterr().err
    assert add("2401.20001", "--offline") == 0
    assert "0 new, 2 recorded before" in capsys.readouterr().out
    assert errors(root) == []
    assert b"value: icml" in (root / "data" / "papers" / "crow.yaml").read_bytes()


def test_offline_without_evidence_nothing_can_be_added(
    root: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add("2401.20001", "--offline") == 2
    assert "no recorded evidence holds arXiv:2401.20001" in capsys.readouterr().err


def test_a_contest_and_what_is_not_believed_are_told(
    root: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    made = planned(load(root, use_cache=False), arxiv(title="CROW: Counting Rows At Dawn"), pmlr())
    for key, raw in made.files.items():
        if key.startswith("evidence/"):
            (root / "data" / f"{key}.yaml").write_bytes(raw)
    assert add("2401.20001", "--offline") == 0
    out = capsys.readouterr().out
    assert "contested: title. The sources disagree: Proceedings of Machine Learning Research" in out
    assert errors(root) == []


def test_eagle_comes_out_of_its_recorded_evidence_as_it_is_on_record(
    shipped: Path, tmp_path: Path, add: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "shelf"
    shutil.rmtree(root)
    shutil.copytree(shipped / "data", root / "data")
    expected = load(root, use_cache=False).index.entries["paper/eagle"]
    (root / "data" / "papers" / "eagle.yaml").unlink()
    assert add("2401.15077", "--offline", "--today", "2026-12-01") == 0, capsys.readouterr()
    made = load(root, use_cache=False).index.entries["paper/eagle"]
    # People read the affiliations, and concluded what the track is.
    left = {"affiliations", "venue_track"}
    assert {fact.name for fact in expected.facts} - {fact.name for fact in made.facts} == left
    for fact in made.facts:
        other = expected.fact(fact.name)
        assert other is not None
        assert other.preferred is not None
        assert fact.preferred is not None
        assert fact.preferred.value == other.preferred.value
