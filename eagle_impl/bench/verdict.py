"""Whether what was measured may be reported at all."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from eagle_impl.answer import Kit
from eagle_impl.bench.measured import Measured
from eagle_impl.bench.measuring import Plan
from eagle_impl.bench.methods import PLAIN, Method
from eagle_impl.losslessness.checking import is_exact
from eagle_impl.losslessness.comparing import first_difference
from eagle_impl.sampling import Sampler
from registry.checks.benchmarks import CLOCK, MISS


def faults(measured: Measured, kit: Kit, plan: Plan) -> Iterator[str]:
    """Why nothing may be reported, a line each; nothing if all is well.

    Ids other than those of plain decoding are a fault in float32. Where a library computes, which
    may add the same numbers in another order for several tokens than for one, they are none if two
    tokens were all but equally likely there; nor are they in other number formats, in which that is
    common. They are counted then.
    """
    if kit.target.dtype is torch.float32:
        for method, temperature, one in measured.changed():
            if not _excused(measured, kit, plan, method, temperature, one.question):
                where = f"{method.title}, temperature {temperature:g}, question {one.question}"
                yield f"{where}: not the output of plain decoding from token {one.place} on"


def doubts(measured: Measured) -> Iterator[str]:
    """What makes the split of the time worth little, a line each."""
    if measured.unaccounted > MISS:
        yield f"THE PARTS OF THE TIME MISS {measured.unaccounted:.1%} of it, more than {MISS:.0%}."
    if measured.clock_share > CLOCK:
        yield f"READING THE CLOCK TOOK {measured.clock_share:.1%}, more than {CLOCK:.0%}."


def _excused(
    measured: Measured, kit: Kit, plan: Plan, method: Method, temperature: float, question: str
) -> bool:
    """Whether other orders of adding account for all of a method's other outputs."""
    if is_exact(kit) or method.key == PLAIN:
        return False
    at = measured.at(temperature)
    right = next(run.ids for run in at.runs(PLAIN) if run.question == question)
    places = {prompt.id: number for number, prompt in enumerate(plan.prompts)}
    prompt = plan.prompts[places[question]].ids
    sampler, seed = Sampler(temperature=temperature), plan.seed + places[question]
    found = (
        first_difference(kit.target, prompt, right, run.ids, sampler, seed)
        for run in at.runs(method.key)
        if run.question == question
    )
    return all(one is None or one.near for one in found)
