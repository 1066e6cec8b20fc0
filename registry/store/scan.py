"""Checks every file of a registry on its own, on all cores, skipping what did not change."""

from __future__ import annotations

import gc
import hashlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from registry.findings import Finding
from registry.store.entry import Checked
from registry.store.memory import Memory
from registry.store.root import RecordFile, read_bytes, record_files, unreadable

CheckOne = Callable[[bytes, RecordFile], Checked]
"""Checks the bytes of one file. It must be importable by name, to be run in other processes."""

_CHUNK = 100
"""Files handed to a process at a time: large enough that handing over costs little."""

_SETTLED = 2_000_000_000
"""Nanoseconds that a file must be older than the last look at it for its stamp to be trusted: a
second edit within one tick of the file system's clock leaves the stamp as it was."""


def scan(root: Path, check: CheckOne, memory: Memory) -> tuple[list[Checked], list[Finding], int]:
    """Check all files under ``root``.

    Returns:
        One outcome for each record file, ordered by file (the remembered object itself where
        nothing changed), findings about other files, and the time of the look in nanoseconds.
    """
    began = time.time_ns()
    files, findings = record_files(root)
    known = {checked.file: checked for checked in memory.checked}
    done: dict[str, Checked] = {}
    waiting: list[RecordFile] = []
    for found in files:
        before = known.get(found.file)
        if before is not None and _unchanged(found, before, memory.scanned):
            done[found.file] = before
        else:
            waiting.append(found)
    for checked in _check_all(waiting, check):
        before = known.get(checked.file)
        same = before is not None and before.digest == checked.digest != ""
        done[checked.file] = before if same and before is not None else checked
    return [done[found.file] for found in files], findings, began


def _unchanged(found: RecordFile, before: Checked, looked: int) -> bool:
    if not before.digest:
        return False  # it could not be read; that it still cannot is for a new look to say
    _, modified, changed, _ = found.stamp
    if found.stamp == before.stamp and max(modified, changed) + _SETTLED < looked:
        return os.name == "posix"
    if found.stamp[0] != before.stamp[0]:
        return False
    try:
        return hashlib.sha256(read_bytes(found.path)).hexdigest() == before.digest
    except OSError:
        return False


def _check_all(files: list[RecordFile], check: CheckOne) -> Iterable[Checked]:
    workers = os.cpu_count() or 1
    if len(files) <= 2 * _CHUNK or workers == 1:
        return check_chunk(files, check)
    chunks = [files[start : start + _CHUNK] for start in range(0, len(files), _CHUNK)]
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(workers, context, initializer=_leave_interruptions) as pool:
        answers = pool.map(_packed, chunks, [check] * len(chunks))
        decode = msgspec.json.Decoder(list[Checked]).decode
        return [checked for answer in answers for checked in decode(answer)]


def _leave_interruptions() -> None:
    """Ctrl-C reaches every process; only the one that waits for the others is to tell of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _packed(files: list[RecordFile], check: CheckOne) -> bytes:
    # Records hold no cycles, so collecting them would only cost time in a short-lived process.
    gc.disable()
    return msgspec.json.encode(check_chunk(files, check))


def check_chunk(files: list[RecordFile], check: CheckOne) -> list[Checked]:
    """Check some files one after the other; one bad file never hides the others."""
    outcome: list[Checked] = []
    for found in files:
        try:
            raw = read_bytes(found.path)
        except OSError as error:
            key, finding = f"{found.kind}/{found.id}", unreadable(found.file, error)
            outcome.append(Checked(key, found.file, found.stamp, "", (finding,), None))
        else:
            outcome.append(check(raw, found))
    return outcome
