from __future__ import annotations

import csv
import json
from datetime import date
from pathlib import Path

import pytest
from library import library
from world import World

from registry.bibliography import WRITERS
from registry.cli import main
from registry.cli.export import Format


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(tmp_path_factory.mktemp("library")).write()


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["export", *map(str, arguments)])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_entries_go_to_stdout_and_remarks_to_stderr(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("osprey", "--root", root) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("@inproceedings{osprey,\n  author = {von Holm, Jr., Ida and ")
    assert captured.err == (
        "registry: paper/osprey: contested: venue, venue_track (`registry show osprey` tells why)\n"
    )


def test_an_id_means_the_paper_and_each_is_exported_once(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("trees", "2501.01234", "paper/osprey", "10.5555/osprey.1")
    assert run(*words, "--format", "csl-json", "--root", root) == 0
    assert [item["id"] for item in json.loads(capsys.readouterr().out)] == ["trees", "osprey"]


def test_all_papers_are_exported_by_default(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--format", "csv", "--prefer", "preprint", "--root", root) == 0
    captured = capsys.readouterr()
    assert [line.split(",")[:2] for line in captured.out.splitlines()[1:]] == [
        ['"osprey"', '"preprint"'],
        ['"trees"', '"proceedings"'],
    ]
    assert "paper/trees: no preprint is recorded" in captured.err


def test_entries_can_be_written_to_a_file(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "refs.bib"
    assert run("trees", "--output", file, "--root", root) == 0
    assert capsys.readouterr().out == ""
    assert file.read_text().startswith("@inproceedings{trees,\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["tree"], None),
        (["treez"], "no paper is called 'treez' (did you mean trees?)"),
        (["index-tree"], "no paper is called 'index-tree' (did you mean trees?)"),
        (["model/pond-7b"], "model/pond-7b is not a paper (`registry list papers` shows them)"),
        (["trees", "osprey", "--format", "cff"], "a CITATION.cff prefers one citation, not 2"),
    ],
)
def test_what_cannot_be_exported_is_one_line(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str | None
) -> None:
    assert run(*arguments, "--root", root) == (2 if told else 0)
    captured = capsys.readouterr()
    if told:
        assert captured.out == ""
        assert told in captured.err
        assert len(captured.err.splitlines()) == 1


def gone(tmp_path: Path) -> World:
    world = library(tmp_path)
    world["paper/trees"]["withdrawn"] = {
        "reason": "duplicate",
        "because": "It was entered twice",
        "by": "mira",
        "recorded": date(2026, 4, 2),
        "successor": "paper/osprey",
    }
    return world


def test_a_withdrawn_paper_is_not_among_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = gone(tmp_path).write()
    assert run("--format", "csl-json", "--root", root) == 0
    captured = capsys.readouterr()
    assert [item["id"] for item in json.loads(captured.out)] == ["osprey"]
    assert captured.err.splitlines()[-1] == (
        "registry: paper/trees: left out, for it is withdrawn; use paper/osprey"
    )


def test_a_withdrawn_paper_that_is_named_comes_with_the_one_to_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = gone(tmp_path).write()
    assert run("trees", "--format", "csv", "--root", root) == 0
    captured = capsys.readouterr()
    (row,) = csv.DictReader(captured.out.splitlines())
    assert row["withdrawn"] == "duplicate; use paper/osprey"
    assert captured.err == (
        "registry: paper/trees: the record is withdrawn (duplicate; use paper/osprey): "
        "It was entered twice.\n"
    )


def test_a_broken_record_does_not_hide_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = library(tmp_path)
    world["paper/osprey"]["year"] = "soon"
    assert run("--root", world.write()) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("@inproceedings{trees,\n")
    assert "osprey" not in captured.out
    assert captured.err == (
        "registry: paper/osprey: not exported:"
        " `registry show paper/osprey` tells what is wrong with its file\n"
    )


def test_every_format_can_be_asked_for() -> None:
    assert [one.value for one in Format] == list(WRITERS)
