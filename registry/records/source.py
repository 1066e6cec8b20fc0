"""Sources: who can say something about a record, and how far they may be trusted on what."""

from __future__ import annotations

from typing import Literal

from registry.records.base import Items, Maybe, Part, Record, SourceId, Text, Url, Whole
from registry.records.evidence import FieldName


class Speaks(Part):
    """What a source's word is worth on some fields."""

    fields: Items[FieldName]
    """The fields."""
    trust: Literal["authoritative", "reliable", "weak"]
    """``authoritative`` for who makes the fact, ``weak`` where the source is known to err."""
    because: Maybe[Text] = None
    """Why."""


class Source(Record):
    """A publisher, an index, a repository or a person that facts are taken from."""

    kind: Literal["source"]
    """Always ``source``."""
    name: Text
    """Name in use."""
    type: Literal[
        "proceedings", "preprint-server", "index", "repository", "document", "third-party"
    ]
    """What it is."""
    url: Maybe[Url] = None
    """Home page."""
    speaks_about: Maybe[Items[Speaks]] = None
    """Fields it can say something about; on any other field it is not asked."""
    draws_on: Maybe[Items[SourceId]] = None
    """Sources it copies from. Two sources count as independent only if neither draws on the
    other."""
    significant_digits: Maybe[Whole] = None
    """Digits that the source rounds its numbers to."""
    limits: Maybe[Items[Text]] = None
    """Rate limits, gaps and traps."""
