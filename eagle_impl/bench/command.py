"""What ``eagle_impl bench`` does once its usage is right."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Container, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec
import torch

from eagle_impl.answer import Kit, prepare
from eagle_impl.bench import batches, categories, document, header, machine
from eagle_impl.bench.asked import Asked
from eagle_impl.bench.clock import Clock
from eagle_impl.bench.forwards import Bench, lengths
from eagle_impl.bench.journal import Journal
from eagle_impl.bench.llama_server import LLAMA_SERVER, LlamaServer
from eagle_impl.bench.measured import Measured
from eagle_impl.bench.measuring import (
    Plan,
    Prompt,
    judge,
    judge_runs,
    measure,
    prompts_of,
    session,
    warm_up,
    warm_up_others,
)
from eagle_impl.bench.memory import PeakMemory
from eagle_impl.bench.methods import (
    Method,
    drafted,
    large_tree,
    own_methods,
    small_tree,
    software_of,
)
from eagle_impl.bench.others import chosen_llama, other_engines
from eagle_impl.bench.place import Place, choose_place
from eagle_impl.bench.recording import as_data, record
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
    asked.check()
    head = asked.head or shipped_head(asked.target)
    if head is None:
        raise OptionError(
            f"drafts need a head, and none comes with the project for {asked.target}",
            "name its folder with --head",
        )
    workload = asked.workload or PROMPTS
    questions = read_workload(workload)
    folder = find_folder(asked.target)
    read = [workload, head, folder, *([asked.gguf] if asked.gguf else [])]
    written = [asked.json, asked.raw or _beside(asked.json)]
    document.check_places([path for path in written if path], read)
    hashes = header.Hashes(
        header.sha256(workload), header.sha256_of_weights(folder), header.sha256_of_weights(head)
    )
    here, commit = machine.describe(), header.commit()
    place = choose_place(asked, here, commit) if asked.record else None
    if place is not None and place.card is not None and not place.accelerator:
        card = f"{place.card.name}, {place.card.memory}"
        say(f"no accelerator record fits {card}: the benchmark will name it in words")
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
        "target": f"sha256 {hashes.target}",
        "head": f"{header.shown(head)}, sha256 {hashes.head}",
    }
    if asked.categories:
        chosen = categories.first_of_each(prompts, asked.categories)
        judge(chosen, asked.tokens, kit.target)
        return _categories(asked, kit, chosen, facts, say)
    plan = Plan(
        prompts=prompts[: asked.prompts],
        tokens=asked.tokens,
        repeats=asked.repeats,
        temperatures=asked.temperature,
        sizes=tuple(size for size in asked.batch if size),
        seed=asked.seed,
    )
    judge(plan.prompts, plan.tokens, kit.target)
    settings = {"threads": str(threads)} | header.environment() | {"seed": str(asked.seed)}
    facts |= {
        "workload": f"{header.shown(workload)}, sha256 {hashes.workload}, "
        f"{len(plan.prompts)} of {len(questions)} questions, first turns, "
        f"{plan.tokens} tokens at most, {plan.repeats} times, "
        f"temperature {_listed(plan.temperatures)}",
        "settings": ", ".join(f"{name} {value}" for name, value in settings.items()),
    }
    return _speed(asked, kit, plan, facts, hashes, place, threads, say)


def _listed(values: Sequence[float]) -> str:
    return " and ".join(f"{value:g}" for value in values)


def _speed(
    asked: Asked,
    kit: Kit,
    plan: Plan,
    facts: dict[str, str],
    hashes: header.Hashes,
    place: Place | None,
    threads: int,
    say: Say,
) -> int:
    clock, memory = Clock(kit.target.device), PeakMemory(kit.target.device)
    methods = own_methods(kit, clock, asked.methods)
    llama = chosen_llama(asked, kit)
    raw = asked.raw or (place.draft if place else None) or _beside(asked.json)
    if place is not None and raw is not None:
        place.check_draft(raw)
    if raw is None:
        say("nothing is kept if this is killed: --json, --raw or --record name a file")
    conditions = facts | {
        "methods": ", ".join(method.key for method in methods),
        "batches": ", ".join(map(str, plan.sizes)) or "none",
        "transformers": f"{asked.transformers} prompts",
        # Which files beside the weights decide, too: tokenizer, chat template, ends of texts.
        "tokens": _digest([*(prompt.ids for prompt in plan.prompts), kit.target.config.eos_ids]),
    }
    if isinstance(llama, LlamaServer):
        conditions[LLAMA_SERVER] = llama.software
    journal = Journal(raw, conditions)
    with closing(journal):
        judge_runs(journal, plan, methods)
        if journal.sessions:
            say(f"going on with {raw}, which holds {len(journal.runs)} runs")
        why = batches.missing(kit.target, plan.sizes)
        load = header.load()
        if header.is_busy():
            say(f"other programs are at work (load {load}), and change the times")
        held = warm_up(methods, plan, memory, say)
        with other_engines(asked, kit, plan, threads, clock, llama, say) as others:
            failed = {
                method.key: "a part of this run was measured without it"
                for method in others.methods
                if not journal.measured_throughout(method.key)
            }
            failed |= warm_up_others(_without(others.methods, failed), plan, memory, say)
            every = [*methods, *_without(others.methods, failed)]
            journal.begin(session(clock, load, held, every))
            failed |= measure(
                every,
                replace(plan, sizes=()) if why else plan,
                Bench(kit.target, methods, plan.prompts[0].ids, _sizes(kit, methods, plan), clock),
                journal,
                target=kit.target,
                clock=clock,
                say=say,
            )
    every = _without(every, failed)
    missing = others.missing | failed | ({"plain decoding in batches": why} if why else {})
    facts |= {
        "software": ", ".join((facts["software"], *software_of(every))),
        "command": asked.command,
        "load": ", ".join(f"{one.load} when it began {one.began}" for one in journal.sessions),
    }
    measured = Measured.of(journal, facts, every, plan.temperatures, missing)
    if wrong := list(faults(measured, kit, plan)):
        for line in wrong:
            say(line)
        say("nothing is reported, since drafts changed what the model says")
        return 1
    # Before anything is shown: whoever reads it may go away.
    if asked.json is not None:
        _write(asked.json, measured, plan)
    if place is not None:
        assert raw is not None
        single_runs = raw.read_bytes()
        data = as_data(place, asked, measured, plan, kit, threads, hashes, single_runs)
        for path in record(place, data, single_runs):
            say(f"wrote {path}")
        say(f"eagle_impl plot {place.id} draws it")
    sys.stdout.write(render(measured))
    return 0


def _digest(ids: Sequence[Sequence[int]]) -> str:
    return hashlib.sha256(msgspec.json.encode(ids)).hexdigest()[:16]


def _without(methods: Sequence[Method], keys: Container[str]) -> list[Method]:
    return [method for method in methods if method.key not in keys]


def _beside(path: Path | None) -> Path | None:
    if path is None:
        return None
    return path.with_suffix(".jsonl" if path.suffix != ".jsonl" else ".raw.jsonl")


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
    if asked.json is not None:
        fields = _about(facts, methods, prompts) | asdict(judged)
        document.write(asked.json, fields)
    sys.stdout.write(render_categories(facts, methods, judged))
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
        f"{temperature}".removesuffix(".0"): {
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
