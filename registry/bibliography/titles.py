"""Which capitals of a title must stay capitals.

BibTeX styles set titles in lower case but for the first letter and what follows a colon. Braces
keep a word from it, and belong around words whose capitals mean something: acronyms, names written
in several capitals, names of methods. Around every word they would take the style's choice away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from registry.bibliography.tex import encode

_WORD = re.compile(
    r"(?:[^\W_][\u0300-\u036f]*)+(?:['’](?:[^\W_][\u0300-\u036f]*)+)*",
)
_LEAD = re.compile(r"[^\W_]+(?:-[^\W_]+)*:\s")
_KEPT_BY_STYLES = re.compile(r":\s+\Z")
_OPENING = re.compile(r"[.?!:—]\W*\Z")
_LONG = 4
"""Letters of a word that a title in title case would not leave small."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int
    kept: bool
    """Whether styles keep its first capital."""
    opening: bool
    """Whether it begins the title or a part of it."""
    hyphened: bool


def words_of(title: str) -> frozenset[str]:
    """The words of a title, parted at hyphens."""
    return frozenset(_WORD.findall(title))


def protected(title: str, names: frozenset[str]) -> str:
    """The title in TeX, with braces around the words whose capitals must stay.

    Args:
        title: The title in Unicode.
        names: Words that are names. What stands alone before the first colon is one, too, and in a
            title in sentence case every capital inside a sentence begins one.
    """
    words = list(_words(title))
    lead = _LEAD.match(title)
    known = names | words_of(lead[0]) if lead else names
    sentence = _is_sentence(words)
    parts: list[str] = []
    end = 0
    for word in words:
        text = encode(word.text)
        stays = _must_stay(word, sentence=sentence) or (word.text in known and _capital(word))
        parts += [encode(title[end : word.start]), f"{{{text}}}" if stays else text]
        end = word.end
    return "".join(parts) + encode(title[end:])


def _words(title: str) -> Iterator[_Word]:
    for number, match in enumerate(_WORD.finditer(title)):
        start, end = match.span()
        before = title[:start]
        yield _Word(
            match[0],
            start,
            end,
            kept=start == 0 or _KEPT_BY_STYLES.search(before) is not None,
            opening=number == 0 or _OPENING.search(before) is not None,
            hyphened=before.endswith("-") or title[end : end + 1] == "-",
        )


def _must_stay(word: _Word, *, sentence: bool) -> bool:
    first, rest = word.text[0], word.text[1:]
    if rest != rest.lower():
        return True  # LLM, SpecInfer, iPhone
    if not _capital(word):
        return False
    if len(word.text) == 1:
        return word.hyphened or (first != "A" and not word.opening)  # Q-learning, Vitamin C
    if any(char.isdigit() for char in rest):
        return True  # H100
    if word.opening:
        return not word.kept
    return sentence


def _capital(word: _Word) -> bool:
    return word.text[0] != word.text[0].lower()


def _is_sentence(words: list[_Word]) -> bool:
    """Whether a title is in sentence case: more of its longer words are small than not."""
    longer = [word for word in words if not word.opening and len(word.text) >= _LONG]
    small = sum(word.text == word.text.lower() for word in longer)
    return small > len(longer) - small
