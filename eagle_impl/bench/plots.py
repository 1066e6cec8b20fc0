"""Plots of a benchmark record. Every one says what it is of, and what it must be read with."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

from matplotlib.axes import Axes

from eagle_impl.bench.plot_style import GRID, INK, MARKERS, QUIET, SERIES, draw
from eagle_impl.bench.shown import Shown, Way
from registry.records.benchmark import Result

_NAMES = 0.24
"""Share of the width that names of ways of decoding have."""
_WORDS = 28
"""Characters on a line of them."""
_ROW = 0.62
"""Inches for a way of decoding."""

_APART = 0.05
"""How far apart marks stand that would cover each other."""

Point = tuple[float, Result]


def speedup(shown: Shown) -> str | None:
    """Speedup over plain decoding by way of decoding, with its spread."""
    ways = [one for one in (*shown.ways, *shown.baselines) if _any(one, "speedup", shown)]
    if not ways:
        return None
    many = len(shown.temperatures)

    def paint(axes: list[Axes]) -> None:
        (axis,) = axes
        reaches = [1.0]
        axis.axvline(1, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        for number, temperature in enumerate(shown.temperatures):
            shift = (number - (many - 1) / 2) * 0.34
            label: str | None = _warmth(temperature)
            for row, way in enumerate(ways):
                total = way.at("speedup", temperature)
                if total is None:
                    continue
                place, (colour, mark) = row + shift, _look(number)
                if prompts := way.at("speedup-by-prompt", temperature):
                    axis.hlines(place, *_middle(prompts), color=colour, linewidth=1.2)
                axis.hlines(place, *_ends(total), color=colour, linewidth=5, alpha=0.45)
                axis.plot(total.median, place, mark, color=colour, markersize=6, label=label)
                label = None
                reach = max(_ends(total)[1], _middle(prompts)[1] if prompts else 0)
                reaches.append(reach)
                axis.annotate(
                    f"{total.median:.2f}x",
                    (reach, place),
                    xytext=(6, 0),
                    textcoords="offset points",
                    va="center",
                )
        _rows(axis, ways)
        axis.set_xlim(0, 1.12 * max(reaches))
        axis.set_xlabel("times as fast as plain decoding of the same engine (dashed line)")

    notes = (
        "Marks: the ratio of times per token, all prompts together, median of the repeats; thick "
        "lines: all repeats; thin lines: the middle half of the prompts, each by itself.",
    )
    height, legend = _ROW * len(ways) + 0.1, (1, many)
    title = "Speedup by method"
    return draw(title, shown, notes, paint, height=height, left=_NAMES, legend=legend)


def acceptance(shown: Shown) -> str | None:
    """How many drafted tokens are accepted, by their depth in the draft."""
    warm = [one for one in shown.temperatures if any(way.depths(one) for way in shown.ways)]
    if not warm:
        return None

    def paint(axes: list[Axes]) -> None:
        for axis, temperature in zip(axes, warm, strict=True):
            for number, way in enumerate(shown.ways):
                shift = _APART * (number - (len(shown.ways) - 1) / 2)
                points = [(depth + shift, rate) for depth, rate in way.depths(temperature)]
                _line(axis, points, number, _label(way))
            axis.set_xlabel("depth in the draft")
            axis.set_xticks(range(1, 1 + max(len(way.depths(temperature)) for way in shown.ways)))
        axes[0].set_ylim(0, 1)
        axes[0].set_ylabel("accepted, if all above was")

    notes = ("Marks: all prompts together; bars, where repeats differ: all of them.",)
    names = [_warmth(one) for one in warm]
    legend = (math.ceil(len(shown.ways) / 2), 2)
    title = "Acceptance by depth"
    return draw(title, shown, notes, paint, panels=names, height=3.2, legend=legend)


def throughput(shown: Shown) -> str | None:
    """Tokens a second of plain decoding by batch size, and of the others, which decode one."""
    batches = {
        way.name: points
        for way in shown.baselines
        if (points := [*_by_batch(way.results, "throughput")])
    }
    if not batches:
        return None
    alone = [(way, found) for way in shown.ways if (found := way.at("speed", 0))]

    def paint(axes: list[Axes]) -> None:
        (axis,) = axes
        axis.set_xscale("log", base=2)
        for number, (name, points) in enumerate(batches.items()):
            _line(axis, points, number, f"{name} in batches")
        for number, (way, found) in enumerate(alone, len(batches)):
            apart = 2 ** (_APART * (number - len(batches) + 1))
            _line(axis, [(apart, found)], number, _label(way))
        sizes = sorted({size for points in batches.values() for size, _ in points} | {1})
        axis.set_xticks(sizes, labels=[f"{size}" for size in sizes])
        axis.minorticks_off()
        axis.set_xlabel("batch size")
        axis.set_ylabel("tokens a second, in all")
        axis.set_ylim(bottom=0)

    notes = (
        "Temperature 0. In batches: prompts cut short and not timed, median and ends of the "
        "repeats. Drafts, one sequence: prompts whole and timed, median and middle half of the "
        "runs.",
    )
    legend = (math.ceil((len(batches) + len(alone)) / 2), 2)
    return draw("Throughput by batch size", shown, notes, paint, height=3.2, legend=legend)


def roofline(shown: Shown) -> str | None:
    """What forward passes alone would allow, and how much of it was reached."""
    rows = [
        (way, temperature, possible, reached)
        for way in shown.ways
        for temperature in shown.temperatures
        if (possible := way.at("roofline", temperature))
        and (reached := way.at("roofline-reached", temperature))
    ]
    if not rows:
        return None

    def paint(axes: list[Axes]) -> None:
        (axis,) = axes
        many = len(shown.temperatures)
        ways = list(dict.fromkeys(way for way, *_ in rows))
        for way, temperature, possible, reached in rows:
            number = shown.temperatures.index(temperature)
            place = ways.index(way) + (number - (many - 1) / 2) * 0.36
            most, got = possible.median, reached.median
            axis.barh(place, most, height=0.3, color=GRID, edgecolor=QUIET, linewidth=0.8)
            axis.barh(place, got, height=0.3, color=_look(number)[0])
            axis.annotate(
                f"{got:.2f}x of {most:.2f}x: {got / most:.0%}",
                (max(most, got), place),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
            )
        for number, temperature in enumerate(shown.temperatures):
            axis.barh(0, 0, color=_look(number)[0], label=f"reached, {_warmth(temperature)}")
        axis.barh(0, 0, color=GRID, edgecolor=QUIET, linewidth=0.8, label="possible")
        _rows(axis, ways)
        axis.set_xlim(right=1.4 * max(one.median for _, _, one, _ in rows))
        axis.set_xlabel("times as fast as plain decoding, without reading the prompts")

    notes = (
        "Possible: tau / (T_verify/T_1 + steps x T_draft/T_1), with single forward passes "
        "that were measured between the runs.",
    )
    height = _ROW * len({way for way, *_ in rows}) + 0.1
    legend = (1, len(shown.temperatures) + 1)
    return draw(
        "Roofline, reached and possible",
        shown,
        notes,
        paint,
        height=height,
        left=_NAMES,
        legend=legend,
    )


PLOTS: Mapping[str, Callable[[Shown], str | None]] = {
    "speedup": speedup,
    "acceptance": acceptance,
    "throughput": throughput,
    "roofline": roofline,
}
"""Name to what draws it; None where the record has no numbers for it."""


def _any(way: Way, metric: str, shown: Shown) -> bool:
    return any(way.at(metric, temperature) for temperature in shown.temperatures)


def _look(number: int) -> tuple[str, str]:
    """Colour and mark of one of several; beyond the sixth they begin again."""
    return SERIES[number % len(SERIES)], MARKERS[number % len(MARKERS)]


def _warmth(temperature: float) -> str:
    return f"temperature {temperature:g}"


def _label(way: Way) -> str:
    return f"{way.name}, {way.drafting}" if way.drafting else way.name


def _rows(axis: Axes, ways: Sequence[Way]) -> None:
    """Ways of decoding from top to bottom, the shape of the draft below the name."""
    labels = ["\n".join((way.name, *textwrap.wrap(way.drafting, _WORDS))) for way in ways]
    axis.set_yticks(range(len(ways)), labels=labels)
    axis.set_ylim(len(ways) - 0.5, -0.5)
    axis.grid(visible=False, axis="y")


def _line(axis: Axes, points: Sequence[Point], number: int, label: str) -> None:
    """Medians with how far they spread, joined where there are several."""
    if not points:
        return
    medians = [one.median for _, one in points]
    spreads = [_middle(one) if one.over == "runs" else _ends(one) for _, one in points]
    below = [median - low for median, (low, _) in zip(medians, spreads, strict=True)]
    above = [high - median for median, (_, high) in zip(medians, spreads, strict=True)]
    colour, mark = _look(number)
    axis.errorbar(
        [place for place, _ in points],
        medians,
        yerr=[below, above],
        color=colour,
        marker=mark,
        markersize=5.5,
        linewidth=1.6,
        elinewidth=1.2,
        capsize=3,
        label=label,
    )


def _by_batch(results: Sequence[Result], metric: str) -> Iterator[Point]:
    found = (one for one in results if one.metric.name == metric)
    yield from sorted(
        ((one.conditions.batch or 1, one) for one in found), key=lambda point: point[0]
    )


def _ends(result: Result) -> tuple[float, float]:
    return result.low, result.high


def _middle(result: Result) -> tuple[float, float]:
    low, high = result.lower_quartile, result.upper_quartile
    return (result.low, result.high) if low is None or high is None else (low, high)
