"""``registry cite-evidence``: what somebody read by hand."""

from __future__ import annotations

import hashlib
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from editing.desk import Desk
from world import World

from registry.store.reader import read

KINDS = ("transcribed", "reported")


@pytest.fixture
def desk(world: World, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(world.write(), capsys)


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    path = tmp_path / "scan.pdf"
    path.write_bytes(b"%PDF wheat")
    return path


def cite(desk: Desk, what: Any, *words: str, about: str = "paper/trees", **options: str) -> Any:
    usual = {"about": about, "source": "index", "locator": "page 1"} | options
    named = [word for name, value in usual.items() for word in (f"--{name}", value)]
    return desk.run("cite-evidence", str(what), *named, *words)


def kept(desk: Desk, name: str = "trees-index-2026-06-01") -> dict[str, Any]:
    return desk.data(f"evidence/{name}")


def test_a_file_is_kept_by_its_hash_with_the_values_that_were_taken(desk: Desk, scan: Path) -> None:
    outcome = cite(
        desk, scan, "--field", "authors=Abel, Ada and {The Trees Group}", "-f", "year=2025",
        "--field", "affiliations=[{author: 1, printed: Tree Lab}]", "--silent-on", "doi",
        "--quote", "to appear", "--version", "v2", "--by", "mira", "--retrieved", "2026-05-30",
        about="trees",
    )  # fmt: skip
    assert outcome.code == 0, outcome
    assert "Added evidence/trees-index-2026-05-30: data/evidence/" in outcome.out
    assert kept(desk, "trees-index-2026-05-30") == {
        "kind": "evidence",
        "id": "trees-index-2026-05-30",
        "about": "paper/trees",
        "source": "index",
        "locator": "page 1",
        "retrieved": read(b"day: 2026-05-30\n", "").data["day"],  # type: ignore[index]
        "how": "transcribed",
        "sha256": hashlib.sha256(b"%PDF wheat").hexdigest(),
        "reader": {"name": "mira"},
        "outcome": "answered",
        "version": "v2",
        "confirmed": True,
        "silent_on": ["doi"],
        "observation": {
            "authors": ["Abel, Ada", "{The Trees Group}"],
            "affiliations": [{"author": 1, "printed": "Tree Lab"}],
            "year": 2025,
        },
        "quote": "to appear",
    }


def test_the_commands_that_it_prints_can_be_run(desk: Desk, scan: Path) -> None:
    outcome = cite(
        desk, scan, "--field", "pages=101-103", "--field", "doi=10.1000/t.1", "--field",
        "affiliations=[{author: 1, printed: Tree Lab}]", "--field", "year=2025",
    )  # fmt: skip
    assert outcome.code == 0
    assert "pages: the record says `101-112`; this corrects it" in outcome.out
    assert "year: the record says the same" in outcome.out
    assert "doi: the record has none yet" in outcome.out
    # The new word contradicts the record, and stays an error until somebody deals with it.
    assert "until that is done: data/papers/trees.yaml" in outcome.err
    assert desk.run("verify").code == 1
    commands = [line for line in outcome.out.splitlines() if line.startswith("  registry ")]
    assert len(commands) == 4
    for line in commands:
        words = shlex.split(line.replace("WHY", "'It says so.'").replace("WHO", "mira"))
        if "pages" in words:
            words += ["--contested-because", "The two differ."]
        assert desk.run(*words[1:], day="2026-06-01").code == 0, words
    assert desk.run("verify").code == 0
    data = desk.data("paper/trees")
    assert data["affiliations"]["assertions"][0]["value"] == [{"author": 1, "printed": "Tree Lab"}]
    assert "trees-index-2026-06-01" in data["year"]["assertions"][0]["evidence"]


def test_an_address_is_kept_and_not_fetched(desk: Desk, scan: Path) -> None:
    url = "https://example.org/trees?id=7#page=2"
    assert cite(desk, url, "--file", str(scan), "--field", "year=2025").code == 0
    data = kept(desk)
    assert data["url"] == url
    assert data["sha256"] == hashlib.sha256(b"%PDF wheat").hexdigest()
    assert cite(desk, url, "--field", "year=2025").code == 0
    assert "sha256" not in kept(desk, "trees-index-2026-06-01-2")


@pytest.mark.parametrize(
    "address",
    [
        "https://mira:s3cret@example.org/trees",
        "https://s3cret@example.org/trees",
        "https://example.org/trees?api_key=s3cret",
        "https://example.org/trees?APIKEY=s3cret",
        "https://example.org/trees?a=1&access%5Ftoken=s3cret",
        "https://example.org/trees?X-Amz-Signature=s3cret",
        "https://example.org/trees?accessToken=s3cret",
        "https://example.org/trees#token=s3cret",
        "https://example.org/trees?password=",
    ],
)
def test_an_address_with_a_credential_is_refused_and_not_repeated(desk: Desk, address: str) -> None:
    outcome = cite(desk, address, "--field", "year=2025")
    assert outcome.code == 2
    assert "the address holds" in outcome.err
    assert "s3cret" not in outcome.err + outcome.out
    assert not desk.path("evidence/trees-index-2026-06-01").exists()


@pytest.mark.parametrize(
    "address", ["https://example.org/?author=x&keyword=y&tokens=3&design=z", "http://[::1]/a"]
)
def test_harmless_addresses_are_kept(desk: Desk, address: str) -> None:
    assert cite(desk, address, "--field", "year=2025").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--field", "titel=X"), "no field is called 'titel' (did you mean title?)"),
        (("--field", "year"), "--field 'year' has no value (write NAME=VALUE)"),
        (("--field", "year=soon"), "year cannot be `soon`"),
        (("--field", "published=2024-13-01"), "published cannot be `2024-13-01`"),
        (("--field", "affiliations=Tree Lab"), "affiliations cannot be `Tree Lab`"),
        (("--field", "affiliations=[{author: 1}]"), "affiliations cannot be"),
        (("--field", "title= "), "--field title is empty"),
        (("--field", "year=2025", "--field", "year=2024"), "year is said twice"),
        (("--field", "year=2025", "--silent-on", "year"), "year has a value"),
        (("--silent-on", "seires"), "no field is called 'seires'"),
        ((), "that says nothing"),
        (("--quote", "x", "--how", "reported"), "needs --reported-by"),
        (("--quote", "x", "--how", "transcribed", "--reported-by", "a"), "--reported-by goes with"),
        (("--quote", "x", "--id", "A b"), "'A b' is no id"),
        (("--quote", "x", "--id", "index-trees"), "evidence/index-trees is there already"),
        (("--quote", "x", "--source", "indx"), "no source is called 'indx' (did you mean index?)"),
        (("--quote", "x", "--about", "paper/tres"), "no record is called 'paper/tres'"),
        (("--quote", "x", "--file", "b"), "--file goes with an address"),
        (("--quote", "x", "--retrieved", "now"), "'now' is not a day"),
        (("--quote", "x", "--new"), "paper/trees is on record"),
    ],
)
def test_what_is_wrong_is_said_on_one_line(
    desk: Desk, scan: Path, words: tuple[str, ...], said: str
) -> None:
    outcome = cite(desk, scan, *words)
    assert outcome.code == 2
    flat = " ".join(outcome.err.replace("│", " ").split())
    assert said in flat
    assert not desk.path("evidence/trees-index-2026-06-01").exists()


def test_what_is_no_file_is_refused(desk: Desk, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, said in (
        (tmp_path / "nothing.pdf", "No such file"),
        (tmp_path, "is a folder"),
        (tmp_path / "pipe", "is no plain file"),
        ("ftp://example.org/a", "that is no web address"),
        ("https:///a", "that is no web address"),
    ):
        outcome = cite(desk, name, "--quote", "x")
        assert outcome.code == 2
        assert said in outcome.err


def test_hearsay_names_who_saw_it(desk: Desk, scan: Path) -> None:
    assert cite(desk, scan, "--quote", "x", "--reported-by", "Bo").code == 0
    data = kept(desk)
    assert (data["how"], data["reported_by"]) == ("reported", "Bo")


def test_a_dry_run_prints_and_writes_nothing(desk: Desk, scan: Path) -> None:
    outcome = cite(desk, scan, "--quote", "x", "--dry-run")
    assert outcome.code == 0
    assert "quote: x\n" in outcome.out
    assert not desk.path("evidence/trees-index-2026-06-01").exists()


def test_a_paper_is_added_from_what_was_read(desk: Desk, scan: Path) -> None:
    outcome = cite(
        desk, scan, "--new", "--field", "title=Rows: A Count", "--field", "authors=Cy Cole",
        "--field", "arxiv_id=2401.20001v2", about="paper/rows",
    )  # fmt: skip
    assert outcome.code == 0
    assert "registry add 2401.20001v2 --offline" in outcome.out
    outcome = desk.run("add", "2401.20001v2", "--offline")
    assert outcome.code == 0, outcome
    assert desk.run("verify").code == 0
    assert desk.data("paper/rows")["title"]["assertions"][0]["evidence"] == [
        "rows-index-2026-06-01"
    ]


@pytest.mark.parametrize(
    ("words", "about", "said"),
    [
        ((), "evidence/index-trees", "evidence/index-trees is evidence itself (name the record"),
        ((), "paper/tre", "no record is called 'paper/tre' (to change a record, write its whole"),
        (("-f", "title="), "paper/trees", "--field title is empty (write the value)"),
        (("-f", "title=a\tb"), "paper/trees", "--field title has a tab in it"),
        (("-f", "title=a\nb"), "paper/trees", "--field title has a line break in it"),
        (("-f", "affiliations={author: 1}"), "paper/trees", "a list is wanted (write `[{author"),
    ],
)
def test_what_cannot_be_cited_is_refused_by_its_name(
    desk: Desk, scan: Path, words: tuple[str, ...], about: str, said: str
) -> None:
    before = sorted(desk.root.rglob("*.yaml"))
    refused = cite(desk, scan, *words, about=about)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert refused.err.count("\n") == 1
    assert sorted(desk.root.rglob("*.yaml")) == before


def test_nothing_more_is_recorded_about_a_withdrawn_record(desk: Desk, scan: Path) -> None:
    signed = ("--because", "Gone.", "--by", "mira", "--reason", "retracted")
    assert desk.run("withdraw", "paper/trees", *signed).code == 0
    refused = cite(desk, scan, "-f", "year=2025")
    assert refused.code == 2
    assert "paper/trees was withdrawn; nothing more is recorded about it" in refused.err


def test_a_title_without_a_letter_is_no_evidence(desk: Desk, scan: Path) -> None:
    refused = cite(desk, scan, "-f", "title=$$")
    assert refused.code == 1
    assert "VAL001: the title `$$` has no letter or digit" in refused.err


def test_two_who_cite_at_once_do_not_write_over_each_other(
    desk: Desk, scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from registry.store.write import create

    def slower(path: Path, content: bytes) -> None:
        create(path, b"# somebody else\n")
        create(path, content)

    monkeypatch.setattr("registry.store.write.create", slower)
    refused = cite(desk, scan, "-f", "year=2025")
    assert refused.code == 2
    assert "evidence/trees-index-2026-06-01 was added meanwhile" in refused.err
    assert "(run the command again; it will choose another id)" in refused.err
    path = desk.path("evidence/trees-index-2026-06-01")
    assert path.read_bytes() == b"# somebody else\n"
