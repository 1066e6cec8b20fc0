from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from eagle_impl.scratch import scratch

AT_WORK = """
import sys, time
from pathlib import Path
from eagle_impl import cli
from eagle_impl.scratch import scratch

def work(words):
    with scratch(Path(words[0])) as folder:
        (folder / "half").write_text("done")
        print(folder, flush=True)
        time.sleep(600)

cli._run = work
cli.main(sys.argv[1:])
"""


def at_work(within: Path) -> tuple[subprocess.Popen[str], Path]:
    """A command that makes something, and the folder in which it does."""
    command = [sys.executable, "-c", AT_WORK, str(within)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as told:
        return process, Path(told.readline().strip())


def test_nothing_stays_behind(tmp_path: Path) -> None:
    within = tmp_path / "not" / "yet"
    with scratch(within) as folder:
        (folder / "half").write_text("done")
        assert folder.parent == within
    with pytest.raises(ZeroDivisionError), scratch(within):
        _ = 1 / 0
    assert list(within.iterdir()) == []


def test_several_work_in_one_place(tmp_path: Path) -> None:
    with scratch(tmp_path) as first, scratch(tmp_path) as second:
        assert first != second
        assert set(tmp_path.iterdir()) == {first, second}


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["interrupt", "end"]
)
def test_a_command_that_is_told_to_end_leaves_nothing(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process, folder = at_work(tmp_path)
    assert (folder / "half").exists()
    process.send_signal(number)
    assert process.wait(60) == code
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="this system has no locks that end with a process")
def test_what_a_killed_process_left_goes_and_what_others_work_in_stays(tmp_path: Path) -> None:
    killed, left = at_work(tmp_path)
    working, kept = at_work(tmp_path)
    try:
        killed.kill()
        killed.wait(60)
        assert left.exists()
        (tmp_path / "other").mkdir()
        with scratch(tmp_path) as folder:
            assert set(tmp_path.iterdir()) == {kept, folder, tmp_path / "other"}
            assert (kept / "half").exists()
    finally:
        working.kill()
        working.wait(60)
