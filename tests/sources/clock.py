"""A clock that goes on only when somebody waits for it, so that no test waits."""

from __future__ import annotations

from threading import Lock


class FakeClock:
    """Time that passes by being slept through. It may be used from several threads."""

    def __init__(self, today: float = 1_700_000_000.0, stop_after: int | None = None) -> None:
        """Start at moment 0 of the day ``today``.

        Args:
            today: Seconds since the epoch at the start.
            stop_after: How many waits go well before the run counts as stopped.
        """
        self.start = today
        self.moment = 0.0
        self.slept: list[float] = []
        """Every wait that was asked for, in order. A wait of 0 only asks whether to stop."""
        self._stop_after = stop_after
        self._lock = Lock()

    def now(self) -> float:
        """Seconds since the start."""
        with self._lock:
            return self.moment

    def today(self) -> float:
        """Seconds since the epoch."""
        with self._lock:
            return self.start + self.moment

    def sleep(self, seconds: float) -> bool:
        """Let ``seconds`` pass at once; true from the wait on that stops the run."""
        with self._lock:
            if seconds > 0:
                self.slept.append(seconds)
                self.moment += seconds
            return self._stop_after is not None and len(self.slept) > self._stop_after

    def stop(self) -> None:
        """Stop the run, from now on."""
        with self._lock:
            self._stop_after = -1

    def advance(self, seconds: float) -> None:
        """Let time pass without anybody waiting, as during a slow exchange."""
        with self._lock:
            self.moment += seconds
