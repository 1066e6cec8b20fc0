"""Runs methods in turn, prompt by prompt: a slow minute of the machine meets all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from time import perf_counter

from eagle_impl.bench import batches
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.figures import Run
from eagle_impl.bench.forwards import Bench, Round
from eagle_impl.bench.journal import Journal, Line, Session
from eagle_impl.bench.memory import PeakMemory
from eagle_impl.bench.methods import Method
from eagle_impl.errors import EngineError, OptionError, PromptError
from eagle_impl.targets.interface import Target
from eagle_impl.text import Text
from eagle_impl.workloads import Question
from registry.reports.wording import visible


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


def prompts_of(questions: Sequence[Question], text: Text) -> list[Prompt]:
    """The first turn of each question in the chat template.

    Raises:
        PromptError: The model has no chat template, or it refuses a question, or two bear one id.
    """
    known = set[str]()
    for one in questions:
        if one.id in known:
            raise PromptError(
                f"question {visible(one.id)} is there twice", "give every question its own id"
            )
        known.add(one.id)
    return [
        Prompt(visible(one.id), visible(one.category), tuple(text.encode(one.turns[0], chat=True)))
        for one in questions
    ]


def judge(prompts: Sequence[Prompt], tokens: int, target: Target) -> None:
    """Refuse prompts that the context has no room for, before hours are spent on the others.

    Raises:
        PromptError: There is one.
    """
    most = target.config.max_positions
    for one in prompts:
        if len(one.ids) + tokens > most:
            raise PromptError(
                f"question {one.id} has {len(one.ids)} tokens: with {tokens} more, it does not "
                f"fit into the model's context of {most}",
                "shorten it, or ask for fewer with --tokens",
            )


def judge_runs(journal: Journal, plan: Plan, methods: Sequence[Method]) -> None:
    """Refuse a journal that this plan cannot have written.

    Raises:
        OptionError: It holds a run of something else, or one that lacks what such a run has.
    """
    own = {method.key for method in methods}
    known = {prompt.id for prompt in plan.prompts}
    drafting = {method.key for method in methods if method.drafter}
    for one in journal.rounds:
        if not drafting <= {passes.method for passes in one.forwards}:
            what = f"forward passes after question {visible(one.question)} of other methods"
            raise OptionError(f"{journal.path}: holds {what}", "name another file")
    for run in journal.runs:
        fits = run.question in known and run.repeat < plan.repeats
        if not (fits and run.temperature in plan.temperatures and run.ids):
            what = f"a run of question {visible(run.question)} that was not asked for"
        elif run.method in own and run.statistics is None:
            what = f"a run of question {run.question} without its counts"
        else:
            continue
        raise OptionError(f"{journal.path}: holds {what}", "name another file")


def warm_up(
    methods: Sequence[Method], plan: Plan, memory: PeakMemory, say: Callable[[str], None]
) -> dict[str, int]:
    """Decode the longest prompt with every method, before the clock counts.

    Returns:
        By method: the most bytes that were held meanwhile.
    """
    longest = max(plan.prompts, key=lambda prompt: len(prompt.ids))
    most = {}
    for method in methods:
        say(f"warming up: {method.title}")
        memory.begin()
        for temperature in plan.temperatures if method.own else plan.temperatures[:1]:
            method.decode(longest.ids, plan.tokens, temperature, plan.seed)
        most[method.key] = memory.bytes()
    return most


def warm_up_others(
    methods: Sequence[Method], plan: Plan, memory: PeakMemory, say: Callable[[str], None]
) -> dict[str, str]:
    """The same with methods of other engines.

    Returns:
        By method: why it cannot be measured, for those that failed.
    """
    failed = {}
    for method in methods:
        try:
            warm_up([method], plan, memory, say)
        except EngineError as error:
            failed[method.key] = error.message
    return failed


def session(clock: Clock, load: str, memory: dict[str, int], methods: Sequence[Method]) -> Session:
    """This process, about to measure.

    Args:
        clock: Seconds.
        load: Of the machine before anything was decoded.
        memory: What warming up gave.
        methods: What it measures.
    """
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    keys = tuple(method.key for method in methods)
    return Session(now, load, clock.cost(), memory, keys)


def measure(
    methods: Sequence[Method],
    plan: Plan,
    bench: Bench,
    journal: Journal,
    *,
    target: Target,
    clock: Clock,
    say: Callable[[str], None],
) -> dict[str, str]:
    """Measure whatever the journal does not hold yet.

    An engine that fails is left out from there on. Others have been measured meanwhile, for hours
    perhaps, and nothing is wrong with what they gave.

    Args:
        methods: What to compare, warmed up.
        plan: What to measure.
        bench: Where single forward passes are measured, once after each prompt.
        journal: Takes in what was measured, piece by piece.
        target: Of which batches are measured.
        clock: Seconds.
        say: Told how far it is.

    Returns:
        By method of another engine: why it failed, if it did.
    """
    failed = dict[str, str]()
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
                if method.key in failed:
                    continue
                try:
                    run = _run(method, plan, number, repeat, temperature)
                except EngineError as error:
                    failed[method.key] = error.message
                    journal.append(Line(left_out=method.key))
                    say(f"{method.title} is left out: {error.message}")
                else:
                    journal.append(Line(run=run))
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
    return failed


def _turns(
    methods: Sequence[Method], plan: Plan, number: int, random: Random
) -> list[tuple[Method, float]]:
    """What decodes a prompt, in an order that is drawn."""
    return [
        (method, temperature)
        for temperature in plan.temperatures
        for method in random.sample(methods, len(methods))
        if method.own or (temperature == 0 and number < (method.prompts or len(plan.prompts)))
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
