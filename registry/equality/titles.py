"""When two titles are the same title, and what has become of one that changed."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from registry.equality.interface import NOT_GIVEN, SAME, Comparison
from registry.equality.markup import display_text, read_markup

__all__ = ["canonical", "compare_titles", "display_text", "says_something", "words"]

_FOLD = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-"),
        **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("∗⋆⁎", "*"),
        **dict.fromkeys("~˜∼", " "),
        **dict.fromkeys("⁄∕", "/"),
        "×": "x",
        "\\": "∖",  # an unknown macro; as a plain character it is not read as TeX again
        # Scripts, braces and formulae are presentation: 10^{-3} is what <sup>-3</sup> says.
        **dict.fromkeys("_^{}$", None),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_DASHES = re.compile(r"-{2,3}")
_SEPARATOR = re.compile(r"\s+[-:]\s+|:\s+")

_PUNCTUATION = re.compile(
    r"(?<![0-9])[.,]|[.,](?![0-9])|(?<=[^\s(\[])-|-(?![0-9])|[:;!?\"()\[\]/|]"
)
_CONTENT = re.compile(r"[^\W_]{3,}")
_SMALL_WORDS = (
    "the and for with from into via are can its not but how what why when who that this their "
    "your you our towards toward using based study new beyond over under between without"
)
_EMPTY_WORDS = frozenset(_SMALL_WORDS.split())
_WRONG_PAPER = 0.25
"""Below this share of common words a title was not changed but belongs to something else."""


@lru_cache(maxsize=1 << 15)
def canonical(text: str) -> str:
    """The text that two spellings of one title share.

    Mark-up, case, white space, the kind of dash and a full stop at the end do not count. Digits,
    ``+``, ``*``, ``#`` and roman numerals do.
    """
    while (folded := _folded(read_markup(text).text)) != text:
        text = folded
    return text


def _folded(text: str) -> str:
    folded = text.translate(_FOLD)
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", folded).translate(_FOLD)
    folded = folded.casefold()
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", folded)
    folded = _SEPARATOR.sub(": ", _DASHES.sub("-", " ".join(folded.split())))
    return folded.rstrip(" .") or folded


@lru_cache(maxsize=1 << 15)
def words(text: str) -> str:
    """The canonical text without punctuation and accents, as words one space apart.

    A sign before a number and a point or comma between digits stay.
    """
    folded = canonical(text).replace("&", " and ").replace("'", "")
    folded = " ".join(_PUNCTUATION.sub(" ", folded).split())
    if folded.isascii():
        return folded
    spread = unicodedata.normalize("NFD", folded)
    bare = "".join(char for char in spread if not unicodedata.combining(char))
    return " ".join(unicodedata.normalize("NFC", bare).split())


def says_something(text: str) -> bool:
    """Whether a letter or a digit is left of a text, once mark-up and what is unseen are gone."""
    if text.replace(" ", "").isalnum():
        return True  # as most names are, which need no reading
    return any(char.isalnum() for char in canonical(text))


@lru_cache(maxsize=1 << 14)
def compare_titles(recorded: str, observed: str, *, same_work: bool) -> Comparison:
    """Compare two titles.

    Args:
        recorded: The title in the record.
        observed: The title that a source gives.
        same_work: Whether an identifier says that both are about the same work. Without one, a
            title that is only similar confirms nothing.
    """
    if not recorded.strip() or not observed.strip():
        return NOT_GIVEN
    one, other = canonical(recorded), canonical(observed)
    readable = says_something(recorded), says_something(observed)
    if not any(readable):
        return Comparison("cannot-tell", "unreadable", "neither title has a letter or digit")
    if not all(readable):
        which = "source" if readable[0] else "record"
        note = f"the title of the {which} has no letter or digit"
        return Comparison("different", "no title", note)
    if one == other:
        return SAME
    if _same_around_formula(recorded, observed):
        return SAME
    if words(one) == words(other):
        return Comparison("same", "punctuation", f"the source writes {_quoted(observed)}")
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    if _is_main_title(words(shorter), longer):
        return _subtitle_missing(one is shorter, same_work)
    note = f"the record has {_quoted(recorded)}, the source {_quoted(observed)}"
    if not same_work:
        return Comparison("different", "another title", note)
    wrong = _common_share(one, other) < _WRONG_PAPER
    return Comparison("different", "wrong paper or identifier" if wrong else "title changed", note)


def _subtitle_missing(in_record: bool, same_work: bool) -> Comparison:
    where = "the record" if in_record else "the source"
    if same_work:
        return Comparison("same", "subtitle missing", f"subtitle missing in {where}")
    note = f"subtitle missing in {where}, and no identifier says that it is the same work"
    return Comparison("cannot-tell", "not confirmed", note)


def _quoted(title: str) -> str:
    return f"“{display_text(title)}”"


def _same_around_formula(one: str, other: str) -> bool:
    """Whether the titles differ only in spaces and a formula explains the loss of one."""
    if not (read_markup(one).formula or read_markup(other).formula):
        return False
    return canonical(one).replace(" ", "") == canonical(other).replace(" ", "")


def _is_main_title(shorter: str, longer: str) -> bool:
    ends = (match.start() for match in re.finditer(r"[:?!] ", longer))
    return any(words(longer[:end]) == shorter for end in ends)


def _common_share(one: str, other: str) -> float:
    """Share of the content words of the title with fewer of them that both titles have."""
    first, second = (
        {word for word in _CONTENT.findall(words(text)) if word not in _EMPTY_WORDS}
        for text in (one, other)
    )
    if not first or not second:
        return 1.0
    return len(first & second) / min(len(first), len(second))
