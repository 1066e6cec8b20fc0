from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from damage import BYTES, torn
from hypothesis import given
from hypothesis import strategies as st
from papers import Paper, papers
from played import Script, client_for, in_turn, playing
from plays import pmlr as play
from plays_interface import Asked, Played

from registry.equality.names import compare_author_lists
from registry.equality.pages import page_count
from registry.equality.venues import VenueNames, compare_venue
from registry.records.evidence import Observation
from registry.sources.answers import NoReply
from registry.sources.interface import Answer, Query
from registry.sources.pmlr import SOURCE, Place, place_in, place_of
from registry.sources.pmlr_pages import VolumeIndex, read_index, read_paper_page
from registry.sources.printed import Doubt, Printed
from registry.store.reader import read as read_yaml

HOST = "https://proceedings.mlr.press"
KNOWN = papers(30, venue="icml")
ICML = VenueNames(
    [
        {
            "id": "icml",
            "name": "International Conference on Machine Learning",
            "short_name": "ICML",
            "type": "conference",
            "volumes": [
                {
                    "series": "pmlr",
                    "number": "235",
                    "year": 2024,
                    "title": "Proceedings of the 41st International Conference on Machine Learning",
                }
            ],
        },
        {"id": "pmlr", "name": play.SERIES, "short_name": "PMLR", "type": "series"},
    ]
)


def query_of(paper: Paper, *addresses: str) -> Query:
    return Query(
        f"paper/p{paper.number}",
        title=paper.title,
        authors=tuple(f"{family}, {given}" for given, family in paper.authors),
        year=paper.year,
        venue=paper.venue,
        volume=paper.volume,
        series="pmlr" if paper.volume else "",
        addresses=addresses,
    )


def ask(script: Script, *queries: Query, budget: float = 1e4) -> tuple[list[Answer], int]:
    client = client_for(SOURCE, script, budget=budget)
    answers = list(SOURCE.ask(queries, client))
    return answers, sum(client.asked.values())


def page(body: str, status: int = 200) -> Played:
    return Played(body.encode(), status, play.HTML)


# Addresses


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (f"{HOST}/v235/abad-rocas24a.html", Place("235", "abad-rocas24a")),
        (f"http://{HOST[8:]}/v235/moss24b.html#bibtex", Place("235", "moss24b")),
        # Three addresses that one PDF had in turn.
        (f"{HOST}/v235/moss24b/moss24b.pdf", Place("235", "moss24b")),
        (f"{HOST}/v235/assets/moss24b/moss24b.pdf", Place("235", "moss24b")),
        (
            "https://raw.githubusercontent.com/mlresearch/v235/main/assets/moss24b/moss24b.pdf",
            Place("235", "moss24b"),
        ),
        (f"{HOST}/v9/moss10a.pdf", Place("9", "moss10a")),
        (f"{HOST}/v9/moss10a/moss10a-supp.pdf", Place("9", "moss10a")),
        (
            "https://github.com/mlresearch/v235/blob/gh-pages/_posts/2024-07-08-moss24b.md",
            Place("235", "moss24b"),
        ),
        (f"{HOST}/v70/de%20moss17a.html", Place("70", "de%20moss17a")),
        (f"{HOST}/r5/moss05a.html", Place("r5", "moss05a")),
        (f"{HOST}/v235/", Place("235")),
        (f"{HOST}/v235", Place("235")),
        (f"{HOST}/v235/index.html", Place("235")),
        (f"{HOST}/v235/assets/bib/bibliography.bib", Place("235")),
        (f"{HOST}/v235/med_list.tex", Place("235")),
        (f"{HOST}/faq.html", None),
        ("https://proceedings.mlr.press.example/v235/moss24b.html", None),
        ("https://openreview.net/forum?id=Qw3rTyUi0p", None),
        ("", None),
    ],
)
def test_an_address_names_a_place(address: str, expected: Place | None) -> None:
    assert place_in(address) == expected


def test_a_place_has_addresses() -> None:
    assert Place("235", "moss24b").page == f"{HOST}/v235/moss24b.html"
    assert Place("r5").index == f"{HOST}/r5/"


def test_the_address_in_the_recorded_volume_counts_first() -> None:
    known = query_of(KNOWN[0], f"{HOST}/v202/moss23a.html", f"{HOST}/v235/moss24b.html")
    assert place_of(known) == Place("235", "moss24b")
    elsewhere = query_of(KNOWN[0], f"{HOST}/v202/moss23a.html")
    assert place_of(elsewhere) == Place("202", "moss23a")


@pytest.mark.parametrize("volume", ["235", "v235", "Volume 235", "vol. 235"])
def test_a_volume_may_be_labelled(volume: str) -> None:
    assert place_of(replace(query_of(KNOWN[0]), volume=volume)) == Place("235")


@pytest.mark.parametrize(
    "query",
    [
        Query("paper/a", title="Leaves", authors=("Moss, Ida",), year=2024, venue="icml"),
        Query("paper/a", title="Leaves", authors=("Moss, Ida",), volume="37", series="lncs"),
        Query("paper/a", title="Leaves", authors=("Moss, Ida",), volume="two", series="pmlr"),
        Query("paper/a", title="Leaves", volume="235", series="pmlr"),
        Query("paper/a", authors=("Moss, Ida",), volume="235", series="pmlr"),
    ],
)
def test_without_volume_title_and_authors_nothing_can_be_asked(query: Query) -> None:
    assert not SOURCE.can_ask(query)
    [answer], asked = ask(playing(play, KNOWN), query)
    assert (answer.outcome, asked) == ("could-not-ask", 0)
    assert answer.reason


def test_an_address_alone_can_be_asked() -> None:
    assert SOURCE.can_ask(Query("paper/a", addresses=(f"{HOST}/v235/moss24b.html",)))
    assert not SOURCE.can_ask(Query("paper/a", addresses=(f"{HOST}/v235/",)))


# The index of a volume


HEAD = """<!DOCTYPE html>
<html lang="en"><head><title>X</title>{meta}</head><body>
<h2>Volume 214: Conference on Mosses, 3-5 December 2022, Oslo, Norway</h2>
"""
ROW = """<div class="paper">
<p class="title">{title}</p><p class="details"><span class="authors">{authors}</span>;
<span class="info">{info}</span></p><p class="links">[<a href="{address}">abs</a>]{links}</p></div>
"""
TAIL = "</body></html>\n"


def index_of(*rows: str, meta: str = "") -> str:
    return HEAD.format(meta=meta) + "".join(rows) + TAIL


def row_of(**parts: str) -> str:
    given = {
        "title": "Leaves of a Tree",
        "authors": "Ida Moss,&nbsp;Juan Garc&iacute;a M&aacute;rquez",
        "info": "<i>Proceedings of the 3rd Conference on Mosses</i>, PMLR 214:1-20",
        "address": f"{HOST}/v214/moss23a.html",
        "links": "",
    }
    return ROW.format(**(given | parts))


def read(text: str, volume: str = "214") -> VolumeIndex:
    found = read_index(text, volume)
    assert isinstance(found, VolumeIndex)
    return found


def listed(row: str, name: str = "moss23a", meta: str = "") -> Printed:
    found = read(index_of(row, meta=meta)).shelf.find(Query("paper/a"), name)
    assert isinstance(found, Printed)
    Observation.model_validate(found.observation)
    return found


def test_a_row_of_the_index() -> None:
    links = (
        '[<a href="https://openreview.net/forum?id=Qw3rTyUi0p">OpenReview</a>]'
        '[<a href="https://github.com/moss/leaves">Software</a>]'
        '[<a href="http://arxiv.org/abs/2210.01234v2">arXiv version</a>]'
        '[<a href="https://doi.org/10.1234/MOSS.1">DOI</a>]'
    )
    found = listed(row_of(links=links))
    assert found.observation == {
        "title": "Leaves of a Tree",
        "authors": ["Ida Moss", "Juan García Márquez"],
        "venue": "Proceedings of the 3rd Conference on Mosses",
        "series": "Proceedings of Machine Learning Research",
        "year": 2022,
        "volume": "214",
        "pages": "1-20",
        "openreview_id": "Qw3rTyUi0p",
        "code": "https://github.com/moss/leaves",
        "arxiv_id": "2210.01234",
        "doi": "10.1234/moss.1",
    }
    assert found.silent_on == ("venue_track",)


def test_what_the_index_does_not_have_is_missed() -> None:
    missed = listed(row_of()).silent_on
    assert missed == ("venue_track", "doi", "arxiv_id", "openreview_id", "code")


def test_the_day_of_the_volume_is_not_a_day_of_the_conference() -> None:
    said = (
        "Held in Oslo on 03-05 December 2022 Published as Volume 214 by the Proceedings of Machine "
        "Learning Research on 09 January 2023. Volume Edited by: Ida Moss"
    )
    found = listed(row_of(), meta=f'<meta name="description" content="{said}">').observation
    assert (found["published"], found["year"]) == ("2023-01-09", 2023)
    assert "published" not in listed(row_of()).observation


@pytest.mark.parametrize(
    ("info", "venue", "volume", "pages"),
    [
        ("PMLR 214:1-20", "Conference on Mosses", "214", "1-20"),
        ("<i>Mosses</i>, PMLR 214:i-xii, 2023.", "Mosses", "214", "i-xii"),
        ("<i>Mosses</i>, PMLR 214:", "Mosses", "214", None),
        ("", "Conference on Mosses", "214", None),
    ],
)
def test_the_line_under_the_title(info: str, venue: str, volume: str, pages: str | None) -> None:
    found = listed(row_of(info=info)).observation
    assert (found["venue"], found["volume"], found.get("pages")) == (venue, volume, pages)


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        ("Ida Moss", ["Ida Moss"]),
        ("Ida Moss,&nbsp;Bo Fern", ["Ida Moss", "Bo Fern"]),
        ("Ida Moss,\u00a0Bo Fern,\u00a0", ["Ida Moss", "Bo Fern"]),
        ("\n  Ida  Moss,\n  Bo Fern\n", ["Ida Moss", "Bo Fern"]),
        ("Ida Moss,&nbsp;Bo Fern, Jr.,&nbsp;Li Ha", ["Ida Moss", "Bo Fern Jr.", "Li Ha"]),
        ("Mausam", ["Mausam"]),
    ],
)
def test_names_are_joined_by_no_break_spaces(authors: str, names: list[str]) -> None:
    assert listed(row_of(authors=authors)).observation["authors"] == names


def test_a_swapped_name_is_handed_on_as_it_is_printed() -> None:
    """Given and family name stand the wrong way round in the volume, which the comparison shows."""
    found = listed(row_of(authors="Ida Moss,&nbsp;Xu Fernling")).observation["authors"]
    record = [{"given": "Ida", "family": "Moss"}, {"given": "Fernling", "family": "Xu"}]
    assert compare_author_lists(record, found).kind == "name inverted"


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("On $\\ell_p$ &amp; <i>Trees</i>", "On $\\ell_p$ & Trees"),
        ("Leaves\n  of a\u00a0Tree", "Leaves of a Tree"),
        ("p &lt; q", "p < q"),
    ],
)
def test_titles_hold_mark_up(written: str, title: str) -> None:
    assert listed(row_of(title=written)).observation["title"] == title


def test_names_of_papers_hold_hyphens_and_blanks() -> None:
    address = f"{HOST}/v214/abad-rocas23a.html"
    assert listed(row_of(address=address), "abad-rocas23a").id == "abad-rocas23a"
    address = f"{HOST}/v214/de%20moss23a.html"
    assert listed(row_of(address=address), "de moss23a").id == "de moss23a"


@pytest.mark.parametrize(
    "text",
    [
        "<html><body><h2>Volume 27</h2><dl><dt>Leaves</dt><dd>I. Moss</dd></dl></body></html>",
        "<html><body>Down for maintenance</body></html>",
        "<",
    ],
)
def test_another_layout_is_a_broken_answer(text: str) -> None:
    found = read_index(text, "27")
    assert isinstance(found, NoReply)
    assert str(found).startswith("broken answer: ")


def test_the_index_of_another_volume_is_a_broken_answer() -> None:
    assert isinstance(read_index(index_of(row_of()), "215"), NoReply)


def test_a_whole_index() -> None:
    second = row_of(title="Roots", address=f"{HOST}/v214/moss23b.html")
    assert read(index_of(row_of(), second)).whole
    # Front matter may have no authors.
    assert read(index_of(row_of(), row_of(title="Preface", authors=""))).whole


@pytest.mark.parametrize(
    ("lost", "instead"),
    [
        ("</html>", ""),
        ('<div class="paper">', "<div>"),
        ('<p class="title">', "<p>"),
        ('<span class="authors">', "<span>"),
        (">abs<", "><"),
        ("moss23a.html", "moss23a"),
    ],
)
def test_an_index_with_a_piece_missing_is_not_whole(lost: str, instead: str) -> None:
    second = row_of(title="Roots", address=f"{HOST}/v214/moss23b.html")
    text = index_of(row_of(), second)
    assert not read(text.replace(lost, instead, 1)).whole


def test_a_title_only_proposes() -> None:
    shelf = read(index_of(row_of())).shelf
    query = Query("paper/a", title="Leaves of a tree.", authors=("Moss, I.",), year=2023)
    assert isinstance(shelf.find(query), Printed)
    assert shelf.find(replace(query, title="Leaves of Trees")) is None
    other = shelf.find(replace(query, authors=("Stone, Al",)))
    assert isinstance(other, Doubt)
    assert (other.open, "Ida Moss" in other.note) == (False, True)
    apart = shelf.find(replace(query, year=2019))
    assert isinstance(apart, Doubt)
    assert apart.open


def test_of_two_papers_with_one_title_the_authors_decide() -> None:
    second = row_of(authors="Bo Fern", address=f"{HOST}/v214/fern23a.html")
    shelf = read(index_of(row_of(), second)).shelf
    found = shelf.find(Query("paper/a", title="Leaves of a Tree", authors=("Fern, Bo",)))
    assert isinstance(found, Printed)
    assert found.id == "fern23a"


# The page of a paper


def tagged(*tags: tuple[str, str], body: str = "") -> str:
    metas = "".join(f'<meta name="citation_{name}" content="{value}">' for name, value in tags)
    return f"<!DOCTYPE html>\n<html><head>{metas}</head><body>{body}</body></html>"


BASIC = (
    ("title", "Leaves &amp; Trees: on $\\ell_2$"),
    ("author", "Ida Moss"),
    ("author", "Bo Fern, Jr."),
    ("publication_date", "2024/07/08"),
    ("firstpage", "41"),
    ("lastpage", "56"),
)
ENTRY = """<code class="citecode" id="bibtex">
@InProceedings{pmlr-v235-moss24b,
  title = \t {Leaves {\\&} Trees},
  booktitle = \t {Proceedings of the 41st Conference on Mosses},
  pages = \t {41--56},
  year = \t {2024},
  volume = \t {235},
  series = \t {Proceedings of Machine Learning Research},
  month = \t {21--27 Jul},
  abstract = \t {An odd brace { and <b>2.1x-3.4x</b>}
}
</code>"""


def paper(text: str, name: str = "moss24b") -> Printed:
    found = read_paper_page(text, name)
    assert isinstance(found, Printed)
    Observation.model_validate(found.observation)
    return found


def test_a_page_of_a_paper() -> None:
    extras = (
        '<div id="extras"><ul><li><a href="https://openreview.net/forum?id=Qw3rTyUi0p">OpenReview'
        '</a></li><li><a href="https://github.com/moss/leaves">Code</a></li></ul></div>'
    )
    found = paper(tagged(*BASIC, body=ENTRY + extras))
    assert found.observation == {
        "title": "Leaves & Trees: on $\\ell_2$",
        "authors": ["Ida Moss", "Bo Fern Jr."],
        "venue": "Proceedings of the 41st Conference on Mosses",
        "series": "Proceedings of Machine Learning Research",
        "year": 2024,
        "volume": "235",
        "pages": "41-56",
        "published": "2024-07-08",
        "openreview_id": "Qw3rTyUi0p",
        "code": "https://github.com/moss/leaves",
    }
    assert found.silent_on == ("venue_track", "doi", "arxiv_id", "affiliations")


def test_a_page_without_a_bibtex_entry_still_says_where_it_stands() -> None:
    info = '<div id="info"><i>Mosses</i>,&nbsp;PMLR 235:41-56,&nbsp;2024.</div>'
    found = paper(tagged(*BASIC, body=info)).observation
    assert (found["venue"], found["volume"], found["year"]) == ("Mosses", "235", 2024)


def test_affiliations_belong_to_the_author_before_them() -> None:
    tags = (
        ("title", "Leaves"),
        ("author", "Ida Moss"),
        ("author_institution", "University of Oslo"),
        ("author_institution", "NORSAR"),
        ("author", "Bo Fern"),
        ("author", "Li Ha"),
        ("author_institution", "NORSAR"),
    )
    assert paper(tagged(*tags)).observation["affiliations"] == [
        {"author": 1, "printed": "University of Oslo"},
        {"author": 1, "printed": "NORSAR"},
        {"author": 3, "printed": "NORSAR"},
    ]


@pytest.mark.parametrize("date", ["", "2024", "2024/13/40", "21-27 July 2024", "2024/07"])
def test_what_is_no_day_is_no_day_of_publication(date: str) -> None:
    tags = (("title", "Leaves"), ("author", "Ida Moss"), ("publication_date", date))
    found = paper(tagged(*tags, body=ENTRY))
    assert "published" not in found.observation
    assert "published" in found.silent_on


def test_empty_tags_say_nothing() -> None:
    tags = (*BASIC[:3], ("doi", ""), ("firstpage", " "), ("lastpage", ""), ("volume", ""))
    found = paper(tagged(*tags)).observation
    assert not {"doi", "pages", "volume"} & found.keys()
    assert "" not in found.values()


@pytest.mark.parametrize(
    "text",
    [
        "<html><body>Down for maintenance</body></html>",
        tagged(("title", "Leaves")),
        tagged(("author", "Ida Moss")),
        tagged(*BASIC, ("abstract_html_url", f"{HOST}/v235/fern24a.html")),
    ],
)
def test_a_page_of_something_else_is_a_broken_answer(text: str) -> None:
    found = read_paper_page(text, "moss24b")
    assert isinstance(found, NoReply)
    assert found.why == "broken answer"


# Asking


def test_a_lone_paper_with_a_known_name_costs_its_own_page() -> None:
    [answer], asked = ask(
        playing(play, KNOWN), query_of(KNOWN[3], play.address(KNOWN[3]), f"{HOST}/v235/")
    )
    one = KNOWN[3]
    assert asked == 1
    assert (answer.outcome, answer.source, answer.notes) == ("answered", "pmlr", ())
    assert answer.url == play.address(one)
    assert re.fullmatch(r"[0-9a-f]{64}", answer.sha256)
    assert one.slug in answer.locator
    seen = answer.observation
    assert seen["title"] == one.title
    assert seen["authors"] == list(one.names)
    assert (seen["pages"], seen["volume"], seen["year"]) == (one.pages, "235", 2024)
    # Two weeks before the conference, whose days the entry for citing has.
    assert seen["published"] == "2024-07-08"
    assert page_count(seen["pages"]) == 14
    assert "venue_track" in answer.silent_on


def test_what_is_observed_names_the_conference_by_its_volume() -> None:
    [answer], _ = ask(playing(play, KNOWN), query_of(KNOWN[3], play.address(KNOWN[3])))
    seen = answer.observation
    given_as = {"series": seen["series"], "volume": seen["volume"], "names": ICML}
    assert compare_venue("icml", 2024, seen["venue"], **given_as).outcome == "same"
    assert compare_venue("icml", 2023, seen["venue"], **given_as).outcome == "different"


def test_several_papers_of_a_volume_cost_its_index_once() -> None:
    queries = [query_of(one, play.address(one)) for one in reversed(KNOWN)]
    answers, asked = ask(playing(play, KNOWN), *queries)
    assert asked == 1
    assert {answer.record for answer in answers} == {query.record for query in queries}
    titles = {f"paper/p{one.number}": one.title for one in KNOWN}
    for answer in answers:
        assert answer.observation["title"] == titles[answer.record]
        assert answer.url == f"{HOST}/v235/"


def test_volumes_are_asked_for_one_by_one() -> None:
    others = [
        replace(one, volume="202", number=100 + one.number) for one in papers(5, 7, venue="icml")
    ]
    answers, asked = ask(playing(play, [*KNOWN, *others]), *map(query_of, [*KNOWN, *others]))
    assert asked == 2
    assert {answer.outcome for answer in answers} == {"answered"}
    assert {answer.observation["volume"] for answer in answers} == {"202", "235"}


def test_thousands_of_papers_stand_in_one_index() -> None:
    many = papers(3000, venue="icml")
    [answer], asked = ask(playing(play, many), query_of(many[2718]))
    assert (asked, answer.observation["pages"]) == (1, many[2718].pages)


def test_a_paper_that_is_not_in_the_volume() -> None:
    one = replace(KNOWN[0], title="Nothing of the Kind")
    [answer], _ = ask(playing(play, KNOWN), query_of(one))
    assert answer.outcome == "no-such-record"
    assert answer.url == f"{HOST}/v235/"
    assert (answer.observation, answer.silent_on) == ({}, ())


def test_a_volume_that_there_is_not() -> None:
    answers, asked = ask(playing(play, KNOWN), *(query_of(replace(KNOWN[0], volume="99")),) * 2)
    assert [answer.outcome for answer in answers] == ["no-such-record"] * 2
    assert asked == 1
    assert "99" in answers[0].notes[0]


def test_another_paper_of_the_same_title_is_not_taken() -> None:
    query = replace(query_of(KNOWN[0]), authors=("Stone, Al",))
    [answer], _ = ask(playing(play, KNOWN), query)
    assert answer.outcome == "no-such-record"
    assert KNOWN[0].slug in answer.notes[0]


def test_a_paper_whose_year_does_not_fit_cannot_be_told() -> None:
    [answer], _ = ask(playing(play, KNOWN), replace(query_of(KNOWN[0]), year=2019))
    assert answer.outcome == "could-not-ask"
    assert "2019" in answer.reason


def test_an_address_of_another_paper_is_noted() -> None:
    """The observation stands as it is: either the address or the record may be wrong."""
    mine, other = KNOWN[1], KNOWN[2]
    for queries in (
        [query_of(mine, play.address(other))],
        [query_of(mine, play.address(other)), query_of(KNOWN[5])],
    ):
        answers, _ = ask(playing(play, KNOWN), *queries)
        answer = next(one for one in answers if one.record == "paper/p1")
        assert answer.observation["title"] == other.title
        assert answer.notes[0].startswith("identifier belongs to another paper: ")
        assert other.title in answer.notes[0]


def test_a_changed_title_under_an_address_is_no_other_paper() -> None:
    query = replace(query_of(KNOWN[1], play.address(KNOWN[1])), title="A Preprint's Title")
    [answer], _ = ask(playing(play, KNOWN), query)
    assert (answer.outcome, answer.notes) == ("answered", ())


def test_an_address_without_a_page_is_looked_up_in_the_index() -> None:
    query = query_of(KNOWN[1], f"{HOST}/v235/gone24a.html")
    [answer], asked = ask(playing(play, KNOWN), query)
    assert (answer.outcome, asked) == ("answered", 2)
    assert answer.observation["title"] == KNOWN[1].title


def test_other_layouts_are_broken_answers() -> None:
    old = page("<html><body><h2>Volume 27</h2><p>Leaves</p></body></html>")
    [answer], _ = ask(lambda asked: old, replace(query_of(KNOWN[0]), volume="27"))
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith("broken answer: ")


@pytest.mark.parametrize(
    ("played", "why"),
    [
        (page("<html><head><title>404</title></head><body>gateway</body></html>", 404), "broken"),
        (page("<html><body>Forbidden</body></html>", 403), "refused: HTTP 403"),
        (page("<html><body>slow down</body></html>", 429), "throttled"),
        (page("<html><body>oops</body></html>", 502), "server error"),
        (Played(b"", 200, play.HTML), "broken answer: it is empty"),
        (Played(b'{"a": 1}', 200), "broken answer"),
        (page("<html><body>Down for maintenance</body></html>"), "broken answer"),
    ],
)
def test_a_host_that_does_not_answer(played: Played, why: str) -> None:
    for queries in (
        [query_of(KNOWN[0], play.address(KNOWN[0]))],
        [query_of(KNOWN[0]), query_of(KNOWN[1])],
    ):
        answers, _ = ask(lambda asked: played, *queries)
        assert {answer.outcome for answer in answers} == {"could-not-ask"}
        assert all(answer.reason.startswith(why) for answer in answers)


def test_ping() -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, KNOWN))) == ""
    assert SOURCE.ping(client_for(SOURCE, playing(play, ()))) == ""
    assert SOURCE.ping(client_for(SOURCE, in_turn([page(play.NOT_FOUND)] * 9)))
    nothing = Played(b"none\n", kind="text/plain")
    assert (
        SOURCE.ping(client_for(SOURCE, in_turn([nothing]))) == "broken answer: it lists no volume"
    )


def test_it_is_silent_only_on_what_it_speaks_about() -> None:
    spoken = {name for speech in SOURCE.speaks for name in speech.fields}
    for queries in ([query_of(KNOWN[0], play.address(KNOWN[0]))], list(map(query_of, KNOWN))):
        for answer in ask(playing(play, KNOWN), *queries)[0]:
            assert set(answer.silent_on) <= spoken
            assert set(answer.observation) <= spoken | {"series"}
            assert not set(answer.silent_on) & set(answer.observation)
            Observation.model_validate(answer.observation)


def test_the_record_of_the_source_says_the_same(shipped: Path) -> None:
    record = read_yaml(
        (shipped / f"data/sources/{SOURCE.name}.yaml").read_bytes(), "source.yaml"
    ).data
    assert record is not None
    assert [(speech.fields, speech.trust, speech.because) for speech in SOURCE.speaks] == [
        (tuple(own["fields"]), own["trust"], own["because"]) for own in record["speaks_about"]
    ]


# Broken answers of every kind


def _fixed(body: bytes) -> Script:
    return lambda asked: Played(body, kind=play.HTML)


@given(BYTES | st.text(max_size=80).map(str.encode) | st.just(play.NOT_FOUND.encode()))
def test_garbage_is_never_an_absent_paper(body: bytes) -> None:
    for queries in (
        [query_of(KNOWN[0], play.address(KNOWN[0]))],
        [query_of(KNOWN[0]), query_of(KNOWN[1])],
    ):
        answers, _ = ask(_fixed(body), *queries)
        assert {answer.outcome for answer in answers} == {"could-not-ask"}


@given(torn(play.page(KNOWN[0])))
def test_a_torn_page_never_raises(text: str) -> None:
    [answer], _ = ask(_fixed(text.encode()), query_of(KNOWN[0], play.address(KNOWN[0])))
    assert answer.outcome != "no-such-record"
    Observation.model_validate(answer.observation)


INDEX = play.index(KNOWN[:4])


@given(st.integers(1, len(INDEX) - len("</html>\n")))
def test_an_index_that_ends_early_never_lacks_a_paper(end: int) -> None:
    answers, _ = ask(_fixed(INDEX[:end].encode()), *map(query_of, KNOWN[:4]))
    assert "no-such-record" not in {answer.outcome for answer in answers}


TAGS = sorted({match.span() for match in re.finditer(r"<[^<>]*>", INDEX)})


@given(st.sampled_from(TAGS), st.sampled_from(["", "<br>", "<hr>", "<!-- lost -->", "</div>"]))
def test_an_index_without_one_of_its_tags_never_lacks_a_paper(
    tag: tuple[int, int], instead: str
) -> None:
    text = INDEX[: tag[0]] + instead + INDEX[tag[1] :]
    answers, _ = ask(_fixed(text.encode()), *map(query_of, KNOWN[:4]))
    assert "no-such-record" not in {answer.outcome for answer in answers}


@given(torn(INDEX))
def test_a_torn_index_never_raises(text: str) -> None:
    answers, _ = ask(_fixed(text.encode()), *map(query_of, KNOWN[:4]))
    assert len(answers) == 4
    for answer in answers:
        Observation.model_validate(answer.observation)


def seen_by(script: Script) -> tuple[Script, list[Asked]]:
    seen: list[Asked] = []

    def note(asked: Asked) -> Played:
        seen.append(asked)
        return script(asked)

    return note, seen


def test_only_its_own_paths_are_asked_for() -> None:
    script, seen = seen_by(playing(play, KNOWN))
    queries: Sequence[Query] = [query_of(one, play.address(one)) for one in KNOWN[:2]]
    ask(script, *queries)
    ask(script, queries[0])
    assert [asked.path for asked in seen] == ["/v235/", f"/v235/{KNOWN[0].slug}.html"]
    assert {(asked.method, asked.host) for asked in seen} == {("GET", "proceedings.mlr.press")}
