"""What can be broken of the promise that nothing is lost."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from registry.findings import FieldPath
from registry.store.wording import as_text

Promise = Literal[
    "record", "assertion", "in-place", "reason", "decision", "evidence", "id", "statement", "cited"
]
"""What was to stay: the record itself, an assertion (or a claim), what an assertion holds, the
reason for a rank or a contest, a decision, a piece of evidence, an id, what a statement without a
rank says, such a statement."""


class Breach(NamedTuple):
    """One thing that was there and is not, or is not what it was."""

    promise: Promise
    path: FieldPath
    """Where, in the record as it is now; the nearest place if it is gone."""
    message: str


def shown(value: Any) -> str:
    """A value in a message."""
    return _cut(_line(value), 0)


def was_and_is(was: Any, now: Any) -> str:
    """That a value was another one; of long ones, the part in which they differ."""
    one, other = _line(was), _line(now)
    start = 0
    if _cut(one, 0) == _cut(other, 0):
        pairs = enumerate(zip(one, other, strict=False))
        differs = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
        start = max(differs - _BEFORE, 0)
    return f"was {_cut(one, start)} and is {_cut(other, start)}"


_SHOWN, _BEFORE = 60, 20
"""Characters that a message has of a value, and of those how many before the first that differs."""


def _line(value: Any) -> str:
    return " ".join(as_text(value).split())


def _cut(text: str, start: int) -> str:
    text = f"...{text[start:]}" if start else text
    return f"`{text if len(text) <= _SHOWN else text[: _SHOWN - 3] + '...'}`"
