from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.equality.pages import compare_pages, page_count

DASHES = ["-", "--", "---", "–", "—", "−", "‐", " - ", " – ", "-\n", " to "]


@pytest.mark.parametrize("dash", DASHES)
def test_any_dash_will_do(dash: str) -> None:
    assert compare_pages("4410-4423", f"4410{dash}4423").outcome == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("61-66", "\n          61-66\n        "),
        ("61-66", "pp. 61-66"),
        ("61-66", "Pages 61–66."),
        ("123-125", "123-5"),
        ("1234-1245", "1234–45"),
        ("S12-S19", "S12-19"),
        ("S12-S19", "s12-9"),
        ("iv-xii", "IV–XII"),
        ("7:1-7:24", "7:1–7:24"),
        ("61", "61-61"),
        ("5", "Article 5"),
        ("e0112233", "E0112233"),
        ("1-5, 9-12", "1–5,9–12"),
        (r"61{--}66", "61-66"),
    ],
)
def test_one_range_in_two_forms(one: str, other: str) -> None:
    assert compare_pages(one, other).outcome == "same"
    assert compare_pages(other, one).outcome == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("61-66", "61-67"),
        ("61-66", "60-66"),
        ("S12-S19", "12-19"),
        ("99-105", "99-5"),
        ("123-5", "123-135"),
        ("7", "8"),
    ],
)
def test_other_pages(one: str, other: str) -> None:
    assert compare_pages(one, other).outcome == "different"
    assert compare_pages(other, one).outcome == "different"


@pytest.mark.parametrize("observed", ["61", "61+", "61ff."])
def test_a_first_page_alone_does_not_deny_the_range(observed: str) -> None:
    result = compare_pages("61-66", observed)
    assert (result.outcome, result.kind) == ("cannot-tell", "first page only")


@pytest.mark.parametrize("observed", ["to appear", "n/a", "12 pages", ""])
def test_what_is_no_range_decides_nothing(observed: str) -> None:
    assert compare_pages("61-66", observed).outcome == "cannot-tell"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("28935-28948", 14),
        ("28935--28948", 14),
        ("123-5", 3),
        ("7", 1),
        ("iv-xii", 9),
        ("xl-xlix", 10),
        ("7:1-7:24", 24),
        ("S12-19", 8),
        ("ii-3", None),
        ("61+", None),
        ("99-5", None),
        ("to appear", None),
    ],
)
def test_page_counts(text: str, count: int | None) -> None:
    assert page_count(text) == count


def test_a_different_number_of_pages_is_noted() -> None:
    assert compare_pages("61-66", "61-67").note == "6 pages in the record, 7 in the source"


@given(st.integers(1, 99999), st.integers(0, 400), st.sampled_from(DASHES))
def test_ranges_count_their_pages(first: int, more: int, dash: str) -> None:
    text = f"{first}{dash}{first + more}"
    assert page_count(text) == more + 1
    assert compare_pages(text, f"{first}-{first + more}").outcome == "same"


@given(st.integers(1000, 99999), st.integers(1, 9999))
def test_an_abbreviated_end_is_completed(first: int, more: int) -> None:
    last = str(first + more)
    start = str(first)
    if len(last) != len(start):
        return
    shared = next(i for i, (a, b) in enumerate(zip(start, last, strict=True)) if a != b)
    assert compare_pages(f"{start}-{last[shared:]}", f"{start}-{last}").outcome == "same"


@given(st.text(max_size=20), st.text(max_size=20))
def test_comparing_pages_is_symmetric(one: str, other: str) -> None:
    assert compare_pages(one, other).outcome == compare_pages(other, one).outcome
