"""What drafts are worth on each kind of prompt: tau and acceptance, which need no clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eagle_impl.bench.figures import Difference, Run, acceptance, differences, tau
from eagle_impl.bench.loops import looping
from eagle_impl.bench.measuring import Prompt
from eagle_impl.bench.methods import Method


@dataclass(frozen=True, slots=True)
class Worth:
    """Of one method on some prompts."""

    tau: float
    acceptance: list[float]


@dataclass(frozen=True, slots=True)
class Category:
    """Some prompts together."""

    name: str
    prompts: int
    tokens: int
    """That were generated, by each method."""
    loops: int
    """Outputs that end in a loop."""
    worth: dict[str, Worth]
    """By the method's key."""


@dataclass(frozen=True, slots=True)
class Judged:
    """All categories of a workload."""

    runs: list[Run]
    categories: list[Category]
    """In the order of the workload; the last is all of them."""
    differing: list[Difference]
    """Outputs in which the methods differ, which must be none."""


def first_of_each(prompts: Sequence[Prompt], most: int) -> list[Prompt]:
    """The first prompts of every category."""
    taken: dict[str, int] = {}
    kept = []
    for prompt in prompts:
        taken[prompt.category] = taken.get(prompt.category, 0) + 1
        if taken[prompt.category] <= most:
            kept.append(prompt)
    return kept


def judge(
    methods: Sequence[Method],
    prompts: Sequence[Prompt],
    *,
    tokens: int,
    say: Callable[[str], None],
) -> Judged:
    """Decode every prompt with every method.

    Args:
        methods: Of the own engine.
        prompts: Of all categories.
        tokens: To generate at most.
        say: Told how far it is.
    """
    runs = []
    for number, prompt in enumerate(prompts):
        for method in methods:
            one = method.decode(prompt.ids, tokens)
            runs.append(Run(method.key, prompt.id, 0, one.ids, one.seconds, one.statistics))
        say(f"prompt {number + 1} of {len(prompts)}: {prompt.category}")
    kinds: dict[str, list[Prompt]] = {}
    for prompt in prompts:
        kinds.setdefault(prompt.category, []).append(prompt)
    groups = [*kinds.items(), ("all", list(prompts))] if len(kinds) > 1 else list(kinds.items())
    first, *rest = methods
    right = [run for run in runs if run.method == first.key]
    others = [run for run in runs if run.method in {method.key for method in rest}]
    categories = [_category(name, group, methods, runs) for name, group in groups]
    return Judged(runs, categories, differences(others, right))


def _category(
    name: str, prompts: Sequence[Prompt], methods: Sequence[Method], runs: Sequence[Run]
) -> Category:
    ids = {prompt.id for prompt in prompts}
    here = [run for run in runs if run.question in ids]
    worth = {}
    for method in methods:
        told = [run.statistics for run in here if run.method == method.key and run.statistics]
        worth[method.key] = Worth(tau(told), acceptance(told))
    outputs = [run.ids for run in here if run.method == methods[0].key]
    loops = sum(looping(output) > 0 for output in outputs)
    return Category(name, len(ids), sum(map(len, outputs)), loops, worth)
