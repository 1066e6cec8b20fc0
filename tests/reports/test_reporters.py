from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.reports import REPORTERS, reporter
from registry.reports.interface import Report
from registry.reports.wording import counted, shortened, summary, visible

from .samples import HIDDEN, NASTY, finding, matrix, report

FORMATS = tuple(REPORTERS)

NASTY_REPORTS = (
    report(),
    report(records={}),
    report(finding(message=NASTY, hint=NASTY), finding("info", NASTY)),
    report(finding(message=HIDDEN, hint=HIDDEN, record="", file=f"data/{HIDDEN}.yaml")),
    report(finding(message="word " * 20_000)),
    report(finding(message="x" * 100_000, hint="y" * 100_000)),
    report(finding(code="ZZZ999", message="a code that no rule explains")),
    report(*(finding("info", code="ZZZ999") for _ in range(20))),
    report(matrices=(matrix(0), matrix(1), matrix(10))),
)


def test_formats_are_those_of_the_command_line() -> None:
    assert FORMATS == ("terminal", "json", "github", "sarif", "junit", "markdown")


def test_unknown_format_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'html'; there are terminal, json, github"):
        reporter("html")


def test_importing_the_table_imports_no_format() -> None:
    code = (
        "import sys, registry.reports\n"
        "heavy = {'rich', 'xml', 'pydantic', 'jsonschema'}\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in heavy))\n"
        "print(sorted(name for name in sys.modules if name.startswith('registry.reports.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['registry.reports.interface']"]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("shown", NASTY_REPORTS)
def test_text_ends_with_one_line_end_and_holds_nothing_that_acts(name: str, shown: Report) -> None:
    text = reporter(name).render(shown)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert {char for char in text if unicodedata.category(char) in ("Cc", "Cs")} <= {"\n"}
    assert not {"\u202e", "\u2066"} & set(text)
    text.encode("utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_tells_where_the_registry_lies(name: str) -> None:
    shown = report(finding(), finding("info"), root="/home/somebody/registry")
    assert name == "json" or "/home/somebody" not in reporter(name).render(shown)


@pytest.mark.parametrize(
    ("root", "path"),
    [
        (".", "data/papers/osprey.yaml"),
        ("examples/birds", "examples/birds/data/papers/osprey.yaml"),
        ("/srv/birds", "data/papers/osprey.yaml"),
        ("../birds", "data/papers/osprey.yaml"),
    ],
)
def test_files_are_named_from_the_working_directory(root: str, path: str) -> None:
    assert report(root=root).path(finding()) == path


@pytest.mark.parametrize("name", FORMATS)
def test_thousands_of_findings(name: str) -> None:
    findings = [
        finding(severity, f"message {number}", file=f"data/papers/p{number % 700}.yaml")
        for number in range(1000)
        for severity in ("error", "warning", "info")
    ]
    assert reporter(name).render(report(*findings, records={"paper": 10_000}))


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 records"), (1, "1 record"), (2, "2 records")],
)
def test_counted(number: int, words: str) -> None:
    assert counted(number, "record") == words
    assert counted(number, "matrix", "matrices") == {1: "1 matrix"}.get(
        number, f"{number} matrices"
    )


def test_summary() -> None:
    notes = [finding("info")] * 3
    shown = report(finding("warning"), *notes)
    assert summary(shown) == "12 records checked: 0 errors, 1 warning, 3 notes"
    one = report(finding(), records={"paper": 1}, strict=True)
    assert summary(one) == (
        "1 record checked: 1 error, 0 warnings, 0 notes (strict: warnings fail)"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – “text” 🦅 é 漢字", "plain – “text” 🦅 é 漢字"),
        (r"$\alpha$ and C:\new", r"$\alpha$ and C:\new"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("one\ntwo\r\tthree", r"one\ntwo\r\tthree"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\x00\x85\u2028\ud800\uffff", r"\x00\x85\u2028\ud800\uffff"),
        ("👩\u200d🔬 می\u200cخواهم", "👩\u200d🔬 می\u200cخواهم"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(alphabet=st.characters()))
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    once = visible(text)
    assert visible(once) == once
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in once)


@given(st.text(), st.integers(1, 50))
def test_shortened_never_exceeds_its_limit(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert len(short) <= limit
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))
