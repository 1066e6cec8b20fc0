"""Names that somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Up to ``most`` known words that look like ``word``, most alike first."""
    from rapidfuzz import process

    words = sorted(known)
    found = process.extract(word, words, limit=most, score_cutoff=70)
    return [name for name, _, _ in found]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names near words, or an empty string."""
    words = nearest(word, known)
    return f"did you mean {' or '.join(words)}?" if words else ""
