"""All that was measured, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from eagle_impl.bench import figures
from eagle_impl.bench.batches import Batch
from eagle_impl.bench.figures import Difference, Run
from eagle_impl.bench.forwards import Forwards, typical
from eagle_impl.bench.journal import Journal, Session
from eagle_impl.bench.loops import looping
from eagle_impl.bench.methods import PLAIN, Method


@dataclass(frozen=True, slots=True)
class Roofline:
    """What forward passes alone would allow, and what was reached of it."""

    best: float
    reached: float
    verify: float
    """Of the target over the tree, in passes over one token."""
    steps: int
    step: float
    """Of the head, in the same."""

    @property
    def share(self) -> float:
        """What was reached of it."""
        return self.reached / self.best


@dataclass(frozen=True, slots=True)
class Measured:
    """The outcome of a benchmark."""

    header: Mapping[str, str]
    methods: Sequence[Method]
    temperatures: tuple[float, ...]
    every_run: Sequence[Run]
    forwards: Sequence[Forwards]
    batches: Sequence[Batch]
    sessions: Sequence[Session]
    missing: Mapping[str, str]
    """What was not measured, and why."""

    @classmethod
    def of(
        cls,
        journal: Journal,
        header: Mapping[str, str],
        methods: Sequence[Method],
        temperatures: tuple[float, ...],
        missing: Mapping[str, str],
    ) -> Measured:
        """What a journal holds of some methods."""
        keys = {method.key for method in methods}
        runs = [run for run in journal.runs if run.method in keys]
        forwards = [one for round in journal.rounds for one in round.forwards]
        return cls(
            header,
            methods,
            temperatures,
            runs,
            forwards,
            journal.batches,
            journal.sessions,
            missing,
        )

    def at(self, temperature: float) -> Measured:
        """What was measured at one temperature."""
        kept = [run for run in self.every_run if run.temperature == temperature]
        return replace(self, every_run=kept, temperatures=(temperature,))

    def runs(self, key: str) -> list[Run]:
        """Those of one method."""
        return [run for run in self.every_run if run.method == key]

    @property
    def memory(self) -> dict[str, int]:
        """By own method: the most bytes that were held while it warmed up."""
        return self.sessions[0].memory

    @property
    def lengths(self) -> list[int]:
        """Lengths of context at which single forward passes were measured."""
        return sorted({one.length for one in self.forwards})

    @property
    def middle(self) -> int:
        """The length of context for which the roofline is given."""
        return self.lengths[len(self.lengths) // 2]

    def roofline(self, method: Method) -> Roofline:
        """Of a method that drafts."""
        runs = self.runs(method.key)
        one = typical(self.forwards, method.key, self.middle)
        tau = figures.tau(run.statistics for run in runs if run.statistics)
        best = figures.roofline(tau, one=one.one, verify=one.verify, steps=one.steps, step=one.step)
        reached = figures.decoding_ratio(runs, self.runs(PLAIN))
        return Roofline(best, reached, one.verify / one.one, one.steps, one.step / one.one)

    def differing(self) -> dict[str, list[Difference]]:
        """By method: prompts whose output is not that of plain decoding, at one temperature."""
        right = self.runs(PLAIN)
        return {
            method.key: figures.differences(self.runs(method.key), right) for method in self.methods
        }

    def compared(self) -> int:
        """Outputs that must be those of plain decoding, repeats of its own among them."""
        return sum(
            len(self.at(temperature).runs(method.key))
            for temperature in self.temperatures
            for method in self.methods
            if method.same_ids(temperature)
        )

    def changed_outputs(self) -> int:
        """How many of those are not."""
        count = 0
        for temperature in self.temperatures:
            at = self.at(temperature)
            right = {run.question: run.ids for run in at.runs(PLAIN) if run.repeat == 0}
            for method in self.methods:
                if method.same_ids(temperature):
                    count += sum(run.ids != right[run.question] for run in at.runs(method.key))
        return count

    def changed(self) -> list[tuple[Method, float, Difference]]:
        """Outputs that must be those of plain decoding, and are not."""
        return [
            (method, temperature, one)
            for temperature in self.temperatures
            for method in self.methods
            if method.same_ids(temperature)
            for one in self.at(temperature).differing()[method.key]
        ]

    def loops(self) -> dict[str, int]:
        """By prompt: how many of the last tokens of plain decoding's output are a loop."""
        outputs = {run.question: looping(run.ids) for run in self.runs(PLAIN) if run.repeat == 0}
        return {question: length for question, length in outputs.items() if length}

    @property
    def unaccounted(self) -> float:
        """The share of a method's time by which the parts of its time split miss it, at worst."""
        return max(
            figures.unaccounted(self.runs(method.key)) for method in self.methods if method.own
        )

    @property
    def clock_share(self) -> float:
        """The share of a method's time that reading the clock took, at worst."""
        tick = max(session.tick for session in self.sessions)
        return max(
            figures.clock_share(self.runs(method.key), tick)
            for method in self.methods
            if method.own
        )
