"""Nothing in a record may steer the reader's terminal, or be markup where it is shown."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from io import StringIO
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console
from world import World

from registry.findings import Finding
from registry.verdicts import Cell, Matrix
from registry.views.collect import Broken
from registry.views.markdown import render_page as as_markdown
from registry.views.page import (
    Alarm,
    Bullets,
    Grid,
    Page,
    Pairs,
    Paragraph,
    Section,
    Verdicts,
    alarm,
    one_line,
    quiet,
    strong,
    words,
)
from registry.views.pages import page_of
from registry.views.terminal import print_page
from registry.views.terminal import render_page as as_terminal

from .reading import Show

ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters other than the end of a line, and what turns the reading direction."""

NASTY = (
    "[red]stop[/red] [link=https://evil.example]here[/link] \x1b[31mred\x1b[0m "
    "\x1b]8;;https://evil.example\x07x\x1b]8;;\x07 \u202eabc # <b>bold</b> "
    "[a](https://evil.example) ![i](https://evil.example) `code` **fat** "
    "| cell @mira #1 $x$ :eagle:"
)


def everywhere(text: str) -> Page:
    """A page that has the text in every place that a record can fill."""
    matrix = Matrix(
        "paper/x",
        {"year": text, "venue": ""},
        {"year": "contested", "venue": "asserted"},
        ("index", "archive"),
        (
            Cell("year", "index", "contradicted", text, text, "x-index"),
            Cell("year", "archive", "could-not-ask", "", text, "x-archive"),
            Cell("venue", "index", "silent"),
            Cell("venue", "archive", "not-asked"),
        ),
    )
    shown = words(text, strong(text), quiet(text), alarm(text))
    return Page(
        title=text,
        key="paper/x",
        opening=(Alarm(text, (Paragraph(shown), Pairs(((text, shown),)))),),
        sections=(
            Section(
                text,
                (
                    Paragraph(shown),
                    Pairs(((text, shown),)),
                    Bullets(((shown, shown), (shown,))),
                    Grid((text, text), ((shown, shown),)),
                    Verdicts(matrix, {"year": shown, "venue": ()}),
                ),
            ),
        ),
        closing=shown,
    )


@settings(deadline=None)
@given(st.text(), st.integers(20, 120))
@example(NASTY, 80)
def test_a_terminal_gets_nothing_that_acts(text: str, width: int) -> None:
    assert not ACTING.search(as_terminal(everywhere(text), width))


@settings(deadline=None)
@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x17F), max_size=300))
@example("x" * 300)
@example("- " * 150)
def test_no_text_is_wider_than_the_terminal(text: str) -> None:
    for line in as_terminal(everywhere(text), 60).splitlines():
        assert cell_len(line) <= 60


def test_a_colourful_terminal_gets_only_the_colours_of_the_page() -> None:
    def sequences(text: str) -> set[str]:
        out = StringIO()
        console = Console(file=out, force_terminal=True, color_system="truecolor", width=100)
        print_page(everywhere(text), console)
        return set(re.findall("\x1b[^m]*m|\x1b", out.getvalue()))

    assert sequences(NASTY) <= sequences("harmless")
    assert "stop" in as_terminal(everywhere(NASTY))
    assert "[red]" in as_terminal(everywhere(NASTY))
    assert "\\x1b" in as_terminal(everywhere(NASTY))


class Elements(HTMLParser):
    """The elements of a document in order, and its text without white space."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += "".join(data.split())


def elements(text: str) -> Elements:
    html = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .render(as_markdown(everywhere(text)))
    )
    return Elements(html)


def meant(elements: Elements) -> list[str]:
    """Elements without emphasis and the spans that keep two dollars from being mathematics."""
    return [name for name in elements.names if name not in ("strong", "span")]


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1))
@example(NASTY)
@example("# heading")
@example("- item")
@example("1. item")
@example("1) item")
@example("---")
@example("===")
@example("    code")
@example("> quote")
@example("| a | b |")
@example("[!NOTE]")
@example("[a]: https://evil.example")
@example("<script>alert(1)</script>")
@example("&lt;b&gt;")
@example("https://example.org/a_b_c")
@example("0\x85\x85")
@example("0\x0c\x0c")
@example("0\x1c\x1d\x0b")
def test_markdown_has_the_same_structure_whatever_the_text(text: str) -> None:
    if one_line(text).strip():
        assert meant(elements(text)) == meant(elements("harmless"))


@settings(deadline=None)
@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1))
@example("a*b_c[d](e)`f`<g>&amp;h|i~j~\\k#")
@example("*#")
def test_markdown_shows_the_text_itself(text: str) -> None:
    shown = elements(text).text.replace("\u200b", "")
    assert shown.count(text) >= elements("harmless").text.count("harmless")


def test_findings_of_a_broken_file_are_harmless_too() -> None:
    finding = Finding("SHP001", "error", "paper/x", "", "data/papers/x.yaml", 1, 1, NASTY, NASTY)
    page = page_of(Broken("paper/x", "data/papers/x.yaml", (finding,)))
    assert not ACTING.search(as_terminal(page))
    html = MarkdownIt("commonmark").render(as_markdown(page))
    assert not {"a", "img", "b", "h3"} & set(Elements(html).names)


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("form", ["terminal", "markdown", "json"])
def test_a_nasty_record_is_shown_harmlessly(
    books: World, show: Show, form: str, history: bool
) -> None:
    paper = books["paper/osprey"]
    nasty = NASTY.replace("\x1b", "").replace("\x07", "").replace("\u202e", "")
    paper["title"]["assertions"][0]["value"] = nasty
    paper["venue"]["contested_because"] = nasty
    paper["venue"]["assertions"][0]["by"] = nasty
    paper["hardware"][0]["stated"]["text"] = nasty
    paper["affiliations"]["assertions"][0]["value"][1]["printed"] = nasty
    books["claims/osprey"]["claims"][0]["statement"] = nasty
    books["evidence/osprey-lost"]["locator"] = nasty
    text = show(form=form, history=history)
    assert "stop" in text
    assert not ACTING.search(text)
    if form == "terminal":
        assert "[red]stop[/red]" in text
