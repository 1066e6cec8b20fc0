"""Ids for new papers, in the way the papers on record are named: by what their title begins with.

``EAGLE-2: Faster Inference of ...`` becomes ``eagle-2``; a title without such a name is called by
its first words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from registry.equality.markup import display_text
from registry.equality.names import Name

_NAME, _BEGINNING = 5, 4
"""Words that a name before the colon may have, and words that are taken of a title without one."""

_LONGEST = 60
_WORD = re.compile(r"[a-z0-9]+")
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"}
    | dict.fromkeys("'’`´", "")
    | {"&": " and "}
)
"""Letters that no decomposition turns into ASCII, and marks that part no words."""


def slug_of(title: str) -> str:
    """The id that a title suggests; empty if it has neither a Latin letter nor a digit."""
    shown = display_text(title)
    name, colon, _ = shown.partition(":")
    words = _words(name) if colon else []
    if not 0 < len(words) <= _NAME:
        words = _words(shown)[:_BEGINNING]
    return _joined(words)


def free_slug(
    title: str, first_author: Name | None, identifier: str, is_taken: Callable[[str], bool]
) -> str:
    """An id that no record has or had; empty if all that suggest themselves are taken.

    A number is never added: ``eagle-2`` is the name of another paper than ``eagle``.

    Args:
        title: The paper's title.
        first_author: Who tells papers of one name apart.
        identifier: An arXiv id or a DOI, which tells them apart for certain.
        is_taken: Whether an id must not be used.
    """
    found = (slug for slug in _suggestions(title, first_author, identifier) if slug)
    return next((slug for slug in found if not is_taken(slug)), "")


def _suggestions(title: str, first_author: Name | None, identifier: str) -> Iterator[str]:
    slug = slug_of(title)
    yield slug
    family = (first_author.family or first_author.literal) if first_author else ""
    yield _joined([slug, *_words(family)]) if slug and family else ""
    yield _joined([slug or "paper", *_words(identifier)])


def _words(text: str) -> list[str]:
    spread = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    bare = "".join(char for char in spread if not unicodedata.combining(char))
    return _WORD.findall(bare)


def _joined(words: list[str]) -> str:
    slug = ""
    for word in filter(None, words):
        longer = f"{slug}-{word}" if slug else word
        if len(longer) > _LONGEST:
            break
        slug = longer
    return slug or "".join(words)[:_LONGEST]
