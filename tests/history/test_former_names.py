"""Hiding a former name: what it leaves, what it accepts, and that nothing prints the name."""

from __future__ import annotations

import io
import os
import re
import subprocess

import pytest
from past import Past
from world import World, assertion

from registry.checks.base import against
from registry.cli.app import run
from registry.equality.bibtex_names import parse_name
from registry.history.former_names import StandIn, hidden_in_text, stand_ins

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


def hide(past: Past, name: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{name}\n"))
    try:
        return run(["hide", "trees", "--today", DAY, "--root", str(past.world.root)])
    except SystemExit as end:
        return int(end.code or 0)


def codes(past: Past) -> list[str]:
    """What is found, but for the note that tells of the hiding."""
    found = [finding.code for finding in against(past.world.root, "HEAD").findings]
    return [code for code in found if code != "BAS011"]


def test_a_stand_in_stands_for_one_name_in_either_order() -> None:
    stand_in = StandIn.of(parse_name("Ada Abel"), "2026-06-01", SALT)
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
    before = past.file("paper/trees").read_text("utf-8").splitlines()
    assert hide(past, "Ada Abel", monkeypatch) == 0
    assert capsys.readouterr().out.splitlines() == [
        "hidden in data/papers/trees.yaml",
        "hidden in data/evidence/index-trees.yaml",
        "hidden in data/evidence/proceedings-trees.yaml",
    ]
    for file in (past.world.root / "data").rglob("*.yaml"):
        text = file.read_text("utf-8").replace("Ada Abelson", "")
        assert "Ada Abel" not in text
        assert "Abel, Ada" not in text
    after = past.file("paper/trees").read_text("utf-8").splitlines()
    untouched = [line for line in before if "Ad" not in line and "Abel" not in line]
    assert [line for line in after if line in untouched] == untouched
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
    past.edit("paper/trees", "Ada Abelson is nobody.", "Nobody else.")
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
    authors[0] = {"literal": str(StandIn.of(parse_name("Eve Else"), "2026-06-01", SALT))}
    past.world.write()
    assert codes(past) == ["BAS003"]


def test_a_name_that_is_not_there_changes_nothing(
    past: Past, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hide(past, "Eve Else", monkeypatch) == 2
    assert "stands neither in the record nor in its evidence" in capsys.readouterr().err
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=past.folder, capture_output=True, check=True
    )
    assert status.stdout == b""


def test_the_name_of_today_stands_beside_the_hidden_one(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = past.world["paper/trees"]["authors"]["assertions"]
    held[0] |= {"rank": "deprecated", "because": "An author has another name now."}
    people = [{"given": "Eve", "family": "Abel"}, held[0]["value"][1]]
    held.append(assertion(people, because="The author asked for it."))
    past.commit("Add the name")
    assert hide(past, "Ada Abel", monkeypatch) == 0
    assert codes(past) == []
    text = past.file("paper/trees").read_text("utf-8")
    assert "given: Eve" in text
    assert "given: Ada" not in text
