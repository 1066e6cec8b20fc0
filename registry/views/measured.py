"""What this project measured itself. It stands beside the claims and supports none of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from registry.equality.runs import Repeated, latest_runs, spread_of_speedups
from registry.records.benchmark import Benchmark, Result, is_edited
from registry.records.claims import Conditions
from registry.reports.wording import counted
from registry.views.claim_lines import amount, conditions_words
from registry.views.collect import Belongings
from registry.views.page import (
    Block,
    Grid,
    Paragraph,
    Section,
    Words,
    alarm,
    joined,
    quiet,
    strong,
    words,
)
from registry.views.shelf import Shelf

_HEADLINES = {
    "speedup": "speedup",
    "speed": "tokens/s",
    "throughput-ratio": "throughput",
    "tau": "tau",
    "roofline-share": "of roofline",
}
"""Metrics that say what a method is worth, in the order in which they are read, and their heads."""
_KEYS = ("drafting", *(key for key in Conditions.model_fields if key != "drafting"))
"""Conditions in the order of the columns; the longest words come first, where there is room."""
_LINKED = ("method", "model", "dataset", "engine")

_Told = dict[str, Any]
"""The conditions that are stated of a result, save what its numbers are over."""


def measured(found: Belongings, shelf: Shelf) -> tuple[Section, ...]:
    """What was measured of the paper's methods; nothing where nothing was."""
    own = {method.id for method in found.methods}
    blocks = [
        block
        for run, others in sorted(latest_runs(found.benchmarks), key=_effort)
        for block in _blocks(run, others, own, shelf)
    ]
    title = "Measured here, to be read beside the claims; it supports none of them"
    return (Section(title, tuple(blocks)),) if blocks else ()


def _effort(repeated: Repeated) -> int:
    """What was measured longest stands first: a quick look tells less."""
    work = repeated.run.workload
    return -work.prompts * work.tokens * work.repeats


def _blocks(
    record: Benchmark, others: Sequence[Benchmark], own: set[str], shelf: Shelf
) -> Iterator[Block]:
    groups: dict[str, list[Result]] = {}
    for result in record.results:
        if result.metric.name in _HEADLINES and result.conditions.method in own:
            groups.setdefault(_group(result), []).append(result)
    ways = [(_told(group), group) for group in groups.values()]
    varying = [key for key in _KEYS if len({f"{told.get(key)}" for told, _ in ways}) > 1]
    # A page of one method need not name it again.
    known = own if len(own) == 1 else ()
    same = {key: value for key, value in ways[0][0].items() if key not in varying} if ways else {}
    yield Paragraph(joined((*_circumstances(record, shelf), _words(same, shelf, known))))
    shown = [result for _, group in ways for result in group]
    metrics = [name for name in _HEADLINES if any(one.metric.name == name for one in shown)]
    head = (*varying, *(_HEADLINES[name] for name in metrics))
    rows = tuple(
        (
            *(_condition(key, told.get(key), shelf) for key in varying),
            *(_numbers(name, group) for name in metrics),
        )
        for told, group in ways
    )
    if rows:
        yield Grid(head, rows)
    rest = len(record.results) + len(record.baselines or ()) - len(shown)
    more = f"{rest} more in the record" if rest else ""
    closing = " · ".join(filter(None, (_spreads(shown), more, repeated(record, others))))
    if closing:
        yield Paragraph(words(quiet(closing)))


def repeated(record: Benchmark, others: Sequence[Benchmark]) -> str:
    """Which other runs measured the same as a record, and how far apart they all are."""
    if not others:
        return ""
    share = spread_of_speedups((record, *others))
    within = "" if share is None else f": all speedups within {share:.1%}"
    runs = counted(len(others), "more run of the same", "more runs of the same")
    return f"{runs}{within} [{', '.join(one.id for one in others)}]"


def _circumstances(record: Benchmark, shelf: Shelf) -> Iterator[str | Words]:
    yield words(strong(shelf.label("model", record.model)), f" [benchmark/{record.id}]")
    if record.withdrawn:
        yield words(alarm("WITHDRAWN: "), record.withdrawn.because)
    if is_edited(record):
        yield words(alarm("EDITED BY HAND: "), "these are not the numbers that were measured")
    machine, workload = record.machine, record.workload
    used = f"{shelf.label('machine', machine.record)}, {counted(machine.threads, 'thread')}"
    if machine.accelerator or machine.device:
        card = machine.device or shelf.label("accelerator", machine.accelerator or "")
        used = f"{card} in {used}"
    yield f"measured {record.measured} on {used}"
    prompts = shelf.label("dataset", workload.dataset) if workload.dataset else f"“{workload.name}”"
    yield (
        f"{counted(workload.prompts, 'prompt')} of {prompts}, {counted(workload.repeats, 'time')}, "
        f"at most {counted(workload.tokens, 'token')} each"
    )
    checks = record.checks
    if checks.compared:
        same = checks.compared - checks.differing
        yield f"{same} of {checks.compared} outputs are those of plain decoding"
    if checks.loops:
        yield f"{checks.loops} of {checks.outputs} outputs end in a loop"
    if record.uncommitted:
        yield words(alarm(f"code not committed, near {record.commit[:12]}"))
    else:
        yield f"commit {record.commit[:12]}"


def _group(result: Result) -> str:
    """Results of one way of decoding have it in common; what a ratio is over does not part them."""
    conditions = result.conditions.model_copy(update={"baseline": None, "other": None})
    return conditions.model_dump_json(exclude_none=True)


def _told(group: Sequence[Result]) -> _Told:
    first = min(group, key=lambda one: [*_HEADLINES].index(one.metric.name))
    return first.conditions.model_dump(exclude_none=True, exclude={"other"})


def _words(told: _Told, shelf: Shelf, known: Collection[str] = ()) -> Words:
    return conditions_words(Conditions.model_validate(told), None, shelf, known)


def _condition(key: str, value: Any, shelf: Shelf) -> Words:
    """A condition under its name."""
    if value is None:
        return words(quiet("–"))
    if key in _LINKED:
        return words(shelf.label(key, value))
    if key == "hardware":
        return _words({key: value}, shelf)
    return words(f"{value:g}" if isinstance(value, float) else f"{value}")


def _numbers(name: str, group: Sequence[Result]) -> Words:
    return joined((_number(one) for one in group if one.metric.name == name), ", ")


def _number(result: Result) -> Words:
    """A number and, where it is the median of several, how far these lie apart."""
    metric = result.metric
    if metric.unit == "fraction":
        return words(strong(f"{result.median:.0%}"))
    unit = metric.unit if metric.unit == "x" else None
    median = strong(amount(result.median, unit, metric.decimals))
    low, high = _spread(result)
    if low == high:
        return words(median)
    ends = (amount(end, None, metric.decimals) for end in (low, high))
    return words(median, f" ({'-'.join(ends)})")


def _spread(result: Result) -> tuple[float, float]:
    """Between which values the middle half lies; where that is not told, all."""
    if result.lower_quartile is None or result.upper_quartile is None:
        return result.low, result.high
    return result.lower_quartile, result.upper_quartile


def _spreads(shown: Sequence[Result]) -> str:
    """What the brackets are, and of how many values."""
    told: dict[str, dict[str, dict[str, None]]] = {}
    for one in shown:
        low, high = _spread(one)
        if low != high and one.metric.unit != "fraction":
            kind = "all" if one.lower_quartile is None else "quartiles"
            values = f"{one.count} {one.over or 'values'}"
            told.setdefault(kind, {}).setdefault(values, {})[_HEADLINES[one.metric.name]] = None
    parts = (f"{kind} of {_listed(of)}" for kind, of in told.items())
    return f"brackets: {'; '.join(parts)}" if told else ""


def _listed(of: dict[str, dict[str, None]]) -> str:
    return ", ".join(f"{values} ({', '.join(names)})" for values, names in of.items())
