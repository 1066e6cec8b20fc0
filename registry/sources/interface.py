"""The plug point for upstream sources: what is asked, what comes back, and what a source can say.

A source never decides whether a record is right. It says what the upstream says, in the words of
an observation, or that the upstream knows no such record, or that it could not be asked and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec

from registry.records.evidence import FieldName
from registry.sources.transport import Client, HostPolicy

Trust = Literal["authoritative", "reliable", "weak"]
Outcome = Literal["answered", "no-such-record", "could-not-ask"]


@dataclass(frozen=True, slots=True)
class Query:
    """What is known of a paper before a source is asked. Empty text is unknown."""

    record: str
    """``kind/id`` of the record, or a name for what was asked without a record."""
    title: str = ""
    authors: tuple[str, ...] = ()
    """Names in BibTeX's grammar, in order."""
    year: int | None = None
    arxiv_id: str = ""
    """Without version."""
    arxiv_version: str = ""
    """``v1`` and so on, where one version is meant."""
    doi: str = ""
    openreview_id: str = ""
    dblp_key: str = ""
    venue: str = ""
    """Id of the venue record."""
    volume: str = ""
    series: str = ""
    """Id of the series that printed the volume, such as ``pmlr``."""
    addresses: tuple[str, ...] = ()
    """Web addresses that evidence about the record gives; a source may find its own among them."""

    @property
    def identified(self) -> bool:
        """Whether anything but the title says which paper is meant."""
        ids = (self.arxiv_id, self.doi, self.openreview_id, self.dblp_key, self.volume)
        return any(ids) or bool(self.addresses)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one source said about one paper at one time."""

    record: str
    source: str
    outcome: Outcome
    reason: str = ""
    """For ``could-not-ask``: why. It never holds a credential or the name of an account."""
    observation: Mapping[str, Any] = field(default_factory=dict)
    """Field name to value, in the form of ``registry.records.evidence.Observation``."""
    silent_on: tuple[FieldName, ...] = ()
    """Fields that this source can speak about, that were looked for, and that are not there."""
    locator: str = ""
    """Where in the source, for a person who wants to look again."""
    url: str = ""
    """Address of what was read, without any credential."""
    sha256: str = ""
    """Hash of the bytes that were read."""
    version: str = ""
    """Version of the paper that is described, such as ``v1``."""
    status: Literal["active", "withdrawn", "retracted"] = "active"
    """What the source says of the paper's standing."""
    notes: tuple[str, ...] = ()
    """What a person should know, such as a correction notice."""
    proposed: bool = False
    """Whether only title, author and year led here; then nothing says that it is the paper."""

    @property
    def observed(self) -> dict[str, Any]:
        """The observation as JSON would hold it, which is how recorded evidence is read back."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(dict(self.observation)))
        return plain


@dataclass(frozen=True, slots=True)
class Speech:
    """How far a source may be trusted on some fields."""

    fields: tuple[FieldName, ...]
    trust: Trust
    because: str = ""


class Source(Protocol):
    """An upstream. Adding one means one module and one line in ``registry.sources.SOURCES``."""

    @property
    def name(self) -> str:
        """Id of the source's record in ``data/sources``."""
        ...

    @property
    def policies(self) -> tuple[HostPolicy, ...]:
        """The hosts that it talks to, and how politely."""
        ...

    @property
    def speaks(self) -> tuple[Speech, ...]:
        """What it can say something about."""
        ...

    @property
    def key_variables(self) -> tuple[str, ...]:
        """Environment variables that may hold its credentials; empty if it takes none."""
        ...

    def can_ask(self, query: Query) -> bool:
        """Whether what is known of the paper is enough to ask. If not, the verdict is not-asked."""
        ...

    def ask(self, queries: Sequence[Query], client: Client) -> Iterator[Answer]:
        """One answer for each query, as they come in, in as few requests as the upstream allows.

        Queries and replies are matched by identifier, never by position. Never raises for what the
        upstream answers.
        """
        ...

    def ping(self, client: Client) -> str:
        """Ask for something small and well known; empty text if it answers, else why not."""
        ...
