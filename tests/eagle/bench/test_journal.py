from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.bench.batches import Batch
from eagle_impl.bench.figures import Run
from eagle_impl.bench.forwards import Forwards, Round
from eagle_impl.bench.journal import Journal, Line, Session
from eagle_impl.errors import OptionError
from eagle_impl.generation import Statistics

HERE = {"machine": "Paddle 2", "seed": "7"}
TOLD = Statistics(tokens=3, cycles=2, tried=[2, 1], held=[1, 0], end="length")
LINES = (
    Line(run=Run("plain", "a", 0, (5, 6, 7), 0.5, TOLD, 1.0, 9)),
    Line(run=Run("transformers", "a", 0, (5,), 0.25)),
    Line(round=Round(0, "a", (Forwards("eagle", 40, 0.1, 0.2, 0.3, 4),))),
    Line(batch=Batch(4, 0, 64, 1.5)),
)


def write(path: Path) -> Journal:
    journal = Journal(path, HERE)
    for line in LINES:
        journal.append(line)
    journal.close()
    return journal


def held(journal: Journal) -> tuple[object, ...]:
    return journal.sessions, journal.runs, journal.rounds, journal.batches


def test_everything_is_read_again_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "raw"
    written = write(path)
    before = path.read_bytes()
    again = Journal(path, HERE)
    again.close()
    assert held(again) == held(written)
    assert again.runs == [line.run for line in LINES if line.run]
    assert path.read_bytes() == before


def test_a_line_is_there_as_soon_as_it_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "raw"
    journal = Journal(path, HERE)
    for number, line in enumerate(LINES, start=2):
        journal.append(line)
        assert path.read_bytes().count(b"\n") == number
    journal.close()


@given(st.integers(1, 2000))
def test_a_kill_at_any_byte_loses_no_whole_line(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "raw"
    write(path)
    content = path.read_bytes()[:cut]
    path.write_bytes(content)
    journal = Journal(path, HERE)
    whole = content.count(b"\n")
    found = len(journal.runs) + len(journal.rounds) + len(journal.batches)
    assert found == max(0, whole - 1)
    journal.append(LINES[1])
    journal.close()
    # What is written next does not run into the torn line.
    lines = path.read_bytes().splitlines()
    assert [*map(json.loads, lines)][-1]["run"]["method"] == "transformers"
    assert len(lines) == max(1, whole) + 1


def test_a_session_is_noted_once_something_was_measured(tmp_path: Path) -> None:
    journal = Journal(None, HERE)
    one = Session("today", "0.5", 1e-7, {"plain": 1})
    journal.begin(one)
    assert journal.sessions == []
    journal.append(LINES[0])
    journal.append(LINES[1])
    assert journal.sessions == [one]


@pytest.mark.parametrize(
    ("there", "now", "words"),
    [
        ({"seed": "7"}, {"seed": "8"}, "seed was 7, and is 8"),
        ({"seed": "7"}, {}, "seed was 7, and is nothing"),
        ({}, {"seed": "8"}, "seed was nothing, and is 8"),
    ],
)
def test_other_conditions_are_refused(
    tmp_path: Path, there: dict[str, str], now: dict[str, str], words: str
) -> None:
    path = tmp_path / "raw"
    Journal(path, there).close()
    before = path.read_bytes()
    with pytest.raises(OptionError, match=words):
        Journal(path, now)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"Dear diary", "raw:1: it is no JSON"),
        (b"Dear diary\n", "raw:1: "),
        (b'{"run": null}\n', "raw:1: it does not say under what conditions"),
        (b'{"conditions":{"format":"1"}}\n{"run":1}\n{}\n', "raw:2: "),
        (b'{"conditions":{"format":"0"}}\n', "format was 0, and is 1"),
    ],
)
def test_other_files_are_left_alone(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "raw"
    path.write_bytes(content)
    with pytest.raises(OptionError, match=words):
        Journal(path, {})
    assert path.read_bytes() == content


def test_places_where_nothing_can_be_written(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "raw"):
        with pytest.raises(OptionError, match="cannot be written"):
            Journal(path, HERE)
