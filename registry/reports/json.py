"""JSON for programs. The shape is stable; a change to it raises ``SCHEMA_VERSION``.

::

    schema_version  integer, raised whenever a key is removed or changes its meaning
    program         version of this program
    root            the registry's root as it was given; files are named from it
    today           day that freshness was judged by, YYYY-MM-DD
    strict          whether warnings fail the run
    base            what the records were compared with, in words; empty if with nothing
    summary
      failed        whether the run fails
      findings      number of findings: error, warning, info
      records       number of records checked, by kind
    could_not_ask   list of sources that were to be asked now and could not be, with the reason
    findings        list of: code, severity, record, field, file, line, column, message, hint
    matrices        list of
      record        kind/id
      sources       list of source ids
      values        field to the record's own value, as text
      statuses      field to asserted, corroborated, contested or settled
      cells         list of: field, source, verdict, value, note, evidence
      unconfirmed   list of evidence ids that support nothing

No key is ever left out; what does not apply is an empty text or an empty list. Keys are sorted, and
the text is ASCII, so that it survives every terminal, pipe and editor as it is.
"""

from __future__ import annotations

import json

from msgspec.structs import asdict

from registry.reports.interface import Report
from registry.verdicts import Matrix

SCHEMA_VERSION = 1


def render(report: Report) -> str:
    """The whole report as one JSON object."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "program": report.version,
        "root": report.root,
        "today": report.today,
        "strict": report.strict,
        "base": report.base,
        "summary": {
            "failed": report.failed,
            "findings": {word: report.count(word) for word in ("error", "warning", "info")},
            "records": dict(report.records),
        },
        "findings": [asdict(finding) for finding in report.findings],
        "could_not_ask": list(report.unasked),
        "matrices": [_matrix(matrix) for matrix in report.matrices],
    }
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def _matrix(matrix: Matrix) -> dict[str, object]:
    return asdict(matrix) | {"cells": [asdict(cell) for cell in matrix.cells]}
