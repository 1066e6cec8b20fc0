"""Time, as the client sees it."""

from __future__ import annotations

import time
from threading import Event
from typing import Protocol


class Clock(Protocol):
    """Time, so that tests need not wait for it."""

    def now(self) -> float:
        """Seconds since some fixed moment."""
        ...

    def today(self) -> float:
        """Seconds since the epoch."""
        ...

    def sleep(self, seconds: float) -> bool:
        """Wait; true if the run was stopped meanwhile. A wait of 0 only asks for that."""
        ...

    def stop(self) -> None:
        """Make every ``sleep`` return at once, from now on."""
        ...


class RealClock:
    """The clock on the wall."""

    def __init__(self) -> None:
        self.stopped = Event()

    def now(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    def today(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def sleep(self, seconds: float) -> bool:
        """Wait; true if the run was stopped meanwhile. A wait of 0 only asks for that."""
        return self.stopped.wait(max(0.0, seconds))

    def stop(self) -> None:
        """Make every ``sleep`` return at once, from now on."""
        self.stopped.set()
