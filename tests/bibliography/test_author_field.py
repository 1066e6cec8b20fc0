"""Author fields: hand-worked ones, and what readers of BibTeX take them apart into."""

from __future__ import annotations

import pytest
from bibliography.works import AUTHORS
from hypothesis import given
from hypothesis import strategies as st
from pybtex.database import Person as ReadPerson

from registry.bibliography.author_field import author_field
from registry.equality.bibtex_names import Name, parse_authors
from registry.equality.tex import to_unicode
from registry.records.names import Author, Group, Person

WORD = st.text(st.sampled_from("abcdeéñøšąxyzł"), min_size=1, max_size=6)
CAPITAL = WORD.map(str.capitalize)
PARTICLE = st.sampled_from(["van", "van der", "de la", "af", "'t"])


def people(**parts: st.SearchStrategy[str]) -> st.SearchStrategy[Person]:
    """People whose names have the parts; an empty one is left out, as records do."""
    return st.fixed_dictionaries(parts).map(
        lambda held: Person(**{part: text for part, text in held.items() if text})
    )


NONE = st.just("")
PEOPLE = people(
    given=st.lists(CAPITAL, min_size=1, max_size=3).map(" ".join),
    particle=NONE | PARTICLE,
    family=st.lists(CAPITAL, min_size=1, max_size=3).map(" ".join),
    suffix=NONE | st.sampled_from(["Jr.", "III"]),
)
TORN = ["and", "And", "a, b"]
ANYTHING = people(
    given=NONE | WORD | st.sampled_from(TORN),
    particle=NONE | PARTICLE | st.sampled_from(["Van", "De La", "’t"]),
    family=st.lists(WORD | CAPITAL | st.sampled_from(TORN), min_size=1, max_size=3).map(" ".join),
    suffix=NONE | st.sampled_from(["Jr.", "III", "the Elder"]),
)
GROUPS = st.builds(Group, literal=st.sampled_from(["A and B", "Smith, Inc.", "OTTER"]))


@pytest.mark.parametrize(
    ("author", "tex"),
    [
        (Person(given="Yuhui", family="Li"), "Li, Yuhui"),
        (Person(given="Bo", particle="van der", family="Berg"), "van der Berg, Bo"),
        (Person(given="Bo", particle="Van der", family="Berg"), "{Van der Berg}, Bo"),
        (Person(given="Ana", family="García y Vega"), r"{Garc{\'\i}a y Vega}, Ana"),
        (Person(given="Rae Ying Yee", family="Wong"), "Wong, Rae Ying Yee"),
        (Person(given="Max", family="Roe", suffix="Jr."), "Roe, Jr., Max"),
        (Person(given="bell", family="hooks"), "hooks, bell"),
        (Person(family="Aristea"), "Aristea"),
        (Person(particle="van", family="Eyck"), "van Eyck"),
        (Person(family="Two Words"), "{Two Words}"),
        (Person(family="Others"), "{Others}"),
        (Person(given="X", family="And"), "{And}, X"),
        (Group(literal="OpenOtter"), "{OpenOtter}"),
        (Group(literal="Birds and Bees"), "{Birds and Bees}"),
        (Group(literal="others"), "{others}"),
    ],
)
def test_names_are_written_as_the_grammar_has_them(author: Author, tex: str) -> None:
    assert author_field([author]) == tex


def test_every_author_stands_in_its_place_and_nobody_is_others() -> None:
    field = author_field(AUTHORS)
    assert field == (
        r"van der Berg, Bo and Nu{\~n}ez Ibarra, Jr., {\'E}lise and Aristea"
        " and {Birds and Bees Consortium}"
    )
    many = [Person(given="Ada", family=f"Abel{number}") for number in range(120)]
    read = parse_authors(author_field(many))
    assert len(read.names) == 120
    assert not read.truncated


@given(st.lists(PEOPLE, min_size=1, max_size=4))
def test_two_readers_take_names_apart_where_the_record_does(people: list[Person]) -> None:
    field = author_field(people)
    wanted = [
        Name(one.given or "", one.particle or "", one.family, one.suffix or "") for one in people
    ]
    assert list(parse_authors(field).names) == wanted
    assert [_read(text) for text in field.split(" and ")] == wanted


def _read(text: str) -> Name:
    person = ReadPerson(text)
    parts = (
        person.first_names + person.middle_names,
        person.prelast_names,
        person.last_names,
        person.lineage_names,
    )
    return Name(*(to_unicode(" ".join(part)) for part in parts))


@given(st.lists(ANYTHING | GROUPS, min_size=1, max_size=4))
def test_no_name_is_lost_split_or_taken_for_more(authors: list[Author]) -> None:
    read = parse_authors(author_field(authors))
    assert not read.truncated
    assert [str(name) for name in read.names] == [_in_order(author) for author in authors]


def _in_order(author: Author) -> str:
    if isinstance(author, Group):
        return author.literal
    parts = (author.given, author.particle, author.family, author.suffix)
    return " ".join(part for part in parts if part)
