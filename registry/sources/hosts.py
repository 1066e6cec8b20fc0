"""A host during one run: whose turn it is, and when to leave it alone."""

from __future__ import annotations

from math import inf
from threading import BoundedSemaphore, Lock

from registry.sources.answers import NoReply, Reply
from registry.sources.clock import Clock
from registry.sources.request import HostPolicy

_FAILURES = 3
"""Questions in a row that may fail before a host is left alone for the rest of the run."""


class Host:
    """Keeps to a host's policy, from several threads."""

    def __init__(self, policy: HostPolicy, clock: Clock, end: float) -> None:
        """Start the run with nothing known of the host.

        Args:
            policy: How it wants to be treated.
            clock: Time.
            end: Moment of ``clock`` from which on nothing may be asked.
        """
        self.policy = policy
        self.places = BoundedSemaphore(policy.concurrency)
        """To be held during an exchange."""
        self.asked = 0
        """Requests that were sent."""
        self._clock = clock
        self._end = end
        self._lock = Lock()
        self._next_start = -inf
        self._not_before = -inf
        self._because = NoReply("throttled")
        self._failures = 0

    def take_turn(self) -> NoReply | None:
        """Wait until the next request may start, or say why there will be none."""
        while True:
            with self._lock:
                now = self._clock.now()
                closed = self._closed(now)
                if closed is not None:
                    return closed
                wait = max(0.0, self._next_start - now, self._not_before - now)
                if self._clock.sleep(0.0):
                    return NoReply("stopped", final=True)
                if wait == 0.0:
                    self._next_start = now + self.policy.interval
                    self.asked += 1
                    return None
            # While this one waits, another's failure may put the turn off further: look again.
            if self._clock.sleep(wait):
                return NoReply("stopped", final=True)

    def put_off(self, seconds: float, because: NoReply) -> None:
        """Start no request for some time: a host that throttles one question throttles all."""
        with self._lock:
            self._not_before = max(self._not_before, self._clock.now() + seconds)
            self._because = because

    def remember(self, outcome: NoReply | Reply, blame: bool) -> None:
        """Take note of how a question ended.

        Args:
            outcome: How.
            blame: Whether a failure says that the next question will fail too.
        """
        with self._lock:
            if isinstance(outcome, Reply):
                self._failures = 0
            elif blame:
                self._failures += 1
                self._because = outcome

    def _closed(self, now: float) -> NoReply | None:
        why, detail = self._because.why, self._because.detail
        if self._failures >= _FAILURES:
            left_alone = f"not asked again after {self._failures} failures in a row"
            return NoReply(why, f"{detail}; {left_alone}", final=True)
        if self._not_before >= self._end:
            wait, left = self._not_before - now, max(0.0, self._end - now)
            detail = f"{detail}; to be asked again in {wait:.0f} s, {left:.0f} s are left"
            return NoReply(why, detail, final=True)
        if max(now, self._next_start) >= self._end:
            return NoReply("budget spent", final=True)
        return None
