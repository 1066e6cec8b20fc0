"""Runs methods in turn, prompt by prompt: a slow minute of the machine meets all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter

from eagle_impl.bench.figures import Run
from eagle_impl.bench.forwards import Bench, Forwards
from eagle_impl.bench.methods import Method
from eagle_impl.errors import PromptError
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
class Measured:
    """Everything that was measured."""

    runs: list[Run]
    forwards: list[Forwards]


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


def measure(
    methods: Sequence[Method],
    prompts: Sequence[Prompt],
    bench: Bench,
    *,
    tokens: int,
    repeats: int,
    seed: int,
    others: int,
    say: Callable[[str], None],
) -> Measured:
    """Measure.

    Args:
        methods: What to compare.
        prompts: What to decode.
        bench: Where single forward passes are measured, once after each prompt.
        tokens: To generate at most.
        repeats: How often each prompt is decoded by each method.
        seed: Of the order of the methods, which is another for each prompt.
        others: Prompts that methods of other engines decode, which are slow: the first ones.
        say: Told how far it is.
    """
    for method in methods:
        say(f"warming up: {method.title}")
        method.decode(prompts[0].ids, min(WARM_UP, tokens))
    bench.round()
    random, began = Random(seed), perf_counter()
    runs, forwards = list[Run](), list[Forwards]()
    for repeat in range(repeats):
        for number, prompt in enumerate(prompts):
            for method in random.sample(methods, len(methods)):
                if method.own or number < others:
                    one = method.decode(prompt.ids, tokens)
                    runs.append(
                        Run(method.key, prompt.id, repeat, one.ids, one.seconds, one.statistics)
                    )
            forwards += bench.round()
            done = repeat * len(prompts) + number + 1
            left = (perf_counter() - began) * (repeats * len(prompts) / done - 1)
            say(
                f"repeat {repeat + 1} of {repeats}, prompt {number + 1} of {len(prompts)}, "
                f"about {left / 60:.1f} minutes left"
            )
    return Measured(runs, forwards)
