"""What this project measured itself. It stands beside the claims and supports none of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from registry.records.benchmark import Benchmark, Result
from registry.records.claims import Conditions
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

_HEADLINES = ("speedup", "speed", "throughput-ratio", "tau", "roofline-share")
"""Metrics that say what a method is worth, in the order in which they are read."""
_NAMES = {"speed": "", "tau": " a pass (tau)", "roofline-share": " of the roofline"}
"""What is said instead of a metric's name."""


def measured(found: Belongings, shelf: Shelf) -> tuple[Section, ...]:
    """What was measured of the paper's methods; nothing where nothing was."""
    own = {method.id for method in found.methods}
    blocks = [block for record in found.benchmarks for block in _blocks(record, own, shelf)]
    if not blocks:
        return ()
    said = "Measurements of this project. They stand beside the claims and support none of them."
    title = "Measured here, under these conditions and no others"
    return (Section(title, (Paragraph(words(quiet(said))), *blocks)),)


def _blocks(record: Benchmark, own: set[str], shelf: Shelf) -> Iterator[Block]:
    key = f"[benchmark/{record.id}]"
    mark = words(alarm("WITHDRAWN: "), record.withdrawn.because) if record.withdrawn else ()
    label = shelf.label("model", record.model)
    groups: dict[str, list[Result]] = {}
    for result in record.results:
        if result.metric.name in _HEADLINES and result.conditions.method in own:
            groups.setdefault(_group(result), []).append(result)
    shared = _shared(list(groups.values()))
    same = conditions_words(Conditions.model_validate(shared), None, shelf)
    circumstances = (words(strong(label), f" {key}"), mark, *_circumstances(record, shelf), same)
    yield Paragraph(joined(circumstances))
    yield Bullets(tuple((_row(group, shared, shelf),) for group in groups.values()))
    rest = len(record.results) + len(record.baselines or ()) - sum(map(len, groups.values()))
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
    return conditions.model_dump_json(exclude_none=True)


def _shared(groups: list[list[Result]]) -> dict[str, Any]:
    """What all of several ways of decoding have in common, save what they are."""
    told = [_conditions(group) for group in groups]
    kept = {} if len(told) < 2 else told[0]
    return {
        key: value
        for key, value in kept.items()
        if key != "method" and all(one.get(key) == value for one in told)
    }


def _conditions(group: list[Result]) -> dict[str, Any]:
    first = min(group, key=_place)
    return first.conditions.model_dump(exclude_none=True, exclude={"other"})


def _row(group: list[Result], shared: dict[str, Any], shelf: Shelf) -> Words:
    conditions = {key: one for key, one in _conditions(group).items() if key not in shared}
    head = conditions_words(Conditions.model_validate(conditions), None, shelf)
    return words(head, ": ", joined(map(_number, sorted(group, key=_place))))


def _place(result: Result) -> int:
    return _HEADLINES.index(result.metric.name)


def _number(result: Result) -> Words:
    """A number and, where it is the median of several, between which ones."""
    metric = result.metric
    median = amount(result.median, metric.unit, metric.decimals)
    name = _NAMES.get(metric.name, f" {metric.name}")
    if result.low == result.high:
        return words(strong(median), name)
    low = amount(result.low, None, metric.decimals)
    high = amount(result.high, metric.unit, metric.decimals)
    of = f"{result.count} {result.over or 'values'}"
    return words(strong(median), name, f" ({low} to {high}, {of})")
