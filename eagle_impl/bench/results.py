"""The numbers of a benchmark, each with what it runs over. Records are made of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from eagle_impl.bench import figures
from eagle_impl.bench.batches import CONTEXT
from eagle_impl.bench.figures import Run
from eagle_impl.bench.measured import Measured
from eagle_impl.bench.methods import PLAIN, Method

Unit = Literal["tokens/s", "x", "tokens", "fraction", "ms", "GiB"]

AGAINST = "plain decoding of the same engine"
"""What speedups are speedups over."""
CUT = f"the first {CONTEXT} tokens of prompts at most, read before; end tokens are no end"
"""How batches are decoded, other than single prompts."""


@dataclass(frozen=True, slots=True)
class Number:
    """One number with its spread."""

    method: str
    """Key of the method."""
    metric: str
    unit: Unit
    decimals: int
    values: tuple[float, ...]
    over: str
    """What the values run over."""
    temperature: float | None = None
    """None where it does not matter."""
    batch: int = 1
    baseline: str = ""
    other: str = ""
    """A further condition."""


def numbers(measured: Measured) -> Iterator[Number]:
    """Everything that was found."""
    for method in measured.methods:
        for temperature in measured.temperatures:
            at = measured.at(temperature)
            if at.runs(method.key):
                yield from _of_runs(method, temperature, at)
        yield from _of_forwards(method, measured)
        if method.key in measured.memory:
            gib = measured.memory[method.key] / 2**30
            yield Number(
                method.key,
                "peak-memory",
                "GiB",
                2,
                (gib,),
                "the longest prompt",
                other="the whole process, with the weights of target and head",
            )
    for size in sorted({batch.size for batch in measured.batches}):
        found = [one.tokens / one.seconds for one in measured.batches if one.size == size]
        yield Number(
            PLAIN, "throughput", "tokens/s", 1, tuple(found), "repeats", 0.0, size, other=CUT
        )


def _of_runs(method: Method, temperature: float, at: Measured) -> Iterator[Number]:
    runs, plain = at.runs(method.key), at.runs(PLAIN)

    def number(
        metric: str,
        unit: Unit,
        decimals: int,
        values: Sequence[float],
        over: str,
        against: str = "",
    ) -> Number:
        timed = method.engine.timed if unit in ("tokens/s", "x") else ""
        return Number(
            method.key,
            metric,
            unit,
            decimals,
            tuple(values),
            over,
            temperature,
            baseline=against,
            other=timed,
        )

    yield number("speed", "tokens/s", 1, [run.rate for run in runs], "runs")
    rates = [statistics.fmean(run.rate for run in one) for one in figures.by_repeat(runs)]
    yield number("mean-speed", "tokens/s", 1, rates, "repeats")
    if method.key != PLAIN:
        found = [figures.ratios(one, plain) for one in figures.by_repeat(runs)]
        ratios = [one for one in found if one is not None]
        totals, means = [one.totals for one in ratios], [one.means for one in ratios]
        yield number("speedup", "x", 2, totals, "repeats", AGAINST)
        yield number("speedup-of-means", "x", 2, means, "repeats", AGAINST)
        yield number("speedup-by-prompt", "x", 2, _by_prompt(runs, plain), "prompts", AGAINST)
        share = len(at.differing()[method.key]) / len({run.question for run in runs})
        yield number("differing-outputs", "fraction", 2, [share], "all prompts")
    if method.own:
        split = [figures.split(one).parts for one in figures.by_repeat(runs)]
        for part in split[0]:
            shares = [one[part] / sum(one.values()) for one in split]
            yield number(f"time-{part}", "fraction", 4, shares, "repeats")
    if method.drafter is not None:
        yield from _of_drafts(method, runs, number)


def _of_drafts(
    method: Method, runs: Sequence[Run], number: Callable[..., Number]
) -> Iterator[Number]:
    told = [[run.statistics for run in one if run.statistics] for one in figures.by_repeat(runs)]
    taus, over = _once([figures.tau(one) for one in told])
    yield number("tau", "tokens", 2, taus, over)
    single = [figures.tau([run.statistics]) for run in runs if run.repeat == 0 and run.statistics]
    yield number("tau-by-prompt", "tokens", 2, single, "prompts")
    rates = [figures.acceptance(one) for one in told]
    # On chains, the field counts features that the head predicted itself before the token.
    name, first = ("alpha", 0) if method.is_chain else ("acceptance", 1)
    for depth in range(min(map(len, rates))):
        shares, over = _once([one[depth] for one in rates])
        yield number(f"{name}-{depth + first}", "fraction", 2, shares, over)


def _of_forwards(method: Method, measured: Measured) -> Iterator[Number]:
    """Single forward passes, and what they would allow."""
    if method.drafter is None:
        return
    for length in measured.lengths:
        cycles = [one for one in measured.forwards if one.length == length]
        own = [one for one in cycles if one.method == method.key]
        for metric, values in (
            ("target-pass", [one.one for one in cycles]),
            ("verify-pass", [one.verify for one in own]),
            ("draft-passes", [one.draft for one in own]),
        ):
            yield Number(
                method.key,
                metric,
                "ms",
                3,
                tuple(1e3 * value for value in values),
                "passes",
                other=f"{length} tokens in the cache",
            )
    for temperature in measured.temperatures:
        reached = measured.at(temperature).roofline(method)
        parts: tuple[tuple[str, Unit, float], ...] = (
            ("roofline", "x", reached.best),
            ("roofline-reached", "x", reached.reached),
            ("roofline-share", "fraction", reached.share),
        )
        for metric, unit, value in parts:
            yield Number(
                method.key,
                metric,
                unit,
                2,
                (value,),
                "all runs",
                temperature,
                baseline=AGAINST,
                other=f"forward passes at {measured.middle} tokens in the cache",
            )


def _once(values: Sequence[float]) -> tuple[Sequence[float], str]:
    """Values by repeat, and what they run over: one value if all are the same.

    Every repeat draws with the same seeds, so that nothing but times differs where the order of
    adding is always the same. Three equal values have no spread to tell.
    """
    return (values[:1], "all prompts") if len(set(values)) == 1 else (values, "repeats")


def _by_prompt(runs: Sequence[Run], plain: Sequence[Run]) -> list[float]:
    """For each prompt, the median over the repeats of the ratio in one repeat."""
    base = {(run.question, run.repeat): run.rate for run in plain}
    found: dict[str, list[float]] = {}
    for run in runs:
        found.setdefault(run.question, []).append(run.rate / base[run.question, run.repeat])
    return [statistics.median(values) for values in found.values()]
