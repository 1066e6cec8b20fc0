from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.findings import Finding
from registry.reports import junit

from .samples import HIDDEN, NASTY, finding, report


def suites(*findings: Finding, **kwargs: Any) -> ET.Element:
    root = ET.fromstring(junit.render(report(*findings, **kwargs)))
    assert root.tag == "testsuites"
    for element in (root, *root.iter("testsuite")):
        assert element.get("tests") == str(len(element.findall(".//testcase")))
        assert element.get("failures") == str(len(element.findall(".//failure")))
        assert element.get("errors") == element.get("skipped") == "0"
    for case in root.iter("testcase"):
        assert len(case.findall("failure")) <= 1
        assert case.get("classname")
    return root


def names(root: ET.Element) -> dict[str, list[str]]:
    return {
        suite.get("name", ""): [case.get("name", "") for case in suite.iter("testcase")]
        for suite in root.iter("testsuite")
    }


def test_no_findings() -> None:
    root = suites(records={"paper": 9, "venue": 1, "engine": 0})
    assert names(root) == {
        "paper": ["9 records without findings"],
        "venue": ["1 record without findings"],
    }
    assert root.get("failures") == "0"


def test_an_empty_registry_has_no_suites() -> None:
    assert names(suites(records={})) == {}


def test_a_record_is_a_case_in_the_suite_of_its_kind() -> None:
    root = suites(
        finding(message="first"),
        finding(message="second", line=40, hint="mend it"),
        finding("info", "by the way"),
        finding(record="venue/icml", file="data/venues/icml.yaml", message="third"),
    )
    assert names(root) == {
        "paper": ["paper/osprey", "8 records without findings"],
        "venue": ["venue/icml", "2 records without findings"],
    }
    case = root.find(".//testcase[@name='paper/osprey']")
    assert case is not None
    assert case.get("file") == "data/papers/osprey.yaml"
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("type") == "LNK001"
    assert failure.get("message") == "first (and 1 more)"
    assert (failure.text or "").splitlines() == [
        "data/papers/osprey.yaml:31:18: LNK001 error: first",
        "data/papers/osprey.yaml:40:18: LNK001 error: second",
        "    mend it",
    ]
    assert case.findtext("system-out") == ("data/papers/osprey.yaml:31:18: EVI010 info: by the way")


def test_a_file_that_is_no_record_has_a_suite_of_its_own() -> None:
    root = suites(finding(record="", file="data/papers/broken.yaml"), records={"paper": 9})
    assert names(root) == {
        "paper": ["9 records without findings"],
        "unreadable": ["data/papers/broken.yaml"],
    }


@pytest.mark.parametrize(("strict", "failures"), [(False, "0"), (True, "1")])
def test_warnings_fail_only_when_strict(strict: bool, failures: str) -> None:
    root = suites(finding("warning"), finding("info", file="data/papers/b.yaml"), strict=strict)
    assert root.get("failures") == failures


def test_nasty_text_arrives_as_it_is() -> None:
    root = suites(finding(message=NASTY))
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == NASTY
    assert (failure.text or "").endswith(NASTY)


def test_control_characters_do_not_arrive() -> None:
    failure = suites(finding(message=HIDDEN, record=HIDDEN)).find(".//failure")
    assert failure is not None
    assert failure.get("message") == (
        r"a\x1b[31mred\x1b[0m\u202eabc\u200bdef\x00\x07\n::error::line two\r\ttab\ufffe"
    )


@given(st.text(alphabet=st.characters()), st.text(alphabet=st.characters()))
def test_any_text_is_well_formed(message: str, record: str) -> None:
    suites(finding(message=message, hint=message, record=record))
