from __future__ import annotations

import errno
import json
import os
from collections.abc import Collection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_impl.bench.batches import Batch
from eagle_impl.bench.figures import Run
from eagle_impl.bench.forwards import Forwards, Round
from eagle_impl.bench.journal import Journal, Line, Session
from eagle_impl.errors import CheckpointError, OptionError
from eagle_impl.generation import Statistics

HERE = {"machine": "Paddle 2", "seed": "7"}
TOLD = Statistics(tokens=3, cycles=2, tried=[2, 1], held=[1, 0], end="length")
SESSION = Session("2026-11-30 12:00 UTC", "0.5", 1e-7, {"plain": 1}, ("plain", "transformers"))
LINES = (
    Line(run=Run("plain", "a", 0, (5, 6, 7), 0.5, TOLD, 1.0, 9)),
    Line(run=Run("transformers", "a", 0, (5,), 0.25)),
    Line(round=Round(0, "a", (Forwards("eagle", 40, 0.1, 0.2, 0.3, 4),))),
    Line(batch=Batch(4, 0, 64, 1.5)),
    Line(left_out="transformers"),
)


def write(path: Path) -> Journal:
    journal = Journal(path, HERE)
    journal.begin(SESSION)
    for line in LINES:
        journal.append(line)
    journal.close()
    return journal


def held(journal: Journal) -> tuple[Collection[object], ...]:
    return journal.sessions, journal.runs, journal.rounds, journal.batches, journal.left_out


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
    found = sum(map(len, held(journal)))
    assert found == max(0, whole - 1)
    journal.append(LINES[1])
    journal.close()
    # What is written next does not run into the torn line.
    lines = path.read_bytes().splitlines()
    assert [*map(json.loads, lines)][-1]["run"]["method"] == "transformers"
    assert len(lines) == max(1, whole) + 1


def test_a_session_is_noted_once_something_was_measured(tmp_path: Path) -> None:
    journal = Journal(None, HERE)
    journal.begin(SESSION)
    assert journal.sessions == []
    journal.append(LINES[0])
    journal.append(LINES[1])
    assert journal.sessions == [SESSION]


def test_what_one_session_did_not_measure_was_not_measured_throughout() -> None:
    journal = Journal(None, HERE)
    assert journal.measured_throughout("transformers")
    for methods in (("plain", "transformers"), ("plain",)):
        journal.begin(Session("today", "0.5", 1e-7, {}, methods))
        journal.append(LINES[0])
    assert journal.measured_throughout("plain")
    assert not journal.measured_throughout("transformers")
    journal.append(Line(left_out="plain"))
    assert not journal.measured_throughout("plain")


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    first = Journal(tmp_path / "raw", HERE)
    with pytest.raises(OptionError, match="raw: another run is writing to it"):
        Journal(tmp_path / "raw", HERE)
    first.begin(SESSION)
    first.append(LINES[0])
    first.close()
    again = Journal(tmp_path / "raw", HERE)
    again.close()
    assert len(again.runs) == 1


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
    journal = Journal(path, there)
    journal.begin(SESSION)
    journal.append(LINES[0])
    journal.close()
    before = path.read_bytes()
    with pytest.raises(OptionError, match=words):
        Journal(path, now)
    assert path.read_bytes() == before


FIRST = b'{"conditions":{"format":"2"}}\n'


def began(day: str = "2026-11-30 12:00 UTC") -> bytes:
    session = {"began": day, "load": "0", "tick": 1e-7, "memory": {}, "methods": []}
    return json.dumps({"session": session}).encode() + b"\n"


def ran(seconds: float) -> bytes:
    run = {"method": "plain", "question": "a", "repeat": 0, "ids": [1], "seconds": seconds}
    return json.dumps({"run": run}).encode() + b"\n"


def test_conditions_under_which_nothing_was_measured_do_not_stand_in_the_way(
    tmp_path: Path,
) -> None:
    path = tmp_path / "raw"
    Journal(path, {"temperature": "0"}).close()
    Journal(path, {"temperature": "1"}).close()
    assert json.loads(path.read_bytes())["conditions"]["temperature"] == "1"


def test_a_full_disk_is_told_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OptionError, match="raw: cannot be written: No space left on device"):
        Journal(tmp_path / "raw", HERE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no such device")
def test_what_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "raw", HERE)
    journal.begin(SESSION)
    assert journal._file is not None
    with open("/dev/full", "wb") as full:  # from here on, the disk is full
        os.dup2(full.fileno(), journal._file.fileno())
    with pytest.raises(OptionError, match="raw: cannot be written: No space left on device"):
        journal.append(LINES[0])
    journal.close()


def test_a_device_is_no_journal() -> None:
    with pytest.raises(CheckpointError, match="is not a regular file"):
        Journal(Path("/dev/zero"), HERE)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"Dear diary", "raw:1: it is no JSON"),
        (b"Dear diary\n", "raw:1: "),
        (b'{"run": null}\n', "raw:1: it does not say under what conditions"),
        (b'{"conditions":{"format":"2"}}\n{"run":1}\n{}\n', "raw:2: "),
        (b'{"conditions":{"format":"0"}}\n{}\n', "format was 0, and is 2"),
        (FIRST + b'{"run":{}}\n', "raw:2: "),
        (FIRST + b"{}\n", "raw:2: it does not say in which session"),
        (FIRST + began("30.11.2026 12:00"), "raw:2: Expected `str` matching regex"),
        (FIRST + began() + ran(0), "raw:3: Expected `float` > 0.0"),
        (FIRST + began() + ran(-1), "raw:3: Expected `float` > 0.0"),
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
