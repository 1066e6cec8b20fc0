"""Checks every file of a registry on its own, on all cores, remembering what did not change."""

from __future__ import annotations

import gc
import hashlib
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from registry.findings import Finding
from registry.store.cache import Cache
from registry.store.entry import Checked
from registry.store.root import RecordFile, read_bytes, record_files, unreadable

CheckOne = Callable[[bytes, RecordFile], Checked]
"""Checks the bytes of one file. It must be importable by name, to be run in other processes."""

_CHUNK = 100
"""Files handed to a process at a time: large enough that handing over costs little."""


def scan(
    root: Path, check: CheckOne, *, use_cache: bool = True
) -> tuple[list[Checked], list[Finding]]:
    """Check all files under ``root``.

    Returns:
        One outcome for each record file, ordered by file, and findings about other files.
    """
    files, findings = record_files(root)
    cache = Cache(root) if use_cache else None
    known = cache.load() if cache else {}
    done: dict[str, Checked] = {}
    waiting: list[RecordFile] = []
    for found in files:
        before = known.get(found.file)
        if before is None:
            waiting.append(found)
            continue
        try:
            digest = hashlib.sha256(read_bytes(found.path)).hexdigest()
        except OSError:
            waiting.append(found)
            continue
        if digest == before.digest:
            done[found.file] = before
        else:
            waiting.append(found)
    for checked in _check_all(waiting, check):
        done[checked.file] = checked
    outcome = [done[found.file] for found in files]
    if cache and (waiting or len(known) != len(outcome)):
        cache.store(outcome)
    return outcome, findings


def _check_all(files: list[RecordFile], check: CheckOne) -> list[Checked]:
    workers = os.cpu_count() or 1
    if len(files) <= 2 * _CHUNK or workers == 1:
        return check_chunk(files, check)
    chunks = [files[start : start + _CHUNK] for start in range(0, len(files), _CHUNK)]
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    with ProcessPoolExecutor(workers, multiprocessing.get_context(method)) as pool:
        answers = pool.map(_packed, chunks, [check] * len(chunks))
        decode = msgspec.json.Decoder(list[Checked]).decode
        return [checked for answer in answers for checked in decode(answer)]


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
            finding = unreadable(found.file, error)
            outcome.append(Checked(f"{found.kind}/{found.id}", found.file, "", (finding,), None))
        else:
            outcome.append(check(raw, found))
    return outcome
