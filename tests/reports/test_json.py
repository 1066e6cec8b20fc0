from __future__ import annotations

import json
from typing import Any

from registry.reports import json as json_format

from .samples import HIDDEN, NASTY, finding, matrix, report


def rendered(*args: Any, **kwargs: Any) -> Any:
    return json.loads(json_format.render(report(*args, **kwargs)))


def test_a_report_without_findings() -> None:
    assert rendered() == {
        "could_not_ask": [],
        "schema_version": 1,
        "program": "1.2.3",
        "root": ".",
        "today": "2026-11-30",
        "strict": False,
        "base": "",
        "summary": {
            "failed": False,
            "findings": {"error": 0, "warning": 0, "info": 0},
            "records": {"paper": 9, "venue": 3},
        },
        "findings": [],
        "matrices": [],
    }


def test_a_finding_keeps_every_character() -> None:
    document = rendered(finding("warning", NASTY, hint=HIDDEN), strict=True)
    assert document["summary"]["failed"] is True
    assert document["summary"]["findings"] == {"error": 0, "warning": 1, "info": 0}
    assert document["findings"] == [
        {
            "code": "FRS001",
            "severity": "warning",
            "record": "paper/osprey",
            "field": "hardware[0].accelerator",
            "file": "data/papers/osprey.yaml",
            "line": 31,
            "column": 18,
            "message": NASTY,
            "hint": HIDDEN,
        }
    ]


def test_a_matrix() -> None:
    (shown,) = rendered(matrices=(matrix(3),))["matrices"]
    assert set(shown) == {"record", "sources", "values", "statuses", "cells", "unconfirmed"}
    assert shown["record"] == "paper/osprey"
    assert shown["sources"] == ["arxiv", "pmlr", "semantic-scholar"]
    assert shown["values"]["pages"] == "1204-1221"
    assert shown["statuses"]["venue"] == "contested"
    assert shown["unconfirmed"] == ["osprey-list-2025"]
    assert len(shown["cells"]) == 15
    assert {
        "field": "venue",
        "source": "arxiv",
        "verdict": "contradicted",
        "value": "arXiv preprint",
        "note": "",
        "evidence": "osprey-arxiv-v1",
    } in shown["cells"]


def test_keys_are_sorted_and_the_text_is_ascii() -> None:
    text = json_format.render(report(finding(message=NASTY), records={"venue": 1, "paper": 2}))
    assert text.isascii()
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"
    assert text.index('"paper"') < text.index('"venue"')
