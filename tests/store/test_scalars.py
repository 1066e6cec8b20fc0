"""Unquoted words. The right answers come from the YAML specifications and from PyYAML."""

from __future__ import annotations

import math
import re
from datetime import date
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from registry.store.scalars import Doubtful, plain


@pytest.mark.parametrize(
    ("word", "value"),
    [
        # YAML 1.1 type repository, int and float, the canonical and fixed examples
        ("685230", 685230),
        ("-19", -19),
        ("0", 0),
        ("6.8523015e+5", 685230.15),
        ("685230.15", 685230.15),
        # YAML 1.2.2, example 10.9
        ("0.", 0.0),
        (".5", 0.5),
        # what PyYAML writes for 1e20
        ("1.0e+20", 1e20),
    ],
)
def test_numbers_that_all_readers_agree_on(word: str, value: float) -> None:
    got = plain(word)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    "word",
    [
        # one of each notation in the YAML 1.1 type repository; all mean 685230 there
        "+685_230",
        "02472256",
        "0x_0A_74_AE",
        "0b1010_0111_0100_1010_1110",
        "190:20:30",
        "685.230_15e+03",
        "685_230.15",
        "190:20:30.15",
        # YAML 1.2.2, example 10.9, where YAML 1.1 or PyYAML reads text
        "0o7",
        "0x3A",
        "+12e03",
        "-2E+05",
        # and the usual accidents
        "010",
        "08",
        "00",
        "-012",
        "0o17",
        "0b1",
        "0x1F",
        "1_000",
        "12:30",
        "1e3",
        "1e-5",
        "1.5e3",
        "-.5",
        "7e10",
        "<<",
        "=",
        "9" * 19,
        "-" + "9" * 19,
        "0" * 5000,
        "1" * 5000,
        # YAML 1.1 type repository, timestamp
        "2001-12-15T02:59:43.1Z",
        "2001-12-14t21:59:43.10-05:00",
        "2001-12-14 21:59:43.10 -5",
        "2001-12-15 2:59:43.10",
        # days that no calendar has
        "2024-13-45",
        "2023-02-29",
        "0000-01-01",
    ],
)
def test_words_whose_meaning_depends_on_the_reader(word: str) -> None:
    got = plain(word)
    assert isinstance(got, Doubtful)
    assert got.text == word
    assert not isinstance(got, str | int | float)


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("010", "octal 8 (YAML 1.1) or 10 (YAML 1.2)"),
        ("051204", "octal 21124 (YAML 1.1) or 51204 (YAML 1.2)"),
        ("08", "text (YAML 1.1) or 8 (YAML 1.2)"),
        ("1_000", "1000 (YAML 1.1) or text (YAML 1.2)"),
        ("1e3", "text or a number, depending on the reader (1.0e+3 is a number to all)"),
        ("-.5", "text or a number, depending on the reader (-0.5 is a number to all)"),
    ],
)
def test_the_reason_names_both_meanings(word: str, why: str) -> None:
    got = plain(word)
    assert isinstance(got, Doubtful)
    assert got.why == why


@pytest.mark.parametrize("word", ["1.0e+3", "-0.5", "2.5e-7"])
def test_the_clear_form_that_a_reason_offers_is_a_number(word: str) -> None:
    assert plain(word) == float(word)


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "yes", "Yes", "on", "ON"])
def test_true(word: str) -> None:
    assert plain(word) is True


@pytest.mark.parametrize("word", ["false", "FALSE", "no", "No", "NO", "off", "Off"])
def test_false(word: str) -> None:
    assert plain(word) is False


@pytest.mark.parametrize("word", ["", "~", "null", "Null", "NULL"])
def test_no_value(word: str) -> None:
    assert plain(word) is None


@pytest.mark.parametrize("word", [".inf", "-.inf", "+.INF", ".nan", ".NaN", "1.0e+400"])
def test_endless_numbers_are_told_by_being_endless(word: str) -> None:
    got = plain(word)
    assert isinstance(got, float)
    assert not math.isfinite(got)


@pytest.mark.parametrize(
    "word",
    [
        *("y", "n", "Y", "N", "nO", "tRUE", "nan", "inf", "Nan", "-.nan"),
        *("1.10.0", "28935-28948", "2401.15077v1", "2024-7-8", "40G", "12:75", "+", "-", ".", "e3"),
        *("0x", "1e", "١٢", "v1", "1 000", "1,000"),
    ],
)
def test_text(word: str) -> None:
    assert plain(word) is word


def test_a_day() -> None:
    assert plain("2002-12-14") == date(2002, 12, 14)


_CORE_INT = re.compile(r"[-+]?[0-9]+")
_CORE_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CORE_OTHER = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN")


def _core_schema(word: str) -> Any:
    """YAML 1.2.2, section 10.3.2, for words that are neither null nor true nor false."""
    if _CORE_INT.fullmatch(word):
        return int(word)
    if _CORE_FLOAT.fullmatch(word):
        return float(word)
    return ("special", word) if _CORE_OTHER.fullmatch(word) else word


_number_like = st.text("0123456789+-._:eExobAa ", min_size=1, max_size=12).map(str.strip)


@given(_number_like | st.from_regex(r"\A[-+]?[0-9]{1,4}[._:exb-]?[0-9]{0,3}\Z"))
@example(word="-.nan")
@example(word="1:0")
@example(word="0.1e+1")
def test_no_side_is_taken_silently(word: str) -> None:
    """What is not doubtful means the same to PyYAML and to the core schema of YAML 1.2."""
    got = plain(word)
    if got is None or isinstance(got, Doubtful | date) or (isinstance(got, float) and got == 0):
        return
    if isinstance(got, float) and not math.isfinite(got):
        return
    assert got == _core_schema(word)
    assert got == _pyyaml(word)


def _pyyaml(word: str) -> Any:
    loader = yaml.SafeLoader("")
    tag = loader.resolve(yaml.ScalarNode, word, (True, False))  # type: ignore[no-untyped-call]
    return loader.construct_object(yaml.ScalarNode(tag, word))
