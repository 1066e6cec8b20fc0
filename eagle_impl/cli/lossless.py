"""``eagle_impl lossless``: whether drafting leaves the output alone."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from eagle_impl.cli import EXIT_CLEAN, EXIT_FINDINGS
from eagle_impl.cli.options import (
    DEFAULT_TARGET,
    ChatOption,
    DeviceOption,
    Dtype,
    DtypeOption,
    HeadOption,
    Method,
    MethodOption,
    SeedOption,
    TargetOption,
    TemperatureOption,
    TemplateOption,
    ThreadsOption,
    TreeOption,
    WorkloadOption,
    judge_chat,
)


def lossless(
    target: TargetOption = DEFAULT_TARGET,
    head: HeadOption = None,
    method: MethodOption = None,
    tree: TreeOption = "",
    prompts: Annotated[int, typer.Option(min=1, help="Prompts to check, from the first on.")] = 12,
    workload: WorkloadOption = None,
    chat: ChatOption = None,
    chat_template: TemplateOption = None,
    temperature: TemperatureOption = 0.0,
    samples: Annotated[
        int,
        typer.Option(min=1, help="Texts a prompt, where drafts are drawn and laws compared."),
    ] = 200,
    seed: SeedOption = 0,
    max_new_tokens: Annotated[
        int, typer.Option(min=1, help="Tokens after which an answer stops.")
    ] = 128,
    as_json: Annotated[bool, typer.Option("--json", help="What was found as JSON.")] = False,
    dtype: DtypeOption = Dtype.fp32,
    device: DeviceOption = "cpu",
    threads: ThreadsOption = None,
) -> None:
    """Check that decoding with drafts gives the output of plain decoding.

    Greedily, and with drafts that are not drawn (eagle-2), all ids must be equal. Where drafts are
    drawn (eagle, temperature above 0), the first three tokens must have the target's own
    distribution: a chi-square test for each prompt, significance 0.001 over all.

    In bf16 and fp16, ids are equal only up to near-ties: of two tokens that are about as likely,
    rounding chooses. What differs there is reported as that, and counts as different.

    Exit code 0: equal. 1: something differs. 2: wrong usage, or something that cannot be read.
    """
    # What is wrong with the prompts is said before a model is loaded.
    from eagle_impl.workloads import PROMPTS, read_workload
    from registry.reports.wording import counted

    judge_chat(chat, chat_template)
    questions = read_workload(workload or PROMPTS)[:prompts]
    if len(questions) < prompts:
        there = counted(len(questions), "prompt")
        sys.stderr.write(f"lossless: the file has {there}, not {prompts}; all are checked\n")

    from eagle_impl.answer import prepare
    from eagle_impl.computing import computed_by
    from eagle_impl.losslessness.checking import Asked, check, is_exact
    from eagle_impl.losslessness.report import as_document, judge, lines
    from eagle_impl.sampling import Sampler
    from eagle_impl.training.progress import Progress

    sampler = Sampler(temperature=temperature)
    kit = prepare(
        target=target,
        head=head,
        method=(method or Method.eagle_2).value,
        tree=tree,
        sampler=sampler,
        template=chat_template,
        dtype=dtype.value,
        device=device,
        threads=threads,
    )
    in_chat = kit.text.template is not None if chat is None else chat
    asked = Asked(questions, sampler, seed, max_new_tokens, samples, in_chat)
    with Progress() as progress:
        progress.begin("checking", "prompts", len(questions))
        found = check(kit, asked, progress.advance)
        progress.end()
    report = judge(
        found,
        method=kit.method,
        dtype=dtype.value,
        temperature=temperature,
        kernels=computed_by(kit.target),
        exact=is_exact(kit),
    )
    if as_json:
        sys.stdout.write(as_document(report, kit.text))
    else:
        for line in lines(report, kit.text):
            # Names come from a file, and must not steer a terminal.
            shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
            sys.stdout.write(f"{shown}\n")
    raise typer.Exit(EXIT_CLEAN if report.equal else EXIT_FINDINGS)
