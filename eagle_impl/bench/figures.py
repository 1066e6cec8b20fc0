"""Arithmetic on what was measured."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated

import msgspec

from eagle_impl.generation import Statistics


@dataclass(frozen=True, slots=True)
class Run:
    """One prompt, decoded once by one method."""

    method: str
    """Its key."""
    question: str
    """Id of the prompt."""
    repeat: int
    """From 0."""
    ids: tuple[int, ...]
    """What was generated."""
    seconds: Annotated[float, msgspec.Meta(gt=0)]
    statistics: Statistics | None = None
    temperature: float = 0.0
    readings: int = 0
    """Of the clock."""

    @property
    def rate(self) -> float:
        """Tokens per second."""
        return len(self.ids) / self.seconds


@dataclass(frozen=True, slots=True)
class Quartiles:
    """The middle half of some values."""

    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class Ratios:
    """How many times as fast one method was as another, on the runs that both did."""

    medians: float
    """Of the medians of tokens per second."""
    totals: float
    """Of the total times. Where other outputs are shorter or longer: of the times per token."""
    means: float
    """Of the means of tokens per second, as the published code has it."""


@dataclass(frozen=True, slots=True)
class Split:
    """Where the time of an own method went, in seconds."""

    prefill: float
    draft: float
    verify: float
    accept: float
    other: float
    """Between these: the loop itself."""

    @property
    def parts(self) -> dict[str, float]:
        """By name."""
        names = ("prefill", "draft", "verify", "accept", "other")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Difference:
    """An output that is not the one it is compared with."""

    question: str
    place: int
    """The first token that differs, from 0; where one ends earlier, its length."""


def quartiles(values: Sequence[float]) -> Quartiles:
    """Quartiles, between two values in proportion (as numpy does by default)."""
    if len(values) == 1:
        return Quartiles(values[0], values[0], values[0])
    return Quartiles(*statistics.quantiles(values, n=4, method="inclusive"))


def ratios(runs: Iterable[Run], base: Iterable[Run]) -> Ratios | None:
    """How many times as fast as another method; None where they have no run in common."""
    others = {(run.question, run.repeat): run for run in base}
    pairs = [
        (run, others[run.question, run.repeat])
        for run in runs
        if (run.question, run.repeat) in others
    ]
    if not pairs:
        return None
    mine, theirs = zip(*pairs, strict=True)
    medians = [statistics.median(run.rate for run in each) for each in (mine, theirs)]
    totals = [
        sum(len(run.ids) for run in each) / sum(run.seconds for run in each)
        for each in (mine, theirs)
    ]
    means = [statistics.fmean(run.rate for run in each) for each in (mine, theirs)]
    return Ratios(medians[0] / medians[1], totals[0] / totals[1], means[0] / means[1])


def by_repeat(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs of each repeat, in order."""
    numbers = sorted({run.repeat for run in runs})
    return [[run for run in runs if run.repeat == number] for number in numbers]


def speedup(runs: Sequence[Run], base: Sequence[Run]) -> float | None:
    """The median over the repeats of the ratio of total times."""
    every = [ratios(one, base) for one in by_repeat(runs)]
    found = [one.totals for one in every if one is not None]
    return statistics.median(found) if found else None


def tau(told: Iterable[Statistics]) -> float:
    """Mean tokens per forward pass of the target over all prompts, its own token counted.

    The first token of each comes from reading the prompt and is not counted.
    """
    all_told = list(told)
    cycles = sum(one.cycles for one in all_told)
    return sum(one.tokens - 1 for one in all_told if one.cycles) / cycles if cycles else 1.0


def acceptance(told: Iterable[Statistics]) -> list[float]:
    """By depth, from 1: the share of drafted tokens that held, given that all above did."""
    all_told = list(told)
    tried = map(sum, zip_longest(*(one.tried for one in all_told), fillvalue=0))
    held = map(sum, zip_longest(*(one.held for one in all_told), fillvalue=0))
    return [hits / tries for hits, tries in zip(held, tried, strict=True) if tries]


def split(runs: Iterable[Run]) -> Split:
    """Where the time went, over all runs of the own engine."""
    both = [(run.seconds, run.statistics) for run in runs if run.statistics is not None]
    prefill = sum(told.prefill_seconds for _, told in both)
    draft = sum(told.draft_seconds for _, told in both)
    verify = sum(told.verify_seconds for _, told in both)
    accept = sum(told.accept_seconds for _, told in both)
    other = sum(told.total_seconds for _, told in both) - (prefill + draft + verify + accept)
    return Split(prefill, draft, verify, accept, other)


def unaccounted(runs: Iterable[Run]) -> float:
    """The share of the time, measured from outside, that the parts miss or exceed together.

    The parts are measured inside of the loop, by which they must add up to what was measured
    around it.
    """
    both = [(run.seconds, run.statistics) for run in runs if run.statistics is not None]
    around = sum(seconds for seconds, _ in both)
    inside = sum(told.total_seconds for _, told in both)
    return abs(around - inside) / around if around else 0.0


def clock_share(runs: Iterable[Run], tick: float) -> float:
    """The share of the time that was spent on reading the clock.

    Args:
        runs: Of own methods.
        tick: Seconds of one reading.
    """
    own = [run for run in runs if run.statistics is not None]
    around = sum(run.seconds for run in own)
    return tick * sum(run.readings for run in own) / around if around else 0.0


def decoding_ratio(runs: Sequence[Run], base: Sequence[Run]) -> float:
    """Ratio of times per token without those for reading the prompts, which both have to do."""

    def spent(each: Sequence[Run]) -> float:
        tokens = sum(len(run.ids) for run in each)
        return (sum(run.seconds for run in each) - split(each).prefill) / tokens

    return spent(base) / spent(runs)


def roofline(tau: float, *, one: float, verify: float, steps: int, step: float) -> float:
    """How many times as fast as plain decoding, if nothing but forward passes took time.

    Args:
        tau: Tokens per cycle.
        one: Seconds of the target's forward pass over one token.
        verify: Seconds of its forward pass over the tree.
        steps: Forward passes of the head per cycle.
        step: Seconds of one of them.
    """
    return tau / (verify / one + steps * step / one)


def differences(runs: Iterable[Run], expected: Iterable[Run]) -> list[Difference]:
    """Prompts whose output in any repeat is not the expected one, each with where it first differs.

    Args:
        runs: Of one method.
        expected: Runs whose first repeat says what is right.
    """
    right = {run.question: run.ids for run in expected if run.repeat == 0}
    places: dict[str, int] = {}
    for run in runs:
        if run.ids != right[run.question]:
            place = _first_difference(run.ids, right[run.question])
            places[run.question] = min(place, places.get(run.question, place))
    return [Difference(question, place) for question, place in places.items()]


def _first_difference(one: Sequence[int], other: Sequence[int]) -> int:
    pairs = zip(one, other, strict=False)
    shorter = min(len(one), len(other))
    return next((place for place, (a, b) in enumerate(pairs) if a != b), shorter)
