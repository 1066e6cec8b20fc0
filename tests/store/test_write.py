"""Writing: the old file or the new one, whole, whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from registry.errors import ChangedError
from registry.store.write import create, replace

OLD, NEW = b"old\n" * 1000, b"new\n" * 2000


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "record.yaml"
    path.write_bytes(OLD)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_gets_another_content_and_keeps_its_permissions(place: Path) -> None:
    place.chmod(0o640)
    replace(place, NEW, expected=OLD)
    assert place.read_bytes() == NEW
    assert place.stat().st_mode & 0o777 == 0o640
    assert names(place.parent) == ["record.yaml"]


def test_a_new_file_is_as_readable_as_any(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace(tmp_path / "one", NEW)
        create(tmp_path / "two", NEW)
    finally:
        os.umask(before)
    assert names(tmp_path) == ["one", "two"]
    for name in ("one", "two"):
        assert (tmp_path / name).read_bytes() == NEW
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o640


def test_a_file_that_was_changed_meanwhile_is_left_alone(place: Path) -> None:
    with pytest.raises(ChangedError, match=r"record\.yaml was changed meanwhile"):
        replace(place, NEW, expected=b"something else")
    assert place.read_bytes() == OLD
    place.unlink()
    with pytest.raises(ChangedError):
        replace(place, NEW, expected=OLD)
    assert names(place.parent) == []


def test_creating_refuses_a_name_that_is_taken(place: Path) -> None:
    with pytest.raises(FileExistsError):
        create(place, NEW)
    assert place.read_bytes() == OLD
    assert names(place.parent) == ["record.yaml"]


def test_a_link_stays_a_link(place: Path) -> None:
    link = place.parent / "link.yaml"
    link.symlink_to("record.yaml")
    replace(link, NEW, expected=OLD)
    assert link.is_symlink()
    assert place.read_bytes() == NEW


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    replace(pipe, NEW)
    reader.join()
    assert read == [NEW]
    assert pipe.is_fifo()


def test_of_two_writers_with_the_same_expectation_one_is_refused(place: Path) -> None:
    outcomes: list[str] = []
    barrier = threading.Barrier(8)

    def write(content: bytes) -> None:
        barrier.wait()
        try:
            replace(place, content, expected=OLD)
        except ChangedError:
            outcomes.append("refused")
        else:
            outcomes.append(content.decode())

    contents = [f"{number}\n".encode() for number in range(8)]
    writers = [threading.Thread(target=write, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    written = [outcome for outcome in outcomes if outcome != "refused"]
    assert written == [place.read_text()]
    assert len(outcomes) == 8


CALLS = ("mkstemp", "fdopen", "chmod", "fsync", "replace", "link", "open", "stat")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("way", [replace, create])
def test_a_failure_at_any_call_leaves_the_old_file_or_the_new(
    way: Callable[..., None],
    error: BaseException,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failed = 0
    for name in CALLS:
        place.write_bytes(OLD)
        path = place if way is replace else place.with_name(f"{name}.yaml")
        module: Any = sys.modules["tempfile"] if name == "mkstemp" else os

        def fail(*arguments: object, **options: object) -> None:
            raise error

        with monkeypatch.context() as patched:
            patched.setattr(module, name, fail)
            try:
                way(path, NEW)
            except (OSError, KeyboardInterrupt):
                failed += 1
        assert place.read_bytes() in (OLD, NEW)
        assert not path.exists() or path.read_bytes() in (OLD, NEW)
        assert [one for one in names(place.parent) if one.endswith(".draft")] == []
    assert failed >= 5


NURSERY = """
import os
import sys
from pathlib import Path
from registry.store.write import replace
path = Path(sys.argv[1])
contents = [bytes([letter]) * int(sys.argv[2]) for letter in b"bcdefghi"]
for line in sys.stdin:
    child = os.fork()
    if not child:
        while True:
            for content in contents:
                replace(path, content)
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.WTERMSIG(status), flush=True)
"""


def test_two_hundred_kills_leave_no_half_written_file(place: Path) -> None:
    """Writers that do nothing but write are killed at moments that nobody chose."""
    random, size, seen = Random(7), 300_000, set()
    place.write_bytes(b"a" * size)
    with subprocess.Popen(
        [sys.executable, "-c", NURSERY, str(place), str(size)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as nursery:
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        for number in range(200):
            before = place.stat().st_ino
            nursery.stdin.write("another\n")
            nursery.stdin.flush()
            child = int(nursery.stdout.readline())
            while number % 8 == 0 and place.stat().st_ino == before:
                time.sleep(0.001)  # some of them have surely written
            time.sleep(random.uniform(0.0, 0.02))
            os.kill(child, signal.SIGKILL)
            assert int(nursery.stdout.readline()) == signal.SIGKILL
            held = place.read_bytes()
            assert len(held) == size
            assert len(set(held)) == 1
            seen.add(held[:1])
        nursery.stdin.close()
    assert len(seen) > 1  # they did write
