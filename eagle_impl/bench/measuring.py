"""Runs methods in turn, prompt by prompt: a slow minute of the machine meets all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from time import perf_counter

from eagle_impl.bench import batches, header
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.figures import Run
from eagle_impl.bench.forwards import Bench, Round
from eagle_impl.bench.journal import Journal, Line, Session
from eagle_impl.bench.memory import PeakMemory
from eagle_impl.bench.methods import Method
from eagle_impl.errors import PromptError
from eagle_impl.targets.interface import Target
from eagle_impl.text import Text
from eagle_impl.workloads import Question

WARM_UP = 16
"""Tokens that every method decodes before the clock counts."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question of a workload, ready to be decoded."""

    id: str
    category: str
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure."""

    prompts: Sequence[Prompt]
    tokens: int
    """To generate at most."""
    repeats: int
    """How often each prompt is decoded by each method."""
    temperatures: tuple[float, ...]
    sizes: tuple[int, ...]
    """Of batches."""
    seed: int
    """Of the order of the methods, which is another for each prompt, and of what is drawn."""
    others: int
    """Prompts that methods of other engines decode, which are slow: the first ones, greedily."""


def prompts_of(questions: Sequence[Question], text: Text) -> list[Prompt]:
    """The first turn of each question in the chat template.

    Raises:
        PromptError: The model has no chat template, or it refuses a question, or two bear one id.
    """
    known = set[str]()
    for one in questions:
        if one.id in known:
            raise PromptError(f"question {one.id} is there twice", "give every question its own id")
        known.add(one.id)
    return [
        Prompt(one.id, one.category, tuple(text.encode(one.turns[0], chat=True)))
        for one in questions
    ]


def warm_up(
    methods: Sequence[Method], plan: Plan, memory: PeakMemory, say: Callable[[str], None]
) -> dict[str, int]:
    """Decode a few tokens with every method.

    Returns:
        By method: the most bytes that were held meanwhile, on the longest prompt.
    """
    longest = max(plan.prompts, key=lambda prompt: len(prompt.ids))
    most = {}
    for method in methods:
        say(f"warming up: {method.title}")
        memory.begin()
        for temperature in plan.temperatures if method.own else plan.temperatures[:1]:
            method.decode(longest.ids, min(WARM_UP, plan.tokens), temperature, plan.seed)
        most[method.key] = memory.bytes()
    return most


def session(clock: Clock, memory: dict[str, int]) -> Session:
    """This process, about to measure.

    Args:
        clock: Seconds.
        memory: What warming up gave.
    """
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Session(now, header.load(), clock.cost(), memory)


def measure(
    methods: Sequence[Method],
    plan: Plan,
    bench: Bench,
    journal: Journal,
    *,
    target: Target,
    clock: Clock,
    say: Callable[[str], None],
) -> None:
    """Measure whatever the journal does not hold yet.

    Args:
        methods: What to compare, warmed up.
        plan: What to measure.
        bench: Where single forward passes are measured, once after each prompt.
        journal: Takes in what was measured, piece by piece.
        target: Of which batches are measured.
        clock: Seconds.
        say: Told how far it is.
    """
    done = {(run.method, run.question, run.repeat, run.temperature) for run in journal.runs}
    rounds = {(one.repeat, one.question) for one in journal.rounds}
    together = {(one.repeat, one.size) for one in journal.batches}
    random, began, worked = Random(plan.seed), perf_counter(), 0
    bench.round()
    for repeat in range(plan.repeats):
        # Orders are drawn for what was done as well, so that an interruption changes nothing.
        for size in random.sample(plan.sizes, len(plan.sizes)):
            if (repeat, size) not in together:
                say(f"repeat {repeat + 1} of {plan.repeats}, batch {size}")
                journal.append(Line(batch=_batch(target, plan, size, repeat, clock)))
        for number, prompt in enumerate(plan.prompts):
            left = [
                (method, temperature)
                for method, temperature in _turns(methods, plan, number, random)
                if (method.key, prompt.id, repeat, temperature) not in done
            ]
            for method, temperature in left:
                journal.append(Line(run=_run(method, plan, number, repeat, temperature)))
            if (repeat, prompt.id) not in rounds:
                journal.append(Line(round=Round(repeat, prompt.id, tuple(bench.round()))))
            if left:
                worked += 1
                rest = (plan.repeats - repeat) * len(plan.prompts) - number - 1
                minutes = (perf_counter() - began) / worked * rest / 60
                say(
                    f"repeat {repeat + 1} of {plan.repeats}, prompt {number + 1} of "
                    f"{len(plan.prompts)}, about {minutes:.1f} minutes left"
                )


def _turns(
    methods: Sequence[Method], plan: Plan, number: int, random: Random
) -> list[tuple[Method, float]]:
    """What decodes a prompt, in an order that is drawn."""
    return [
        (method, temperature)
        for temperature in plan.temperatures
        for method in random.sample(methods, len(methods))
        if method.own or (number < plan.others and temperature == 0)
    ]


def _run(method: Method, plan: Plan, number: int, repeat: int, temperature: float) -> Run:
    prompt = plan.prompts[number]
    one = method.decode(prompt.ids, plan.tokens, temperature, plan.seed + number)
    told, readings = one.statistics, one.readings
    return Run(method.key, prompt.id, repeat, one.ids, one.seconds, told, temperature, readings)


def _batch(target: Target, plan: Plan, size: int, repeat: int, clock: Clock) -> batches.Batch:
    return batches.decode(
        target,
        [prompt.ids for prompt in plan.prompts],
        size=size,
        repeat=repeat,
        tokens=plan.tokens,
        clock=clock,
    )
