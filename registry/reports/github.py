"""Workflow commands, which GitHub Actions turns into annotations on the lines of a change."""

from __future__ import annotations

from registry.findings import Finding
from registry.reports.interface import Report
from registry.reports.wording import summary, visible

COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}

LINE_ENDS = "\r\n"
DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
PROPERTY = DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(report: Report) -> str:
    """One command for each finding, and the summary for whoever reads the log."""
    lines = [_command(report, finding) for finding in report.findings]
    return "\n".join([*lines, summary(report)]) + "\n"


def _command(report: Report, finding: Finding) -> str:
    properties = {
        "file": report.path(finding),
        "line": str(finding.line),
        "col": str(finding.column),
        "title": finding.code,
    }
    written = ",".join(
        f"{key}={visible(text, LINE_ENDS).translate(PROPERTY)}" for key, text in properties.items()
    )
    text = f"{finding.message}\n{finding.hint}" if finding.hint else finding.message
    data = visible(text, LINE_ENDS).translate(DATA)
    return f"::{COMMANDS[finding.severity]} {written}::{data}"
