"""When two words for a part of a product mean the same: ``HBM2e``, ``SXM4``, ``NVLink 3``."""

from __future__ import annotations

from itertools import accumulate

from registry.equality.interface import NOT_GIVEN, SAME, Comparison
from registry.equality.titles import words


def compare_product_words(recorded: str, observed: str) -> Comparison:
    """Compare without case, spaces and hyphens. A word without its generation says less.

    ``SXM`` may be ``SXM4``, ``PCIe`` may be ``PCIe 4.0 x16``, and ``NVLink 300 GB/s`` may be
    ``NVLink 2, 300 GB/s``; but ``HBM2`` is not ``HBM2e``.
    """
    own, other = words(recorded).split(), words(observed).split()
    if not recorded.strip() or not observed.strip() or not (own or other):
        return NOT_GIVEN
    if not own or not other:
        return Comparison("different", "wording", "one side has no letter or digit")
    if "".join(own) == "".join(other):
        return SAME
    if _says_less(own, other) or _says_less(other, own):
        note = f"of “{recorded}” and “{observed}” one says less than the other"
        return Comparison("cannot-tell", "less specific", note)
    return Comparison("different", "wording")


def _says_less(shorter: list[str], longer: list[str]) -> bool:
    return _leaves_words_out(shorter, longer) or _is_the_beginning(shorter, longer)


def _leaves_words_out(shorter: list[str], longer: list[str]) -> bool:
    """Whether words that follow one another, and not the first, are all that is missing."""
    missing = len(longer) - len(shorter)
    return missing > 0 and any(
        longer[:place] + longer[place + missing :] == shorter
        for place in range(1, len(shorter) + 1)
    )


def _is_the_beginning(shorter: list[str], longer: list[str]) -> bool:
    beginning, whole = "".join(shorter), "".join(longer)
    end = len(beginning)
    if not whole.startswith(beginning) or end == len(whole):
        return False
    ends_with_a_word = end in accumulate(map(len, longer))
    lacks_generation = whole[end - 1].isalpha() and whole[end].isdigit()
    return ends_with_a_word or lacks_generation
