"""The numbers of a benchmark, worked out by hand for two prompts decoded twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from eagle.bench.small import CONFIG
from eagle.drafters.head_target import random_head
from eagle.tiny import tiny_weights

from eagle_impl.answer import Kit, shape_of
from eagle_impl.bench.batches import Batch
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.figures import Run
from eagle_impl.bench.forwards import Forwards
from eagle_impl.bench.journal import Session
from eagle_impl.bench.measured import Measured
from eagle_impl.bench.measuring import Plan, Prompt
from eagle_impl.bench.methods import own_methods
from eagle_impl.bench.results import Number, numbers
from eagle_impl.bench.verdict import doubts, faults
from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import HeadConfig
from eagle_impl.generation import Statistics
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.text import Text

IDS = (5, 6, 7, 8, 9)
CHAIN = "eagle-1-chain"


def kit(linears: str = "auto") -> Kit:
    target = LlamaTarget(CONFIG, tiny_weights(CONFIG), linears=linears)
    drafter = EagleDrafter(random_head(HeadConfig.like(CONFIG)), target, shape_of("eagle-2", ""))
    return Kit(target, Text.__new__(Text), drafter, "eagle-2")


def plain(question: str, repeat: int, seconds: float, temperature: float = 0.0) -> Run:
    told = Statistics(
        tokens=5,
        cycles=4,
        prefill_seconds=seconds / 4,
        verify_seconds=seconds / 2,
        total_seconds=seconds,
    )
    return Run("plain", question, repeat, IDS, seconds, told, temperature, 10)


def chain(question: str, repeat: int, seconds: float, temperature: float = 0.0) -> Run:
    told = Statistics(
        tokens=5,
        cycles=2,
        tried=[2, 1],
        held=[1, 1] if question == "a" else [1, 0],
        draft_seconds=seconds / 8,
        verify_seconds=seconds / 2,
        total_seconds=seconds,
    )
    return Run(CHAIN, question, repeat, IDS, seconds, told, temperature, 20)


RUNS = [
    *(plain("a", 0, 2.0), plain("b", 0, 4.0), plain("a", 1, 4.0), plain("b", 1, 4.0)),
    *(chain("a", 0, 1.0), chain("b", 0, 1.0), chain("a", 1, 1.0), chain("b", 1, 3.0)),
]
PASSES = [Forwards(CHAIN, size, 0.010, 0.0125, 0.0015, 3) for size in (20, 30, 40)]
SESSION = Session("today", "0.5", 0.0001, {"plain": 2**30, CHAIN: 3 * 2**29}, ("plain", CHAIN))
PLAN_IDS = torch.tensor([3])
PLAN = Plan([Prompt("a", "tea", (1, 2)), Prompt("b", "tea", (3,))], 5, 2, (0.0,), (), 0)


def measured(runs: list[Run] = RUNS, temperatures: tuple[float, ...] = (0.0,)) -> Measured:
    methods = own_methods(kit(), Clock(), [CHAIN])
    batches = [Batch(2, 0, 10, 1.0), Batch(2, 1, 10, 2.0)]
    return Measured({}, methods, temperatures, runs, PASSES, batches, [SESSION], {})


def found(metric: str, method: str = CHAIN) -> Number:
    (one,) = [
        one
        for one in numbers(measured())
        if (one.metric, one.method) == (metric, method)
        and "20" not in one.other
        # The roofline is of the middle length.
        and "40" not in one.other
    ]
    return one


@pytest.mark.parametrize(
    ("metric", "unit", "values", "over"),
    [
        # 10 tokens in 6 s against 2 s, then in 8 s against 4 s.
        ("speedup", "x", (3.0, 2.0), "repeats"),
        # a: 2 and 4, median 3; b: 4 and 4/3.
        ("speedup-by-prompt", "x", (3.0, 8 / 3), "prompts"),
        # The mean of 5 and 5 against that of 2.5 and 1.25; then of 5 and 5/3 against 1.25.
        ("speedup-of-means", "x", (8 / 3, 8 / 3), "repeats"),
        ("speed", "tokens/s", (5.0, 5.0, 5.0, 5 / 3), "runs"),
        ("mean-speed", "tokens/s", (5.0, 10 / 3), "repeats"),
        # 4 + 4 tokens after the first ones, in 2 + 2 cycles.
        ("tau", "tokens", (2.0,), "all prompts"),
        ("tau-by-prompt", "tokens", (2.0, 2.0), "prompts"),
        # 2 of 4 first drafts held, 1 of 2 below them.
        ("alpha-0", "fraction", (0.5,), "all prompts"),
        ("alpha-1", "fraction", (0.5,), "all prompts"),
        ("time-draft", "fraction", (0.125, 0.125), "repeats"),
        ("time-verify", "fraction", (0.5, 0.5), "repeats"),
        ("time-other", "fraction", (0.375, 0.375), "repeats"),
        ("verify-pass", "ms", (12.5,), "passes"),
        ("draft-passes", "ms", (1.5,), "passes"),
        ("peak-memory", "GiB", (1.5,), "the longest prompt"),
        # 2 / (1.25 + 0.15); plain takes (14 - 3.5) s without the prompts, the chain 6 s.
        ("roofline", "x", (2 / 1.4,), "all runs"),
        ("roofline-reached", "x", (10.5 / 6,), "all runs"),
        ("roofline-share", "fraction", (10.5 / 6 / (2 / 1.4),), "all runs"),
    ],
)
def test_numbers_of_a_method(metric: str, unit: str, values: tuple[float, ...], over: str) -> None:
    one = found(metric)
    assert one.values == pytest.approx(values)
    assert (one.unit, one.over) == (unit, over)


def test_what_a_method_is_held_against() -> None:
    assert found("throughput", "plain").values == (10.0, 5.0)
    assert found("throughput", "plain").batch == 2
    assert found("time-prefill", "plain").values == (0.25, 0.25)
    metrics = {one.metric for one in numbers(measured()) if one.method == "plain"}
    assert not metrics & {"speedup", "tau", "roofline", "alpha-0"}


def test_what_differs_between_repeats_is_told_by_repeat() -> None:
    luckier = replace(RUNS[-1].statistics, cycles=1) if RUNS[-1].statistics else None
    runs = [*RUNS[:-1], replace(RUNS[-1], statistics=luckier)]
    (tau,) = (one for one in numbers(measured(runs)) if one.metric == "tau")
    # 4 + 4 tokens in 2 + 2 cycles, then in 2 + 1.
    assert (tau.values, tau.over) == (pytest.approx((2.0, 8 / 3)), "repeats")


def test_the_parts_of_the_time_add_up() -> None:
    for method in ("plain", CHAIN):
        parts = ("prefill", "draft", "verify", "accept", "other")
        shares = [found(f"time-{part}", method).values for part in parts]
        assert [sum(column) for column in zip(*shares, strict=True)] == pytest.approx([1.0, 1.0])


def test_temperatures_are_apart() -> None:
    warm = [plain("a", 0, 1.0, 1.0), chain("a", 0, 4.0, 1.0)]
    every = list(numbers(measured([*RUNS, *warm], (0.0, 1.0))))
    speedups = {one.temperature: one.values for one in every if one.metric == "speedup"}
    assert speedups == {0.0: (3.0, 2.0), 1.0: (0.25,)}
    # Forward passes know no temperature.
    assert [one.temperature for one in every if one.metric == "verify-pass"] == [None] * 3


def test_outputs_that_must_be_those_of_plain_decoding_are_counted() -> None:
    wrong = replace(chain("b", 1, 3.0), ids=(5, 6, 1, 8, 9))
    drawn = replace(chain("a", 0, 1.0, 1.0), ids=(1, 2))
    warm = [plain("a", 0, 1.0, 1.0), drawn]
    found = measured([*RUNS[:-1], wrong, *warm], (0.0, 1.0))
    # Drawn drafts have other ids for good reasons.
    assert (found.compared(), found.changed_outputs()) == (9, 1)
    assert [(one.key, at, what.question, what.place) for one, at, what in found.changed()] == [
        (CHAIN, 0.0, "b", 2)
    ]


def test_other_ids_are_a_fault() -> None:
    wrong = replace(chain("b", 1, 3.0), ids=(5, 6, 1, 8, 9))
    lines = list(faults(measured([*RUNS[:-1], wrong]), kit(), PLAN))
    assert lines == [
        "EAGLE-1, chain of 3, temperature 0, question b: not the output of plain decoding from "
        "token 2 on"
    ]
    assert list(faults(measured(), kit(), PLAN)) == []


def test_a_library_may_decide_otherwise_only_where_two_tokens_are_all_but_equal() -> None:
    """With other kernels than our own, and both ways."""
    by_torch = kit("plain")
    scores = by_torch.target.prefill(PLAN_IDS, by_torch.target.new_cache(PLAN_IDS.numel())).logits[
        0
    ]
    best, second = scores.argsort(descending=True)[:2].tolist()
    runs = [replace(run, ids=(best,)) for run in RUNS if run.question == "b"]
    far = [*runs[:-1], replace(runs[-1], ids=(second,))]
    assert len(list(faults(measured(far), by_torch, PLAN))) == 1
    # The same two tokens with one and the same embedding, and so one and the same logit.
    weights = tiny_weights(CONFIG)
    weights["lm_head.weight"][second] = weights["lm_head.weight"][best]
    twins = replace(by_torch, target=LlamaTarget(CONFIG, weights, linears="plain"))
    assert list(faults(measured(far), twins, PLAN)) == []
    # Plain decoding itself never gives another answer.
    unsteady = [runs[0], replace(runs[1], ids=(second,)), *runs[2:]]
    (line,) = faults(measured(unsteady), twins, PLAN)
    assert line.startswith("plain decoding, ")


def test_times_that_do_not_add_up_are_doubted() -> None:
    assert list(doubts(measured())) == []
    run = RUNS[-1]
    assert run.statistics is not None
    short = replace(run, statistics=replace(run.statistics, total_seconds=2.5))
    (line,) = doubts(measured([*RUNS[:-1], short]))
    assert "8.3%" in line  # 0.5 of 6 s
    # 0.1 ms for each of 1000 readings, in a run of 3 s.
    (line,) = doubts(measured([replace(run, readings=1000) for run in RUNS]))
    assert "READING THE CLOCK" in line
