"""A page for a person at a terminal: no wider than the terminal, and readable without colour."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from registry.reports.matrices import rows
from registry.reports.terminal import VERDICT_STYLES, WIDTH
from registry.reports.wording import visible
from registry.verdicts import Cell
from registry.views.collect import Broken, Subject
from registry.views.page import (
    Alarm,
    Block,
    Bullets,
    Grid,
    Page,
    Pairs,
    Paragraph,
    Tone,
    Verdicts,
    Words,
    one_line,
    words,
)
from registry.views.pages import page_of
from registry.views.values import status_word
from registry.views.verdicts import heads, legend, notes, sign

_STYLES: dict[Tone, str] = {
    "plain": "",
    "strong": "bold",
    "alarm": "bold yellow",
    "quiet": "dim",
}
_GAP = 2
"""Columns between columns."""
_VALUE_ROOM = 40
"""Columns that a value of a verdict grid may have on one line."""
_STATUS_ROOM = len("corroborated")


def render(found: Subject | Broken, *, with_history: bool = False) -> str:
    """What was found as plain text without colours, :data:`WIDTH` columns wide."""
    return render_page(page_of(found, with_history=with_history))


def render_page(page: Page, width: int = WIDTH) -> str:
    """A page as plain text without colours."""
    text = StringIO()
    print_page(page, Console(file=text, width=width, color_system=None, force_terminal=False))
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def print_page(page: Page, console: Console) -> None:
    """The page on a console, in its width and with what colours it has."""
    title = _plain(page.title, "bold").append_text(_plain(f"  [{page.key}]", "dim"))
    console.print(title)
    for block in page.opening:
        console.print(_block(block, console.width))
    for section in page.sections:
        heading = Text("── ").append_text(_plain(section.heading, "bold")).append(" ")
        console.print(heading.append("─" * max(console.width - heading.cell_len, 2)))
        for block in section.blocks:
            console.print(_block(block, console.width))
    if page.closing:
        console.print(_text(page.closing))


def _plain(text: str, style: str = "") -> Text:
    return Text(visible(one_line(text)), style, overflow="fold")


def _text(given: Words) -> Text:
    text = Text(overflow="fold")
    for run in given:
        text.append_text(_plain(run.text, _STYLES[run.tone]))
    return text


def _block(block: Block, width: int) -> RenderableType:
    if isinstance(block, Paragraph):
        return _text(block.text)
    if isinstance(block, Pairs):
        return _pairs(block)
    if isinstance(block, Bullets):
        return _bullets(block)
    if isinstance(block, Grid):
        return _grid(block)
    if isinstance(block, Verdicts):
        return Group(*_verdicts(block, width))
    return _alarm(block)


def _pairs(block: Pairs) -> Table:
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in block.rows:
        table.add_row(_plain(name), _text(text))
    return table


def _bullets(block: Bullets) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for lines in block.items:
        table.add_row("•", Text("\n").join(_text(line) for line in lines if line))
    return table


def _grid(block: Grid) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in block.head:
        table.add_column(_plain(name), overflow="fold")
    for row in block.rows:
        table.add_row(*(_text(cell) for cell in row))
    return table


def _alarm(block: Alarm) -> Panel:
    # What belongs to a line in the frame is set in from it.
    inner = Group(
        *(
            Padding(_pairs(one), (0, 0, 0, _GAP)) if isinstance(one, Pairs) else _text(one.text)
            for one in block.blocks
        )
    )
    title = _plain(block.title, "bold yellow")
    return Panel(inner, box=box.HEAVY, title=title, title_align="left", border_style="yellow")


def _verdicts(block: Verdicts, width: int) -> Iterator[RenderableType]:
    """Fields as rows, sources as columns, one sign in each cell."""
    matrix, lines = block.matrix, rows(block.matrix)
    values = [_text(block.values.get(field, ())) for field in matrix.values]
    statuses = [_text((status_word(matrix.statuses[field]),)) for field in matrix.values]
    longest = min(max((value.cell_len for value in values), default=0), _VALUE_ROOM)
    taken = (max((cell_len(line.field) for line in lines), default=0), longest, _STATUS_ROOM)
    columns = heads(matrix, width - sum(taken) - _GAP * len(taken))
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("field", no_wrap=True)
    table.add_column("record", overflow="fold")
    table.add_column("status", no_wrap=True)
    for name in columns:
        table.add_column(_plain(name), no_wrap=True, justify="center")
    for line, value, status in zip(lines, values, statuses, strict=True):
        signs = (_sign(line.cells.get(source)) for source in matrix.sources)
        table.add_row(Text(line.field), value, status, *signs)
    yield table
    yield Text(legend(), "dim")
    if columns != matrix.sources:
        numbered = zip(columns, matrix.sources, strict=True)
        yield _plain("  ".join(f"{number} {source}" for number, source in numbered))
    if said := notes(matrix):
        yield _bullets(Bullets(tuple((words(note),) for note in said)))


def _sign(cell: Cell | None) -> Text:
    return Text(sign(cell), VERDICT_STYLES[cell.verdict if cell else "not-asked"])
