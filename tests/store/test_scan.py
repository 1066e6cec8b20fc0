"""What cannot be read, and a memory that is not what a run has written."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from world import TODAY, World

from registry.store import memory, root, scan
from registry.verify import Options, load, verify

EVERYTHING = Options(today=TODAY)
LOST = "data/papers/trees.yaml"


def refuse(monkeypatch: pytest.MonkeyPatch, lost: str = LOST) -> None:
    """Let the system refuse to open a file, which it refuses nobody with all rights."""

    def read_bytes(path: str) -> bytes:
        if path.endswith(lost):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return root.read_bytes(path)

    monkeypatch.setattr(scan, "read_bytes", read_bytes)


def test_a_file_that_cannot_be_read_is_a_finding_for_as_long_as_it_cannot(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = world.write()
    before = verify(folder, EVERYTHING).findings
    (folder / LOST).touch()
    for _ in range(3):
        with monkeypatch.context() as patch:
            refuse(patch)
            (found,) = (f for f in verify(folder, EVERYTHING).findings if f.code == "FIL003")
            assert (found.file, found.message) == (LOST, "cannot be read: permission denied")
    # Mended, whether or not its stamp is another.
    assert verify(folder, EVERYTHING).findings == before


def test_a_file_that_was_never_read_is_read_once_it_can_be(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = world.write()
    with monkeypatch.context() as patch:
        refuse(patch)
        assert "paper/trees" in load(folder).index.broken
    assert "paper/trees" in load(folder).index.entries


def test_a_folder_that_lists_its_files_and_lets_nobody_in_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = world.write()

    def refused(*arguments: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(root, "_record_file", refused)
    found = load(folder).findings
    assert {finding.code for finding in found} == {"FIL003"}
    assert LOST in {finding.file for finding in found}


def test_a_memory_that_anybody_has_touched_is_an_empty_one(world: World) -> None:
    folder = world.write()
    expected = verify(folder, EVERYTHING).findings
    file = memory._file(folder)
    whole = file.read_bytes()
    assert memory.recall(folder).checked
    for damaged in (
        whole.replace(b"2026-01-04", b"2026-31-04"),
        whole.replace(b"paper/trees", b"paper/treez"),
        whole.replace(b"],[],", b"],[1],"),
        whole[:-1],
        whole + b" ",
        whole.partition(b"\n")[2],
    ):
        assert damaged != whole
        file.write_bytes(damaged)
        assert memory.recall(folder) == memory.Memory()
        assert verify(folder, EVERYTHING).findings == expected


def test_a_memory_that_holds_a_file_without_its_stamp_is_harmless(world: World) -> None:
    folder = world.write()
    verify(folder, EVERYTHING)
    kept = memory.recall(folder)
    kept.checked = [
        type(one)(one.key, one.file, (), "", one.findings, one.entry) for one in kept.checked
    ]
    memory.remember(folder, kept)
    assert not verify(folder, EVERYTHING).failed


@pytest.mark.parametrize("day", ["9999-12-31", "9999-12-30", "0001-01-01"])
def test_every_day_of_the_calendar_can_be_today(world: World, day: str) -> None:
    from datetime import date

    report = world.report(today=date.fromisoformat(day))
    assert report.failed == (day < "2026")


def test_a_place_of_a_record_is_told_from_other_places(tmp_path: Path) -> None:
    assert root.is_record(tmp_path / "data/papers/trees.yaml")
    assert root.is_record(tmp_path / "data/benchmarks/trees.jsonl")
    assert not root.is_record(tmp_path / "data/papers/trees.bib")
    assert not root.is_record(tmp_path / "papers/trees.yaml")
    link = tmp_path / "link.yaml"
    link.symlink_to(tmp_path / "data/papers/trees.yaml")
    assert root.is_record(link)
