from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.equality.names import Name, match_names, parse_authors, parse_name, split_authors

FAMILIES = st.sampled_from(["Okafor", "Lindqvist", "de Vries", "Tan-Wu", "Çelik", "O'Hara", "Ng"])
GIVEN_NAMES = st.sampled_from(["Ada", "Jo E.", "Jean-Luc", "Zoë", "X.", "Mei Lin", "K"])


@st.composite
def people(draw: st.DrawFn) -> Name:
    family = draw(FAMILIES)
    particle, _, rest = family.rpartition(" ")
    return Name(given=draw(GIVEN_NAMES), particle=particle, family=rest)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{Birke-Holt}, Una E.", Name("Una E.", "", "Birke-Holt")),
        ("{von Aue}, Ida", Name("Ida", "", "von Aue")),
        ("van der Meer, Tom", Name("Tom", "van der", "Meer")),
        ("Tom van der Meer", Name("Tom", "van der", "Meer")),
        ("Meer, Jr., Tom", Name("Tom", "", "Meer", "Jr.")),
        ("Meer, Tom, Jr.", Name("Tom", "", "Meer", "Jr.")),
        ("Tom Meer Jr.", Name("Tom", "", "Meer", "Jr.")),
        ("xx Yy, Zz", Name("Zz", "xx", "Yy")),
        ("Solonym", Name(family="Solonym")),
        ("{{Society for Rain and Snow}}", Name(literal="Society for Rain and Snow")),
        ("{Weather Lab}", Name(literal="Weather Lab")),
        ("Mei Ling 0007", Name("Mei", "", "Ling")),
        ("Ling 0007, Mei", Name("Mei", "", "Ling")),
        (r"Jos{\'e} {\O}stby", Name("José", "", "Østby")),
        (r"Fran\c cois Dubois", Name("François", "", "Dubois")),
        (r"{\'E}lise Petit", Name("Élise", "", "Petit")),
        ("Charles de la Vallée Poussin", Name("Charles", "de la", "Vallée Poussin")),
        ("Ludwig van {B}uren", Name("Ludwig", "van", "Buren")),
        ("Jean d'Arc", Name("Jean", "", "d'Arc")),
        ("Ada~B. Stone", Name("Ada B.", "", "Stone")),
        ("", Name()),
    ],
)
def test_the_grammar_of_names(text: str, name: Name) -> None:
    assert parse_name(text) == name


def test_a_name_with_too_many_commas_is_not_taken_apart() -> None:
    assert parse_name("a, b, c, d") == Name(literal="a, b, c, d")


def test_and_splits_outside_braces_only() -> None:
    field = "Una Birke AND {{Snow and Rain}} and\n  Meer, Tom and Sand{\\'e}, A."
    assert split_authors(field) == ["Una Birke", "{{Snow and Rain}}", "Meer, Tom", "Sand{\\'e}, A."]


@pytest.mark.parametrize(
    "field",
    [
        "Birke, Una and others",
        "Birke, Una and {et al.}",
        "Birke, Una et. al.",
        "Birke, Una et al",
        "Birke, Una, et al.",
        "Birke, Una and 3 others",
    ],
)
def test_markers_of_a_truncated_list_are_no_people(field: str) -> None:
    line = parse_authors(field)
    assert line.truncated
    assert line.names == (Name("Una", "", "Birke"),)


def test_a_whole_list_is_not_called_truncated() -> None:
    line = parse_authors("Al Others and Et Alia")
    assert not line.truncated
    assert [str(name) for name in line.names] == ["Al Others", "Et Alia"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jo D Marsh", "Jo D. Marsh"),
        ("Tom van der Meer", "Meer, Tom"),
        ("Tom Van der Meer", "van der Meer, Tom"),
        ("{von Aue}, Ida", "von Aue, Ida"),
        ("Sol Idris Tal", "Idris Tal, Sol"),
        ("Lopez{-}Ruiz, Eva", "Eva Lopez Ruiz"),
        ("O’Hara, Kim", "Kim O'Hara"),
        ("UNA BIRKE", "Una Birke"),
        ("{Weather Lab}", "Weather Lab"),
    ],
)
def test_one_name_in_two_forms(one: str, other: str) -> None:
    assert match_names(parse_name(one), parse_name(other)).grade == "same"


@pytest.mark.parametrize(
    ("one", "other", "note"),
    [
        ("R. Stone", "Richard Stone", "initials"),
        ("J.-L. Petit", "Jean-Luc Petit", "initials"),
        ("Jo Marsh", "Jo D. Marsh", "middle name missing"),
        ("J. Marsh", "Jo D. Marsh", "initials, middle name missing"),
        ("Elodie Petit", "Élodie Petit", "accents"),
        ("Soren Ostby", "Søren Østby", "accents"),
        ("Hans Mueller", "Hans Müller", "accents"),
        ("Mei-Lin Wu", "Meilin Wu", "joined given names"),
        ("Birke", "Una Birke", "given name missing"),
        ("Tom Meer", "Meer, Jr., Tom", "suffix missing"),
    ],
)
def test_compatible_names_say_how_they_differ(one: str, other: str, note: str) -> None:
    match = match_names(parse_name(one), parse_name(other))
    assert (match.grade, match.note) == ("compatible", note)


@pytest.mark.parametrize(
    ("one", "other", "grade"),
    [
        ("Wu Meilin", "Meilin Wu", "inverted"),
        ("Sol Idris Tal", "Tal, Idris Sol", "different"),
        ("Jo M. Marsh", "Jo D. Marsh", "different"),
        ("Una Birke", "Ina Birke", "different"),
        ("Mei Wu", "Xin Mei Wu", "different"),
        ("Una Birke", "Una Birch", "different"),
        ("Dirk LÃ¼bben", "Dirk Lübben", "different"),
        ("Meer, Jr., Tom", "Meer, Sr., Tom", "different"),
        ("{Weather Lab}", "{Water Lab}", "different"),
    ],
)
def test_names_of_different_people(one: str, other: str, grade: str) -> None:
    assert match_names(parse_name(one), parse_name(other)).grade == grade


@given(people())
def test_a_name_survives_being_written(name: Name) -> None:
    family = f"{name.particle} {name.family}".strip()
    assert parse_name(f"{family}, {name.given}") == name
    assert match_names(parse_name(str(name)), name).grade == "same"


@given(people(), people())
def test_matching_is_symmetric(one: Name, other: Name) -> None:
    assert match_names(one, other).grade == match_names(other, one).grade


@given(st.text(max_size=30))
def test_no_text_breaks_the_grammar(text: str) -> None:
    name = parse_name(text)
    said = any(map(str.isalnum, str(name)))
    assert match_names(name, name).grade == ("same" if said else "different")
    parse_authors(text)
