from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.sources.shapes import (
    UnexpectedShapeError,
    one_line,
    part_of,
    parts_of,
    text_of,
    whole_of,
)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("A  wrapped\n   title ", "A wrapped title"),
        ("no-break\u00a0space\u2028and line", "no-break space and line"),
        ("a\x00b\x1fc\x7fd", "a b c d"),
        ("half \ud83d of a pair", "half of a pair"),
        ("Zoë 😀 x̂ \u200bzero", "Zoë 😀 x̂ \u200bzero"),
        ("", ""),
    ],
)
def test_one_line(written: str, line: str) -> None:
    assert one_line(written) == line


@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_any_text_becomes_a_line_that_a_file_can_hold(text: str) -> None:
    line = one_line(text)
    line.encode("utf-8")
    assert line == one_line(line)
    assert len(line.splitlines()) <= 1


@pytest.mark.parametrize("absent", [{}, {"key": None}])
def test_what_is_absent_or_null_is_empty(absent: dict[str, object]) -> None:
    assert text_of(absent, "key") == ""
    assert whole_of(absent, "key") is None
    assert part_of(absent, "key") == {}
    assert parts_of(absent, "key") == []


def test_what_is_there() -> None:
    assert text_of({"key": " a\n b "}, "key") == "a b"
    assert whole_of({"key": 0}, "key") == 0
    assert part_of({"key": {"a": 1}}, "key") == {"a": 1}
    assert parts_of({"key": [{"a": 1}, {}]}, "key") == [{"a": 1}, {}]


@pytest.mark.parametrize(
    ("take", "wrong"),
    [
        (text_of, [5, True, [], {}, 1.5]),
        (whole_of, ["5", True, 1.5, [], {}]),
        (part_of, ["a", 5, [], True]),
        (parts_of, ["a", 5, {}, True, ["a"], [{}, None]]),
    ],
)
def test_another_type_is_no_silence(take: object, wrong: list[object]) -> None:
    assert callable(take)
    for value in wrong:
        with pytest.raises(UnexpectedShapeError, match=r"^key is no "):
            take({"key": value}, "key")
