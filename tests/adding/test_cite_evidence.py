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
        (("--quote", "x" * 301), "--quote has 301 characters; 300 are the most"),
        (("--quote", "x", "--locator", " "), "--locator is empty (say where: page, section"),
        (("--field", "authors=Ada Abel, Bo Berg, Cy Cole"), "commas do not part names"),
        (("--field", "authors=[Ada Abel; Bo Berg]"), "`Ada Abel; Bo Berg` is not one name"),
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


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("doi=notadoi", "`notadoi` is no doi"),
        ("arxiv_id=xx", "`xx` is no arxiv_id"),
        ("openreview_id=?", "`?` is no openreview_id"),
        ("dblp_key=Trees", "`Trees` is no dblp_key"),
        ("affiliations=[{author: 3, printed: Tree Lab}]", "there is no author 3; there are 2"),
    ],
)
def test_what_nobody_can_have_read_is_refused(
    desk: Desk, scan: Path, field: str, said: str, more: tuple[str, ...]
) -> None:
    refused = cite(desk, scan, "-f", field, *more)
    assert (refused.code, refused.out) == (1, "")
    assert f"VAL001: {said}" in refused.err
    assert not desk.path("evidence/trees-index-2026-06-01").exists()


def test_affiliations_belong_to_the_authors_that_were_read_with_them(
    desk: Desk, scan: Path
) -> None:
    third = ("-f", "affiliations=[{author: 3, printed: Tree Lab}]")
    assert cite(desk, scan, *third, "-f", "authors=Ada Abel; Bo Berg; Cy Cole").code == 0
    assert cite(desk, scan, *third, "-f", "authors=Ada Abel and others").code == 1


def test_one_reading_is_kept_once(desk: Desk, scan: Path) -> None:
    assert cite(desk, scan, "-f", "year=2025").code == 0
    again = cite(desk, scan, "-f", "year=2025")
    assert (again.code, again.out) == (2, "")
    assert "evidence/trees-index-2026-06-01 says all of that already" in again.err
    assert cite(desk, scan, "-f", "year=2025", "-f", "volume=7").code == 0
    assert cite(desk, scan, "-f", "year=2025", "--by", "noor").code == 0


def test_a_paper_on_record_is_not_new(desk: Desk, scan: Path) -> None:
    assert cite(desk, scan, "-f", "doi=10.5555/trees").code == 0
    signed = ("--because", "It says so.", "--by", "mira")
    proof = ("--evidence", "trees-index-2026-06-01")
    assert desk.run("correct", "trees", "doi", "10.5555/trees", *proof, *signed).code == 0
    refused = cite(desk, scan, "--new", "-f", "doi=https://doi.org/10.5555/TREES", about="paper/x")
    assert refused.code == 2
    assert "doi 10.5555/trees is on record: paper/trees" in refused.err


def test_authors_may_be_parted_by_semicolons(desk: Desk, scan: Path) -> None:
    told = cite(desk, scan, "-f", "authors=Ada Abel; van Berg, Bo")
    assert kept(desk)["observation"]["authors"] == ["Ada Abel", "van Berg, Bo"]
    assert told.err == ""
    doubtful = cite(desk, scan, "-f", "authors=Ada Abel, Bo Berg")
    assert "warning: `Ada Abel, Bo Berg` is read as one author" in doubtful.err


def test_nothing_is_no_file(desk: Desk) -> None:
    refused = cite(desk, "", "-f", "year=2025")
    assert (refused.code, refused.err) == (
        2,
        "registry: FILE|URL is empty (name the file that was read, or the address)\n",
    )


def test_the_comment_about_a_gap_goes_with_the_gap(desk: Desk, scan: Path) -> None:
    cite(
        desk, scan, "--new", "-f", "title=Rows", "-f", "authors=Cy Cole", "-f", "doi=10.5555/rows",
        about="paper/rows",
    )  # fmt: skip
    assert desk.run("add", "10.5555/rows", "--offline").code == 0
    path = desk.path("paper/rows")
    assert "# affiliations: to be read from the first page" in path.read_text()
    before = path.read_text().splitlines()
    printed = "[{author: 1, printed: Tree Lab}]"
    assert cite(desk, scan, "-f", f"affiliations={printed}", about="paper/rows", id="lab").code == 0
    signed = ("--because", "It says so.", "--by", "mira", "--evidence", "lab")
    assert desk.run("correct", "rows", "affiliations", printed, *signed).code == 0
    after = path.read_text().splitlines()
    gone = [line for line in before if line not in after]
    assert [line for line in after if line.startswith("# aff") or "cite-evidence" in line] == []
    assert gone
    assert all(line.startswith("# ") for line in gone)


def test_a_paper_without_authors_is_told_how_to_record_them(desk: Desk, scan: Path) -> None:
    title = ("--new", "-f", "title=Rows", "-f", "doi=10.5555/rows")
    assert cite(desk, scan, *title, about="paper/rows").code == 0
    refused = desk.run("add", "10.5555/rows", "--offline")
    assert refused.code == 2
    assert "registry cite-evidence FILE --new --about paper/rows" in refused.err
    assert "--field authors=... --field doi=10.5555/rows" in refused.err
    authors = ("--new", "-f", "authors=Cy Cole", "-f", "doi=10.5555/rows")
    assert cite(desk, scan, *authors, about="paper/rows").code == 0
    assert desk.run("add", "10.5555/rows", "--offline").code == 0
    assert desk.run("add", "10.5555/cols", "--offline", "--max-wait", "9").code == 2


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
