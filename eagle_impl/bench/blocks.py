"""Tables of measurements in Markdown documents, made from benchmark records and from nothing else.

<!-- figures: benchmark/ID -->
(the table)
<!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from eagle_impl.bench.shown import Shown, Way, plain
from eagle_impl.errors import OptionError
from registry.records.benchmark import Result
from registry.views.claim_lines import amount
from registry.views.markdown import render_blocks
from registry.views.measured import repeated
from registry.views.page import Bullets, Grid, Words, strong, words

_BEGIN = re.compile(r"<!-- figures: (benchmark/\S+) -->")
_END = "<!-- end -->"
_MARK = re.compile(r"\s*<!--\s*figures?\b")
"""What is meant to begin a block."""
_BOM = "\ufeff"
"""What some editors begin a document with."""
_EXAMPLE = "<!-- figures: benchmark/ID -->"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
"""Begins and ends an example, which is none of the blocks."""
_HEAD = (
    "",
    "temperature",
    "tokens/s",
    "speedup over plain [quartiles]",
    "tau",
    "of the roofline",
    "other outputs than plain",
)


def filled(text: str, find: Callable[[str], Shown], where: str) -> str:
    """A document whose blocks say what the records say; one without blocks stays as it is.

    Args:
        text: The document.
        find: Opens a record.
        where: Its name, for messages.

    Raises:
        OptionError: A block has no end, or ``find`` finds nothing.
    """
    mark, text = text[: text.startswith(_BOM)], text.removeprefix(_BOM)
    return mark + "".join(_parts(text.splitlines(keepends=True), find, where))


def _parts(lines: list[str], find: Callable[[str], Shown], where: str) -> Iterator[str]:
    waiting: tuple[int, str] | None = None
    fence = ""
    for number, line in enumerate(lines, 1):
        begins = _BEGIN.fullmatch(line.strip())
        fenced = _FENCE.match(line)
        if waiting is None:
            yield line
            if fenced and not fence:
                fence = fenced[1]
            elif fence:
                fence = "" if fenced and fenced[1].startswith(fence) else fence
            elif begins:
                waiting = (number, begins[1])
            elif _MARK.match(line):
                raise OptionError(f"{where}:{number}: this begins no block", f"write {_EXAMPLE}")
        elif line.strip() == _END:
            yield _ended(_found(waiting, find, where), lines[waiting[0] - 1])
            yield line
            waiting = None
        elif begins:
            break
    if waiting is not None:
        message = f"{where}:{waiting[0]}: the block of {waiting[1]} has no end"
        raise OptionError(message, f"put a line {_END} after it")


def _found(block: tuple[int, str], find: Callable[[str], Shown], where: str) -> str:
    try:
        return table(find(block[1]))
    except OptionError as error:
        raise OptionError(f"{where}:{block[0]}: {error.message}", error.hint) from None


def _ended(text: str, like: str) -> str:
    """A text whose lines end as another line does."""
    return text.replace("\n", "\r\n") if like.endswith("\r\n") else text


def table(shown: Shown) -> str:
    """What a record says as Markdown, with what it must be read with below it."""
    rows = tuple(
        row
        for temperature in shown.temperatures
        for way in (*shown.baselines, *shown.ways)
        if (row := _row(way, temperature)) is not None
    )
    told = (
        *shown.circumstances,
        _meant(shown),
        _same(shown),
        *_drawn(shown),
        *_otherwise(shown),
        *(f"not measured: {plain(one)}" for one in shown.record.missing or ()),
        repeated(shown.record, shown.others),
    )
    lines = Bullets(tuple((words(one),) for one in told if one))
    return f"\n{render_blocks((Grid(_HEAD, rows), lines))}\n"


def _row(way: Way, temperature: float) -> tuple[Words, ...] | None:
    speed = way.at("speed", temperature)
    if speed is None:
        return None
    speedup, tau = way.at("speedup", temperature), way.at("tau", temperature)
    name = f"{way.name}, {way.drafting}" if way.drafting else way.name
    return (
        words(name),
        words(f"{temperature:g}"),
        words(_amount(speed)),
        words(strong(_amount(speedup)), _quartiles(speedup)) if speedup else words("–"),
        words(_amount(tau)) if tau else words("–"),
        words(_share(way.at("roofline-share", temperature))),
        words(_share(way.at("differing-outputs", temperature))),
    )


def _amount(result: Result) -> str:
    unit = "x" if result.metric.unit == "x" else None
    return amount(result.median, unit, result.metric.decimals)


def _quartiles(result: Result) -> str:
    if result.lower_quartile is None or result.upper_quartile is None:
        return ""
    ends = (result.lower_quartile, result.upper_quartile)
    return f" [{' to '.join(amount(one, None, result.metric.decimals) for one in ends)}]"


def _share(result: Result | None) -> str:
    return f"{result.median:.0%}" if result else "–"


def _drawn(shown: Shown) -> Iterator[str]:
    """What is to be said of own methods whose outputs are others, and may be."""
    others = {
        way.name
        for way in shown.ways
        for temperature in shown.temperatures
        if temperature > 0 and (found := way.at("differing-outputs", temperature)) and found.median
    }
    for name in sorted(others):
        yield f"{name} draws its drafts above temperature 0: other outputs, of the same law"


def _otherwise(shown: Shown) -> Iterator[str]:
    """What is held against the methods and computes or is timed otherwise."""
    usual = {one.conditions.precision for way in shown.ways for one in way.results}
    for way in shown.baselines:
        speed = way.at("speed", 0)
        if speed is None:
            continue
        held = speed.conditions
        weights = (f"weights in {held.precision}",) if held.precision not in usual else ()
        if told := (*weights, *(held.other or ())):
            yield f"{way.name}: {', '.join(map(plain, told))}"


def _meant(shown: Shown) -> str:
    repeats = shown.record.workload.repeats
    ratio = "speedup: tokens per second, all prompts together, over those of plain decoding"
    return f"{ratio}; the median of {repeats} repeats" if repeats > 1 else ratio


def _same(shown: Shown) -> str:
    checks = shown.record.checks
    same = checks.compared - checks.differing
    return (
        f"{same} of the {checks.compared} outputs that must be those of plain decoding are; "
        f"{checks.loops} of {checks.outputs} outputs end in a loop"
    )
