"""What is kept of a record once it has been checked on its own.

A registry of ten thousand records does not fit into memory as models, and most of a model is of no
use to anybody else. An entry holds only what other records are compared with: it is what worker
processes send back, and what the cache stores. It holds no positions: the few findings that come
out of comparing entries are located by reading the file once more.
"""

from __future__ import annotations

from typing import Any

import msgspec

from registry.findings import START, FieldPath, Finding, Position


class Link(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A reference from one record to another."""

    path: FieldPath
    kind: str
    """Kind that the field wants; ``*`` if the text names the kind itself."""
    id: str

    @property
    def key(self) -> str:
        """``kind/id`` of the record that is referred to, whether or not it exists."""
        return self.id if self.kind == "*" else f"{self.kind}/{self.id}"


class Held(msgspec.Struct, frozen=True, array_like=True):
    """One assertion of a tracked field."""

    value: Any
    rank: str
    basis: str
    recorded: str
    evidence: tuple[str, ...]
    explained: bool
    """Whether it says why."""


class Fact(msgspec.Struct, frozen=True, array_like=True):
    """A tracked field."""

    name: str
    """Field name; a peak rate is named by what it is a rate of (``peaks.fp16-dense-matrix``)."""
    path: FieldPath
    status: str
    held: tuple[Held, ...]
    contested_because: str = ""
    decided: str = ""
    """Day of the ruling."""
    overruled: tuple[tuple[str, str], ...] = ()
    """Source and value of each overruled word."""

    @property
    def preferred(self) -> Held | None:
        """The preferred assertion, if there is one."""
        return next((held for held in self.held if held.rank == "preferred"), None)


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
    version: str = ""
    url: str = ""
    standing: str = ""
    """What the source said of the paper: ``withdrawn`` or ``retracted``, if either."""
    retrieved_at: Position = START
    """Where the day stands: old evidence is common, and finding it must not cost a reading."""


SUCCESSOR: FieldPath = ("withdrawn", "successor")
"""Where a withdrawn record names the one to use instead."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """A record that has the shape of its kind."""

    kind: str
    id: str
    file: str
    label: str
    """A name to show."""
    withdrawn: bool
    links: tuple[Link, ...]
    facts: tuple[Fact, ...]
    heard: Heard | None
    extra: dict[str, Any]
    """What only some kinds have and other records need (a venue's names, a source's parents)."""

    @property
    def key(self) -> str:
        """``kind/id``."""
        return f"{self.kind}/{self.id}"

    @property
    def successor(self) -> str:
        """``kind/id`` of the record to use instead of a withdrawn one; empty if none is named."""
        return next((link.key for link in self.links if link.path == SUCCESSOR), "")

    @property
    def identifiers(self) -> list[tuple[str, str]]:
        """Field and value of each preferred identifier; none of a withdrawn record."""
        return [
            (fact.name, str(fact.preferred.value).lower())
            for fact in self.facts
            if fact.name in IDENTIFIERS and fact.preferred is not None and not self.withdrawn
        ]

    def fact(self, name: str) -> Fact | None:
        """The tracked field of that name."""
        return next((fact for fact in self.facts if fact.name == name), None)


IDENTIFIERS = ("arxiv_id", "doi", "openreview_id", "dblp_key")
"""Fields whose value belongs to one paper only."""


class Checked(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of checking one file on its own."""

    key: str
    """``kind/id``, as the place and name of the file say."""
    file: str
    stamp: tuple[int, ...]
    """Size, times and number of the file when it was read; see ``RecordFile.stamp``."""
    digest: str
    """SHA-256 of the bytes."""
    findings: tuple[Finding, ...]
    entry: Entry | None
    """None if the file is not a record that can be used."""
