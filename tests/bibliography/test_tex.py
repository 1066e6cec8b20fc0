"""Unicode to TeX: hand-worked spellings, and that what reads them gets the text back."""

from __future__ import annotations

import codecs
import unicodedata

import latexcodec  # noqa: F401 - registers the codec that is asked below
import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.bibliography.tex import encode
from registry.equality.tex import to_unicode

LATIN = [chr(code) for code in (*range(0xC0, 0x17F), *range(0x1E00, 0x1EFA)) if chr(code).isalpha()]
TEXT = st.text(
    st.sampled_from([*map(chr, range(0x20, 0x7F)), *LATIN, *"șțơưǎ“”‘’–—…αβ≤→×中文かЖ"]),
    max_size=30,
)


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("Kagy, Jean-François", r"Kagy, Jean-Fran{\c{c}}ois"),
        ("Gödel Erdős Ångström", r"G{\"o}del Erd{\H{o}}s {\r{A}}ngstr{\"o}m"),
        ("Łukasz Søren Weiß", r"{\L}ukasz S{\o}ren Wei{\ss}"),
        ("Nguyễn Thị", r"Nguy{\~{\^e}}n Th{\d{i}}"),
        ("í ı ǐ", r"{\'\i} {\i} {\v{\i}}"),
        ("Trần Đức Phở Sơn", r"Tr{\`{\^a}}n {\DJ}{\'{\uhorn}}c Ph{\h{\ohorn}} S{\ohorn}n"),
        ("Ionuț", r"Ionu{\textcommabelow{t}}"),
        ("50% of R&D at $5 #1 a_b", r"50\% of R\&D at \$5 \#1 a\_b"),
        (r"~ ^ \ { }", " ".join((
            r"{\textasciitilde}", r"{\textasciicircum}", r"{\textbackslash}",
            r"{\textbraceleft}", r"{\textbraceright}",
        ))),
        ("a -- b", "a -{}- b"),
        ("“x” – y", r"{\textquotedblleft}x{\textquotedblright} {\textendash} y"),
        ("e\u0301", r"{\'e}"),
        ("解码", "解码"),
    ],
)  # fmt: skip
def test_characters_are_spelled_as_tex_spells_them(text: str, tex: str) -> None:
    assert encode(text) == tex


@given(TEXT)
def test_reading_gives_the_text_back(text: str) -> None:
    assert to_unicode(encode(text)) == unicodedata.normalize("NFC", text)


@given(TEXT)
def test_braces_balance_everywhere(text: str) -> None:
    depth = 0
    for char in encode(text):
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0


def test_another_reader_agrees_on_the_letters_of_western_and_central_europe() -> None:
    letters = [letter for letter in LATIN if ord(letter) < 0x17F]
    written = {letter: encode(letter) for letter in letters}
    read = {letter: codecs.decode(tex, "ulatex").strip("{}") for letter, tex in written.items()}
    wrong = {letter for letter in letters if unicodedata.normalize("NFC", read[letter]) != letter}
    assert wrong <= set("ĭĲĳŊŋ")  # whose macros it does not know
