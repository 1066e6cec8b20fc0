"""How long to wait before the same question is put again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite

from registry.sources.answers import NoReply

_TRIES = 4
_TRIES_OF_A_SLOW_HOST = 2
"""A host that lets us wait costs the others their time, so it gets fewer tries."""

_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")
_LONGEST = 1e9


def tries(failure: NoReply) -> int:
    """How often a question may be put in all, given how it failed last."""
    if not failure.may_pass:
        return 1
    return _TRIES_OF_A_SLOW_HOST if failure.why == "timed out" else _TRIES


def pause(attempt: int, asked_for: float | None) -> float:
    """Seconds to wait after a failed attempt, of which the first is number 0.

    The wait doubles each time and is never shorter than what the host asked for.
    """
    back_off = float(2**attempt)
    if asked_for is None or not isfinite(asked_for):
        return back_off
    return min(max(back_off, asked_for), _LONGEST)


def retry_after(headers: Mapping[str, str], today: float) -> float | None:
    """Seconds that a ``Retry-After`` asks to wait; None if there is none that can be understood.

    Args:
        headers: Of the answer, with names in lower case.
        today: Seconds since the epoch, for answers that do not tell their own time.
    """
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return min(float(text), _LONGEST)
    moment = _moment(text)
    if moment is None:
        return None
    # The host's own clock, where it shows it: this machine's may be wrong by hours.
    now = _moment(headers.get("date", ""))
    return moment - (today if now is None else now)


def _moment(text: str) -> float | None:
    try:
        found = parsedate_to_datetime(text)
        # HTTP dates are in UTC; Python takes a date without a zone for local time.
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
