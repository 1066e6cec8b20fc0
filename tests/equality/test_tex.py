from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.equality.tex import to_unicode

ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    '"': "\u0308",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "k": "\u0328",
    "r": "\u030a",
    "d": "\u0323",
    "h": "\u0309",
}
LETTERS = "acdeghiklnorstuyzACDEGHIKLNORSTUYZ"
MARKS = {mark: accent for accent, mark in ACCENTS.items()}
LATIN = [chr(code) for code in (*range(0xC0, 0x180), *range(0x1E00, 0x1F00))]


def encoded(letter: str) -> str:
    """A letter as TeX writes it, one accent around the other."""
    base, *marks = list(unicodedata.normalize("NFD", letter))
    for mark in marks:
        base = rf"\{MARKS[mark]}{{{base}}}"
    return f"{{{base}}}"


ENCODABLE = [
    letter
    for letter in LATIN
    if unicodedata.normalize("NFD", letter)[0].isascii()
    and set(unicodedata.normalize("NFD", letter)[1:]) <= MARKS.keys()
]


def test_the_round_trip_covers_the_accented_letters_of_europe_and_vietnam() -> None:
    assert set("éüñçåőůŽşąễậ") <= set(ENCODABLE)


@given(st.sampled_from(sorted(ACCENTS)), st.sampled_from(LETTERS))
def test_every_accent_over_every_letter(accent: str, letter: str) -> None:
    composed = unicodedata.normalize("NFC", letter + ACCENTS[accent])
    assert unicodedata.normalize("NFC", to_unicode(rf"{{\{accent}{{{letter}}}}}")) == composed


@given(st.text(alphabet=[*ENCODABLE, "a", "Z", " "], max_size=12))
def test_accents_survive_a_round_trip(text: str) -> None:
    written = "".join(encoded(char) if char in ENCODABLE else char for char in text)
    assert unicodedata.normalize("NFC", to_unicode(written)) == text


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"Pawe{\l} {\O}rsted", "Paweł Ørsted"),
        (r"stra{\ss}e", "straße"),
        (r"Nguy{\~{\^e}}n", "Nguyễn"),
        (r"{\`\ohorn}", "ờ"),
        (r"\alpha\beta", "αβ"),
        (r"$\alpha$-beta", "α-beta"),
        (r"\alphabet", r"\alphabet"),
        (r"a\&b \% \_ \# \$", "a&b % _ # $"),
        (r"\textbackslash", "\\"),
        (r"\textasciitilde", "~"),
        (r"$x < y$", "x < y"),
        ("costs $5", "costs $5"),
        ("costs $5 or $6", "costs $5 or $6"),
        ("costs $5-$6", "costs $5-$6"),
        (r"$\frac{1}{2}$", "1/2"),
    ],
)
def test_what_tex_prints(tex: str, text: str) -> None:
    assert to_unicode(tex) == text
