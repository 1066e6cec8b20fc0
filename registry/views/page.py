"""What a view shows, before it is decided how: headings, tables and lines of words.

Pages are built from records, so every text in them may hold anything. The formats that turn a page
into characters make it harmless; nothing here is markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from registry.verdicts import Matrix

Tone = Literal["plain", "strong", "alarm", "quiet"]
"""How much a reader should notice; no tone carries a meaning that the words do not."""


@dataclass(frozen=True, slots=True)
class Run:
    """Some text in one tone."""

    text: str
    tone: Tone = "plain"


Words = tuple[Run, ...]
"""A text, which may be longer than a line."""


def one_line(text: str) -> str:
    """A text without the line ends of the file that it stands in."""
    return re.sub(r"[ \t-\r\x1c-\x1e\x85\u2028\u2029]+", " ", text)


def words(*parts: str | Run | Words) -> Words:
    """Join texts, leaving out what is empty."""
    found: list[Run] = []
    for part in parts:
        if isinstance(part, tuple):
            found.extend(part)
        else:
            run = Run(part) if isinstance(part, str) else part
            if run.text:
                found.append(run)
    return tuple(found)


def joined(parts: Iterable[str | Run | Words], mark: str | Run = " · ") -> Words:
    """Join the texts that are not empty, with a mark between them."""
    found: list[str | Run | Words] = []
    for part in parts:
        text = words(part)
        if text:
            found += [mark, text] if found else [text]
    return words(*found)


def strong(text: str) -> Run:
    """Text that a reader looks for."""
    return Run(text, "strong")


def alarm(text: str) -> Run:
    """Text that a reader must not overlook."""
    return Run(text, "alarm")


def quiet(text: str) -> Run:
    """Text that helps to read the rest."""
    return Run(text, "quiet")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text that stands alone."""

    text: Words


@dataclass(frozen=True, slots=True)
class Pairs:
    """Names with what belongs to each."""

    rows: tuple[tuple[str, Words], ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; what belongs to an item stands in lines below it."""

    items: tuple[tuple[Words, ...], ...]
    """The lines of each item."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table."""

    head: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What every source says on every field."""

    matrix: Matrix
    values: dict[str, Words]
    """Field to the record's own value."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """What nobody may miss, set apart from everything else."""

    title: str
    blocks: tuple[Paragraph | Pairs, ...]


Block = Paragraph | Pairs | Bullets | Grid | Verdicts | Alarm


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that is shown of a record."""

    title: str
    key: str
    """``kind/id``."""
    opening: tuple[Block, ...]
    """What stands before the first heading."""
    sections: tuple[Section, ...]
    closing: Words = ()
    """Where there is more."""
