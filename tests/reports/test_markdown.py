from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from registry.findings import Finding, Severity
from registry.reports import markdown
from registry.verdicts import Cell, Matrix

from .samples import HIDDEN, NASTY, finding, matrix, report

GITHUB_LIMIT = 65_536


class Reader(HTMLParser):
    """Rows of table cells, and every tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.inside = False
        self.feed(MarkdownIt("commonmark").enable("table").render(text))

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True
        elif tag == "br":
            self.rows[-1][-1] += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def cells(*findings: Finding) -> list[list[str]]:
    return Reader(markdown.render(report(*findings))).rows[1:]


@pytest.mark.parametrize(
    ("severity", "strict", "outcome"),
    [("error", False, "failed"), ("warning", False, "passed"), ("warning", True, "failed")],
)
def test_the_outcome_comes_first(severity: Severity, strict: bool, outcome: str) -> None:
    text = markdown.render(report(finding(severity), strict=strict))
    assert text.startswith(f"### Registry check {outcome}\n\n12 records checked: ")


def test_no_findings() -> None:
    assert markdown.render(report()) == (
        "### Registry check passed\n\n12 records checked: 0 errors, 0 warnings, 0 notes.\n"
    )


def test_a_finding_is_a_row() -> None:
    assert cells(finding(message="what is wrong", hint="mend it")) == [
        ["data/papers/osprey.yaml:31:18", "LNK001", "error", "what is wrong\nmend it"]
    ]


def test_notes_are_folded() -> None:
    text = markdown.render(report(finding(message="loud"), finding("info", "calm")))
    before, _, folded = text.partition("<details>\n<summary>1 note</summary>\n")
    assert "loud" in before
    assert "calm" in folded
    assert "calm" not in before
    assert text.endswith("\n</details>\n")


@pytest.mark.parametrize(
    "text",
    [
        NASTY,
        "a|b",
        "`code` and ``more``",
        "<b>2.7x</b> &amp; <!-- no -->",
        "_a_ *b* ~~c~~ __d__ [e](f) ![g](h)",
        "a trailing \\",
        "C:\\new \\| \\`",
        "# 1. - + >",
    ],
)
def test_text_arrives_as_it_is(text: str) -> None:
    shown = markdown.render(report(finding(message=text, file=f"data/{text}")))
    reader = Reader(shown)
    assert reader.tags <= {"h3", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "span"}
    assert reader.rows[1:] == [[f"data/{text}:31:18", "LNK001", "error", text]]


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"]), min_size=1))
def test_any_text_arrives_as_it_is(text: str) -> None:
    ((*_, shown),) = cells(finding(message=text))
    assert shown.replace("\u200b", "") == text


def test_control_characters_do_not_arrive() -> None:
    ((*_, shown),) = cells(finding(message=HIDDEN))
    assert shown == (
        r"a\x1b[31mred\x1b[0m\u202eabc\u200bdef\x00\x07\n::error::line two\r\ttab\ufffe"
    )


def test_nobody_is_called_and_no_mathematics_is_set() -> None:
    text = markdown.render(report(finding(message="by @ada, see #12, $k$ and $n$")))
    assert not re.search(r"@ada|#12|\$k\$", text)


def test_a_matrix_marks_disputed_values() -> None:
    text = markdown.render(report(matrices=(matrix(3),)))
    assert "#### What the sources say about `paper/osprey`" in text
    head, *rows = Reader(text).rows
    assert head == ["Field", "Record", "arxiv", "pmlr", "semantic-scholar"]
    by_field = {row[0]: row[1:] for row in rows}
    assert by_field["venue"] == [
        "icml (contested)",
        "✗ contradicted",
        "✓ confirmed",
        "✓ confirmed",
    ]
    assert by_field["pages"] == [
        "1204-1221 (settled)",
        "– silent",
        "✗ contradicted",
        "? could-not-ask",
    ]
    assert by_field["year"][0] == "2024"
    assert "- arxiv on venue: contradicted by “arXiv preprint”" in text
    assert "- evidence/osprey-list-2025 could not be confirmed, supports nothing" in text


def test_a_matrix_is_escaped() -> None:
    cell = Cell("title", "a|b", "contradicted", "<script>|`", "@ada")
    shown = Matrix("paper/osprey", {"title": NASTY}, {}, ("a|b",), (cell,))
    reader = Reader(markdown.render(report(matrices=(shown,))))
    assert reader.rows == [["Field", "Record", "a|b"], ["title", NASTY, "✗ contradicted"]]
    assert "script" not in reader.tags


@pytest.mark.parametrize("message", ["short", "long " * 400, "🦅" * 3000])
def test_a_comment_never_exceeds_the_limit_and_says_what_is_missing(message: str) -> None:
    findings = [finding(message=message), finding("info", message)] * 3000
    text = markdown.render(report(*findings, matrices=(matrix(10),) * 100))
    assert len(text) <= GITHUB_LIMIT
    rows = Reader(text).rows
    errors = sum("error" in row for row in rows)
    notes = sum("info" in row for row in rows)
    matrices = sum(row[0] == "Field" for row in rows)
    assert min(errors, matrices) > 0
    left = f"{3000 - errors} findings, {100 - matrices} matrices, {3000 - notes} notes"
    assert text.endswith(f"\nLeft out, because a comment holds no more: {left}.\n")
