"""When two page ranges are the same pages, whatever dash and abbreviation they are written with."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from registry.equality.interface import NOT_GIVEN, SAME, Comparison
from registry.equality.markup import display_text

_LABEL = re.compile(
    r"^(?:pages?|pp?|article(?:\s+(?:no|number|id))?|art(?:\.\s*no)?|paper|no)\b[.:]?\s*",
    re.IGNORECASE,
)
_DASH = re.compile(r"\s*(?:[-‐‑‒–—―−﹘﹣－]+|\bto\b)\s*")
_PAGE = re.compile(r"(?P<prefix>(?:[a-z]+|[0-9]+:)?)(?P<number>[0-9]+)(?P<suffix>[a-z]?)")
_ROMAN = re.compile(r"(?=[ivxlc])(?:c{0,3})(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_OPEN_END = re.compile(r"\s*(?:\+|ff\.?|f\.)$")


class Pages(msgspec.Struct, frozen=True):
    """A page range as read. A single page or an article number has ``first`` alone."""

    first: str
    last: str = ""
    open: bool = False
    """Whether the text says that the range goes on (``43+``)."""

    @property
    def count(self) -> int | None:
        """Number of pages, where both ends are given and numbered in the same way."""
        ends = [_position(self.first), _position(self.last or self.first)]
        if self.open or ends[0] is None or ends[1] is None:
            return None
        (prefix, first), (other_prefix, last) = ends[0], ends[1]
        return last - first + 1 if prefix == other_prefix and last >= first else None


@lru_cache(maxsize=1 << 14)
def parse_pages(text: str) -> Pages | None:
    """Read a page range, a single page or an article number; None if the text is neither.

    An end that is shorter than the beginning leaves digits out: ``123-5`` is 123 to 125.
    """
    bare = _LABEL.sub("", display_text(text).casefold().rstrip(" .,;"))
    is_open = _OPEN_END.search(bare) is not None
    ends = _DASH.split(_OPEN_END.sub("", bare))
    if len(ends) > 2 or not all(_position(end) for end in ends):
        return None
    first, last = ends[0], ends[-1]
    if first == last:
        return Pages(first, open=is_open)
    return Pages(first, _complete(first, last), is_open)


def page_count(text: str) -> int | None:
    """Number of pages of a range such as ``28935-28948``; None if the text does not tell."""
    pages = parse_pages(text)
    return pages.count if pages else None


def compare_pages(recorded: str, observed: str) -> Comparison:
    """Compare two page ranges. A first page alone does not contradict a range that begins there."""
    if not recorded.strip() or not observed.strip():
        return NOT_GIVEN
    own, other = parse_pages(recorded), parse_pages(observed)
    if own is None or other is None:
        bare, bare_other = _bare(recorded), _bare(observed)
        says, other_says = (any(map(str.isalnum, text)) for text in (bare, bare_other))
        if says and bare == bare_other:
            return SAME
        if says != other_says:
            which = "source" if says else "record"
            note = f"the pages of the {which} have no letter or digit"
            return Comparison("different", "no pages", note)
        unread = recorded if own is None else observed
        return Comparison("cannot-tell", "unreadable", f"“{display_text(unread)}” is no page range")
    if own == other:
        return SAME
    if own.first == other.first and (not own.last or not other.last):
        return Comparison("cannot-tell", "first page only", f"only page {own.first} is given")
    return Comparison("different", "page range", _counts(own, other))


def _counts(own: Pages, other: Pages) -> str:
    if own.count is None or other.count is None or own.count == other.count:
        return ""
    return f"{own.count} pages in the record, {other.count} in the source"


def _bare(text: str) -> str:
    dashed = _DASH.sub("-", display_text(text).casefold().rstrip(" .,;"))
    return re.sub(r"\s*,\s*", ",", dashed)


def _position(page: str) -> tuple[str, int] | None:
    """A page as the way it is numbered and its number; letters behind the number are part of it."""
    if match := _PAGE.fullmatch(page):
        return match["prefix"] + match["suffix"], int(match["number"])
    if page and _ROMAN.fullmatch(page):
        digits = [_ROMAN_DIGITS[letter] for letter in page]
        following = [*digits[1:], 0]
        values = (-d if d < after else d for d, after in zip(digits, following, strict=True))
        return "roman", sum(values)
    return None


def _complete(first: str, last: str) -> str:
    """The end of a range with what it leaves out: ``123-5`` and ``S12-19``."""
    start, end = _PAGE.fullmatch(first), _PAGE.fullmatch(last)
    if not start or not end or start["suffix"] or end["suffix"]:
        return last
    if end["prefix"] and end["prefix"] != start["prefix"]:
        return last
    number = end["number"]
    if len(number) < len(start["number"]):
        number = start["number"][: -len(number)] + number
    completed = start["prefix"] + number
    return completed if int(number) > int(start["number"]) else last
