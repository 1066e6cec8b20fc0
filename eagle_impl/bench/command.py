"""What ``eagle_impl bench`` does once its usage is right."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from eagle_impl.answer import DTYPES, Kit, prepare
from eagle_impl.bench import batches, categories, document, header, machine
from eagle_impl.bench.asked import Asked
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.forwards import Bench, lengths
from eagle_impl.bench.huggingface import transformers_methods
from eagle_impl.bench.journal import Journal
from eagle_impl.bench.measured import Measured
from eagle_impl.bench.measuring import Plan, Prompt, measure, prompts_of, session, warm_up
from eagle_impl.bench.memory import PeakMemory
from eagle_impl.bench.methods import Method, drafted, large_tree, own_methods, small_tree
from eagle_impl.bench.place import Place, choose_place
from eagle_impl.bench.recording import record
from eagle_impl.bench.report import render, render_categories
from eagle_impl.bench.results import numbers
from eagle_impl.bench.verdict import faults
from eagle_impl.computing import computed_by
from eagle_impl.errors import OptionError
from eagle_impl.heads import shipped_head
from eagle_impl.sampling import Sampler
from eagle_impl.targets.loading import find_folder
from eagle_impl.workloads import PROMPTS, read_workload

Say = Callable[[str], None]


def bench(asked: Asked, say: Say) -> int:
    """Measure and report.

    Args:
        asked: The options.
        say: Shows progress.

    Returns:
        0, or 1 if drafts changed an output, of which nothing is reported then.

    Raises:
        EagleError: Something cannot be read or does not fit, or what was measured cannot be
            written.
        RegistryError: The records cannot be written.
    """
    if asked.json is not None:
        document.check_place(asked.json)
    head = asked.head or shipped_head(asked.target)
    if head is None:
        raise OptionError(
            f"drafts need a head, and none comes with the project for {asked.target}",
            "name its folder with --head",
        )
    workload = asked.workload or PROMPTS
    questions = read_workload(workload)
    here, commit = machine.describe(), header.commit()
    place = choose_place(asked, here, commit) if asked.record else None
    # To be asked before a target is loaded, which may leave torch with one and have its own.
    threads = asked.threads or torch.get_num_threads()
    kit = prepare(
        target=asked.target,
        head=head,
        method="eagle-2",
        tree="",
        sampler=Sampler(temperature=0),
        dtype=asked.dtype,
        device=asked.device,
        threads=threads,
    )
    prompts = prompts_of(questions, kit.text)
    facts = {
        "machine": str(here),
        "features": ", ".join(here.features) or "unknown",
        "software": ", ".join(header.software(computed_by(kit.target))),
        "project": str(commit),
        "model": f"{asked.target}, {kit.target.dtype} on {kit.target.device}, batch 1",
        "head": f"{header.shown(head)}, sha256 {header.sha256_of_head(head)}",
    }
    if asked.categories:
        chosen = categories.first_of_each(prompts, asked.categories)
        return _categories(asked, kit, chosen, facts, say)
    plan = Plan(
        prompts=prompts[: asked.prompts],
        tokens=asked.tokens,
        repeats=asked.repeats,
        temperatures=asked.temperature,
        sizes=tuple(size for size in asked.batch if size),
        seed=asked.seed,
        others=asked.transformers,
    )
    settings = {"threads": str(threads)} | header.environment() | {"seed": str(asked.seed)}
    facts |= {
        "workload": f"{header.shown(workload)}, sha256 {header.sha256(workload)}, "
        f"{len(plan.prompts)} of {len(questions)} questions, first turns, "
        f"{plan.tokens} tokens at most, {plan.repeats} times, "
        f"temperature {_listed(plan.temperatures)}",
        "settings": ", ".join(f"{name} {value}" for name, value in settings.items()),
    }
    return _speed(asked, kit, plan, facts, place, threads, say)


def _listed(values: Sequence[float]) -> str:
    return " and ".join(f"{value:g}" for value in values)


def _speed(
    asked: Asked,
    kit: Kit,
    plan: Plan,
    facts: dict[str, str],
    place: Place | None,
    threads: int,
    say: Say,
) -> int:
    clock, memory = Clock(kit.target.device), PeakMemory(kit.target.device)
    methods = own_methods(kit, clock, asked.methods)
    raw = asked.raw or (place.draft if place else None) or _beside(asked.json)
    if raw is None:
        say("nothing is kept if this is killed: --json, --raw or --record name a file")
    conditions = facts | {
        "methods": ", ".join(method.key for method in methods),
        "batches": ", ".join(map(str, plan.sizes)) or "none",
        "transformers": f"{plan.others} prompts",
    }
    journal = Journal(raw, conditions)
    try:
        if journal.sessions:
            say(f"going on with {raw}, which holds {len(journal.runs)} runs")
        held = warm_up(methods, plan, memory, say)
        others, missing = _others(asked, kit, plan, threads, clock, say)
        warm_up(others, plan, memory, say)
        why = batches.missing(kit.target, plan.sizes)
        missing |= {"plain decoding in batches": why} if why else {}
        journal.begin(session(clock, held))
        every = [*methods, *others]
        measure(
            every,
            replace(plan, sizes=()) if why else plan,
            Bench(kit.target, methods, plan.prompts[0].ids, _sizes(kit, methods, plan), clock),
            journal,
            target=kit.target,
            clock=clock,
            say=say,
        )
    finally:
        journal.close()
    facts |= {
        "command": asked.command,
        "load": ", ".join(f"{one.load} when it began {one.began}" for one in journal.sessions),
    }
    measured = Measured.of(journal, facts, every, plan.temperatures, missing)
    if wrong := list(faults(measured, kit, plan)):
        for line in wrong:
            say(line)
        say("nothing is reported, since drafts changed what the model says")
        return 1
    sys.stdout.write(render(measured))
    if asked.json is not None:
        _write(asked.json, measured, plan)
    if place is not None:
        assert raw is not None
        if raw != place.draft:
            shutil.copyfile(raw, place.draft)
        for path in record(place, asked, measured, plan, kit, threads):
            say(f"wrote {path}")
    return 0


def _beside(path: Path | None) -> Path | None:
    if path is None:
        return None
    return path.with_suffix(".jsonl" if path.suffix != ".jsonl" else ".raw.jsonl")


def _others(
    asked: Asked, kit: Kit, plan: Plan, threads: int, clock: Clock, say: Say
) -> tuple[list[Method], dict[str, str]]:
    """Methods of other engines, and what cannot be measured of them."""
    if not plan.others:
        return [], {"transformers": "it was not asked for"}
    if 0 not in plan.temperatures:
        return [], {"transformers": "its outputs are comparable at temperature 0 only"}
    say("loading transformers")
    found = transformers_methods(
        find_folder(asked.target),
        kit.target.config.eos_ids,
        threads,
        clock,
        kit.target.device,
        DTYPES[asked.dtype],
    )
    return ([], {"transformers": found}) if isinstance(found, str) else (found, {})


def _sizes(kit: Kit, methods: Sequence[Method], plan: Plan) -> tuple[int, ...]:
    """Lengths of context at which single forward passes are measured."""
    widest = max((method.drafter.widest for method in methods if method.drafter), default=1)
    longest = kit.target.config.max_positions - widest
    return lengths([len(prompt.ids) for prompt in plan.prompts], plan.tokens, longest)


def _categories(
    asked: Asked, kit: Kit, prompts: Sequence[Prompt], facts: dict[str, str], say: Say
) -> int:
    clock = Clock(kit.target.device)
    facts["command"] = asked.command
    methods = drafted(kit, clock, small_tree(), large_tree())
    judged = categories.judge(methods, prompts, tokens=asked.tokens, say=say)
    sys.stdout.write(render_categories(facts, methods, judged))
    if asked.json is not None:
        fields = _about(facts, methods, prompts) | asdict(judged)
        document.write(asked.json, fields)
    return 1 if judged.differing else 0


def _about(
    facts: dict[str, str], methods: Sequence[Method], prompts: Sequence[Prompt]
) -> dict[str, Any]:
    return {
        "header": facts,
        "methods": {method.key: method.title for method in methods},
        "prompts": [asdict(prompt) for prompt in prompts],
    }


def _write(path: Path, measured: Measured, plan: Plan) -> None:
    """Everything that was measured, and what was made of it."""
    by_temperature = {
        f"{temperature:g}": {
            "differing": {
                key: [asdict(one) for one in found]
                for key, found in measured.at(temperature).differing().items()
            },
            "loops": measured.at(temperature).loops(),
        }
        for temperature in measured.temperatures
    }
    document.write(
        path,
        _about(dict(measured.header), measured.methods, plan.prompts)
        | {
            "missing": dict(measured.missing),
            "results": [asdict(number) for number in numbers(measured)],
            "temperatures": by_temperature,
            "unaccounted": measured.unaccounted,
            "clock_share": measured.clock_share,
            "runs": [asdict(run) for run in measured.every_run],
            "forwards": [asdict(cycle) for cycle in measured.forwards],
            "batches": [asdict(batch) for batch in measured.batches],
        },
    )
