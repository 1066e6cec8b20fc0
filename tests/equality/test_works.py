from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from registry.equality.names import Name, parse_name
from registry.equality.works import Work, same_work


@dataclass
class Case:
    one: Work
    other: Work
    outcome: str
    kind: str
    words: list[str] = field(default_factory=list)


def people(*names: str) -> tuple[Name, ...]:
    return tuple(map(parse_name, names))


ALPHA = people("Una Birke", "Tom Meer")
OMEGA = people("Rolf Fern")
TITLE = "Weather Modelling"

CASES = {
    "a short title of somebody else": Case(
        Work(TITLE, ALPHA, 2019),
        Work("Weather modelling", OMEGA, 2018, doi="10.5555/other"),
        "different",
        "another work",
        ["title found, no author in common"],
    ),
    "a candidate without authors": Case(
        Work(TITLE, ALPHA, 2019),
        Work(TITLE, (), 2019),
        "cannot-tell",
        "not confirmed",
        ["no author"],
    ),
    "a record without authors": Case(
        Work(TITLE), Work(TITLE, ALPHA), "cannot-tell", "not confirmed"
    ),
    "title and one author in common": Case(
        Work(TITLE, ALPHA, 2019), Work(TITLE, people("T. Meer"), 2020), "same", ""
    ),
    "an unknown year": Case(Work(TITLE, ALPHA, 2019), Work(TITLE, ALPHA), "same", ""),
    "years that lie apart": Case(
        Work(TITLE, ALPHA, 2019), Work(TITLE, ALPHA, 2021), "cannot-tell", "not confirmed", ["2021"]
    ),
    "a subtitle without an identifier": Case(
        Work(TITLE, ALPHA), Work(f"{TITLE}: Clouds", ALPHA), "cannot-tell", "not confirmed"
    ),
    "another title": Case(
        Work(TITLE, ALPHA), Work("Weather Measuring", ALPHA), "different", "another title"
    ),
    "an identifier in two forms": Case(
        Work(TITLE, ALPHA, arxiv_id="1902.00044"),
        Work(TITLE, ALPHA, arxiv_id="arXiv:1902.00044v3"),
        "same",
        "",
    ),
    "the preprint's DOI is its arXiv id": Case(
        Work(TITLE, ALPHA, arxiv_id="1902.00044"),
        Work(TITLE, ALPHA, doi="10.48550/arXiv.1902.00044"),
        "same",
        "",
    ),
    "an identifier and a changed title": Case(
        Work(TITLE, ALPHA, doi="10.5555/w1"),
        Work("Modelling Tomorrow's Weather", ALPHA, doi="10.5555/W1"),
        "same",
        "title changed",
        ["Modelling Tomorrow", TITLE],
    ),
    "an identifier that belongs to another paper": Case(
        Work("MegaTest for Anything", people("B. Hart"), 2023, arxiv_id="2311.00021"),
        Work("Boats That Sail: A Sea Study", people("Liu Ming"), 2023, arxiv_id="2311.00021v2"),
        "different",
        "identifier belongs to another paper",
        ["arXiv 2311.00021 is titled “Boats That Sail: A Sea Study” by Liu Ming"],
    ),
    "an identifier of another paper without authors": Case(
        Work("MegaTest for Anything", arxiv_id="2311.00021"),
        Work("Boats That Sail: A Sea Study", arxiv_id="2311.00021"),
        "different",
        "identifier belongs to another paper",
    ),
    "a title search that leads to another identifier": Case(
        Work(TITLE, ALPHA, 2019, arxiv_id="1902.00044"),
        Work(TITLE, ALPHA, 2019, arxiv_id="1902.00045"),
        "cannot-tell",
        "identifiers differ",
        ["1902.00044", "1902.00045"],
    ),
    "another title with another identifier": Case(
        Work(TITLE, ALPHA, doi="10.5555/w1"),
        Work("Boats That Sail", OMEGA, doi="10.5555/w2"),
        "different",
        "another title",
    ),
    "a preprint's key beside a publication's": Case(
        Work(TITLE, ALPHA, 2019, dblp_key="conf/abc/BirkeM19"),
        Work(TITLE, ALPHA, 2018, dblp_key="journals/corr/abs-1902-00044"),
        "same",
        "",
    ),
    "nothing to go by": Case(Work(), Work(TITLE, ALPHA), "cannot-tell", "nothing in common"),
}


@pytest.mark.parametrize("name", CASES)
def test_identity(name: str) -> None:
    case = CASES[name]
    result = same_work(case.one, case.other)
    assert (result.outcome, result.kind) == (case.outcome, case.kind)
    for words in case.words:
        assert words in result.note


@pytest.mark.parametrize("name", CASES)
def test_identity_is_symmetric(name: str) -> None:
    case = CASES[name]
    assert same_work(case.other, case.one).outcome == case.outcome
