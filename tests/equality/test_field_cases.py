"""Replays inputs from the field, where a copy of them lies beside the checkout."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from registry.equality.fields import Context, compare
from registry.equality.identifiers import compare_dois, parse_arxiv_id, parse_doi
from registry.equality.names import compare_author_lists, parse_authors, parse_name
from registry.equality.titles import compare_titles, display_text
from registry.equality.tracks import compare_tracks
from registry.equality.venues import VenueNames, compare_venue
from registry.equality.withdrawal import read_standing
from registry.equality.works import Work, same_work

CASES = Path(__file__).parents[3] / "shared" / "cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="no cases beside the checkout")


def rows(path: str) -> list[list[str]]:
    """Rows of a table, or none where there are no cases."""
    file = CASES / path
    if not file.is_file():
        return []
    return [line.split("\t") for line in file.read_text("utf-8").splitlines() if line]


def answer(path: str) -> Any:
    return json.loads((CASES / path).read_text("utf-8"))


def bibliography(path: str) -> dict[str, dict[str, str]]:
    """Key to fields; enough of BibTeX for these files."""
    text = (CASES / path).read_text("utf-8")
    starts = [*re.finditer(r"^@\w+\{([^,]+),", text, re.MULTILINE)]
    ends = [*(match.start() for match in starts[1:]), len(text)]
    return {
        match[1]: dict(_fields(text[match.end() : end]))
        for match, end in zip(starts, ends, strict=True)
    }


def _fields(body: str) -> Iterator[tuple[str, str]]:
    place = 0
    while match := re.compile(r"\s*(\w+)\s*=\s*").search(body, place):
        depth, end = 0, match.end()
        while end < len(body) and not (depth == 0 and body[end] in ",}\n"):
            depth += {"{": 1, "}": -1}.get(body[end], 0)
            end += 1
        value = body[match.end() : end].strip()
        yield match[1].lower(), value[1:-1] if value.startswith("{") else value
        place = end + 1


def as_recorded(names: list[str]) -> list[dict[str, Any]]:
    people = (parse_name(name) for name in names)
    return [{"given": p.given, "particle": p.particle, "family": p.family} for p in people]


def same(one: str, other: str) -> bool:
    return compare_titles(one, other, same_work=True).outcome == "same"


def test_a01_same_title_different_paper() -> None:
    entry = bibliography("A01/refs.bib")["alder2015"]
    own = Work(entry["title"], parse_authors(entry["author"]).names, int(entry["year"]))
    stranger, nobody = (
        same_work(own, Work(found["title"], parse_authors(found["authors"]).names, found["year"]))
        for found in answer("A01/candidates.json")
    )
    assert "title found, no author in common" in stranger.note
    assert stranger.outcome == "different"
    assert nobody.outcome == "cannot-tell"


@pytest.mark.parametrize("row", rows("A03/doi_pairs.tsv"))
def test_a03_doi_forms(row: list[str]) -> None:
    result = compare_dois(row[0], row[1])
    said = "no" if result.outcome != "same" else "yes-with-note" if result.note else "yes"
    assert said == row[2]


def test_a03_two_parts_of_a_book_are_no_duplicates() -> None:
    entries = bibliography("A03/refs.bib")
    endings = [parse_doi(entries[key]["doi"]).rpartition("-")[2] for key in ("x13", "x2")]
    assert endings == ["3_13", "3_2"]


@pytest.mark.parametrize("row", rows("A05/titles.tsv"))
def test_a05_formulae_and_macros(row: list[str]) -> None:
    assert same(row[0], row[1]) == (row[2] == "yes")


def test_a07_names() -> None:
    entries, expected = bibliography("A07/refs.bib"), answer("A07/names.json")
    for key, people in expected.items():
        names = parse_authors(entries[key]["author"]).names
        assert len(names) == len(people)
        for name, person in zip(names, people, strict=True):
            for part in ("given", "particle", "family", "suffix", "literal"):
                assert getattr(name, part) == (person.get(part) or "")


@pytest.mark.parametrize(
    ("key", "outcome"), [("e1", "same"), ("e2", "same"), ("e3", "same"), ("e4", "different")]
)
def test_a09_et_al(key: str, outcome: str) -> None:
    line = parse_authors(bibliography("A09/refs.bib")[key]["author"])
    written = [str(name) for name in line.names] + ["others"] * line.truncated
    result = compare_author_lists(as_recorded(answer("A09/truth.json")["authors"]), written)
    assert result.outcome == outcome
    if outcome == "same":
        assert "author list truncated (1 of 12 given)" in result.note


def test_a11_author_order() -> None:
    recorded = yaml.safe_load((CASES / "A11/record.yaml").read_text("utf-8"))["authors"]
    observed = answer("A11/source.json")["authors"]
    result = compare_author_lists(as_recorded(recorded), observed)
    assert (result.outcome, result.kind) == ("different", "author order")
    assert "4-6" in result.note


@pytest.mark.parametrize("row", rows("A14/venues.tsv"))
def test_a14_venues(names: VenueNames, row: list[str]) -> None:
    venue, year = row[0].lower().split()
    result = compare_venue(venue, int(year), row[1], volume=row[2], names=names)
    wanted = {"match": "same", "mismatch": "different"}.get(row[3], row[3])
    assert result.outcome == wanted


def test_a16_workshop_or_conference(names: VenueNames) -> None:
    source = answer("A16/source.json")
    tag, title = source["venue_tags"][0], source["booktitle"]
    result = compare_tracks("main", tag, volume_title=title)
    assert (result.outcome, result.kind) == ("different", "track")
    assert "workshop" in result.note
    assert "main" in result.note
    assert compare_venue("acl", 2018, title, names=names).kind == "workshop"


@pytest.mark.parametrize("key", ["p1", "p2", "p3", "p4", "p5", "p6"])
def test_a19_preprint_strings(names: VenueNames, key: str) -> None:
    entry = bibliography("A19/refs.bib")[key]
    for field in ("journal", "howpublished", "note"):
        text = entry.get(field, "")
        result = compare_venue("icml", 2024, text, volume=entry.get("volume", ""), names=names)
        assert result.outcome == "cannot-tell"
        assert result.kind == ("preprint server" if text else "not given")


def test_a20_identifier_of_another_paper() -> None:
    entry = bibliography("A20/refs.bib")["one24"]
    feed = (CASES / "A20/arxiv.xml").read_text("utf-8")
    title, author = re.findall(r"<title>(.*?)</title>|<name>(.*?)</name>", feed)
    own = Work(entry["title"], parse_authors(entry["author"]).names, arxiv_id=entry["eprint"])
    found = Work(title[0], (parse_name(author[1]),), arxiv_id="http://arxiv.org/abs/2412.00008v2")
    result = same_work(own, found)
    assert (result.outcome, result.kind) == ("different", "identifier belongs to another paper")
    assert title[0] in result.note


@pytest.mark.parametrize("row", rows("A22/ids.tsv"))
def test_a22_arxiv_ids(row: list[str]) -> None:
    read = parse_arxiv_id(row[0])
    assert [read.id or read.fault.upper(), read.version] == [row[1], [*row, ""][2]]


def test_a26_wrapped_titles() -> None:
    for one, other in answer("A26/titles.json"):
        assert same(one, other)
        assert "\n" not in display_text(one)


@pytest.mark.parametrize("row", rows("A27/status.tsv"))
def test_a27_standing(row: list[str]) -> None:
    name, _, value = row[0].partition("=")
    known: dict[str, dict[str, Any]] = {
        "comment": {"comment": None if value == "null" else value},
        "relation": {"relations": [value]},
        "openalex.is_retracted": {"is_retracted": value == "true"},
        "title": {"title": value},
    }
    standing = read_standing(**known.get(name, {}))
    wanted = row[1]
    assert wanted.startswith(standing.status)
    assert ("successor" in wanted) == bool(standing.successor)
    assert standing.successor in wanted
    if "note" in wanted or "second source" in wanted:
        assert standing.note
        assert standing.note in wanted


def test_a30_thin_answers(names: VenueNames) -> None:
    recorded = {"title": "T", "venue": "icml", "year": 2024}
    for reply in answer("A30/replies.json"):
        for field, value in recorded.items():
            result = compare(field, value, reply, Context(names, "icml", 2024))
            assert result.outcome == ("same" if reply.get(field) == "T" else "cannot-tell")
            assert "None" not in result.note


def test_a40_mark_up() -> None:
    for dirty, clean, equal in answer("A40/titles.json"):
        assert same(dirty, clean) == equal
        if equal:
            assert display_text(dirty) == clean


@pytest.mark.parametrize("row", rows("A42/pairs.tsv"))
def test_a42_digits_matter(row: list[str]) -> None:
    assert not same(row[0], row[1])


@pytest.mark.parametrize("row", rows("A50/titles.tsv"))
def test_a50_changed_titles(row: list[str]) -> None:
    result = compare_titles(row[0], row[1], same_work=row[2] == "yes")
    outcome, kind = {
        "note subtitle missing": ("same", "subtitle missing"),
        "not confirmed": ("cannot-tell", "not confirmed"),
        "mismatch title changed": ("different", "title changed"),
        "mismatch wrong paper or id": ("different", "wrong paper or identifier"),
        "match": ("same", result.kind),
    }[row[3]]
    assert (result.outcome, result.kind) == (outcome, kind)
