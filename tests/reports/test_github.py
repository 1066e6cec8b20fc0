from __future__ import annotations

from typing import Any

import pytest

from registry.findings import Severity
from registry.reports import github

from .samples import finding, report


def command(*args: Any, **kwargs: Any) -> str:
    first, last = github.render(report(finding(*args, **kwargs))).splitlines()
    assert last.startswith("12 records checked: ")
    return first


@pytest.mark.parametrize(
    ("severity", "code", "name"),
    [("error", "LNK001", "error"), ("warning", "FRS001", "warning"), ("info", "EVI010", "notice")],
)
def test_severities(severity: Severity, code: str, name: str) -> None:
    assert command(severity, "what is wrong") == (
        f"::{name} file=data/papers/osprey.yaml,line=31,col=18,title={code}::what is wrong"
    )


def test_the_hint_is_a_second_line() -> None:
    assert command(message="100% wrong", hint="mend it").endswith("::100%25 wrong%0Amend it")


def test_data_is_escaped() -> None:
    shown = command(message="50%, a:b\r\n::set-output name=x::%0A")
    assert shown.endswith("title=LNK001::50%25, a:b%0D%0A::set-output name=x::%250A")


def test_properties_are_escaped() -> None:
    shown = command(file="data/a,line=9:%\r\n.yaml")
    assert shown.startswith("::error file=data/a%2Cline=9%3A%25%0D%0A.yaml,line=31,col=18,")


def test_a_root_below_the_working_directory_is_part_of_the_path() -> None:
    shown = github.render(report(finding(), root="examples/birds"))
    assert shown.startswith("::error file=examples/birds/data/papers/osprey.yaml,")


def test_no_findings() -> None:
    assert github.render(report()) == "12 records checked: 0 errors, 0 warnings, 0 notes\n"
