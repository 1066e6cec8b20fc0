"""What comparing two values of a fact can say."""

from __future__ import annotations

from typing import Literal

import msgspec

Outcome = Literal["same", "different", "cannot-tell"]


class Comparison(msgspec.Struct, frozen=True):
    """The outcome of comparing a recorded value with an observed one."""

    outcome: Outcome
    """``same``, ``different``, or ``cannot-tell`` where the observed value decides nothing."""
    kind: str = ""
    """A stable word for what differs, such as ``author order``. It may stand beside ``same``: then
    the difference was seen and does not matter."""
    note: str = ""
    """The details on one line for a person, such as ``positions 4-6 differ: ...``."""


SAME = Comparison("same")
"""Nothing differs."""

NOT_GIVEN = Comparison("cannot-tell", "not given")
"""One side has no value, which says nothing about the other."""
