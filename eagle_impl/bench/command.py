"""What ``python -m eagle_impl.bench`` does once its usage is right."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from eagle_impl.answer import Kit, prepare
from eagle_impl.bench import categories, document, header
from eagle_impl.bench.forwards import Bench, lengths
from eagle_impl.bench.huggingface import transformers_methods
from eagle_impl.bench.measuring import Prompt, measure, prompts_of
from eagle_impl.bench.methods import Method, drafted, large_tree, own_methods, small_tree
from eagle_impl.bench.report import Report, render, render_categories
from eagle_impl.heads import shipped_head
from eagle_impl.sampling import Sampler
from eagle_impl.targets.loading import find_folder
from eagle_impl.workloads import PROMPTS, read_workload


def bench(asked: Namespace, command: str, say: Callable[[str], None]) -> int:
    """Measure and report.

    Args:
        asked: The options.
        command: The command line.
        say: Shows progress.

    Returns:
        0, or 1 if drafts changed an output.

    Raises:
        EagleError: Something cannot be read or does not fit, or the document cannot be written.
    """
    if asked.json is not None:
        document.check_place(asked.json)
    workload = asked.workload or PROMPTS
    questions = read_workload(workload)
    facts = header.surroundings()
    # To be asked before a target is loaded, which may leave torch with one and have its own.
    threads = asked.threads or torch.get_num_threads()
    kit = prepare(
        target=asked.target,
        head=asked.head,
        method="eagle-2",
        tree="",
        sampler=Sampler(temperature=0),
        threads=threads,
    )
    all_prompts = prompts_of(questions, kit.text)
    if asked.categories:
        prompts = categories.first_of_each(all_prompts, asked.categories)
    else:
        prompts = all_prompts[: asked.prompts]
    head = asked.head or shipped_head(asked.target)
    assert head is not None, "prepare would have refused"
    facts |= {
        "model": f"{asked.target}, {kit.target.dtype}, batch 1, greedy",
        "head": f"{head}, sha256 {header.sha256_of_head(head)}",
        "workload": f"{workload}, sha256 {header.sha256(workload)}, {len(prompts)} of "
        f"{len(questions)} questions, first turns, {asked.tokens} tokens at most",
        "settings": _settings(asked, threads),
        "command": command,
        "began": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    if asked.categories:
        return _categories(asked, kit, prompts, facts, say)
    return _speed(asked, kit, prompts, threads, facts, say)


def _settings(asked: Namespace, threads: int) -> str:
    told = {"threads": str(threads)} | header.environment()
    if not asked.categories:
        told |= {"repeats": str(asked.repeats), "seed": str(asked.seed)}
    return ", ".join(f"{name} {value}" for name, value in told.items())


def _speed(
    asked: Namespace,
    kit: Kit,
    prompts: Sequence[Prompt],
    threads: int,
    facts: dict[str, str],
    say: Callable[[str], None],
) -> int:
    methods, missing = own_methods(kit), "it was not asked for"
    if asked.transformers:
        say("loading transformers")
        found = transformers_methods(find_folder(asked.target), kit.target.config.eos_ids, threads)
        if isinstance(found, str):
            missing = found
        else:
            methods, missing = [*methods, *found], ""
    longest = kit.target.config.max_positions - max(
        method.drafter.widest for method in methods if method.drafter
    )
    sizes = lengths([len(prompt.ids) for prompt in prompts], asked.tokens, longest)
    measured = measure(
        methods,
        prompts,
        Bench(kit.target, methods, prompts[0].ids, sizes),
        tokens=asked.tokens,
        repeats=asked.repeats,
        seed=asked.seed,
        others=asked.transformers,
        say=say,
    )
    facts["load"] += f", {header.load()} when it ended"
    report = Report(facts, methods, measured, missing)
    sys.stdout.write(render(report))
    if asked.json is not None:
        differing = {
            key: [asdict(one) for one in found] for key, found in report.differing().items()
        }
        fields = {
            "runs": [asdict(run) for run in measured.runs],
            "forwards": [asdict(cycle) for cycle in measured.forwards],
            "missing": missing,
            "differing": differing,
            "loops": report.loops(),
        }
        _write(asked.json, facts, methods, prompts, fields)
    return 0 if report.exact else 1


def _categories(
    asked: Namespace,
    kit: Kit,
    prompts: Sequence[Prompt],
    facts: dict[str, str],
    say: Callable[[str], None],
) -> int:
    methods = drafted(kit, small_tree(), large_tree())
    judged = categories.judge(methods, prompts, tokens=asked.tokens, say=say)
    sys.stdout.write(render_categories(facts, methods, judged))
    if asked.json is not None:
        _write(asked.json, facts, methods, prompts, asdict(judged))
    return 1 if judged.differing else 0


def _write(
    path: Path,
    facts: dict[str, str],
    methods: Sequence[Method],
    prompts: Sequence[Prompt],
    fields: dict[str, Any],
) -> None:
    document.write(
        path,
        {
            "header": facts,
            "methods": {method.key: method.title for method in methods},
            "prompts": [asdict(prompt) for prompt in prompts],
            **fields,
        },
    )
