from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from damage import BYTES, torn
from hypothesis import given
from hypothesis import strategies as st
from papers import Paper, papers
from played import Script, client_for, playing
from plays import neurips as play
from plays_interface import Asked, Played

from registry.equality.tracks import compare_tracks
from registry.equality.venues import VenueNames, compare_venue
from registry.records.evidence import Observation
from registry.sources.answers import NoReply
from registry.sources.interface import Answer, Query
from registry.sources.neurips import SOURCE
from registry.sources.printed import Printed
from registry.sources.proceedings_pages import (
    PaperAddress,
    YearList,
    parse_address,
    read_list,
    read_paper_page,
)
from registry.store.reader import read as read_yaml

HOST = "https://proceedings.neurips.cc"
HASH = "0123456789abcdef0123456789abcdef"
KNOWN = papers(20, venue="neurips")
OLD = tuple(
    replace(one, year=2018, published=date(2018, 12, 3), doi="")
    for one in papers(6, 5, venue="neurips")
)


def query_of(paper: Paper, *addresses: str) -> Query:
    return Query(
        f"paper/p{paper.number}",
        title=paper.title,
        authors=tuple(f"{family}, {given}" for given, family in paper.authors),
        year=paper.year,
        venue=paper.venue,
        addresses=addresses,
    )


def address_of(paper: Paper) -> str:
    return HOST + play.path(paper)


def ask(script: Script, *queries: Query) -> tuple[list[Answer], int]:
    client = client_for(SOURCE, script)
    answers = list(SOURCE.ask(queries, client))
    return answers, sum(client.asked.values())


def page(body: str, status: int = 200) -> Played:
    return Played(body.encode(), status, play.HTML)


# Addresses


@pytest.mark.parametrize(
    ("address", "year", "track", "path"),
    [
        (
            f"{HOST}/paper_files/paper/2024/hash/{HASH}-Abstract-Conference.html",
            2024,
            "Conference",
            f"/paper_files/paper/2024/hash/{HASH}-Abstract-Conference.html",
        ),
        (
            f"{HOST}/paper_files/paper/2024/file/{HASH}-Paper-Datasets_and_Benchmarks_Track.pdf",
            2024,
            "Datasets_and_Benchmarks_Track",
            f"/paper_files/paper/2024/hash/{HASH}-Abstract-Datasets_and_Benchmarks_Track.html",
        ),
        (
            f"http://papers.nips.cc/paper/2018/hash/{HASH}-Abstract.html",
            2018,
            "",
            f"/paper/2018/hash/{HASH}-Abstract.html",
        ),
        (
            f"{HOST}/paper/2018/file/{HASH}-Metadata.json",
            2018,
            "",
            f"/paper/2018/hash/{HASH}-Abstract.html",
        ),
    ],
)
def test_an_address_holds_year_hash_and_track(
    address: str, year: int, track: str, path: str
) -> None:
    found = parse_address(address, (SOURCE.host, *SOURCE.mirrors))
    assert found == PaperAddress(year, HASH, track, path)


@pytest.mark.parametrize(
    "address",
    [
        f"{HOST}/paper_files/paper/2024",
        f"{HOST}/paper_files/paper/2024/hash/{HASH[:-1]}-Abstract-Conference.html",
        f"https://proceedings.mlsys.org/paper_files/paper/2024/hash/{HASH}-Abstract-Conference.html",
        f"https://proceedings.neurips.cc.example/paper/2018/hash/{HASH}-Abstract.html",
        "https://papers.nips.cc/paper/7181-leaves-of-a-tree",
        "",
    ],
)
def test_other_addresses_lead_to_no_paper(address: str) -> None:
    assert parse_address(address, (SOURCE.host, *SOURCE.mirrors)) is None


@pytest.mark.parametrize(
    ("query", "can"),
    [
        (Query("paper/a", addresses=(f"{HOST}/paper/2018/hash/{HASH}-Abstract.html",)), True),
        (query_of(KNOWN[0]), True),
        (replace(query_of(KNOWN[0]), year=None), False),
        (replace(query_of(KNOWN[0]), title=""), False),
        (replace(query_of(KNOWN[0]), authors=()), False),
        (replace(query_of(KNOWN[0]), venue="icml"), False),
        (replace(query_of(KNOWN[0]), venue=""), False),
    ],
)
def test_what_must_be_known_to_ask(query: Query, can: bool) -> None:
    assert SOURCE.can_ask(query) is can
    if not can:
        [answer], asked = ask(playing(play, KNOWN), query)
        assert (answer.outcome, asked) == ("could-not-ask", 0)


# The page of a paper


AT = PaperAddress(2024, HASH, "Conference", "/x")
FIELDS = ("title", "authors", "venue", "venue_track", "year", "volume", "doi", "published")


def tagged(*tags: tuple[str, str]) -> str:
    metas = "".join(f'<meta name="citation_{name}" content="{value}"/>' for name, value in tags)
    return f"<!doctype html><html><head>{metas}</head><body></body></html>"


BASIC = (
    ("title", "Leaves &amp; Trees"),
    ("author", "Moss, Ida"),
    ("author", "Garc&iacute;a M&aacute;rquez, Juan"),
    ("author", "Mausam, "),
    ("journal_title", "Advances in Neural Information Processing Systems"),
    ("volume", "37"),
    ("pdf_url", f"{HOST}/paper_files/paper/2024/file/{HASH}-Paper-Conference.pdf"),
    ("publication_date", "2024-12-16"),
    ("doi", "10.52202/079017-9999"),
)


def paper(*tags: tuple[str, str], at: PaperAddress = AT) -> Printed:
    found = read_paper_page(tagged(*tags), at, FIELDS)
    assert isinstance(found, Printed)
    Observation.model_validate(found.observation)
    return found


def test_a_page_of_today() -> None:
    found = paper(*BASIC)
    assert found.observation == {
        "title": "Leaves & Trees",
        "authors": ["Moss, Ida", "García Márquez, Juan", "Mausam"],
        "venue": "Advances in Neural Information Processing Systems",
        "venue_track": "Conference",
        "year": 2024,
        "volume": "37",
        "doi": "10.52202/079017-9999",
        "published": "2024-12-16",
    }
    assert found.silent_on == ()


def test_a_page_of_2018() -> None:
    tags = [tag for tag in BASIC if tag[0] not in ("doi", "pdf_url", "publication_date")]
    found = paper(*tags, ("publication_date", "2018"), at=PaperAddress(2018, HASH, "", "/x"))
    assert found.observation["year"] == 2018
    # The address of an earlier year names no track, and the page neither day nor DOI.
    assert found.silent_on == ("venue_track", "doi", "published")


def test_the_year_is_that_of_the_conference() -> None:
    late = paper(*BASIC[:7], ("publication_date", "2025-01-20")).observation
    assert (late["year"], late["published"]) == (2024, "2025-01-20")


def test_pages_are_taken_where_they_stand_and_not_missed_elsewhere() -> None:
    found = paper(*BASIC, ("firstpage", "101"), ("lastpage", "128")).observation
    assert found["pages"] == "101-128"
    [answer], _ = ask(playing(play, KNOWN), query_of(KNOWN[0], address_of(KNOWN[0])))
    assert "pages" not in answer.silent_on


@pytest.mark.parametrize(
    "text",
    [
        "<html><body>Down for maintenance</body></html>",
        tagged(("title", "Leaves")),
        tagged(("author", "Moss, Ida")),
        tagged(*BASIC[:6], ("pdf_url", f"{HOST}/file/{HASH[::-1]}-Paper-Conference.pdf")),
    ],
)
def test_a_page_of_something_else_is_a_broken_answer(text: str) -> None:
    found = read_paper_page(text, AT, FIELDS)
    assert isinstance(found, NoReply)
    assert found.why == "broken answer"


# The list of a year


TODAY = """<li class="conference" data-track="conference">
 <div class="paper-content">
  <a title="paper title" href="/paper_files/paper/2024/hash/{hash}-Abstract-{track}.html">
   {title}
  </a>
  <span class="paper-authors">{authors}</span>
 </div>
 <span class="paper-track-badge">Main Conference Track</span>
</li>
"""
EARLIER = (
    '<li class="none"><a title="paper title" href="/paper_files/paper/2018/hash/{hash}-Abstract'
    '.html">{title}</a> <i>{authors}</i></li>\n'
)
LIST = """<!doctype html><html><body><h4>{heading}</h4><ul class="paper-list">
{rows}</ul></body></html>
"""
BOOK = "Advances in Neural Information Processing Systems"


def row_of(form: str = TODAY, **parts: str) -> str:
    given = {
        "hash": HASH,
        "track": "Conference",
        "title": "Leaves of a Tree",
        "authors": "Ida Moss, Juan Garc&iacute;a M&aacute;rquez",
    }
    return form.format(**(given | parts))


def list_of(*rows: str, heading: str = f"{BOOK} 37 (NeurIPS 2024)") -> str:
    return LIST.format(heading=heading, rows="".join(rows))


def read(text: str, year: int = 2024) -> YearList:
    found = read_list(text, year, BOOK)
    assert isinstance(found, YearList)
    return found


def listed(text: str, year: int = 2024) -> Printed:
    found = read(text, year).shelf.find(Query("paper/a"), HASH)
    assert isinstance(found, Printed)
    Observation.model_validate(found.observation)
    return found


def test_a_row_of_today() -> None:
    found = listed(list_of(row_of(track="Datasets_and_Benchmarks_Track")))
    assert found.observation == {
        "title": "Leaves of a Tree",
        "authors": ["Ida Moss", "Juan García Márquez"],
        "venue": BOOK,
        "venue_track": "Datasets_and_Benchmarks_Track",
        "year": 2024,
        "volume": "37",
    }
    assert found.silent_on == ()


def test_a_row_of_2018() -> None:
    found = listed(list_of(row_of(EARLIER), heading=f"{BOOK} 31 (NeurIPS 2018)"), 2018)
    assert found.observation["authors"] == ["Ida Moss", "Juan García Márquez"]
    assert (found.observation["year"], found.observation["volume"]) == (2018, "31")
    assert found.silent_on == ("venue_track",)


@pytest.mark.parametrize(
    ("token", "recorded", "outcome"),
    [
        ("Conference", "main", "same"),
        ("Datasets_and_Benchmarks_Track", "datasets-and-benchmarks", "same"),
        ("Datasets_and_Benchmarks", "datasets-and-benchmarks", "same"),
        ("Position_Paper_Track", "main", "different"),
        ("Datasets_and_Benchmarks_Track", "main", "different"),
        ("Conference", "datasets-and-benchmarks", "different"),
    ],
)
def test_the_end_of_an_address_is_a_track(token: str, recorded: str, outcome: str) -> None:
    seen = listed(list_of(row_of(track=token))).observation["venue_track"]
    assert compare_tracks(recorded, seen).outcome == outcome


def test_the_title_of_the_proceedings_is_the_conference() -> None:
    names = VenueNames(
        [
            {
                "id": "neurips",
                "name": "Conference on Neural Information Processing Systems",
                "short_name": "NeurIPS",
                "type": "conference",
                "aliases": ["Advances in Neural Information Processing Systems"],
            }
        ]
    )
    seen = listed(list_of(row_of())).observation
    found = compare_venue("neurips", 2024, seen["venue"], volume=seen["volume"], names=names)
    assert found.outcome == "same"


def test_a_list_of_volumes() -> None:
    link = '<a href="/paper_files/paper/2025/vol38-main-conference">Main Conference</a>'
    other = '<a href="/paper_files/paper/2024/vol37-main-conference">2024</a>'
    found = read(LIST.format(heading="x", rows=link + other + link), 2025)
    assert found.parts == ("/paper_files/paper/2025/vol38-main-conference",)


@pytest.mark.parametrize(
    "text",
    [
        "<html><body>Down for maintenance</body></html>",
        LIST.format(heading="NeurIPS 2024", rows=""),
        list_of(row_of(EARLIER)),
        "<",
    ],
)
def test_another_layout_is_a_broken_answer(text: str) -> None:
    found = read_list(text, 2024, BOOK)
    assert isinstance(found, NoReply)
    assert found.why == "broken answer"


@pytest.mark.parametrize(
    ("lost", "instead"),
    [
        ("</html>", ""),
        (HASH, HASH[1:]),
        ("Leaves of a Tree", ""),
        ("-Abstract-", "-"),
        ("<li", "<p"),
        ("paper-list", "list"),
    ],
)
def test_a_list_with_a_piece_missing_is_not_whole(lost: str, instead: str) -> None:
    text = list_of(row_of(), row_of(hash=HASH[::-1], title="Roots"))
    assert read(text).whole
    assert not read(text.replace(lost, instead, 1)).whole


# Asking


def test_a_known_address_costs_the_page() -> None:
    one = KNOWN[3]
    [answer], asked = ask(playing(play, KNOWN), query_of(one, address_of(one)))
    assert asked == 1
    assert (answer.outcome, answer.source, answer.notes) == ("answered", "neurips", ())
    assert answer.url == address_of(one)
    assert re.fullmatch(r"[0-9a-f]{64}", answer.sha256)
    assert one.slug in answer.locator
    seen = answer.observation
    assert (seen["title"], seen["doi"], seen["year"]) == (one.title, one.doi, 2024)
    assert seen["authors"] == [f"{family}, {given}" for given, family in one.authors]
    assert seen["venue_track"] == play.track(one)


def test_papers_without_an_address_cost_the_list_once_and_their_pages() -> None:
    answers, asked = ask(playing(play, KNOWN), *map(query_of, reversed(KNOWN)))
    assert asked == 1 + len(KNOWN)
    truth = {f"paper/p{one.number}": one for one in KNOWN}
    assert len(answers) == len(KNOWN)
    for answer in answers:
        one = truth[answer.record]
        assert (answer.observation["title"], answer.observation["doi"]) == (one.title, one.doi)
        assert answer.observation["venue_track"] == play.track(one)


def test_years_are_asked_for_one_by_one() -> None:
    old = [replace(one, number=100 + one.number) for one in OLD]
    answers, asked = ask(playing(play, [*KNOWN[:3], *old]), *map(query_of, [*KNOWN[:3], *old]))
    assert asked == 2 + 9
    assert {answer.outcome for answer in answers} == {"answered"}
    assert {answer.observation["volume"] for answer in answers} == {"31", "37"}


def test_an_address_of_2018_on_the_old_host() -> None:
    one = OLD[0]
    where = f"http://papers.nips.cc/paper/2018/hash/{one.slug}-Abstract.html"
    [answer], asked = ask(playing(play, OLD), query_of(one, where))
    assert asked == 1
    assert answer.url == f"{HOST}/paper/2018/hash/{one.slug}-Abstract.html"
    assert answer.observation["year"] == 2018
    assert answer.silent_on == ("venue_track", "doi", "published")


def volumes_of_2025(known: Sequence[Paper]) -> Script:
    """From 2025 on the list of a year holds one small track and links to the main volume."""

    def answer(asked: Asked) -> Played:
        if asked.path == "/paper_files/paper/2025":
            link = '<a href="/paper_files/paper/2025/vol38-main-conference">Main</a>'
            text = play.SITE.list(known[:1]).replace(
                '<ul class="paper-list">', f'<ul class="paper-list">{link}'
            )
            return page(text)
        if asked.path == "/paper_files/paper/2025/vol38-main-conference":
            return page(play.SITE.list(known[1:]))
        return play.answer(asked, known)

    return answer


def test_a_year_of_several_volumes() -> None:
    known = [replace(one, year=2025) for one in KNOWN]
    [first], asked = ask(volumes_of_2025(known), query_of(known[0]))
    assert (first.outcome, asked) == ("answered", 2)
    [second], asked = ask(volumes_of_2025(known), query_of(known[5]))
    assert (second.outcome, asked) == ("answered", 3)
    assert second.observation["title"] == known[5].title
    [neither], asked = ask(volumes_of_2025(known), replace(query_of(known[5]), title="Nothing"))
    assert (neither.outcome, asked) == ("no-such-record", 2)


def test_a_volume_that_does_not_answer_hides_what_is_absent() -> None:
    known = [replace(one, year=2025) for one in KNOWN]
    script = volumes_of_2025(known)

    def answer(asked: Asked) -> Played:
        return page("<html>oops</html>", 500) if "vol38" in asked.path else script(asked)

    answers, _ = ask(answer, query_of(known[0]), query_of(known[5]))
    assert [one.outcome for one in answers] == ["answered", "could-not-ask"]
    assert answers[1].reason.startswith("server error")


def test_a_paper_that_is_not_in_the_list() -> None:
    [answer], asked = ask(playing(play, KNOWN), replace(query_of(KNOWN[0]), title="Nothing"))
    assert (answer.outcome, asked) == ("no-such-record", 1)
    assert answer.url == f"{HOST}/paper_files/paper/2024"


def test_a_title_only_proposes() -> None:
    stranger = replace(query_of(KNOWN[0]), authors=("Stone, Al",))
    [answer], _ = ask(playing(play, KNOWN), stranger)
    assert answer.outcome == "no-such-record"
    assert KNOWN[0].slug in answer.notes[0]


def test_a_year_without_a_list_says_nothing_of_the_paper() -> None:
    [answer], _ = ask(playing(play, KNOWN), replace(query_of(KNOWN[0]), year=2031))
    assert (answer.outcome, answer.reason) == ("could-not-ask", "refused: HTTP 404")


def test_an_address_without_a_page_is_looked_up_in_the_list() -> None:
    gone = f"{HOST}/paper_files/paper/2024/hash/{HASH}-Abstract-Conference.html"
    [answer], asked = ask(playing(play, KNOWN), query_of(KNOWN[0], gone))
    assert (answer.outcome, asked) == ("answered", 3)
    [absent], _ = ask(playing(play, KNOWN), Query("paper/a", title="Nothing", addresses=(gone,)))
    assert absent.outcome == "no-such-record"


def test_a_row_stands_in_for_a_page_that_cannot_be_read() -> None:
    def answer(asked: Asked) -> Played:
        if "/hash/" in asked.path:
            return page("<html>oops</html>", 500)
        return play.answer(asked, KNOWN)

    [found], _ = ask(answer, query_of(KNOWN[0]))
    assert (found.outcome, found.url) == ("answered", f"{HOST}/paper_files/paper/2024")
    assert found.observation["title"] == KNOWN[0].title
    assert "doi" not in found.observation
    assert "doi" not in found.silent_on
    assert found.notes[0].startswith("without the paper's own page: server error")


def test_an_address_of_another_paper_is_noted() -> None:
    [answer], _ = ask(playing(play, KNOWN), query_of(KNOWN[1], address_of(KNOWN[2])))
    assert answer.observation["title"] == KNOWN[2].title
    assert answer.notes[0].startswith("identifier belongs to another paper: ")


@pytest.mark.parametrize(
    ("played", "why"),
    [
        (page("<html><body>Forbidden</body></html>", 403), "refused: HTTP 403"),
        (page("<html><body>Not here</body></html>", 404), "refused: HTTP 404"),
        (page("<html><body>slow down</body></html>", 429), "throttled"),
        (page("<html><body>oops</body></html>", 502), "server error"),
        (Played(b"", 200, play.HTML), "broken answer: it is empty"),
        (page("<html><body>Down for maintenance</body></html>"), "broken answer"),
    ],
)
def test_a_host_that_does_not_answer(played: Played, why: str) -> None:
    queries = [query_of(KNOWN[0], address_of(KNOWN[0])), query_of(KNOWN[1])]
    answers, _ = ask(lambda asked: played, *queries)
    assert len(answers) == 2
    assert {answer.outcome for answer in answers} == {"could-not-ask"}
    assert all(answer.reason.startswith(why) for answer in answers)


def test_ping() -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, KNOWN))) == ""
    nothing = page("<html><body>Welcome</body></html>")
    assert SOURCE.ping(client_for(SOURCE, lambda asked: nothing)).startswith("broken answer")
    forbidden = page("<html><body>no</body></html>", 403)
    assert SOURCE.ping(client_for(SOURCE, lambda asked: forbidden)) == "refused: HTTP 403"


def test_it_is_silent_only_on_what_it_speaks_about() -> None:
    spoken = {name for speech in SOURCE.speaks for name in speech.fields}
    for known in (KNOWN, OLD):
        for answer in ask(playing(play, known), *map(query_of, known))[0]:
            assert set(answer.observation) <= spoken
            assert set(answer.silent_on) <= spoken - set(answer.observation)
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


@given(BYTES | st.text(max_size=80).map(str.encode))
def test_garbage_is_never_an_absent_paper(body: bytes) -> None:
    queries = [query_of(KNOWN[0], address_of(KNOWN[0])), query_of(KNOWN[1])]
    answers, _ = ask(_fixed(body), *queries)
    assert {answer.outcome for answer in answers} == {"could-not-ask"}


@given(torn(play.SITE.page(KNOWN[0])))
def test_a_torn_page_never_raises(text: str) -> None:
    [answer], _ = ask(_fixed(text.encode()), query_of(KNOWN[0], address_of(KNOWN[0])))
    assert answer.outcome != "no-such-record"
    Observation.model_validate(answer.observation)


YEAR = play.SITE.list(KNOWN[:4])


@given(st.integers(1, len(YEAR) - len("</html>\n")))
def test_a_list_that_ends_early_never_lacks_a_paper(end: int) -> None:
    answers, _ = ask(_fixed(YEAR[:end].encode()), *map(query_of, KNOWN[:4]))
    assert "no-such-record" not in {answer.outcome for answer in answers}


TAGS = sorted({match.span() for match in re.finditer(r"<[^<>]*>", YEAR)})


@given(st.sampled_from(TAGS), st.sampled_from(["", "<br>", "<hr>", "<!-- lost -->", "</div>"]))
def test_a_list_without_one_of_its_tags_never_lacks_a_paper(
    tag: tuple[int, int], instead: str
) -> None:
    text = YEAR[: tag[0]] + instead + YEAR[tag[1] :]
    answers, _ = ask(_fixed(text.encode()), *map(query_of, KNOWN[:4]))
    assert "no-such-record" not in {answer.outcome for answer in answers}


@given(torn(YEAR))
def test_a_torn_list_never_raises(text: str) -> None:
    answers, _ = ask(_fixed(text.encode()), *map(query_of, KNOWN[:4]))
    assert len(answers) == 4
    for answer in answers:
        Observation.model_validate(answer.observation)
