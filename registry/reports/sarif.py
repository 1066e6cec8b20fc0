"""SARIF 2.1.0, the exchange format of code-scanning services (OASIS, with errata 01)."""

from __future__ import annotations

import json
import os
from collections import Counter
from hashlib import sha256
from urllib.parse import quote

from registry.findings import Finding, Rule
from registry.reports.interface import Report

LEVELS = {"error": "error", "warning": "warning", "info": "note"}
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT = "recordFieldCode/v1"
"""Record, field and code; the line is left out because every edit above it moves it."""


def render(report: Report) -> str:
    """The findings as a log with one run. Matrices have no place in SARIF."""
    codes = sorted({finding.code for finding in report.findings})
    rules = [report.rules[code] for code in codes if code in report.rules]
    run = {
        "tool": {
            "driver": {
                "name": "registry",
                "version": report.version,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        # The address of the root is left out: it would tell of the machine that checked.
        "originalUriBaseIds": {"SRCROOT": {"description": _text("Root of the source tree.")}},
        "columnKind": "unicodeCodePoints",
        "results": _results(report, {rule.code: place for place, rule in enumerate(rules)}),
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _text(text: str) -> dict[str, str]:
    # Braces are placeholders in every SARIF message string (3.11.5), and BibTeX is full of them.
    return {"text": text.replace("{", "{{").replace("}", "}}")}


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.code,
        "shortDescription": _text(rule.title),
        "fullDescription": _text(rule.meaning),
        "help": _text(f"{rule.meaning}\n\nHow to mend it: {rule.mend}"),
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }


def _results(report: Report, rules: dict[str, int]) -> list[dict[str, object]]:
    seen: Counter[str] = Counter()
    results: list[dict[str, object]] = []
    for finding in report.findings:
        place = report.path(finding)
        digest = _digest(finding)
        seen[digest] += 1
        result: dict[str, object] = {
            "ruleId": finding.code,
            "level": LEVELS[finding.severity],
            "message": _text("\n".join(filter(None, (finding.message, finding.hint)))),
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(place), "uriBaseId": "SRCROOT"},
                        "region": {
                            "startLine": max(finding.line, 1),
                            "startColumn": max(finding.column, 1),
                        },
                    }
                }
            ],
            # The number tells findings apart that share record, field and code.
            "partialFingerprints": {FINGERPRINT: f"{digest}:{seen[digest]}"},
        }
        if finding.code in rules:
            result["ruleIndex"] = rules[finding.code]
        results.append(result)
    return results


def _uri(path: str) -> str:
    # Bytes, because a file name need not be valid UTF-8.
    return quote(os.fsencode(path))


def _digest(finding: Finding) -> str:
    # A file that is not a readable record has no record id; its name is all there is.
    parts = (finding.record or finding.file, finding.field, finding.code)
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
