"""What this project measured itself. It stands beside the claims and supports none of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from registry.records.benchmark import Baseline, Benchmark, Result
from registry.reports.wording import counted
from registry.views.claim_lines import amount, conditions_words
from registry.views.collect import Belongings
from registry.views.page import (
    Block,
    Bullets,
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

_HEADLINES = ("speedup", "speed", "throughput", "throughput-ratio", "tau", "roofline-share")
"""Metrics that say what a method is worth, in the order in which they are read."""
_NAMES = {"speed": "", "tau": " a pass (tau)", "roofline-share": " of the roofline"}
"""What is said instead of a metric's name."""


def measured(found: Belongings, shelf: Shelf) -> tuple[Section, ...]:
    """The results of every benchmark record that is about the paper; nothing where none is."""
    blocks = [block for record in found.benchmarks for block in _blocks(record, shelf)]
    if not blocks:
        return ()
    said = "Measurements of this project. They stand beside the claims and support none of them."
    title = "Measured here, under these conditions and no others"
    return (Section(title, (Paragraph(words(quiet(said))), *blocks)),)


def _blocks(record: Benchmark, shelf: Shelf) -> Iterator[Block]:
    key = f"[benchmark/{record.id}]"
    mark = words(alarm("WITHDRAWN: "), record.withdrawn.because) if record.withdrawn else ()
    label = shelf.label("model", record.model)
    yield Paragraph(joined((words(strong(label), f" {key}"), mark, *_circumstances(record, shelf))))
    results = [*record.results, *(record.baselines or ())]
    groups: dict[str, list[Result]] = {}
    for result in results:
        if result.metric.name in _HEADLINES:
            groups.setdefault(_group(result), []).append(result)
    yield Bullets(tuple(_rows(group, shelf) for group in groups.values()))
    rest = len(results) - sum(map(len, groups.values()))
    if rest:
        more = f"{counted(rest, 'more number')}: registry show benchmark/{record.id}"
        yield Paragraph(words(quiet(more)))


def _circumstances(record: Benchmark, shelf: Shelf) -> Iterator[str | Words]:
    machine, workload = record.machine, record.workload
    used = f"{machine.processor}, {machine.threads} of {machine.cores} cores, {machine.memory}"
    if machine.accelerator or machine.device:
        card = machine.device or shelf.label("accelerator", machine.accelerator or "")
        used = f"{card} in {used}"
    yield f"measured {record.measured} on {used}"
    prompts = shelf.label("dataset", workload.dataset) if workload.dataset else f"“{workload.name}”"
    yield (
        f"{counted(workload.prompts, 'prompt')} of {prompts}, at most "
        f"{counted(workload.tokens, 'token')} each, {counted(workload.repeats, 'time')}"
    )
    checks = record.checks
    if checks.compared:
        same = checks.compared - checks.differing
        yield f"{same} of {checks.compared} outputs with the ids of plain decoding"
    if checks.loops:
        yield f"{checks.loops} of {checks.outputs} outputs end in a loop"
    if record.uncommitted:
        yield words(alarm(f"code not committed, near {record.commit[:12]}"))
    else:
        yield f"commit {record.commit[:12]}"


def _group(result: Result) -> str:
    """Results of one way of decoding have it in common; what a ratio is over does not part them."""
    conditions = result.conditions.model_copy(update={"baseline": None, "other": None})
    name = result.name if isinstance(result, Baseline) else ""
    return f"{name} {conditions.model_dump_json(exclude_none=True)}"


def _rows(group: list[Result], shelf: Shelf) -> tuple[Words, ...]:
    first = min(group, key=lambda one: _HEADLINES.index(one.metric.name))
    conditions = first.conditions.model_copy(update={"other": None})
    name = f"{first.name}, a baseline" if isinstance(first, Baseline) else ""
    head = joined((strong(name) if name else "", conditions_words(conditions, None, shelf)), ", ")
    return (joined(_numbers(group)), head)


def _numbers(group: Iterable[Result]) -> Iterator[Words]:
    for result in sorted(group, key=lambda one: _HEADLINES.index(one.metric.name)):
        metric = result.metric
        median = amount(result.median, metric.unit, metric.decimals)
        name = _NAMES.get(metric.name, f" {metric.name}")
        yield words(strong(median), name, _spread(result))


def _spread(result: Result) -> str:
    """Between which values the median lies, and of how many it is the median."""
    if result.count == 1:
        return " (one value)"
    unit, decimals = result.metric.unit, result.metric.decimals
    low, high = amount(result.low, None, decimals), amount(result.high, unit, decimals)
    over = f" over {result.over}" if result.over else ""
    return f" (median of {result.count}{over}, {low} to {high})"
