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
    text = " ".join(as_text(value).split())
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"
