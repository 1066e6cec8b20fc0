"""A page for a person at a terminal: no wider than the terminal, and readable without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import zip_longest

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from registry.reports.terminal import VERDICT_STYLES, WIDTH
from registry.reports.wording import visible
from registry.verdicts import Cell, Matrix
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
from registry.views.verdicts import as_list, heads, legend, notes, sign

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
_VALUE_LEAST = 16
"""Columns that it needs, to stand in a grid at all."""


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
    width = console.width
    console.print(_plain(page.title, "bold").append_text(_plain(f" [{page.key}]", "dim")))
    for block in page.opening:
        console.print(_block(block, width))
    for section in page.sections:
        heading = Text("── ").append_text(_plain(section.heading, "bold")).append(" ")
        console.print(heading.append("─" * max(width - heading.cell_len, 0)))
        for block in section.blocks:
            console.print(_block(block, width))
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
        return _pairs(block, width)
    if isinstance(block, Bullets):
        return _bullets(block)
    if isinstance(block, Grid):
        return _grid(block, width)
    if isinstance(block, Verdicts):
        return Group(*_verdicts(block, width))
    return _alarm(block, width)


def _pairs(block: Pairs, width: int) -> Table:
    table = Table.grid(padding=(0, _GAP, 0, 0))
    names = [_plain(name) for name, _ in block.rows]
    table.add_column(width=_narrow(names, width), overflow="fold")
    table.add_column(overflow="fold")
    for name, (_, text) in zip(names, block.rows, strict=True):
        table.add_row(name, _text(text))
    return table


def _narrow(names: Iterable[Text], width: int) -> int:
    """Columns for names, so that what they name keeps most of the width."""
    return min(max((name.cell_len for name in names), default=0), width // 3)


def _bullets(block: Bullets) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for lines in block.items:
        table.add_row("•", Text("\n").join(_text(line) for line in lines if line))
    return table


def _grid(block: Grid, width: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    lines = [[_text(cell) for cell in row] for row in block.rows]
    # A row may be longer than the head: what fits no column is shown all the same.
    columns = list(zip_longest(map(_plain, block.head), *lines, fillvalue=Text()))
    for column, fitted in zip(columns, _fitted(columns, width), strict=True):
        table.add_column(column[0], width=fitted, overflow="fold")
    for line in lines:
        table.add_row(*line)
    return table


def _fitted(columns: Sequence[Sequence[Text]], width: int) -> list[int]:
    """Columns of the terminal for each column of a table: the widest give way, down to a word."""
    found = [max(text.cell_len for text in column) for column in columns]
    least = [max(map(_longest_word, column)) for column in columns]
    room = width - _GAP * (len(found) - 1)
    if sum(least) > room:
        least = [1] * len(found)  # words are broken only where nothing else helps
    while sum(found) > room and (wide := [at for at, one in enumerate(found) if one > least[at]]):
        found[max(wide, key=found.__getitem__)] -= 1
    return found


def _longest_word(text: Text) -> int:
    return max((cell_len(word) for word in text.plain.split()), default=0)


def _alarm(block: Alarm, width: int) -> Panel:
    # What belongs to a line in the frame is set in from it.
    inner = [
        Padding(_pairs(one, width), (0, 0, 0, _GAP)) if isinstance(one, Pairs) else _text(one.text)
        for one in block.blocks
    ]
    title = _plain(block.title, "bold yellow")
    return Panel(
        Group(*inner), box=box.HEAVY, title=title, title_align="left", border_style="yellow"
    )


def _verdicts(block: Verdicts, width: int) -> Iterator[RenderableType]:
    """One sign for each field and source, or a list where a table of them is too wide."""
    matrix = block.matrix
    lines = [
        (_plain(field), _text(block.values.get(field, ())), _text((status_word(status),)))
        for field, status in matrix.statuses.items()
    ]
    field, value, status = (
        max(text.cell_len for text in column) for column in zip(*lines, strict=True)
    )
    room = width - field - status - 3 * _GAP
    columns = heads(matrix, room - min(value, _VALUE_ROOM))
    fits = room - sum(len(column) + 1 for column in columns) >= min(value, _VALUE_LEAST)
    yield _sign_table(lines, columns, matrix) if fits else _bullets(as_list(block))
    yield Text(legend(matrix), "dim")
    if fits and columns != matrix.sources:
        numbered = zip(columns, matrix.sources, strict=True)
        yield _flowing((f"{number} {source}" for number, source in numbered), width)
    if said := notes(matrix):
        yield _bullets(Bullets(tuple((words(note),) for note in said)))


def _sign_table(lines: Sequence[tuple[Text, ...]], columns: Sequence[str], matrix: Matrix) -> Table:
    """Fields as rows, sources as columns."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("field", no_wrap=True)
    table.add_column("record", overflow="fold")
    table.add_column("status", no_wrap=True)
    for name in columns:
        table.add_column(_plain(name), no_wrap=True, justify="center")
    cells = {(cell.field, cell.source): cell for cell in matrix.cells}
    for line, field in zip(lines, matrix.statuses, strict=True):
        signs = (_sign(cells.get((field, source))) for source in matrix.sources)
        table.add_row(*line, *signs)
    return table


def _sign(cell: Cell | None) -> Text:
    return Text(sign(cell), VERDICT_STYLES[cell.verdict if cell else "not-asked"])


def _flowing(items: Iterable[str], width: int) -> Text:
    """Items in lines, none of them broken where it fits on a line."""
    lines: list[Text] = []
    for item in map(_plain, items):
        if lines and lines[-1].cell_len + _GAP + item.cell_len <= width:
            lines[-1].append(" " * _GAP).append_text(item)
        else:
            lines.append(item)
    return Text("\n", overflow="fold").join(lines)
