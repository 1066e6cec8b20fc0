"""BibTeX entries, read back by two parsers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bibtexparser
import pytest
from bibliography.works import preprint, published
from hypothesis import given
from hypothesis import strategies as st
from pybtex.database import parse_string

from registry.bibliography.bibtex import render
from registry.bibliography.exporting import export, papers
from registry.bibliography.manifestation import Manifestation, Preference
from registry.equality.bibtex_names import Name, parse_authors, parse_name
from registry.equality.markup import display_text
from registry.records.names import Group, Person
from registry.verify import load

Fields = dict[str, str]


def by_bibtexparser(text: str) -> dict[str, Fields]:
    library = bibtexparser.parse_string(text)
    assert library.failed_blocks == []
    found = {}
    for entry in library.entries:
        fields = {field.key.lower(): field.value for field in entry.fields}
        found[entry.key] = {"type": entry.entry_type, **fields}
    return found


def by_pybtex(text: str) -> dict[str, Fields]:
    return {
        key: {
            "type": entry.type,
            "author": " and ".join(map(str, entry.persons["author"])),
            **{name.lower(): value for name, value in entry.fields.items()},
        }
        for key, entry in parse_string(text, "bibtex").entries.items()
    }


READERS = [by_bibtexparser, by_pybtex]


def test_a_paper_in_proceedings() -> None:
    assert render([published()]) == (
        "@inproceedings{osprey,\n"
        "  author = {van der Berg, Bo and Nu{\\~n}ez Ibarra, Jr., {\\'E}lise and Aristea and"
        " {Birds and Bees Consortium}},\n"
        "  title = {{OSPREY}: Diving Decoders},\n"
        "  booktitle = {Proceedings of the 3rd International Conference on Trees},\n"
        "  series = {Papers in Forestry},\n"
        "  publisher = {PIF},\n"
        "  volume = {12},\n"
        "  pages = {101--112},\n"
        "  year = {2025},\n"
        "  doi = {10.5555/osprey_1},\n"
        "}\n"
    )


def test_a_preprint() -> None:
    (found,) = by_bibtexparser(render([preprint()])).values()
    assert found["type"] == "misc"
    assert (found["eprint"], found["archiveprefix"]) == ("2412.01234", "arXiv")
    assert found["doi"] == "10.48550/arXiv.2412.01234"
    assert not found.keys() & {"booktitle", "journal", "publisher", "pages", "primaryclass", "note"}


def test_a_paper_in_a_journal() -> None:
    work = published(form="journal", container="Annals of Felling & Sawing", series="")
    (found,) = by_pybtex(render([work])).values()
    assert (found["type"], found["journal"]) == ("article", r"Annals of Felling \& Sawing")
    assert "booktitle" not in found


@pytest.mark.parametrize(
    ("pages", "tex"),
    [("7-9", "7--9"), ("7 – 9", "7--9"), ("7--9", "7--9"), ("e12", "e12"), ("A-1-A-9", "A-1-A-9")],
)
def test_pages_have_the_dash_of_a_range(pages: str, tex: str) -> None:
    (found,) = by_bibtexparser(render([published(pages=pages)])).values()
    assert found["pages"] == tex


@pytest.mark.parametrize(
    ("doi", "written"),
    [
        ("10.5555/978-3-030_13", "10.5555/978-3-030_13"),
        ("10.5555/a%b#c&d~e<f>", "10.5555/a%b#c&d~e<f>"),
        ("10.5555/a{b\\", "10.5555/a%7Bb%5C"),
    ],
)
def test_a_doi_is_escaped_only_where_it_would_end_the_field(doi: str, written: str) -> None:
    for reader in READERS:
        (found,) = reader(render([published(doi=doi)])).values()
        assert found["doi"] == written


def test_what_is_not_known_is_not_there() -> None:
    work = published(year=None, pages="", doi="", volume="", series="", publisher="")
    (found,) = by_bibtexparser(render([work])).values()
    assert found.keys() == {"type", "author", "title", "booktitle"}


@given(
    st.lists(
        st.text(st.sampled_from("aB1@é{}%\\$#&_~^\"',=-–“中"), min_size=1, max_size=8),
        min_size=1,
        max_size=4,
    ).map(" ".join)
)
def test_two_parsers_read_any_title_back(title: str) -> None:
    text = render([published(title=title), preprint(id="other", title="Other")])
    for reader in READERS:
        found = reader(text)
        assert display_text(found["osprey"]["title"]) == title
        assert found["other"]["title"] == "Other"


def _shipped(root: Path) -> Iterator[tuple[str, tuple[Manifestation, ...]]]:
    registry = load(root)
    wanted: tuple[Preference, ...] = ("published", "preprint")
    for prefer in wanted:
        found = export(papers([], registry), registry, prefer)
        assert found.complete
        yield render(found.works), found.works


def test_two_parsers_read_the_shipped_papers_back(shipped: Path) -> None:
    for text, works in _shipped(shipped):
        assert text.isascii()
        for reader in READERS:
            found = reader(text)
            assert list(found) == [work.id for work in works]
            for work in works:
                read = found[work.id]
                assert display_text(read["title"]) == work.title
                assert read["year"] == str(work.year)
                assert read.get("pages", "").replace("--", "-") == work.pages
                assert read.get("doi", "") == work.doi
                wanted = [_name(author) for author in work.authors]
                assert list(parse_authors(read["author"]).names) == wanted


def _name(author: Person | Group) -> Name:
    if isinstance(author, Group):
        return parse_name(f"{{{author.literal}}}")
    return Name(author.given or "", author.particle or "", author.family, author.suffix or "")


def test_no_shipped_entry_mixes_manifestations(shipped: Path) -> None:
    for text, works in _shipped(shipped):
        found = by_bibtexparser(text)
        for work in works:
            read = found[work.id]
            if work.form == "preprint":
                assert read["doi"] == f"10.48550/arXiv.{read['eprint']}"
                assert not read.keys() & {"booktitle", "journal", "volume", "pages"}
            else:
                assert "eprint" not in read
                assert not read.get("doi", "").lower().startswith("10.48550/")
