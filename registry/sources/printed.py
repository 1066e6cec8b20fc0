"""What proceedings print about one paper, and whether that is the paper that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from registry.equality.interface import Comparison
from registry.equality.markup import display_text
from registry.equality.names import Name, match_names, parse_authors
from registry.equality.titles import compare_titles, words
from registry.equality.works import Work, same_work
from registry.records.evidence import FieldName
from registry.sources.answers import NoReply, Reply
from registry.sources.interface import Answer, Query


@dataclass(frozen=True, slots=True)
class Printed:
    """One paper as one document of its publisher prints it."""

    id: str
    """The paper's name in its proceedings, such as ``abe24a`` or a hexadecimal hash."""
    observation: Mapping[str, Any]
    """Field name to value; what is not printed has no key."""
    silent_on: tuple[FieldName, ...] = ()
    """Fields that have a place in such a document, and nothing in it here."""

    @property
    def title(self) -> str:
        """The title as printed."""
        return str(self.observation.get("title", ""))

    @property
    def names(self) -> tuple[Name, ...]:
        """The authors in order."""
        return parse_authors(self.observation.get("authors", ())).names


@dataclass(frozen=True, slots=True)
class Doubt:
    """A title that was found and could not be taken for the paper that was asked for."""

    note: str
    open: bool
    """Whether it may be that paper after all."""


class Shelf:
    """The papers of a volume, to be found in its index by name or by title.

    A volume has thousands of papers, of which a few are asked for: only those are kept as more
    than a name, a title and a place in the text.
    """

    def __init__(self, text: str, read: Callable[[str], Printed | None]) -> None:
        """An empty shelf.

        Args:
            text: The index.
            read: Reads the piece of the index that is about one paper.
        """
        self._text = text
        self._read = read
        self._places: dict[str, tuple[int, int]] = {}
        self._by_title: dict[str, list[str]] = {}

    def add(self, start: int, end: int) -> bool:
        """Put a paper on the shelf; false if its piece of the index cannot be read."""
        printed = self._read(self._text[start:end])
        if printed is None:
            return False
        if printed.id not in self._places:
            self._places[printed.id] = (start, end)
            self._by_title.setdefault(title_key(printed.title), []).append(printed.id)
        return True

    def find(self, query: Query, name: str = "") -> Printed | Doubt | None:
        """The paper that a query means, a title that may not be its own, or nothing.

        Args:
            query: What is known of the paper.
            name: The paper's name in the proceedings, if it is known.
        """
        if name in self._places:
            return self._take(name)
        alike = self._by_title.get(title_key(query.title), ()) if query.title else ()
        doubts: list[Doubt] = []
        for printed in map(self._take, alike):
            result = _confirmed(query, printed)
            if result.outcome == "same":
                return printed
            by = ", ".join(map(str, printed.names[:3])) or "nobody"
            note = f"{printed.id}, by {by}, has the title: {result.note or result.kind}"
            doubts.append(Doubt(note, result.outcome == "cannot-tell"))
        return max(doubts, key=lambda doubt: doubt.open, default=None)

    def _take(self, name: str) -> Printed:
        start, end = self._places[name]
        printed = self._read(self._text[start:end])
        assert printed is not None  # it was read before
        return printed


def title_key(title: str) -> str:
    """What all spellings of a title share; titles that share it may still differ."""
    # Sources lose spaces beside formulae.
    return words(title).replace(" ", "")


def observed(**values: Any) -> dict[str, Any]:
    """An observation of the values that are not empty."""
    return {name: value for name, value in values.items() if value not in ("", None, [])}


def missing(fields: Iterable[FieldName], observation: Mapping[str, Any]) -> tuple[FieldName, ...]:
    """The fields that were looked for and are not in an observation."""
    return tuple(name for name in fields if name not in observation)


def answered(
    query: Query, source: str, printed: Printed, locator: str, reply: Reply, *notes: str
) -> Answer:
    """The answer that a document gives, with a note if its paper seems to be another one."""
    return Answer(
        query.record,
        source,
        "answered",
        observation=printed.observation,
        silent_on=printed.silent_on,
        locator=locator,
        url=reply.url,
        sha256=reply.sha256,
        notes=(*_doubts(query, printed), *notes),
    )


def absent(query: Query, source: str, reply: Reply, *notes: str) -> Answer:
    """The answer of an index that does not hold the paper."""
    return Answer(
        query.record, source, "no-such-record", url=reply.url, sha256=reply.sha256, notes=notes
    )


def not_found(
    query: Query, source: str, doubt: Doubt | None, reply: Reply, *, whole: bool
) -> Answer:
    """The answer where an index was searched in vain.

    Args:
        query: What was asked.
        source: The source.
        doubt: A title that was found and not taken.
        reply: The index.
        whole: Whether all of the index could be read, without which nothing is known to be absent.
    """
    if not whole:
        return unasked(query, source, "broken answer: not every paper of the list could be read")
    if doubt is not None and doubt.open:
        return unasked(query, source, f"it cannot be told which paper is meant: {doubt.note}")
    return absent(query, source, reply, *([doubt.note] if doubt else []))


def unasked(query: Query, source: str, reason: NoReply | str) -> Answer:
    """That a source could not be asked, and why."""
    return Answer(query.record, source, "could-not-ask", reason=str(reason))


def _confirmed(query: Query, printed: Printed) -> Comparison:
    """A title only proposes: an author in common and the year confirm it."""
    asked = Work(query.title, parse_authors(query.authors).names, query.year)
    year = printed.observation.get("year")
    return same_work(asked, Work(printed.title, printed.names, year))


def _doubts(query: Query, printed: Printed) -> tuple[str, ...]:
    if not query.title or not printed.title:
        return ()
    titles = compare_titles(query.title, printed.title, same_work=True)
    if titles.outcome != "different":
        return ()
    own, other = parse_authors(query.authors).names, printed.names
    if own and other:
        if match_names(own[0], other[0]).grade != "different":
            return ()
    elif titles.kind == "title changed":
        return ()
    by = f" by {other[0]}" if other else ""
    title = display_text(printed.title)
    return (f"identifier belongs to another paper: {printed.id} is titled “{title}”{by}",)
