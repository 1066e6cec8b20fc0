"""How plots look, and how they become files: SVG that is the same every time it is written.

A plot brings its own page and is drawn for a light one. Readers who prefer dark pages get the same
shapes in other colours, by a style sheet within the file; programs that know no such sheets show it
as it was drawn.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eagle_impl.bench.shown import Shown

PAGE = "#ffffff"
INK = "#1c1c1c"
QUIET = "#595959"
"""Of what helps to read the rest."""
GRID = "#d9d9d9"
SERIES = ("#0072b2", "#b35900", "#007a5a", "#a8498b", "#c03a00", "#5c6670")
"""Told apart by readers who see few colours (after Okabe and Ito), on a light page."""
DARK = {
    PAGE: "#16181b",
    INK: "#e8e8e8",
    QUIET: "#a9adb3",
    GRID: "#3a3d42",
    **dict(
        zip(
            SERIES,
            ("#56b4e9", "#e69f00", "#2fc79a", "#e29ac6", "#ff8a5c", "#aab4be"),
            strict=True,
        )
    ),
}
"""The same on a dark one."""
MARKERS = ("o", "s", "^", "D", "v", "P")
"""One for each colour: no reader needs the colours."""

WIDTH = 8.6
"""Inches; a plot is read on pages about 850 pixels wide."""
_HEAD, _TITLE, _KEY = 0.8, 0.26, 0.2
"""Inches for all titles, for the plot's title, and for a row of the legend."""
_AXIS, _LINE, _MARGIN = 0.6, 0.17, 0.14
"""Inches for the horizontal axis, for a line of small text, and around all."""
_COLUMNS = 130
"""Characters of small text on a line."""
_SETTINGS: dict[Any, Any] = {
    "text.parse_math": False,  # what a record holds is text
    "svg.fonttype": "none",  # text that can be searched, read aloud and set in another font
    "svg.hashsalt": "claims-registry",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.5,
    "figure.facecolor": PAGE,
    "axes.facecolor": "none",
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.labelcolor": INK,
}


def draw(
    title: str,
    shown: Shown,
    notes: Sequence[str],
    paint: Callable[[list[Axes]], None],
    *,
    panels: Sequence[str] = ("",),
    height: float,
    left: float = 0.09,
    legend: tuple[int, int],
) -> str:
    """One plot as SVG.

    Args:
        title: What it shows.
        shown: The record, whose circumstances stand below.
        notes: How it is to be read; also below.
        paint: Draws into the panels.
        panels: The titles of the panels, which stand side by side and share their vertical axis.
        height: Inches of the panels.
        left: Share of the width on the left of them.
        legend: Rows and columns of the legend, which stands above the panels.
    """
    lines = [
        line for text in (*notes, *shown.circumstances) for line in textwrap.wrap(text, _COLUMNS)
    ]
    foot = _AXIS + _LINE * len(lines) + _MARGIN
    rows, columns = legend
    head = _HEAD + rows * _KEY
    whole = head + height + foot
    with rc_context(_SETTINGS):
        figure = Figure(figsize=(WIDTH, whole))
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        figure.subplots_adjust(
            left=left, right=0.975, top=1 - head / whole, bottom=foot / whole, wspace=0.08
        )
        for axis, name in zip(axes, panels, strict=True):
            axis.set_title(name, loc="left", fontsize=9.5)
            axis.tick_params(length=0)
        paint(list(axes))
        named = f"{title}: {shown.model}"
        figure.text(0.015, 1 - _MARGIN / whole, named, va="top", weight="bold", size=12)
        above = 1 - (_MARGIN + _TITLE) / whole
        figure.legend(
            *axes[0].get_legend_handles_labels(),
            loc="upper left",
            bbox_to_anchor=(0, above),
            ncols=columns,
        )
        for place, line in enumerate(reversed(lines)):
            height_of = (_MARGIN + place * _LINE) / whole
            figure.text(0.015, height_of, line, color=QUIET, size=8)
        return _svg(figure, title, shown)


def _svg(figure: Figure, title: str, shown: Shown) -> str:
    text = io.StringIO()
    record = shown.record
    about = {
        "Title": f"{title}: {shown.model}",
        "Description": f"drawn from benchmark/{record.id}, sealed {record.hash}",
        "Creator": "eagle_impl plot",
        "Date": None,
    }
    figure.savefig(text, format="svg", metadata=about)
    head, mark, body = text.getvalue().partition(" <metadata>")
    lines = (line.rstrip() for line in f"{head}{_sheet()}{mark}{body}".splitlines())
    return "".join(f"{line}\n" for line in lines)


def _sheet() -> str:
    """What gives every colour that was drawn its dark one; ``!important`` since it was drawn so."""
    rules = "".join(
        f'  [style*="{part}: {light}"] {{ {part}: {dark} !important }}\n'
        for light, dark in DARK.items()
        for part in ("fill", "stroke")
    )
    return f" <style>\n@media (prefers-color-scheme: dark) {{\n{rules}}}\n </style>\n"
