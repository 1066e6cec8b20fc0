"""Reads what a page of proceedings says in its tags."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DAY = re.compile(r"([0-9]{4})[/-]([0-9]{1,2})[/-]([0-9]{1,2})(?![0-9])")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}(?![0-9])")
_SUFFIX = re.compile(r"(?:[JS]r\.?|I{2,3}|IV)", re.IGNORECASE)


def parse(text: str, *, fragment: bool = False) -> LexborHTMLParser:
    """A page or a piece of one as a tree. Whatever the text is, there is a tree of it."""
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(text, is_fragment=fragment)


def line(node: LexborNode | None) -> str:
    """The text inside an element on one line; empty if there is no such element."""
    return " ".join(node.text().split()) if node is not None else ""


def link(node: LexborNode) -> str:
    """Where a link leads."""
    return (node.attributes.get("href") or "").strip()


@dataclass(frozen=True, slots=True)
class Tags:
    """The ``citation_`` tags of a page in their order."""

    pairs: tuple[tuple[str, str], ...]

    def all(self, name: str) -> list[str]:
        """All values of ``citation_`` and this name that are not empty."""
        return [value for tag, value in self.pairs if tag == f"citation_{name}" and value]

    def first(self, name: str) -> str:
        """The first of these values; empty if there is none."""
        return next(iter(self.all(name)), "")

    @property
    def pages(self) -> str:
        """First and last page."""
        return "-".join(dict.fromkeys(self.all("firstpage")[:1] + self.all("lastpage")[:1]))

    @property
    def affiliations(self) -> list[dict[str, Any]]:
        """Affiliations, each of which stands behind the author that it belongs to."""
        found: list[dict[str, Any]] = []
        author = 0
        for tag, value in self.pairs:
            author += tag == "citation_author"
            if tag == "citation_author_institution" and value and author:
                found.append({"author": author, "printed": value})
        return found


def citation_tags(page: LexborHTMLParser) -> Tags:
    """The tags that scholarly search engines read."""
    pairs = []
    for node in page.css("meta[name]"):
        name = (node.attributes.get("name") or "").strip().lower()
        if name.startswith("citation_"):
            pairs.append((name, " ".join((node.attributes.get("content") or "").split())))
    return Tags(tuple(pairs))


def author_line(text: str) -> list[str]:
    """The names of a line such as ``Ada Abe, José Müller``, with any space behind the commas."""
    names: list[str] = []
    for name in re.split(r",\s+", text):
        name = " ".join(name.strip(",").split())
        if names and _SUFFIX.fullmatch(name):
            names[-1] += f" {name}"
        elif name:
            names.append(name)
    return names


def day_in(text: str) -> str:
    """The day that a text begins with, as YYYY-MM-DD; empty if it is no full or no real day."""
    found = _DAY.match(text.strip())
    try:
        return date(*map(int, found.groups())).isoformat() if found else ""
    except ValueError:
        return ""


def year_in(text: str) -> int | None:
    """The year that a text begins with."""
    found = _YEAR.match(text.strip())
    return int(found[0]) if found else None
