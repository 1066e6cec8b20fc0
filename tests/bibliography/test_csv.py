from __future__ import annotations

import csv
from io import StringIO

import pytest
from bibliography.works import preprint, published

from registry.bibliography.csv import render
from registry.bibliography.manifestation import Manifestation


def rows(*works: Manifestation) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(render(works), newline="")))


def test_one_row_for_each_work() -> None:
    first, second = rows(published(contested=("venue", "year")), preprint())
    assert first["authors"] == (
        "van der Berg, Bo; Nuñez Ibarra, Jr., Élise; Aristea; {Birds and Bees Consortium}"
    )
    assert (first["year"], first["doi"], first["arxiv_id"]) == ("2025", "10.5555/osprey_1", "")
    assert first["contested"] == "venue, year"
    assert (second["form"], second["year"], second["first_page"]) == ("preprint", "2024", "")
    assert second["url"] == "https://arxiv.org/abs/2412.01234"


@pytest.mark.parametrize(
    ("pages", "ends"), [("11-29", ("11", "29")), ("11–29", ("11", "29")), ("e7", ("e7", ""))]
)
def test_pages_are_no_day(pages: str, ends: tuple[str, str]) -> None:
    (row,) = rows(published(pages=pages))
    assert (row["first_page"], row["last_page"]) == ends


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
def test_nothing_is_a_formula(start: str) -> None:
    title = f'{start}HYPERLINK("https://example.org")'
    (row,) = rows(published(title=title))
    assert row["title"] == f"'{title}"


def test_separators_and_quotes_stay_inside_their_cell() -> None:
    title = 'Trees; =1+1, "quoted"'
    text = render([published(title=title)])
    assert '"Trees; =1+1, ""quoted"""' in text
    assert rows(published(title=title))[0]["title"] == title
    assert text.splitlines(keepends=True)[0].endswith("\r\n")
