"""Markdown for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from registry.findings import Finding
from registry.reports.interface import Report
from registry.reports.matrices import MEANINGS, SYMBOLS, notes, rows, unconfirmed
from registry.reports.wording import counted, shortened, summary, visible
from registry.verdicts import Matrix

LIMIT = 65_536
"""Characters that GitHub takes for one comment."""

ENDING = 300
"""Characters kept free for saying what was left out."""

TEXT_LIMIT = 600
"""Characters of one message, so that a row stays a row."""

ESCAPES = str.maketrans(
    {char: f"\\{char}" for char in "\\`*_[]|~"}
    | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
    | {"$": "<span>$</span>"}  # two of them on one line would be set as mathematics
)
CALL = re.compile(r"(?<=[@#])(?=\w)")
"""Where a value that happens to look so would call a person or link an issue."""


def render(report: Report) -> str:
    """Summary, findings, matrices and notes, as far as one comment holds them."""
    outcome = "failed" if report.failed else "passed"
    parts = [f"### Registry check {outcome}\n\n{summary(report)}.\n"]
    if report.unasked:
        parts.append("".join(f"- could not ask {_code(line)}\n" for line in report.unasked))
    room = LIMIT - ENDING - len(parts[0])

    matrices, matrices_left = _matrices(report, room // 2)
    room -= len(matrices) + 1

    failing = [finding for finding in report.findings if finding.severity != "info"]
    findings, findings_left = _table(report, failing, room)
    room -= len(findings) + 1

    quiet = [finding for finding in report.findings if finding.severity == "info"]
    head = f"<details>\n<summary>{counted(len(quiet), 'note')}</summary>\n\n"
    tail = "\n</details>\n"
    remarks, remarks_left = _table(report, quiet, room - len(head) - len(tail))
    parts += [findings, matrices, f"{head}{remarks}{tail}" if remarks else ""]

    left = (
        (findings_left, counted(findings_left, "finding")),
        (matrices_left, counted(matrices_left, "matrix", "matrices")),
        (remarks_left, counted(remarks_left, "note")),
    )
    if words := [text for number, text in left if number]:
        parts.append(f"Left out, because a comment holds no more: {', '.join(words)}.\n")
    return "\n".join(filter(None, parts))


def escape(text: str) -> str:
    """Text from anywhere as one line of Markdown that shows exactly that text."""
    escaped = visible(shortened(text, TEXT_LIMIT)).translate(ESCAPES)
    return CALL.sub("\u200b", escaped)


def _code(text: str) -> str:
    shown = visible(text)
    # Nothing escapes a backtick inside of a code span, and a table needs its bars escaped there.
    return escape(text) if "`" in shown else f"`{shown}`".replace("|", "\\|")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _table(report: Report, findings: Sequence[Finding], room: int) -> tuple[str, int]:
    """As many findings as there is room for, and how many were left out."""
    head = _row(("Where", "Code", "Severity", "What")) + _row(("---",) * 4)
    lines, used = [head], len(head)
    for finding in findings:
        place = _code(f"{report.path(finding)}:{finding.line}:{finding.column}")
        text = escape(finding.message)
        if finding.hint:
            text += f"<br>{escape(finding.hint)}"
        line = _row((place, finding.code, finding.severity, text))
        if used + len(line) >= room:
            break
        lines.append(line)
        used += len(line)
    shown = len(lines) - 1
    return ("".join(lines) if shown else ""), len(findings) - shown


def _matrices(report: Report, room: int) -> tuple[str, int]:
    """As many matrices as there is room for, with the legend, and how many were left out."""
    meanings = (f"{SYMBOLS[word]} {word}: {meaning}" for word, meaning in MEANINGS.items())
    legend = f"{'; '.join(meanings)}.\n"
    shown: list[str] = []
    used = len(legend)
    for matrix in report.matrices:
        text = _matrix(matrix)
        if used + len(text) + 1 < room:
            shown.append(text)
            used += len(text) + 1
    return ("\n".join([*shown, legend]) if shown else ""), len(report.matrices) - len(shown)


def _matrix(matrix: Matrix) -> str:
    sources = [escape(source) for source in matrix.sources]
    lines = [
        f"#### What the sources say about {_code(matrix.record)}\n\n",
        _row(("Field", "Record", *sources)),
        _row(("---",) * (2 + len(sources))),
    ]
    for row in rows(matrix):
        words = (
            f"{SYMBOLS[cell.verdict]} {cell.verdict}" if cell else ""
            for cell in (row.cells.get(source) for source in matrix.sources)
        )
        value = f"**{escape(row.value)}**" if row.marked else escape(row.value)
        lines.append(_row((escape(row.field), value, *words)))
    lines.append("\n")
    lines += [f"- {escape(note)}\n" for note in notes(matrix)]
    lines += [
        f"- {escape(evidence)} could not be confirmed, supports nothing\n"
        for evidence in unconfirmed(matrix)
    ]
    return "".join(lines)
