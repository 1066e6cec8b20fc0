"""Hiding a former name: what it leaves, what it accepts, and that nothing prints the name."""

from __future__ import annotations

import io
import os
import re
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from past import Past
from world import World, assertion

from registry.checks.base import against
from registry.cli.app import run
from registry.equality.bibtex_names import parse_name
from registry.history.former_names import StandIn, hidden_in_text, stand_ins
from registry.store.write import replace

DAY = "2026-06-01"
SALT = "0123456789abcdef"


@pytest.fixture
def past(world: World, monkeypatch: pytest.MonkeyPatch) -> Past:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    begun = Past.begin(world)
    paper = world["paper/trees"]
    paper["note"] = "A preprint has Berg, Bo and\nAda Abel in another order. Ada Abelson is nobody."
    paper["authors"]["assertions"][0]["because"] = "So printed: Ada Abel first."
    world["evidence/index-trees"]["observation"]["authors"] = ["Abel, Ada", "van Berg, Bo"]
    begun.commit("Thank Ada Abel")
    return begun


def hide(past: Past, name: str, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{name}\n"))
    try:
        return run(["hide", "trees", "--today", DAY, "--root", str(past.world.root), *words])
    except SystemExit as end:
        return int(end.code or 0)


def codes(past: Past) -> list[str]:
    """What is found, but for the note that tells of the hiding."""
    found = [finding.code for finding in against(past.world.root, "HEAD").findings]
    return [code for code in found if code != "BAS011"]


def test_a_stand_in_stands_for_one_name_in_either_order() -> None:
    stand_in = StandIn.of([parse_name("Ada Abel")], "2026-06-01", SALT)
    assert stand_in.stands_for(parse_name("Abel, Ada"))
    assert stand_in.stands_for(parse_name("ADA ABEL"))
    assert not stand_in.stands_for(parse_name("Ada Abels"))
    assert stand_ins({"a": [f"x {stand_in} y"]}) == {stand_in}
    assert "Abel" not in str(stand_in)
    text = "Ada Abel; Abel,\nAda; Ada Abelson"
    assert hidden_in_text(text, {parse_name("Ada Abel"): stand_in}) == (
        f"{stand_in}; {stand_in}; Ada Abelson"
    )


def test_hiding_keeps_every_promise_and_all_else_of_the_files(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = sorted((past.world.root / "data").rglob("*.yaml"))
    before = {file: file.read_text("utf-8") for file in files}
    assert hide(past, "Ada Abel", monkeypatch) == 0
    told = capsys.readouterr()
    changed = [
        "data/papers/trees.yaml",
        "data/evidence/index-trees.yaml",
        "data/evidence/proceedings-trees.yaml",
    ]
    assert [line for line in told.err.splitlines() if line.startswith("hidden")] == [
        f"hidden in {file}" for file in changed
    ]
    assert [line for line in told.out.splitlines() if line.startswith("+++")] == [
        f"+++ b/{file}" for file in changed
    ]
    for file in files:
        after = file.read_text("utf-8")
        if "authors:" not in after:
            assert after == before[file]
        lines = after.splitlines()
        kept = [
            line
            for line in before[file].splitlines()
            if line.strip() not in ("- given: Ada", "family: Abel", "- Ada Abel", "- Abel, Ada")
        ]
        assert [line for line in lines if "name hidden" not in line] == kept
    # What stands in a sentence is left to people, who are told where.
    because = next(
        number
        for number, line in enumerate(past.file("paper/trees").read_text("utf-8").splitlines(), 1)
        if "So printed: Ada Abel first." in line
    )
    assert f"data/papers/trees.yaml:{because}: the name stands in a text here" in told.err
    notes = against(past.world.root, "HEAD").findings
    assert [(note.code, note.severity) for note in notes] == [("BAS011", "info")] * 3
    assert run_code("verify", "--root", str(past.world.root), "--today", "2026-06-01") == 0


def run_code(*words: str) -> int:
    try:
        return run(list(words))
    except SystemExit as end:
        return int(end.code or 0)


def test_nothing_prints_the_name_afterwards(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(past.world.root)
    assert hide(past, "Ada Abel", monkeypatch) == 0
    paper = past.file("paper/trees")
    text = re.sub(
        r"note: .*?nobody\.'?\n", "note: Reworded.\n", paper.read_text("utf-8"), flags=re.S
    )
    text = text.replace("So printed: Ada Abel first.", "In the order of the page.")
    paper.write_text(text, "utf-8")
    assert codes(past) == []
    assert re.search(r"\bAbel\b", text) is None
    capsys.readouterr()
    commands = [
        ["diff", "HEAD"],
        ["diff", "HEAD", "--format", "json"],
        ["diff", "HEAD", "--format", "markdown"],
    ]
    for words in commands:
        assert run_code(*words, "--root", root) == 0
        assert f"a name was hidden on request, {DAY}" in capsys.readouterr().out
    past.commit_files("Hide a name")
    commands += [["diff", "HEAD~2..HEAD~1"], ["diff", "HEAD~1"]]
    commands += [["list"], ["list", "--format", "json"], ["verify", "trees"]]
    for name in ("paper/trees", "evidence/index-trees"):
        for form in ("terminal", "json"):
            commands += [["log", name, "--format", form], ["show", name, "--format", form]]
            commands += [["show", name, "--history", "--format", form]]
        commands += [["show", name, "--format", "markdown"], ["show", name, "--format", "yaml"]]
    for words in commands:
        run_code(*words, "--root", root)
        told = capsys.readouterr()
        assert re.search(r"\bAbel\b", told.out + told.err) is None, words
    run_code("log", "paper/trees", "--root", root)
    told = capsys.readouterr()
    assert f"record  a name was hidden on request, {DAY}" in told.out
    assert "Thank name hidden on request" in " ".join(told.out.split())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("family: Berg", "family: Borg"),
        ("value: 2025", "value: 2024"),
        ("- index-trees", "- index-bushes"),
    ],
)
def test_nothing_else_may_change_with_it(
    past: Past, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    assert hide(past, "Ada Abel", monkeypatch) == 0
    file = past.file("paper/trees")
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    assert "BAS003" in codes(past)


def test_a_stand_in_for_another_name_is_no_excuse(past: Past) -> None:
    authors = past.world["paper/trees"]["authors"]["assertions"][0]["value"]
    authors[0] = {"literal": str(StandIn.of([parse_name("Eve Else")], "2026-06-01", SALT))}
    past.world.write()
    assert codes(past) == ["BAS003"]


def test_a_name_that_is_not_there_changes_nothing(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hide(past, "Eve Else", monkeypatch) == 2
    assert "stands neither in the author lines of the record" in capsys.readouterr().err
    assert unchanged(past)


def unchanged(past: Past) -> bool:
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=past.folder, capture_output=True, check=True
    )
    return status.stdout == b""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "{}",
        "ict",
        "preferred",
        "stated",
        "editor",
        "trees",
        "Abel",
        "index-trees",
        "paper",
    ],
)
def test_nothing_but_the_whole_name_of_an_author_is_hidden(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    assert hide(past, text, monkeypatch) == 2
    assert "name" in capsys.readouterr().err
    assert unchanged(past)


def test_a_name_that_is_an_id_too_is_hidden_as_a_name_only(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mononym may be spelt like a word of the record."""
    for line in (
        past.world["paper/trees"]["authors"]["assertions"][0]["value"],
        past.world["evidence/index-trees"]["observation"]["authors"],
        past.world["evidence/proceedings-trees"]["observation"]["authors"],
    ):
        line.append({"family": "preferred"} if isinstance(line[0], dict) else "preferred")
    past.commit("Add an author")
    ranks = past.file("paper/trees").read_text("utf-8").count("rank: preferred")
    assert hide(past, "preferred", monkeypatch) == 0
    text = past.file("paper/trees").read_text("utf-8")
    assert text.count("rank: preferred") == ranks
    assert "family: preferred" not in text
    assert codes(past) == []


def test_a_dry_run_shows_the_change_and_makes_none(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hide(past, "Ada Abel", monkeypatch, "--dry-run") == 0
    assert "+++ b/data/papers/trees.yaml" in capsys.readouterr().out
    assert unchanged(past)


def test_what_would_bring_errors_is_refused(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A source that writes initials is set against a name that is hidden in full."""
    past.world["evidence/index-trees"]["observation"]["authors"][0] = "A. Abel"
    past.commit("Read again")
    assert hide(past, "Ada Abel", monkeypatch) == 1
    said = capsys.readouterr().err
    assert "error EVD" in said
    assert "nothing was written" in said
    assert unchanged(past)
    # All spellings at once get one stand-in, so that the sources still agree.
    assert hide(past, "Ada Abel\nA. Abel\n", monkeypatch) == 0
    assert codes(past) == []
    root = past.world.root / "data"
    files = (root / "papers" / "trees.yaml", root / "evidence" / "index-trees.yaml")
    first, second = (stand_ins([file.read_text("utf-8")]) for file in files)
    assert first == second
    assert run_code("verify", "--root", str(past.world.root), "--today", DAY) == 0


def test_each_spelling_must_be_there(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hide(past, "Ada Abel\nA. Abel\n", monkeypatch) == 2
    assert "the name on line 2 stands neither" in capsys.readouterr().err
    assert unchanged(past)


def refusing(monkeypatch: pytest.MonkeyPatch, *refused: int) -> None:
    """Let writing fail at these attempts, counted from 1."""
    attempts = iter(range(1, 100))

    def write(path: Path, content: bytes, **options: Any) -> None:
        if next(attempts) in refused:
            raise PermissionError(13, "Permission denied", str(path))
        replace(path, content, **options)

    monkeypatch.setattr("registry.history.hide.replace", write)


def test_a_file_that_cannot_be_written_leaves_all_as_they_were(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refusing(monkeypatch, 2)
    assert hide(past, "Ada Abel", monkeypatch) == 2
    told = capsys.readouterr().err
    assert "evidence/index-trees.yaml: Permission denied" in told
    assert "hidden" not in told
    assert unchanged(past)


def test_a_hiding_that_was_cut_short_is_finished_by_the_next(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    past.world["evidence/index-trees"]["observation"]["authors"][0] = "A. Abel"
    past.commit("Read again")
    refusing(monkeypatch, 2, 3)  # nor can the first be put back, as if the power had gone
    assert hide(past, "Ada Abel\nA. Abel\n", monkeypatch) == 2
    told = capsys.readouterr().err
    assert "the name is hidden in data/papers/trees.yaml alone" in told
    assert "run the command once more" in told
    refusing(monkeypatch)
    assert hide(past, "Ada Abel\nA. Abel\n", monkeypatch) == 0
    files = [past.file(key).read_text("utf-8") for key in ("paper/trees", "evidence/index-trees")]
    first, second = map(stand_ins, files)
    assert first == second != set()
    assert codes(past) == []
    assert run_code("verify", "--root", str(past.world.root), "--today", DAY) == 0


def test_a_name_in_a_decision_on_the_authors_is_hidden(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    past.world["paper/trees"]["authors"] |= {
        "status": "settled",
        "decision": {
            "decided": date(2026, 2, 1),
            "by": "mira",
            "because": "Seen.",
            "overruled": [{"source": "index", "value": "Abel, Ada; van Berg, Bo"}],
        },
    }
    past.commit("Settle")
    assert hide(past, "Ada Abel", monkeypatch) == 0
    assert "Abel, Ada" not in past.file("paper/trees").read_text("utf-8")
    assert codes(past) == []


def test_a_stand_in_outside_of_author_lines_is_no_hiding(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    past.world["paper/trees"]["title"]["assertions"][0]["value"] = "On Ada Abel"
    past.commit("Name a paper after her")
    assert hide(past, "Ada Abel", monkeypatch) == 0
    assert codes(past) == []
    file = past.file("paper/trees")
    stand_in = str(next(iter(stand_ins([file.read_text("utf-8")]))))
    file.write_text(file.read_text("utf-8").replace("On Ada Abel", f"On {stand_in}"), "utf-8")
    assert codes(past) == ["BAS003"]


def test_the_name_of_today_stands_beside_the_hidden_one(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = past.world["paper/trees"]["authors"]["assertions"]
    held[0] |= {"rank": "deprecated", "because": "An author has another name now."}
    people = [{"given": "Eve", "family": "Abel"}, held[0]["value"][1]]
    held.append(assertion(people, because="The author asked for it."))
    past.world["paper/trees"]["authors"] |= {
        "status": "contested",
        "contested_because": "The sources print another name.",
    }
    past.commit("Add the name")
    assert hide(past, "Ada Abel", monkeypatch) == 0
    assert codes(past) == []
    text = past.file("paper/trees").read_text("utf-8")
    assert "given: Eve" in text
    assert "given: Ada" not in text
