from __future__ import annotations

import io
import sys

import pytest

from eagle_impl.training import progress as module
from eagle_impl.training.progress import Progress


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(module.time, "monotonic", found.monotonic)
    return found


def test_without_a_terminal_there_is_a_line_now_and_then(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress()
    progress.begin("training", "steps", 2000)
    for _ in range(1000):
        clock.now += 0.1
        progress.advance(1)
    progress.note("loss 0.5")
    progress.end()
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 5  # at the start, after 30, 60 and 90 seconds, and at the end
    assert lines[0] == "training: 0 of 2,000 steps"
    assert lines[-1] == "training: 1,000 of 2,000 steps, 10 steps/s, loss 0.5"


def test_what_was_done_before_is_not_counted_as_fast(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress()
    progress.begin("conversations", "tokens", 900)
    progress.advance(500, counts=False)
    clock.now += 10
    progress.advance(100)
    progress.end()
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "conversations: 600 of 900 tokens, 10 tokens/s"


def test_more_than_was_wanted_is_not_shown_as_a_part_of_it(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress()
    progress.begin("conversations", "tokens", 12_000)
    clock.now += 10
    progress.advance(15_250)
    progress.end()
    said = "conversations: 15,250 of at least 12,000 tokens, 1,525 tokens/s"
    assert capsys.readouterr().err.splitlines()[-1] == said


def test_quiet_is_quiet(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(quiet=True)
    progress.begin("training", "steps", 10)
    clock.now += 1000
    progress.advance(5)
    progress.note("x")
    progress.end()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with Progress() as progress:
        progress.begin("training", "steps", 10)
        progress.advance(4)
        progress.note("loss 0.5")
        progress.end()
    assert isinstance(sys.stderr, io.StringIO)
    shown = sys.stderr.getvalue()
    assert "training" in shown
    assert "4 of 10 steps" in shown
    assert "loss 0.5" in shown
