from __future__ import annotations

import re
from io import StringIO
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from registry.reports import terminal
from registry.reports.interface import Report
from registry.verdicts import Matrix

from .samples import HIDDEN, NASTY, finding, matrix, report

LEGEND = ("✓ confirmed", "✗ contradicted", "– silent", "· not-asked", "? could-not-ask")


def rendered(shown: Report, width: int, colours: Literal["standard"] | None = None) -> str:
    text = StringIO()
    console = Console(
        file=text, width=width, color_system=colours, force_terminal=colours is not None
    )
    terminal.render_to(shown, console)
    return text.getvalue()


def lines(shown: Report, width: int = 100) -> list[str]:
    return [line.rstrip() for line in rendered(shown, width).splitlines()]


def test_no_findings() -> None:
    assert terminal.render(report()) == "12 records checked: 0 errors, 0 warnings, 0 notes\n"


def test_findings_stand_together_by_file() -> None:
    shown = report(
        finding(message="first", hint="mend it"),
        finding("warning", "second", line=40, column=7),
        finding(message="third", file="data/venues/icml.yaml", line=2, column=1),
    )
    assert terminal.render(shown).splitlines() == [
        "data/papers/osprey.yaml:31:18  LNK001 error  first",
        "    hint: mend it",
        "data/papers/osprey.yaml:40:7  FRS001 warning  second",
        "",
        "data/venues/icml.yaml:2:1  LNK001 error  third",
        "",
        "12 records checked: 2 errors, 1 warning, 0 notes",
    ]


def test_a_long_message_is_set_under_its_place() -> None:
    words = "one two three four five six seven eight nine ten eleven twelve"
    shown = lines(report(finding(message=words, hint=words)), 60)
    assert shown[:5] == [
        "data/papers/osprey.yaml:31:18  LNK001 error",
        "    one two three four five six seven eight nine ten eleven",
        "    twelve",
        "    hint: one two three four five six seven eight nine ten",
        "          eleven twelve",
    ]


def test_a_path_is_never_broken() -> None:
    file = f"data/evidence/{'osprey-' * 20}pmlr.yaml"
    assert f"{file}:31:18  LNK001 error" in lines(report(finding(file=file)), 60)


def test_few_notes_are_one_calm_line_each() -> None:
    note = finding("info", "venue is contested: arxiv and pmlr disagree", hint="take a decision")
    assert lines(report(note)) == [
        "data/papers/osprey.yaml:31:18  EVI010 info  venue is contested: arxiv and pmlr disagree",
        "",
        "12 records checked: 0 errors, 0 warnings, 1 note",
    ]


def test_many_notes_are_counted_by_code() -> None:
    notes = [finding("info", f"note {line}", line=line) for line in range(3, 33)]
    shown = report(finding(message="loud"), *notes, finding("info", code="ZZZ999"))
    assert lines(shown) == [
        "data/papers/osprey.yaml:31:18  LNK001 error  loud",
        "",
        "31 notes, listed one by one by the other formats:",
        "    EVI010  contested field, 30 times, first in data/papers/osprey.yaml:3",
        "    ZZZ999  once, in data/papers/osprey.yaml:31",
        "",
        "12 records checked: 1 error, 0 warnings, 31 notes",
    ]


def test_a_matrix_is_a_table_where_it_fits() -> None:
    shown = lines(report(matrices=(matrix(3),)), 120)
    at = shown.index("What the sources say about paper/osprey")
    table = shown[at + 2 : shown.index("", at + 2)]
    columns = [re.split(r" {2,}", line) for line in table if not line.startswith((" ", "─"))]
    assert columns[0] == ["field", "record", "arxiv", "pmlr", "semantic-scholar"]
    assert columns[3:] == [
        ["venue", "icml (contested)", "✗ contradicted", "✓ confirmed", "✓ confirmed"],
        ["pages", "1204-1221 (settled)", "– silent", "✗ contradicted", "? could-not-ask"],
        ["year", "2024", "✓ confirmed", "✓ confirmed", "? could-not-ask"],
    ]


def test_a_matrix_that_does_not_fit_lists_the_sources_of_each_verdict() -> None:
    shown = lines(report(matrices=(matrix(10),)), 80)
    at = shown.index("pages: 1204-1221 (settled)")
    assert shown[at : at + 6] == [
        "pages: 1204-1221 (settled)",
        "    ✓ confirmed      openalex, crossref, dblp, openreview, acl-anthology,",
        "                     paper-lists, osprey-pdf",
        "    ✗ contradicted   pmlr",
        "    – silent         arxiv",
        "    ? could-not-ask  semantic-scholar",
    ]


@pytest.mark.parametrize("sources", [0, 1, 3, 10])
@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_notes_and_legend_of_a_matrix(sources: int, width: int) -> None:
    shown = lines(report(matrices=(matrix(sources), matrix(sources))), width)
    legend = shown[-7:-2]
    assert [line.split("  ")[0] for line in legend] == list(LEGEND)
    joined = " ".join(" ".join(shown).split())
    lost = "Could not be confirmed, supports nothing: evidence/osprey-list-2025"
    assert joined.count(lost) == 2
    if sources >= 3:
        assert (
            "- semantic-scholar on pages, year: could-not-ask: throttled (429) "
            "[evidence/osprey-s2]" in joined
        )
        assert (
            "- pmlr on pages: contradicted by “1204-1222”: overruled on 2026-10-04 "
            "[evidence/osprey-pmlr]" in joined
        )


def test_a_record_without_fields() -> None:
    empty = Matrix("dataset/mt-bench", {}, {}, (), ())
    assert "What the sources say about dataset/mt-bench" in lines(report(matrices=(empty,)))


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("text", [NASTY, HIDDEN, "漢字" * 80, "a" * 500, "word " * 150])
def test_no_line_is_wider_than_the_console(text: str, width: int) -> None:
    shown = report(
        finding(message=text, hint=text), finding("info", text), matrices=(matrix(10), matrix(3))
    )
    assert max(cell_len(line) for line in lines(shown, width)) <= width


@given(st.text(alphabet=st.characters(exclude_categories=["Z", "C"]), max_size=300))
def test_wrapping_loses_nothing(text: str) -> None:
    words = text.replace("0", " ")
    shown = rendered(report(finding(message=words)), 60).rpartition("\n\n")[0]
    _, _, body = shown.partition("error")
    assert "".join(body.split()) == "".join(words.split())


def test_markup_of_the_console_is_just_text() -> None:
    shown = "[bold]not bold[/bold] [link=x]y[/link] :eagle: [/]"
    assert shown in terminal.render(report(finding(message=shown)))


@pytest.mark.parametrize("variable", ["FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"])
def test_plain_text_ignores_the_environment(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    shown = report(finding(message="word " * 40), matrices=(matrix(3),))
    before = terminal.render(shown)
    monkeypatch.setenv(variable, "30")
    assert terminal.render(shown) == before
    assert "\x1b" not in before


def test_a_terminal_gets_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;31merror" in rendered(report(finding()), 80, "standard")


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = rendered(report(finding(), matrices=(matrix(3),)), 80, "standard")
    codes = {code for found in re.findall(r"\x1b\[([\d;]*)m", shown) for code in found.split(";")}
    assert not codes & {str(number) for number in (*range(30, 50), *range(90, 108))}
