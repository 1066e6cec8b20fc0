from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from comparing.worlds import compared, grown, table, told, without
from world import World, small_world

from registry.cli import main


@pytest.fixture
def wood(tmp_path: Path) -> World:
    """Trees and Bushes in one table, not yet written."""
    world = grown(World(small_world(), tmp_path / "wood"))
    told(world, "trees", table({"trees": 2.5, "bushes": 3.0}))
    return world


def run(world: World, *arguments: str | Path) -> int:
    root = world.write()
    with pytest.raises(SystemExit) as caught:
        main(["compare", *map(str, arguments), "--root", str(root)])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def apart(world: World) -> World:
    world["method/trees"]["not_interchangeable_with"] = [
        {"method": "bushes", "because": "Trees climb."}
    ]
    return world


def test_a_table_is_exit_code_0(wood: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(wood, "trees", "bushes") == 0
    captured = capsys.readouterr()
    assert "2.50x" in captured.out
    assert captured.err == ""


@pytest.mark.parametrize("form", ["terminal", "json", "markdown", "csv"])
def test_numbers_that_may_not_stand_side_by_side_are_exit_code_1_and_told(
    wood: World, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    told(wood, "bushes", table({"bushes": 3.125}, without("batch")))
    wood["claims/bushes"]["tables"][0]["metrics"][0]["decimals"] = 3
    assert run(wood, "trees", "bushes", "--format", form) == 1
    captured = capsys.readouterr()
    assert "3.125" in captured.out
    assert "batch" in captured.out
    assert captured.err == ""


def test_a_chart_of_nothing_is_not_drawn(wood: World, capsys: pytest.CaptureFixture[str]) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    told(wood, "bushes", table({"bushes": 3.0}, without("batch")))
    assert run(wood, "trees", "bushes", "--format", "svg") == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "No two of these numbers may stand side by side." in captured.err


def test_methods_that_are_not_interchangeable_are_exit_code_1(
    wood: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(apart(wood), "trees", "bushes") == 1
    assert "Trees climb." in capsys.readouterr().out
    assert run(wood, "trees", "bushes", "--format", "json") == 1
    data = json.loads(capsys.readouterr().out)
    assert data["refused"]
    assert data["rows"] == []
    assert data["not_interchangeable"][0]["because"][0]["text"] == "Trees climb."
    assert run(wood, "trees", "bushes", "--allow-not-interchangeable") == 0
    assert "2.50x" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["csv", "svg"])
def test_a_refusal_is_no_data(
    wood: World, capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str
) -> None:
    assert run(apart(wood), "trees", "bushes", "--format", form) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Trees climb." in captured.err
    file = tmp_path / "out"
    assert run(wood, "trees", "bushes", "--format", "markdown", "--output", file) == 1
    assert not file.exists()
    assert "Trees climb." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ("--dataset", "sums"),
            "registry: nothing to compare: no number with dataset Sums of Bushes and Trees is "
            "recorded; recorded are Bushes: 1 speedup; Trees: 1 speedup\n",
        ),
        (
            ("--metric", "speedup", "--temperature", "0.5", "--model", "oak-7b"),
            "registry: nothing to compare: no speedup with model Oak 7B, temperature 0.5 of Bushes "
            "and Trees is recorded; recorded are Bushes: 1 speedup; Trees: 1 speedup\n",
        ),
    ],
)
def test_where_there_is_nothing_one_line_says_what_there_is(
    wood: World, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], line: str
) -> None:
    assert run(wood, "trees", "bushes", *arguments) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", line)


def test_a_method_of_which_nothing_is_recorded_is_named(
    wood: World, capsys: pytest.CaptureFixture[str]
) -> None:
    told(wood, "trees", table({"trees": 2.5}))
    assert run(wood, "trees", "bushes") == 1
    line = capsys.readouterr().err
    assert "no number of Bushes is recorded; recorded are Bushes: none; Trees: 1 speedup" in line


@pytest.mark.parametrize(
    ("arguments", "told_of"),
    [
        (("treas", "bushes"), "did you mean trees?"),
        (("trees",), "trees alone cannot be compared"),
        (("trees", "bushes", "--model", "elm"), "no model is called 'elm'"),
        (("trees", "bushes", "--metric", "tao"), "none of these methods has a number called 'tao'"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_one_line(
    wood: World, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told_of: str
) -> None:
    assert run(wood, *arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert told_of in captured.err
    assert len(captured.err.splitlines()) == 1


@pytest.mark.parametrize("form", ["terminal", "json", "markdown", "csv", "svg"])
def test_a_file_gets_what_stdout_would(
    wood: World, capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str
) -> None:
    assert run(wood, "trees", "bushes", "--format", form) == 0
    shown = capsys.readouterr().out
    file = tmp_path / "out"
    assert run(wood, "trees", "bushes", "--format", form, "--output", file) == 0
    assert capsys.readouterr().out == ""
    assert file.read_bytes().decode() == shown
    assert "2.5" in shown


class Terminal(io.StringIO):
    """A terminal that remembers what it got."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_its_own_width_and_colours(
    wood: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "70")
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    assert run(wood, "trees", "bushes") == 0
    assert "\x1b[1m2.50x" in out.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    monkeypatch.setattr(sys, "stdout", plain)
    assert run(wood, "trees", "bushes") == 0
    assert max(map(len, plain.getvalue().splitlines())) > 0
    assert "2.50x" in plain.getvalue()


def test_the_world_of_these_tests_compares(wood: World) -> None:
    assert len(compared(wood).rows) == 1
