from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from damage import torn
from hypothesis import given
from hypothesis import strategies as st
from papers import Paper, papers
from played import Script, client_for, playing
from plays import acl_anthology as play
from plays_interface import Asked, Played

from registry.equality.names import compare_author_lists
from registry.equality.titles import compare_titles
from registry.equality.tracks import compare_tracks
from registry.equality.venues import VenueNames, compare_venue
from registry.records.evidence import Observation
from registry.sources.acl_anthology import SOURCE, paper_of
from registry.sources.acl_anthology_xml import PaperReading, anthology_id, read_mods, read_paper
from registry.sources.interface import Answer, Query
from registry.sources.shapes import UnexpectedShapeError

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "acl_anthology"
ID = "2023.emnlp-main.77"

MODS = """<?xml version="1.0" encoding="UTF-8"?>
<modsCollection xmlns="http://www.loc.gov/mods/v3">
<mods ID="holm-etal-2023-leaves">
    <titleInfo><title>Leaves &amp; Trees: Drafting with k&lt;4 Branches</title></titleInfo>
    <name type="personal">
        <namePart type="given">Mia</namePart><namePart type="given">J</namePart>
        <namePart type="family">Holm</namePart>
        <role><roleTerm authority="marcrelator" type="text">author</roleTerm></role>
    </name>
    <name type="personal">
        <namePart type="given">José</namePart><namePart type="family">de la Cruz</namePart>
        <role><roleTerm authority="marcrelator" type="text">author</roleTerm></role>
    </name>
    <name type="corporate">
        <namePart>The Orchard Team</namePart>
        <role><roleTerm authority="marcrelator" type="text">author</roleTerm></role>
    </name>
    <name type="personal">
        <namePart type="given">Edda</namePart><namePart type="family">Editor</namePart>
        <role><roleTerm authority="marcrelator" type="text">editor</roleTerm></role>
    </name>
    <originInfo><dateIssued>2023-12</dateIssued></originInfo>
    <relatedItem type="host">
        <titleInfo>
            <title>Proceedings of the 2023 Conference on Empirical Methods in Natural Language
                Processing</title>
        </titleInfo>
    </relatedItem>
    <identifier type="citekey">holm-etal-2023-leaves</identifier>
    <identifier type="doi">10.18653/v1/2023.emnlp-main.77</identifier>
    <location><url>https://aclanthology.org/2023.emnlp-main.77/</url></location>
    <part>
        <date>2023-12</date>
        <extent unit="page"><start>1201</start><end>1214</end></extent>
    </part>
</mods>
</modsCollection>
"""

PAPER = """
    <paper id="77">
      <title><fixed-case>LEAF</fixed-case>: Drafting &amp; Checking
        in <tex-math>O(n)</tex-math></title>
      <author><first>Mia J.</first><last>Holm</last></author>
      <author><first>José</first><last>de la Cruz</last>
        <affiliation>Orchard University</affiliation></author>
      <author><first/><last>The Orchard Team</last></author>
      <pages>1201–1214</pages>
      <abstract>It is **fast**.</abstract>
      <url hash="0a1b2c3d">2023.emnlp-main.77</url>
      <bibkey>holm-etal-2023-leaves</bibkey>
      <doi>10.18653/v1/2023.emnlp-main.77</doi>
    </paper>
"""


def mods(text: str) -> PaperReading:
    return read_mods(ElementTree.fromstring(text))


def query_of(paper: Paper) -> Query:
    return Query(
        f"paper/p{paper.number}",
        title=paper.title,
        authors=tuple(f"{family}, {given}" for given, family in paper.authors),
        year=paper.year,
        doi=paper.doi,
    )


def asked_of(script: Script, queries: Sequence[Query]) -> tuple[list[Answer], dict[str, int]]:
    client = client_for(SOURCE, script)
    return list(SOURCE.ask(queries, client)), client.asked


ONE = Query("paper/leaf", doi=f"10.18653/v1/{ID}")


# Identifiers


@pytest.mark.parametrize(
    ("text", "paper"),
    [
        ("10.18653/v1/2024.emnlp-main.422", "2024.emnlp-main.422"),
        ("https://doi.org/10.18653/V1/2024.EMNLP-MAIN.422", "2024.emnlp-main.422"),
        ("doi:10.18653/v1/p18-1023", "P18-1023"),
        ("https://aclanthology.org/2024.emnlp-main.422/", "2024.emnlp-main.422"),
        ("https://aclanthology.org/2024.emnlp-main.422", "2024.emnlp-main.422"),
        ("https://aclanthology.org/2024.emnlp-main.422.pdf", "2024.emnlp-main.422"),
        ("https://aclanthology.org/2024.emnlp-main.422v2.pdf", "2024.emnlp-main.422"),
        ("http://www.aclanthology.org/2024.findings-acl.7.bib", "2024.findings-acl.7"),
        ("https://www.aclweb.org/anthology/P18-1023/", "P18-1023"),
        ("https://aclanthology.org/2024.emnlp-main.422/#abstract", "2024.emnlp-main.422"),
        ("2020.nlp4convai-1.3", "2020.nlp4convai-1.3"),
        ("10.1162/tacl_a_00300", ""),
        ("10.48550/arXiv.2401.15077", ""),
        ("https://aclanthology.org/volumes/2024.emnlp-main/", ""),
        ("https://example.org/2024.emnlp-main.422/", ""),
        ("https://aclanthology.org/people/mia-holm/", ""),
        ("2024.emnlp-main", ""),
        ("2024.emnlp-main.422/../x", ""),
        ("", ""),
    ],
)
def test_ids_are_found_in_dois_and_addresses(text: str, paper: str) -> None:
    assert anthology_id(text) == paper


def test_the_doi_goes_before_what_evidence_points_to() -> None:
    page, other = "https://aclanthology.org/2023.acl-long.1/", "https://aclanthology.org/P18-1001"
    assert paper_of(replace(ONE, addresses=(page,))) == ID
    unpublished = Query("paper/a", doi="10.48550/arXiv.2401.00001")
    assert paper_of(replace(unpublished, addresses=("https://x.example", page))) == (
        "2023.acl-long.1"
    )
    assert paper_of(replace(unpublished, addresses=(page, f"{page[:-1]}.pdf"))) == "2023.acl-long.1"
    assert paper_of(replace(unpublished, addresses=(page, other))) == ""
    # A bare id among addresses may mean anything.
    assert paper_of(replace(unpublished, addresses=("P18-1001",))) == ""
    assert not SOURCE.can_ask(unpublished)


# The export of one paper


def test_an_export_is_read() -> None:
    reading = mods(MODS)
    assert reading.id == ID
    assert reading.observation == {
        "title": "Leaves & Trees: Drafting with k<4 Branches",
        "authors": ["Holm, Mia J", "de la Cruz, José", "{The Orchard Team}"],
        "venue": "Proceedings of the 2023 Conference on Empirical Methods in Natural Language "
        "Processing",
        "venue_track": "2023.emnlp-main",
        "year": 2023,
        "pages": "1201-1214",
        "doi": "10.18653/v1/2023.emnlp-main.77",
    }
    assert reading.silent_on == ()
    assert (reading.status, reading.notes) == ("active", ())


def test_editors_are_no_authors_and_particles_stay_with_the_family() -> None:
    recorded = [
        {"given": "Mia J.", "family": "Holm"},
        {"given": "José", "particle": "de la", "family": "Cruz"},
        {"literal": "The Orchard Team"},
    ]
    assert compare_author_lists(recorded, mods(MODS).observation["authors"]).outcome == "same"


@pytest.mark.parametrize(
    ("volume", "track"),
    [
        ("2024.emnlp-main", "main"),
        ("2024.naacl-long", "main"),
        ("2023.acl-short", "main"),
        ("2024.findings-emnlp", "findings"),
        ("2024.findings-acl", "findings"),
        ("2024.acl-srw", "workshop"),
        ("2024.acl-demos", "demo"),
        ("2024.emnlp-industry", "industry"),
    ],
)
def test_the_volume_names_the_track(volume: str, track: str) -> None:
    observed = mods(MODS.replace("2023.emnlp-main", volume)).observation
    assert observed["venue_track"] == volume
    assert compare_tracks(track, observed["venue_track"]).outcome == "same"
    other = "main" if track != "main" else "findings"
    assert compare_tracks(other, observed["venue_track"]).outcome == "different"


def test_a_workshop_is_told_by_the_title_of_its_volume() -> None:
    held = "Proceedings of the Third Workshop on Orchards (at ACL 2023)"
    start = MODS.index("Proceedings of the 2023")
    end = MODS.index("</title>", start)
    text = (MODS[:start] + held + MODS[end:]).replace(ID, "2023.orchards-1.4")
    observed = mods(text).observation
    assert observed["venue"] == held
    result = compare_tracks("main", observed["venue_track"], volume_title=observed["venue"])
    assert (result.outcome, result.kind) == ("different", "track")
    acl = {"id": "acl", "name": "Annual Meeting of the Orchards", "short_name": "ACL"}
    names = VenueNames([{**acl, "type": "conference"}])
    assert compare_venue("acl", 2023, observed["venue"], names=names).kind == "workshop"


def test_ids_of_before_2020_name_no_track() -> None:
    reading = mods(MODS.replace(ID, "P18-1023").replace("2023-12", "2018-07"))
    assert reading.id == "P18-1023"
    assert reading.observation["year"] == 2018
    assert reading.silent_on == ("venue_track",)


def without(text: str, *parts: tuple[str, str]) -> str:
    for start, end in parts:
        first = text.index(start)
        text = text[:first] + text[text.index(end, first) + len(end) :]
    return text


def test_what_is_not_there_is_silence_and_never_the_text_none() -> None:
    text = without(
        MODS,
        ("<titleInfo><title>", "</titleInfo>"),
        ("<originInfo>", "</originInfo>"),
        ("<relatedItem", "</relatedItem>"),
        ('<identifier type="doi">', "</identifier>"),
        ("<part>", "</part>"),
    )
    reading = mods(text)
    assert set(reading.observation) == {"authors", "venue_track"}
    assert set(reading.silent_on) == {"title", "venue", "year", "pages", "doi"}


def test_the_year_may_stand_with_the_pages_only() -> None:
    text = without(MODS, ("<originInfo>", "</originInfo>"))
    assert mods(text).observation["year"] == 2023


def test_a_suffix_and_a_comma_keep_their_places() -> None:
    family = '<namePart type="family">de la Cruz</namePart>'
    suffix = MODS.replace(family, f'{family}<namePart type="suffix">Jr.</namePart>')
    assert mods(suffix).observation["authors"][1] == "de la Cruz, Jr., José"
    comma = MODS.replace(family, '<namePart type="family">Cruz, Jr.</namePart>')
    assert mods(comma).observation["authors"][1] == "{Cruz, Jr.}, José"


def test_a_series_is_not_the_host() -> None:
    series = '<relatedItem type="series"><titleInfo><title>S</title></titleInfo></relatedItem>'
    text = MODS.replace('<relatedItem type="host">', f'{series}<relatedItem type="host">')
    assert mods(text).observation["venue"].startswith("Proceedings of the 2023")


@pytest.mark.parametrize("page", ["<start>1201</start>", "<start>1201</start><end/>"])
def test_a_single_page_has_no_dash(page: str) -> None:
    text = MODS.replace("<start>1201</start><end>1214</end>", page)
    assert mods(text).observation["pages"] == "1201"


@pytest.mark.parametrize(
    "text",
    [
        "<modsCollection xmlns='http://www.loc.gov/mods/v3'/>",
        "<html xmlns='http://www.w3.org/1999/xhtml'><body/></html>",
        "<paper id='7'><title>T</title></paper>",
        MODS.replace("</modsCollection>", "<mods/></modsCollection>"),
        MODS.replace(ID, "somewhere else"),
        MODS.replace('<namePart type="family">de la Cruz</namePart>', "").replace(
            '<namePart type="given">José</namePart>', ""
        ),
    ],
)
def test_what_is_not_the_export_of_one_paper_is_broken(text: str) -> None:
    with pytest.raises(UnexpectedShapeError):
        mods(text)


# The paper's element in the Anthology's data


def test_an_element_of_the_older_form_is_read() -> None:
    reading = read_paper(PAPER)
    assert reading.id == ID
    title = "<fixed-case>LEAF</fixed-case>: Drafting &amp; Checking in <tex-math>O(n)</tex-math>"
    assert reading.observation == {
        "title": title,
        "authors": ["Holm, Mia J.", "de la Cruz, José", "{The Orchard Team}"],
        "affiliations": [{"author": 2, "printed": "Orchard University", "origin": "profile"}],
        "venue_track": "2023.emnlp-main",
        "year": 2023,
        "pages": "1201–1214",
        "doi": "10.18653/v1/2023.emnlp-main.77",
    }
    assert (reading.silent_on, reading.status, reading.notes) == ((), "active", ())
    Observation.model_validate(reading.observation)
    plain = "LEAF: Drafting & Checking in O(n)"
    assert compare_titles(plain, title, same_work=True).outcome == "same"


NEW_PAPER = """<paper id="7">
  <!-- https://aclanthology.org/2025.acl-short.7/ -->
  <title>Leaves</title>
  <author id="ao-sun" openreview="~Sun_Ao2"><first>Ao</first><last>Sun</last></author>
  <pdf hash="0a1b2c3d"/>
  <bibkey>sun-2025-leaves</bibkey>
</paper>"""


def test_an_element_of_the_newer_form_names_its_paper_in_a_comment() -> None:
    reading = read_paper(NEW_PAPER)
    assert reading.id == "2025.acl-short.7"
    assert reading.observation == {
        "title": "Leaves",
        # The order of given and family name is that of the element, not that of the profile's id.
        "authors": ["Sun, Ao"],
        "venue_track": "2025.acl-short",
        "year": 2025,
    }
    assert reading.silent_on == ("affiliations", "pages", "doi")


def test_a_retraction_is_told() -> None:
    mark = '<retracted date="2024-05-06">Meant for\n another track.</retracted>'
    reading = read_paper(PAPER.replace("</paper>", f"{mark}</paper>"))
    assert reading.status == "retracted"
    assert reading.notes == ("retracted (2024-05-06): Meant for another track.",)


def test_a_removal_is_a_withdrawal() -> None:
    reading = read_paper(PAPER.replace("</paper>", '<removed date="2024-05-06"/></paper>'))
    assert (reading.status, reading.notes) == ("withdrawn", ("removed (2024-05-06)",))


def test_an_erratum_or_a_revision_is_no_retraction() -> None:
    mark = (
        '<erratum id="1" hash="0a">2023.emnlp-main.77e1</erratum>'
        '<revision id="2" href="2023.emnlp-main.77v2" date="2024-01-03">Table 2.</revision>'
    )
    reading = read_paper(PAPER.replace("</paper>", f"{mark}</paper>"))
    assert reading.status == "active"
    assert reading.notes == ("erratum 1: 2023.emnlp-main.77e1", "revision 2 (2024-01-03): Table 2.")


def test_a_retraction_notice_is_not_the_paper() -> None:
    title = "<title>Retraction: Leaves</title>"
    reading = read_paper(NEW_PAPER.replace("<title>Leaves</title>", title))
    assert reading.status == "active"
    assert "not the paper" in reading.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "paper",
        "<paper>",
        "<volume><paper/></volume>",
        "<paper id='7'><title>No id of the collection</title></paper>",
        f"<!DOCTYPE paper>{NEW_PAPER}",
        f"<!DOCTYPE paper [<!ENTITY a 'b'>]>{NEW_PAPER}".replace("Leaves", "&a;"),
        PAPER.replace("<first/><last>The Orchard Team</last>", "<first/><last/>"),
    ],
)
def test_what_is_not_a_paper_element_is_refused(text: str) -> None:
    with pytest.raises(UnexpectedShapeError):
        read_paper(text)


# Asking


def test_a_hundred_papers_cost_one_request_each() -> None:
    known = (*papers(50, venue="acl"), *papers(50, venue="findings"))
    named = [replace(query_of(p), record=f"paper/{p.venue}{p.number}") for p in known]
    answers, asked = asked_of(playing(play, known), named)
    assert asked == {"aclanthology.org": 100}
    for query, paper, answer in zip(named, known, answers, strict=True):
        assert (answer.record, answer.outcome) == (query.record, "answered")
        assert answer.observation == {
            "title": paper.title,
            "authors": [f"{family}, {given}" for given, family in paper.authors],
            "venue": play.HOST_TITLES[paper.venue],
            "venue_track": paper.acl_id.rpartition(".")[0],
            "year": 2024,
            "pages": paper.pages,
            "doi": paper.doi,
        }
        assert answer.notes == ()
        assert answer.locator == f"MODS export of {paper.acl_id}"
        assert answer.url == f"https://aclanthology.org/{paper.acl_id}.xml"
        assert len(answer.sha256) == 64
        Observation.model_validate(answer.observation)


def test_an_unknown_paper_is_no_such_record() -> None:
    known = papers(2, venue="acl")
    [answer], asked = asked_of(playing(play, known[:1]), [query_of(known[1])])
    assert (answer.outcome, answer.reason) == ("no-such-record", "")
    assert answer.observation == {}
    assert asked == {"aclanthology.org": 1}


@pytest.mark.parametrize(
    "page",
    [
        Played(b"<html><title>404 Not Found</title><hr>nginx</html>", 404, "text/html"),
        Played(b"not found", 404, "text/plain"),
        Played(b"ACL Anthology", 404, "text/plain"),
        Played(b"", 404),
    ],
)
def test_a_404_of_anybody_else_is_no_absence(page: Played) -> None:
    [answer], _ = asked_of(lambda _: page, [ONE])
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith("broken answer")


@pytest.mark.parametrize(
    ("played", "why"),
    [
        (Played(play.NOT_FOUND, 200, "text/html"), "broken answer: a web page came where xml"),
        (Played(MODS[:900].encode()), "broken answer"),
        (Played(b"<modsCollection/>"), "broken answer: it describes 0 papers"),
        (
            Played(MODS.replace(ID, "2023.emnlp-main.78").encode()),
            f"broken answer: it describes 2023.emnlp-main.78 in place of {ID}",
        ),
        (Played(play.NOT_FOUND, 403, "text/html"), "refused: HTTP 403"),
        (Played(b"busy", 429, "text/plain"), "throttled: HTTP 429"),
        (Played(b"oops", 503, "text/plain"), "server error: HTTP 503"),
    ],
)
def test_no_answer_is_no_verdict(played: Played, why: str) -> None:
    [answer], _ = asked_of(lambda _: played, [ONE])
    assert answer.outcome == "could-not-ask"
    assert answer.reason.startswith(why)


def test_an_id_of_another_paper_is_noted_and_the_answer_kept() -> None:
    [paper] = papers(1, venue="acl")
    mixed = replace(query_of(paper), title="Robots That Drive a Road", authors=("Gale, Ann",))
    [answer], _ = asked_of(playing(play, [paper]), [mixed])
    assert answer.observation["title"] == paper.title
    [note] = answer.notes
    assert note.startswith(f"identifier belongs to another paper: DOI {paper.doi} is titled")


def test_a_query_that_cannot_be_asked_gets_its_answer_without_a_request() -> None:
    [answer], asked = asked_of(playing(play, ()), [Query("paper/a", title="T")])
    assert (answer.outcome, answer.reason) == ("could-not-ask", "no id is known")
    assert asked == {}


def test_ping_is_content_with_any_answer_of_the_site() -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, ()))) == ""
    assert SOURCE.ping(client_for(SOURCE, lambda _: Played(MODS.encode()))) == ""


def test_ping_tells_why_not() -> None:
    assert SOURCE.ping(client_for(SOURCE, lambda _: Played(b"oops", 502))) == (
        "server error: HTTP 502"
    )
    elsewhere = Played(b"<html>nothing here</html>", 404, "text/html")
    assert SOURCE.ping(client_for(SOURCE, lambda _: elsewhere)) == "refused: HTTP 404"


def test_no_credential_is_asked_for() -> None:
    before = dict(os.environ)
    seen: list[Asked] = []

    def script(asked: Asked) -> Played:
        seen.append(asked)
        return Played(MODS.encode())

    asked_of(script, [ONE])
    assert SOURCE.key_variables == ()
    assert "authorization" not in seen[0].headers
    assert dict(os.environ) == before


# Captured elements


def captured(name: str) -> PaperReading:
    return read_paper((SAMPLES / name).read_text(encoding="utf-8"))


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the captured elements are not here")
def test_the_captured_element_of_eagle_2() -> None:
    reading = captured("2024.emnlp_paper422.xml")
    assert reading.id == "2024.emnlp-main.422"
    assert reading.observation == {
        "title": "<fixed-case>EAGLE</fixed-case>-2: Faster Inference of Language Models with "
        "Dynamic Draft Trees",
        "authors": ["Li, Yuhui", "Wei, Fangyun", "Zhang, Chao", "Zhang, Hongyang"],
        "affiliations": [
            {"author": 3, "printed": "Peking University", "origin": "profile"},
            {
                "author": 4,
                "printed": "School of Computer Science, University of Waterloo",
                "origin": "profile",
            },
        ],
        "venue_track": "2024.emnlp-main",
        "year": 2024,
        "pages": "7421-7432",
        "doi": "10.18653/v1/2024.emnlp-main.422",
    }


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the captured elements are not here")
def test_the_captured_element_of_rest() -> None:
    observed = captured("2024.naacl_paper88.xml").observation
    assert observed["authors"] == [
        "He, Zhenyu",
        "Zhong, Zexuan",
        "Cai, Tianle",
        "Lee, Jason",
        "He, Di",
    ]
    assert [item["author"] for item in observed["affiliations"]] == [4, 5]
    assert observed["affiliations"][1]["printed"] == "Peking University and Microsoft"
    assert (observed["pages"], observed["venue_track"]) == ("1582-1595", "2024.naacl-long")
    assert compare_tracks("main", observed["venue_track"]).outcome == "same"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the captured elements are not here")
def test_the_captured_element_of_the_newer_form() -> None:
    reading = captured("2025.acl_paper198_newformat.xml")
    observed = reading.observation
    assert reading.id == "2025.acl-long.198"
    assert len(observed["authors"]) == 14
    # The profile is called ~Sun_Ao2, the author Ao Sun.
    assert observed["authors"][4] == "Sun, Ao"
    assert (observed["pages"], observed["year"]) == ("3909-3921", 2025)
    assert observed["doi"] == "10.18653/v1/2025.acl-long.198"
    assert reading.silent_on == ("affiliations",)


# The source's record


def test_the_record_of_the_source_says_the_same(shipped: Path) -> None:
    record = yaml.safe_load((shipped / f"data/sources/{SOURCE.name}.yaml").read_text("utf-8"))
    assert [(speech.fields, speech.trust, speech.because) for speech in SOURCE.speaks] == [
        (tuple(own["fields"]), own["trust"], own["because"]) for own in record["speaks_about"]
    ]


# Whatever comes


@given(st.binary(max_size=80) | st.text(max_size=60).map(str.encode), st.sampled_from([200, 404]))
def test_garbage_never_raises_and_is_never_an_absence(body: bytes, status: int) -> None:
    [answer], _ = asked_of(lambda _: Played(body, status), [ONE])
    assert answer.outcome == "could-not-ask"
    assert answer.reason


@given(torn(MODS))
def test_a_damaged_export_never_raises_and_is_never_an_absence(text: str) -> None:
    [answer], _ = asked_of(lambda _: Played(text.encode("utf-8", "replace")), [ONE])
    assert answer.outcome in ("answered", "could-not-ask")
    if answer.outcome == "answered":
        Observation.model_validate(answer.observation)


def _elements(root: Any) -> list[tuple[Any, Any]]:
    return [(parent, child) for parent in root.iter() for child in parent]


@given(st.data())
def test_an_export_without_some_of_its_elements_is_never_an_absence(data: st.DataObject) -> None:
    root = ElementTree.fromstring(MODS)
    for _ in range(data.draw(st.integers(1, 3))):
        if pairs := _elements(root):
            parent, child = pairs[data.draw(st.integers(0, len(pairs) - 1))]
            if data.draw(st.booleans()):
                parent.remove(child)
            else:
                child.text = data.draw(st.sampled_from([None, "", " ", "7", "None of it"]))
    [answer], _ = asked_of(lambda _: Played(ElementTree.tostring(root)), [ONE])
    assert answer.outcome in ("answered", "could-not-ask")
    if answer.outcome == "answered":
        Observation.model_validate(answer.observation)


@given(torn(PAPER))
def test_a_damaged_element_is_read_or_refused(text: str) -> None:
    try:
        reading = read_paper(text)
    except UnexpectedShapeError:
        return
    Observation.model_validate(reading.observation)


@given(st.text(max_size=40))
def test_any_text_is_an_id_or_none(text: str) -> None:
    found = anthology_id(text)
    assert found == "" or anthology_id(found) == found
