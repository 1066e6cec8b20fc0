"""Runs commands and measures time and the memory of all their processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command."""

    seconds: float
    """Wall time, start of the process included."""
    peak: int
    """Largest memory of all its processes together, in bytes, shared pages counted once."""
    output: str


def run(command: list[str], cache: Path | None = None) -> Run:
    """Run ``command`` with an own cache folder and watch it.

    Raises:
        RuntimeError: it ended with an exit code other than 0.
    """
    environment = os.environ | ({"XDG_CACHE_HOME": str(cache)} if cache else {})
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    watch = _Watch(process.pid)
    watch.start()
    output, errors = process.communicate()
    seconds = time.perf_counter() - began
    watch.ended.set()
    watch.join()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {errors}{output}")
    return Run(seconds, watch.peak, output)


class _Watch(threading.Thread):
    """Samples the memory of a process and its children."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.peak, self.ended = pid, 0, threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.02):
            self.peak = max(self.peak, sum(_memory(pid) for pid in _family(self.pid)))


def _family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            tasks = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
        except OSError:
            continue
        found += [int(child) for child in tasks.split()]
    return found


def _memory(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def time_start(repeats: int) -> tuple[float, float]:
    """Median seconds of ``registry --version`` and of importing typer, taken in turn."""
    version = [str(Path(sys.executable).parent / "registry"), "--version"]
    imported = [sys.executable, "-c", "import typer"]
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for command, taken in zip((version, imported), times, strict=True):
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            taken.append(time.perf_counter() - began)
    return statistics.median(times[0]), statistics.median(times[1])
