from __future__ import annotations

import json
from pathlib import Path

import pytest
from library import library

from registry.cli import main


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(tmp_path_factory.mktemp("library")).write()


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["list", *map(str, arguments)])
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.mark.parametrize("kind", ["paper", "papers", "Papers"])
def test_kinds_are_called_as_records_or_folders_call_them(
    root: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    assert run(kind, "--root", root) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[:2] for row in rows[1:]] == [["paper", "osprey"], ["paper", "trees"]]


def test_everything_is_listed_by_default(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--root", root, "--format", "ids") == 0
    ids = capsys.readouterr().out.splitlines()
    assert len(ids) == len(list(root.glob("data/*/*.yaml")))


def test_json_is_for_programs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--root", root, "--status", "contested", "--format", "json") == 0
    ids = [line["id"] for line in json.loads(capsys.readouterr().out)]
    assert ids == ["osprey", "kestrel-48gb"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["paperz"], "no kind of record is called 'paperz' (did you mean paper or papers?)"),
        (["xyz"], "no kind of record is called 'xyz' (there are paper, papers, method"),
        ([""], "no kind of record is called '' (there are paper, papers, method"),
        (["--status", ""], "no status is called '' (there are asserted"),
        (["--status", "setled"], "no status is called 'setled' (did you mean settled or"),
        (["--status", "new"], "(there are asserted, corroborated, contested, settled, withdrawn)"),
    ],
)
def test_a_word_that_is_mistyped_gets_a_hint(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(*arguments, "--root", root) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert told in captured.err
    assert len(captured.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["paper", "--status", "withdrawn"], "there are no withdrawn paper records"),
        (["models", "--status", "settled"], "no model records with a field that is settled"),
        (["--status", "withdrawn"], "there are no withdrawn records"),
    ],
)
@pytest.mark.parametrize(("form", "out"), [("terminal", ""), ("ids", ""), ("json", "[]\n")])
def test_an_empty_list_is_no_fault(
    root: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
    form: str,
    out: str,
) -> None:
    assert run(*arguments, "--root", root, "--format", form) == 0
    captured = capsys.readouterr()
    assert captured.out == out
    assert told in captured.err
    assert len(captured.err.splitlines()) == 1


def test_the_order_does_not_change(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("--root", root)
    first = capsys.readouterr().out
    run("--root", root)
    assert capsys.readouterr().out == first
