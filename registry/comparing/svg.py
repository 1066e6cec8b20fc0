"""A chart of what stands side by side: a panel for each block, a bar for each number.

Drawn by hand, so that it needs no plotting library, is the same on every machine, and holds nothing
but text and rectangles. It follows the reader's choice of a light or a dark page. Lengths are in
pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap
from xml.sax.saxutils import escape

from registry.comparing.blocks import Block, blocks
from registry.comparing.comparison import Comparison, Row
from registry.comparing.number import Number
from registry.comparing.page import column, heading, shared, warnings
from registry.comparing.wording import Notes, bare_text
from registry.errors import ComparisonError
from registry.reports.wording import sentence, shortened, visible
from registry.views.page import one_line

WIDTH = 900
_LEFT = 330
"""Where bars begin: rows and methods have their names on this side."""
_RIGHT = 150
"""Beyond the longest bar, for the number."""
_BAR = 16
_GAP = 10
_LINE = 15
_MARGIN = 16
_COLUMNS = 138
"""Characters of small text on a line."""
_LABEL = 46
"""Characters of the name of a method."""
_CHARACTER = 7
"""At most so wide is a character of a number, which hides the grid behind it."""
ROWS = 40
"""A chart with more of them is several screens long, and nobody reads it."""

_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9")
"""Told apart by readers who see few colours (Okabe and Ito); names stand beside the bars, too."""

_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1c1c1c; }
.page { fill: #ffffff; } .head { font-weight: bold; } .small { font-size: 11px; fill: #4a4a4a; }
.end { text-anchor: end; } .middle { text-anchor: middle; } .alarm { fill: #a33b00; }
.grid { stroke: #d8d8d8; } .error { stroke: #1c1c1c; stroke-width: 1.5; }
.middle-half { stroke: #1c1c1c; stroke-width: 4; }
@media (prefers-color-scheme: dark) {
text, .small { fill: #e8e8e8; } .page { fill: #16181b; } .alarm { fill: #ffb27a; }
.grid { stroke: #3a3d42; } .error, .middle-half { stroke: #f5f5f5; }
}
"""


class _Canvas:
    """Shapes, and how far down the page they reach."""

    def __init__(self) -> None:
        self.shapes: list[str] = []
        self.y = _MARGIN

    def text(self, x: float, y: float, text: str, style: str = "") -> None:
        kind = f' class="{style}"' if style else ""
        shown = escape(visible(one_line(text)))
        self.shapes.append(f'<text x="{x:.1f}" y="{y:.1f}"{kind}>{shown}</text>')

    def line(self, x: float, y: float, x2: float, y2: float, style: str) -> None:
        ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self.shapes.append(f'<line {ends} class="{style}"/>')

    def bar(self, x: float, y: float, width: float, colour: str) -> None:
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_BAR - 4}"'
        self.shapes.append(f'<rect {place} fill="{colour}"/>')

    def label(self, x: float, y: float, text: str) -> None:
        place = f'x="{x - 2:.1f}" y="{y - 11:.1f}" width="{len(text) * _CHARACTER + 4}" height="14"'
        self.shapes.append(f'<rect {place} class="page"/>')
        self.text(x, y, text)

    def paragraph(self, text: str, style: str) -> None:
        for line in wrap(visible(one_line(text)), _COLUMNS):
            self.y += _LINE
            self.text(_MARGIN, self.y, line, style)


def render(comparison: Comparison) -> str:
    """The rows of the comparison as one SVG document.

    Raises:
        ComparisonError: there are more than :data:`ROWS`.
    """
    if len(comparison.rows) > ROWS:
        hint = "choose with --metric, --model, --dataset or --temperature, or take --format csv"
        raise ComparisonError(f"a chart of {len(comparison.rows)} rows cannot be read", hint)
    canvas, notes = _Canvas(), Notes()
    question = comparison.question
    canvas.y += _LINE
    title = ", ".join((*(name for _, name in question.names), *question.conditions))
    canvas.text(_MARGIN, canvas.y, title, "head")
    for head, reasons, heirs in warnings(comparison):
        told = (f"{head}:", *(sentence(text) for _, text in reasons), heirs)
        canvas.paragraph(" ".join(told), "alarm")
    found = blocks(comparison.rows, question.methods)
    for block in found:
        alike = [one for one in found if one.counted == block.counted]
        # One scale for all panels of a metric: equal numbers have equal bars.
        axis = _Axis([end for one in alike for end in _ends(one.numbers)])
        _panel(block, comparison, canvas, notes, axis)
    outside = len(comparison.left_out)
    canvas.y += _GAP
    canvas.paragraph(f"Not drawn: numbers that stand beside no other ({outside}).", "small")
    height = canvas.y + _MARGIN
    body = "\n".join(canvas.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img">\n<title>{escape(visible(one_line(title)))}</title>\n'
        f"<style>{_STYLE}</style>\n"
        f'<rect class="page" width="{WIDTH}" height="{height}"/>\n{body}\n</svg>\n'
    )


def _ends(numbers: Sequence[Number]) -> list[float]:
    ends = (end for one in numbers for end in (one.value, one.low, one.high))
    return [end for end in ends if end is not None]


def _panel(
    block: Block, comparison: Comparison, canvas: _Canvas, notes: Notes, axis: _Axis
) -> None:
    canvas.y += 2 * _GAP
    canvas.paragraph(heading(block), "head")
    canvas.y += _LINE
    for tick, text in axis.ticks():
        canvas.text(axis.x(tick), canvas.y, text, "small middle")
    canvas.text(_LEFT - _GAP - 30, canvas.y, f"{block.first.metric} ({block.first.unit})", "end")
    canvas.y += 6
    for row in block.rows:
        _bars(row, block, comparison, canvas, notes, axis)
    canvas.y += 4
    same = shared(block)
    if same:
        canvas.paragraph(f"all: {same}", "small")
    for mark, text in notes.of(block):
        canvas.paragraph(f"{mark}: {text}", "small")


def _bars(
    row: Row, block: Block, comparison: Comparison, canvas: _Canvas, notes: Notes, axis: _Axis
) -> None:
    canvas.y += _GAP
    # A bare number says nothing; what it is the temperature or the batch of, does.
    labels = ((key, block.label(row, key)) for key in block.varying)
    parts = (f"{key} {text}" if key in ("temperature", "batch") else text for key, text in labels)
    canvas.paragraph(" · ".join(filter(None, parts)), "small")
    canvas.y += 3
    bars = sum(len(numbers) for _, numbers in row.cells)
    for tick, _ in axis.ticks():
        # Only beside the bars, and drawn before them: a line through words makes them hard to read.
        canvas.line(axis.x(tick), canvas.y, axis.x(tick), canvas.y + bars * _BAR, "grid")
    for method, numbers in row.cells:
        place = comparison.question.methods.index(method)
        for number in numbers:
            label = shortened(column(method, block, comparison), _LABEL)
            canvas.text(_LEFT - _GAP, canvas.y + _BAR - 5, label, "end")
            _bar(number, canvas, axis, _COLOURS[place % len(_COLOURS)])
            reach = max(0, *_ends([number]))
            text = f"{bare_text(number)} {notes.mark(number, block)}"
            canvas.label(axis.x(reach) + 6, canvas.y + _BAR - 5, text)
            canvas.y += _BAR


def _bar(number: Number, canvas: _Canvas, axis: _Axis, colour: str) -> None:
    """From nought to the value; a range from end to end, since it has no value."""
    if number.value is None and number.low is not None and number.high is not None:
        start, end = number.low, number.high
    else:
        start, end = sorted((0, number.value or 0))
    width = max(axis.x(end) - axis.x(start), 1)
    canvas.bar(axis.x(start), canvas.y + 2, width, colour)
    if number.value is not None and number.low is not None and number.high is not None:
        middle = canvas.y + _BAR / 2
        canvas.line(axis.x(number.low), middle, axis.x(number.high), middle, "error")
        for end in (number.low, number.high):
            canvas.line(axis.x(end), middle - 4, axis.x(end), middle + 4, "error")
        if number.middle is not None:
            low, high = number.middle
            canvas.line(axis.x(low), middle, axis.x(high), middle, "middle-half")


class _Axis:
    """From nought, or from the smallest number where that lies below, to the largest."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self.low, self.high = min(0.0, *numbers), max(0.0, *numbers)
        if self.low == self.high:
            self.high = 1.0

    def x(self, number: float) -> float:
        # Each part by itself: the difference of two large numbers may be no number.
        scale = max(abs(self.low), abs(self.high))
        low, high = self.low / scale, self.high / scale
        return _LEFT + (number / scale - low) / (high - low) * (WIDTH - _LEFT - _RIGHT)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """About five round numbers."""
        rough = self.high / 5 - self.low / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next((part * power for part in (1, 2, 5) if part * power >= rough), 10 * power)
        for place in range(math.ceil(self.low / step), math.floor(self.high / step) + 1):
            yield place * step, f"{place * step:g}"
