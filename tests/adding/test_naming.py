from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.adding.naming import free_slug, slug_of
from registry.equality.names import parse_name
from registry.records.base import SLUG_PATTERN
from registry.verify import load


def test_papers_are_named_as_those_on_record_are(shipped: Path) -> None:
    papers = load(shipped, use_cache=False).index.by_kind["paper"]
    for name in ("eagle", "eagle-2", "eagle-3", "medusa"):
        assert slug_of(papers[name].label) == name


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("CROW-2: Counting Rows", "crow-2"),
        ("{CROW}: Counting Rows", "crow"),
        ("Über-Straße: Ein Weg", "uber-strasse"),
        ("Counting All the Rows of Wheat", "counting-all-the-rows"),
        ("A Name That Is Much Too Long: Rows", "a-name-that-is"),
        ("Wheat's Rows", "wheats-rows"),
        ("Sow & Reap: Rows", "sow-and-reap"),
        ("$\\alpha$-Rows: Wheat", "rows"),
        ("麦の列", ""),
        ("", ""),
    ],
)
def test_a_slug_is_the_name_or_the_first_words(title: str, slug: str) -> None:
    assert slug_of(title) == slug


def test_a_name_that_is_taken_gets_no_number() -> None:
    def named(*taken: str) -> str:
        return free_slug("EAGLE: Rows", parse_name("Li, Yuhui"), "2401.20001", taken.__contains__)

    assert named() == "eagle"
    assert named("eagle") == "eagle-li"
    assert named("eagle", "eagle-li") == "eagle-2401-20001"
    assert named("eagle", "eagle-li", "eagle-2401-20001") == ""
    assert free_slug("麦の列", None, "10.1000/ab.12", lambda slug: False) == "paper-10-1000-ab-12"


@given(st.text(max_size=120))
def test_a_slug_is_an_id_or_nothing(title: str) -> None:
    slug = slug_of(title)
    assert slug == "" or re.fullmatch(SLUG_PATTERN, slug)
    assert len(slug) <= 60
