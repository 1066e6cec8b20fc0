"""What is kept of a record once it has been checked on its own.

A registry of ten thousand records does not fit into memory as models, and most of a model is of no
use to anybody else. An entry holds only what other records are compared with: it is what worker
processes send back, and what the cache stores.
"""

from __future__ import annotations

from typing import Any

import msgspec

from registry.findings import Finding


class Link(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A reference from one record to another."""

    field: str
    kind: str
    """Kind that the field wants."""
    id: str
    line: int
    column: int


class Held(msgspec.Struct, frozen=True, array_like=True):
    """One assertion of a tracked field."""

    value: Any
    rank: str
    evidence: tuple[str, ...]
    line: int
    column: int
    superseding: bool = False
    """Whether it names an earlier value that it corrects."""


class Fact(msgspec.Struct, frozen=True, array_like=True):
    """A tracked field."""

    name: str
    """Field name; a peak rate is named by what it is a rate of (``peaks.fp16-dense-matrix``)."""
    path: str
    status: str
    line: int
    column: int
    held: tuple[Held, ...]
    contested_because: str = ""
    overruled: tuple[tuple[str, str], ...] = ()
    """Source and value of each ruling."""


class Heard(msgspec.Struct, frozen=True, array_like=True):
    """What an evidence record says."""

    about: str
    source: str
    retrieved: str
    how: str
    outcome: str
    reason: str
    confirmed: bool
    silent_on: tuple[str, ...]
    observed: dict[str, Any]
    """Field name to value; peaks are flattened to the names that facts use."""
    line: int = 1
    column: int = 1
    version: str = ""


class Entry(msgspec.Struct, array_like=True):
    """A checked record."""

    kind: str
    id: str
    file: str
    digest: str
    label: str
    """A name to show."""
    withdrawn: bool
    links: tuple[Link, ...]
    facts: tuple[Fact, ...]
    heard: Heard | None
    extra: dict[str, Any]
    """What only some kinds have and other records need (a venue's names, a source's parents)."""
    findings: tuple[Finding, ...]
    """What the record's own checks found."""

    @property
    def key(self) -> str:
        """``kind/id``."""
        return f"{self.kind}/{self.id}"
