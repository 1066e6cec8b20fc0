"""Outputs that end in a loop. Small models fall into them, and a draft of a loop always holds."""

from __future__ import annotations

from collections.abc import Sequence

TIMES = 3
"""Times that a piece must stand at the end."""
LEAST = 32
"""Tokens that these must be together: short words are said three times for good reasons."""


def looping(ids: Sequence[int]) -> int:
    """How many of the last tokens are one piece over and over, its first time included; else 0."""
    for period in range(1, len(ids) // TIMES + 1):
        tail = period
        while tail < len(ids) and ids[-tail - 1] == ids[-tail - 1 + period]:
            tail += 1
        if tail >= max(TIMES * period, LEAST):
            return tail
    return 0
