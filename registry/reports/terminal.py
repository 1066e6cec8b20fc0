"""Text for a person at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import groupby

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from registry.findings import Finding
from registry.reports.interface import Report
from registry.reports.matrices import MEANINGS, SYMBOLS, Row, notes, rows, unconfirmed
from registry.reports.wording import counted, shortened, summary, visible
from registry.verdicts import VERDICTS, Matrix, Verdict

WIDTH = 100
"""Columns where no terminal says otherwise."""

FEW = 8
"""Up to so many notes are shown one by one; more of them would hide what has to be mended."""

TEXT_LIMIT = 1000
"""Characters of one message."""

INDENT = 4
"""Columns that whatever belongs to the line above it is set in."""

ROOM = 32
"""Columns that a text needs at least, beside what stands before it."""

VALUE_ROOM = 16
"""Columns that a matrix needs for the record's own values, to be shown as a table."""

GAP = 2
"""Columns between columns."""

WORD = max(len(verdict) for verdict in VERDICTS) + 2
"""Columns of a verdict with its sign."""

SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "info": "blue"}
VERDICT_STYLES: dict[Verdict, str] = {
    "confirmed": "green",
    "contradicted": "bold red",
    "silent": "",
    "not-asked": "dim",
    "could-not-ask": "yellow",
}


def render(report: Report) -> str:
    """The report as plain text, :data:`WIDTH` columns wide."""
    text = StringIO()
    render_to(report, Console(file=text, width=WIDTH, color_system=None, force_terminal=False))
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def render_to(report: Report, console: Console) -> None:
    """The report on a console, in its width and with what colours it has."""
    for block in _blocks(report, console):
        if isinstance(block, Text):
            # Fitted already. A path that is too long stays whole, so that it can be clicked on.
            console.print(block, soft_wrap=True)
        else:
            console.print(block)
        console.print()
    outcome = "bold red" if report.failed else "bold green"
    for line in report.unasked:
        console.print(Text(visible(f"could not ask {line}")))
    console.print(Text(summary(report), outcome))


def _blocks(report: Report, console: Console) -> Iterator[RenderableType]:
    few = report.count("info") <= FEW
    shown = [finding for finding in report.findings if few or finding.severity != "info"]
    for _, findings in groupby(shown, key=lambda finding: finding.file):
        yield Text("\n").join(_finding(report, finding, console) for finding in findings)
    if not few:
        yield _counted_notes(report, console)
    for matrix in report.matrices:
        yield Text(f"What the sources say about {visible(matrix.record)}", "bold")
        lines = rows(matrix)
        if (room := _room_for_values(matrix, lines, console.width)) >= VALUE_ROOM:
            yield _table(matrix, lines, room)
        else:
            yield Text("\n").join(line for row in lines for line in _listed(row, console))
        if said := notes(matrix):
            yield Text("\n").join(_hang(Text("- "), note, console, 2) for note in said)
        if lost := unconfirmed(matrix):
            head = Text("Could not be confirmed, supports nothing: ")
            yield _hang(head, ", ".join(lost), console)
    if report.matrices:
        yield Text("\n").join(_legend(console))


def _hang(head: Text, body: str, console: Console, indent: int = INDENT) -> Text:
    """Set text beside ``head`` where that leaves room, and all further lines indented."""
    room = console.width - head.cell_len
    first = ""
    if room >= min(ROOM, cell_len(body)):
        first = Text(body).wrap(console, room)[0].plain
        cut = len(first) < len(body) and " " not in body[len(first) - 1 : len(first) + 1]
        if cut and head.cell_len > indent:
            first = ""  # The word may fit on a line of its own.
    rest = Text(body[len(first) :].lstrip()).wrap(console, max(console.width - indent, ROOM // 2))
    lines = [head + Text(first), *(Text(" " * indent) + line for line in rest if line)]
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def _finding(report: Report, finding: Finding, console: Console) -> Text:
    place = visible(f"{report.path(finding)}:{finding.line}:{finding.column}")
    head = Text.assemble(
        (place, "bold"),
        f"  {finding.code} ",
        (finding.severity, SEVERITY_STYLES[finding.severity]),
        "  ",
    )
    text = _hang(head, visible(shortened(finding.message, TEXT_LIMIT)), console)
    if finding.hint and finding.severity != "info":
        head = Text(f"{' ' * INDENT}hint: ", "dim")
        hint = visible(shortened(finding.hint, TEXT_LIMIT))
        text = Text("\n").join((text, _hang(head, hint, console, INDENT + 6)))
    return text


def _counted_notes(report: Report, console: Console) -> Text:
    """The notes, one line for each code."""
    quiet = [finding for finding in report.findings if finding.severity == "info"]
    first = {finding.code: finding for finding in reversed(quiet)}
    lines = [Text(f"{counted(len(quiet), 'note')}, listed one by one by the other formats:")]
    for code, number in sorted(Counter(finding.code for finding in quiet).items()):
        place = f"in {report.path(first[code])}:{first[code].line}"
        words = [report.rules[code].title] if code in report.rules else []
        words += ["once", place] if number == 1 else [f"{number} times", f"first {place}"]
        head = Text(f"{' ' * INDENT}{code}  ")
        lines.append(_hang(head, visible(", ".join(words)), console, INDENT * 2))
    return Text("\n").join(lines)


def _room_for_values(matrix: Matrix, lines: Sequence[Row], width: int) -> int:
    """Columns left for the record's values beside one column for each source."""
    fields = max((cell_len(row.field) for row in lines), default=0)
    verdicts = max((len(cell.verdict) + 2 for cell in matrix.cells), default=0)
    sources = sum(max(cell_len(visible(source)), verdicts) + GAP for source in matrix.sources)
    return width - max(fields, len("field")) - GAP - sources


def _table(matrix: Matrix, lines: Sequence[Row], room: int) -> Table:
    """Fields as rows, sources as columns."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    table.add_column("field", no_wrap=True)
    table.add_column("record", overflow="fold", max_width=room)
    for source in matrix.sources:
        table.add_column(Text(visible(source)), no_wrap=True)
    for row in lines:
        cells = (row.cells.get(source) for source in matrix.sources)
        words = (_word(cell.verdict) if cell else Text() for cell in cells)
        table.add_row(Text(row.field), Text(row.value, _value_style(row)), *words)
    return table


def _listed(row: Row, console: Console) -> Iterable[Text]:
    """One field with the sources of each verdict, for tables wider than the console."""
    head = Text(f"{row.field}: ", "bold")
    value = _hang(head, row.value, console)
    value.stylize(_value_style(row), len(row.field) + 2)
    yield value
    for verdict, sources in row.by_verdict().items():
        head = Text(" " * INDENT) + _word(verdict)
        head.pad_right(INDENT + WORD + GAP - head.cell_len)
        yield _hang(head, ", ".join(sources), console, INDENT + WORD + GAP)


def _word(verdict: Verdict) -> Text:
    return Text(f"{SYMBOLS[verdict]} {verdict}", VERDICT_STYLES[verdict])


def _value_style(row: Row) -> str:
    return "bold yellow" if row.marked else ""


def _legend(console: Console) -> Iterator[Text]:
    for verdict, meaning in MEANINGS.items():
        word = _word(verdict)
        word.pad_right(WORD + GAP - word.cell_len)
        yield _hang(word, meaning, console, WORD + GAP)
