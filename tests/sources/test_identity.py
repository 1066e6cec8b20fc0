from __future__ import annotations

from registry.sources.identity import belonging, silent
from registry.sources.interface import Query, Speech

ASKED = Query(
    "paper/leaf",
    title="Leaves of a Tree: Drafting in Parallel",
    authors=("Holm, Mia", "Berg, Rolf"),
    year=2024,
    arxiv_id="2405.01234",
    doi="10.1234/leaf.7",
)
SAME = {"title": "Leaves of a Tree: Drafting in Parallel", "authors": ["Mia Holm", "Rolf Berg"]}
OTHER = {"title": "Robots That Drive: A Road Study", "authors": ["Bo Hua"], "year": 2012}


def test_the_paper_itself_needs_no_note() -> None:
    assert belonging(ASKED, SAME, arxiv_id="2405.01234") == ()
    # A title may change, and a source may know less than was asked.
    renamed = {**SAME, "title": "Leaves of a Tree: Speculating in Parallel"}
    assert belonging(ASKED, renamed, arxiv_id="2405.01234") == ()
    assert belonging(ASKED, {}, arxiv_id="2405.01234") == ()


def test_another_paper_is_named() -> None:
    assert belonging(ASKED, OTHER, arxiv_id="2405.01234") == (
        "identifier belongs to another paper: arXiv 2405.01234 is titled "
        "“Robots That Drive: A Road Study” by Bo Hua",
    )


def test_a_question_without_title_and_authors_cannot_be_mistaken() -> None:
    assert belonging(Query("arXiv:2405.01234"), OTHER, arxiv_id="2405.01234") == ()


def test_silence_is_what_could_be_said_and_is_not() -> None:
    speaks = (Speech(("title", "year"), "reliable"), Speech(("pages",), "weak"))
    assert silent(speaks, {"year": 2024, "doi": "10.1234/leaf.7"}) == ("title", "pages")
