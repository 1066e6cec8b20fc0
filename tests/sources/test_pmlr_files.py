from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from damage import torn
from hypothesis import given
from hypothesis import strategies as st
from papers import papers
from plays import pmlr as play

from registry.equality.markup import display_text
from registry.equality.pages import page_count
from registry.equality.titles import compare_titles
from registry.records.evidence import Observation
from registry.sources.answers import NoReply
from registry.sources.bibtex_block import bibtex_entries
from registry.sources.pmlr import Place, place_in
from registry.sources.pmlr_files import front_matter, read_bibliography, read_citeproc, read_post
from registry.sources.printed import Printed

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "pmlr" / "_posts"

POST = """---
title: 'MOSS: Slow Growth Needs Shade'
openreview: Qw3rTyUi0p
abstract: On stones of 70 kg the growth is <b>1.4x-1.9x</b> faster ($2\\times$ in shade) -
  and no worse.
layout: inproceedings
series: Proceedings of Machine Learning Research
publisher: PMLR
issn: 2640-3498
id: moss24b
month: 0
tex_title: "{MOSS}: Slow Growth Needs Shade"
firstpage: 4101
lastpage: 4114
page: 4101-4114
order: 4101
cycles: false
bibtex_author: Moss, Ida and Fernling, Xu
author:
- given: Ida
  family: Moss
- given: Xu
  family: Fernling
date: 2024-07-08
address:
container-title: Proceedings of the 41st International Conference on Machine Learning
volume: '235'
genre: inproceedings
issued:
  date-parts:
  - 2024
  - 7
  - 8
pdf: https://proceedings.mlr.press/v235/moss24b/moss24b.pdf
extras: []
# Format of this file: https://example.org/citeproc
---
"""


def post(text: str = POST) -> Printed:
    found = read_post(text.encode())
    assert isinstance(found, Printed)
    Observation.model_validate(found.observation)
    return found


def seen(old: str, new: str) -> dict[str, Any]:
    """The observation once a piece of the post is written differently."""
    assert old in POST
    return dict(post(POST.replace(old, new)).observation)


def test_a_post() -> None:
    found = post()
    assert found.id == "moss24b"
    assert found.observation == {
        "title": "MOSS: Slow Growth Needs Shade",
        "authors": ["Moss, Ida", "Fernling, Xu"],
        "venue": "Proceedings of the 41st International Conference on Machine Learning",
        "series": "Proceedings of Machine Learning Research",
        "year": 2024,
        "volume": "235",
        "pages": "4101-4114",
        "published": "2024-07-08",
        "openreview_id": "Qw3rTyUi0p",
    }
    assert set(found.silent_on) == {"affiliations", "venue_track", "doi", "arxiv_id", "code"}
    assert page_count(found.observation["pages"]) == 14


def test_front_matter_keeps_days_as_days_and_volumes_as_text() -> None:
    document = front_matter(POST.encode())
    assert not isinstance(document, NoReply)
    assert document.data is not None
    assert document.data["date"] == date(2024, 7, 8)
    assert document.data["volume"] == "235"
    assert document.data["month"] == 0
    assert document.data["address"] is None
    # The claim is found beneath its mark-up, and the title for TeX is the title.
    assert "1.4x-1.9x" in display_text(document.data["abstract"])
    titles = (document.data["tex_title"], document.data["title"])
    assert compare_titles(*titles, same_work=False).outcome == "same"


@pytest.mark.parametrize(
    "issued",
    ["", "issued:\n", "issued: {}\n", "issued: [2024, 7, 8]\n", "issued:\n  date-parts: 2024\n"],
)
def test_the_day_may_stand_in_one_place_only(issued: str) -> None:
    text = re.sub(r"issued:\n(?:  .*\n)+", issued, POST)
    assert (post(text).observation["published"], post(text).observation["year"]) == (
        "2024-07-08",
        2024,
    )


@pytest.mark.parametrize(
    ("parts", "date_line", "published", "year"),
    [
        # No month is known, so no day is: neither January nor the month of the conference.
        ("- 2024\n  - 0\n  - 0", "date:", None, 2024),
        ("- 2024", "date:", None, 2024),
        ("- 2024\n  - 7", "date:", None, 2024),
        ("- 2024\n  - 7\n  - 8", "date: 2024-07-08 00:00:00 +0000", "2024-07-08", 2024),
        ("- '2024'\n  - '07'\n  - '08'", "date:", "2024-07-08", 2024),
        ("- 07\n  - 08", "date: 2024-02-30", None, None),
    ],
)
def test_days(parts: str, date_line: str, published: str | None, year: int | None) -> None:
    text = POST.replace("- 2024\n  - 7\n  - 8", parts).replace("date: 2024-07-08", date_line)
    found = post(text).observation
    assert (found.get("published"), found.get("year")) == (published, year)


@pytest.mark.parametrize("volume", ["235", "'235'", '"235"'])
def test_a_volume_is_text_with_and_without_quotes(volume: str) -> None:
    assert seen("volume: '235'", f"volume: {volume}")["volume"] == "235"


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("- given: Xu\n  family: Yanling", ["Yanling, Xu"]),
        ("- given: No\n  family: On", ["On, No"]),  # YAML would take both for booleans
        (
            "- given: Jean\n  prefix: de la\n  family: Roche\n  suffix: Jr.",
            ["de la Roche, Jr., Jean"],
        ),
        ("- family: Mausam", ["Mausam"]),
        ("- given: Mausam\n  family:", ["Mausam"]),  # as some volumes have it
        ("- literal: The Moss Team", ["{The Moss Team}"]),
        ("- consortium: MossNet", ["{MossNet}"]),
        ("- given: Ida\n  family: García Márquez", ["García Márquez, Ida"]),
        # A list that cannot be read: the names for BibTeX stand in.
        ("- Ida Moss", ["Moss, Ida", "Fernling, Xu"]),
        ("  given: Ida", ["Moss, Ida", "Fernling, Xu"]),
        ("[]", ["Moss, Ida", "Fernling, Xu"]),
    ],
)
def test_names(author: str, names: list[str]) -> None:
    people = "author:\n- given: Ida\n  family: Moss\n- given: Xu\n  family: Fernling\n"
    glue = " " if author.startswith("[") else "\n"
    assert seen(people, f"author:{glue}{author}\n")["authors"] == names


def test_affiliations_and_links_where_a_volume_has_them() -> None:
    found = seen("  family: Moss\n", "  family: Moss\n  institute: University of Oslo\n")
    assert found["affiliations"] == [{"author": 1, "printed": "University of Oslo"}]
    more = "software: 'Code: https://github.com/moss/shade.'\narxiv: 2401.15070\ndoi: 10.1/M\n"
    found = seen("layout: inproceedings\n", f"layout: inproceedings\n{more}")
    assert found["code"] == "https://github.com/moss/shade"
    assert found["arxiv_id"] == "2401.15070"  # YAML would drop the zero
    assert "doi" not in found
    for nothing in ("N/A", "", "none", "."):
        assert "code" not in seen("layout: inproceedings\n", f"software: {nothing}\n")


@pytest.mark.parametrize(
    "pdf",
    [
        "https://proceedings.mlr.press/v235/moss24b/moss24b.pdf",
        "https://proceedings.mlr.press/v235/assets/moss24b/moss24b.pdf",
        "https://raw.githubusercontent.com/mlresearch/v235/main/assets/moss24b/moss24b.pdf",
    ],
)
def test_the_address_of_the_pdf_changes_and_nothing_else(pdf: str) -> None:
    changed = POST.replace("https://proceedings.mlr.press/v235/moss24b/moss24b.pdf", pdf)
    assert post(changed).observation == post().observation
    assert place_in(pdf) == Place("235", "moss24b")


def test_line_ends_and_a_text_behind_do_not_matter() -> None:
    assert post(POST.replace("\n", "\r\n") + "Text\n---\n").observation == post().observation


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no front matter",
        "---\n",
        POST.partition("# Format")[0],
        "---\n---\n",
        "---\n- a list\n---\n",
        POST.replace("title: 'MOSS", "title: 'MO\x02SS"),
        POST.replace("title: 'MOSS", "title: !!python/object:os.system 'MOSS"),
        POST.replace("title: 'MOSS: Slow Growth Needs Shade'\n", ""),
        POST.replace("id: moss24b\n", "id:\n"),
        POST.replace("author:\n", "author: [\n"),
    ],
)
def test_a_post_that_cannot_be_read_says_why(text: str) -> None:
    found = read_post(text.encode())
    assert isinstance(found, NoReply)
    assert found.why == "broken answer"
    assert found.detail
    assert "\n" not in str(found)


@given(torn(POST))
def test_a_torn_post_never_raises(text: str) -> None:
    found = read_post(text.encode())
    if isinstance(found, Printed):
        Observation.model_validate(found.observation)


# citeproc.yaml


KNOWN = papers(12, venue="icml")


def test_citeproc() -> None:
    found = list(read_citeproc(play.citeproc(KNOWN).encode()))
    assert len(found) == 12
    for one, paper in zip(found, KNOWN, strict=True):
        assert isinstance(one, Printed)
        assert one.id == paper.slug
        assert one.observation == {
            "title": paper.title,
            "authors": [f"{family}, {given}" for given, family in paper.authors],
            "venue": play.BOOK,
            "series": play.SERIES,
            "year": 2024,
            "volume": "235",
            "pages": paper.pages,
            "published": "2024-07-08",
        }
        assert one.silent_on == ("doi",)


ENTRY = """
- title: 'It''s Moss: "Shade"'
  abstract: 'A # hash, a colon: and <b>tags</b>'
  volume: 9
  URL: https://proceedings.mlr.press/v9/abad-rocas10a.html
  DOI: 10.1234/MOSS
  series: 'Proceedings of Machine Learning Research'
  container-title: 'Mosses'
  publisher: 'PMLR'
  author: 
  - given: Ida
    prefix: van
    family: Moss
  page: 1:1-1:20
  id: abad-rocas10a
  issued:
    date-parts: 
      - 2010
      - 3
      - 31
  firstpage: 1:1
  lastpage: 1:20
  published: 2010-03-31 00:00:00 +0000"""  # noqa: W291


def test_an_entry_of_citeproc() -> None:
    [found] = read_citeproc(ENTRY.encode())
    assert isinstance(found, Printed)
    assert found.id == "abad-rocas10a"
    assert found.observation["title"] == 'It\'s Moss: "Shade"'
    assert found.observation["authors"] == ["van Moss, Ida"]
    assert found.observation["pages"] == "1:1-1:20"  # YAML would count in sixties
    assert found.observation["doi"] == "10.1234/moss"
    assert (found.observation["volume"], found.observation["published"]) == ("9", "2010-03-31")


def test_one_bad_entry_of_citeproc_does_not_hide_the_others() -> None:
    bad = ENTRY.replace("A # hash", "A \x02 mark")
    found = list(read_citeproc((ENTRY + bad + ENTRY).encode()))
    assert [type(one) for one in found] == [Printed, NoReply, Printed]
    assert "U+0002" in str(found[1])


@pytest.mark.parametrize("text", ["", "404", "<html></html>", "a: 1\n", "- name: x\n"])
def test_a_file_that_is_no_citeproc(text: str) -> None:
    assert [type(one) for one in read_citeproc(text.encode())] == [NoReply]


@given(torn(ENTRY))
def test_a_torn_citeproc_never_raises(text: str) -> None:
    for found in read_citeproc(text.encode()):
        if isinstance(found, Printed):
            Observation.model_validate(found.observation)


# bibliography.bib


def test_bibliography() -> None:
    found = list(read_bibliography("".join(map(play.bibtex, KNOWN))))
    assert [one.id for one in found if isinstance(one, Printed)] == [one.slug for one in KNOWN]
    first = found[0]
    assert isinstance(first, Printed)
    assert first.observation == {
        "title": KNOWN[0].title,
        "authors": [f"{family}, {given}" for given, family in KNOWN[0].authors],
        "venue": play.BOOK,
        "series": play.SERIES,
        "year": 2024,
        "volume": "235",
        "pages": KNOWN[0].pages.replace("-", "--"),
    }
    # Its month holds the days of the conference, so there is no day of publication.
    assert first.silent_on == ()


BIB = """@Proceedings{MOSS-2010, title = {Mosses}, year = 2010}
@InProceedings{pmlr-v9-abad-rocas10a,
  title = \t {{MOSS}: {\\"U}ber \\{Shade\\} and "Light"},
  author =       {van der Moss, Ida and {The Moss Team} and Fern, Jr., Bo},
  booktitle = "Mosses {"} Ferns",
  pages = \t {1--20},
  year = 2010,
  volume = \t {9},
  month = \t {13--15 May},
  software = {N/A},
  openreview = {Qw3rTyUi0p},
  abstract = \t {Not { closed}
}
@InProceedings{pmlr-v9-fern10a,
  author = {Fern, Bo}
}
"""


def test_quirks_of_bibliographies() -> None:
    found, untitled = read_bibliography(BIB)
    assert isinstance(found, Printed)
    assert found.id == "abad-rocas10a"
    assert found.observation == {
        "title": '{MOSS}: {\\"U}ber \\{Shade\\} and "Light"',
        "authors": ["van der Moss, Ida", "{The Moss Team}", "Fern, Jr., Bo"],
        "venue": 'Mosses {"} Ferns',
        "year": 2010,
        "volume": "9",
        "pages": "1--20",
        "openreview_id": "Qw3rTyUi0p",
    }
    assert untitled == NoReply("broken answer", "the entry pmlr-v9-fern10a has no title")


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("a = {x {y} z}, b = {w}", {"a": "x {y} z", "b": "w"}),
        ('a = "x {"} y", b = 7', {"a": 'x {"} y', "b": "7"}),
        ("a = {x \\} y}", {"a": "x \\} y"}),
        ("A = {x\n   y},\n", {"a": "x y"}),
        ("a = {}", {"a": ""}),
        ("a = {x}, b = {y", {"a": "x"}),
        ("a = , b = {y}", {}),
        ("a {x}", {}),
        ("", {}),
    ],
)
def test_values_of_bibtex(body: str, fields: dict[str, str]) -> None:
    [entry] = bibtex_entries(f"@Misc{{key-1, {body} ")
    assert (entry.type, entry.key, entry.fields) == ("misc", "key-1", fields)


@given(torn(BIB) | st.text('@{}",=ab\\ \n', max_size=60))
def test_a_torn_bibliography_never_raises(text: str) -> None:
    for found in read_bibliography(text):
        if isinstance(found, Printed):
            Observation.model_validate(found.observation)


# Posts as they were found


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the captured files are not here")
def test_captured_posts() -> None:
    eagle = {
        "title": "EAGLE: Speculative Sampling Requires Rethinking Feature Uncertainty",
        "authors": ["Li, Yuhui", "Wei, Fangyun", "Zhang, Chao", "Zhang, Hongyang"],
        "venue": "Proceedings of the 41st International Conference on Machine Learning",
        "series": "Proceedings of Machine Learning Research",
        "year": 2024,
        "volume": "235",
        "pages": "28935-28948",
        "published": "2024-07-08",
        "openreview_id": "1NdN7eXyb4",
    }
    versions = sorted(SAMPLES.glob("2024-07-08-li24bt*.md"))
    assert len(versions) == 3
    for path in versions:
        found = read_post(path.read_bytes())
        assert isinstance(found, Printed)
        assert (found.id, found.observation) == ("li24bt", eagle)
    glide = read_post((SAMPLES / "2024-07-08-du24c.md").read_bytes())
    assert isinstance(glide, Printed)
    assert glide.observation["authors"][2] == "Yuanchen, Xu"
    assert len(glide.observation["authors"]) == 11
    assert glide.observation["pages"] == "11704-11720"
    older = read_post((SAMPLES / "2023-07-03-leviathan23a.md").read_bytes())
    assert isinstance(older, Printed)
    assert older.observation["venue"] == (
        "Proceedings of the 40th International Conference on Machine Learning"
    )
    assert (older.observation["volume"], older.observation["published"]) == ("202", "2023-07-03")
