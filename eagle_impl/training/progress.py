"""What a person sees while a head is made: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_SECONDS = 30.0
"""Between two lines, where there is no terminal."""


class Progress:
    """Progress on stderr, of one thing after the other."""

    def __init__(self, *, quiet: bool = False) -> None:
        """Say nothing if ``quiet``."""
        self._quiet = quiet
        self._bar: Bar | None = None
        self._task: TaskID
        self._lock = threading.Lock()

    def begin(self, what: str, unit: str, total: int) -> None:
        """Something begins that is done after ``total`` units."""
        self._what, self._unit, self._total = what, unit, total
        self._done = self._counted = 0
        self._start = self._said = time.monotonic()
        self._notes = ""
        if self._quiet:
            return
        if not sys.stderr.isatty():
            self._line()
            return
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[amount]}"),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[notes]}"),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task(what, total=total, amount=self._amount(), rate="", notes="")
        self._bar.start()

    def advance(self, units: int, *, counts: bool = True) -> None:
        """Some more units are done.

        Args:
            units: How many.
            counts: Whether they tell how fast it goes: not those that were done before.
        """
        with self._lock:
            self._done += units
            self._counted += units * counts
            self._show()

    def note(self, notes: str) -> None:
        """Say something else beside it."""
        with self._lock:
            self._notes = notes
            self._show()

    def end(self) -> None:
        """It is done, or given up."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        elif not self._quiet:
            self._line()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _show(self) -> None:
        if self._bar is not None:
            self._bar.update(
                self._task,
                completed=self._done,
                amount=self._amount(),
                rate=self._rate(),
                notes=self._notes,
            )
        elif not self._quiet and time.monotonic() - self._said > _SECONDS:
            self._line()

    def _line(self) -> None:
        self._said = time.monotonic()
        parts = [f"{self._what}: {self._amount()}", self._rate()]
        sys.stderr.write(", ".join(part for part in (*parts, self._notes) if part) + "\n")

    def _amount(self) -> str:
        # What is made in pieces ends with a whole one, beyond what was wanted.
        least = "at least " if self._done > self._total else ""
        return f"{self._done:,} of {least}{self._total:,} {self._unit}"

    def _rate(self) -> str:
        seconds = time.monotonic() - self._start
        return f"{self._counted / seconds:,.0f} {self._unit}/s" if seconds > 1 else ""
