"""``eagle_impl lossless``: whether drafting leaves the output alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from eagle_impl.cli import EXIT_CLEAN, EXIT_FINDINGS
from eagle_impl.cli.generate import Dtype, Method


def lossless(
    target: Annotated[
        str, typer.Option(help="A folder, smollm2-135m-instruct, or ORG/NAME of a hub.")
    ] = "smollm2-135m-instruct",
    head: Annotated[
        Path | None,
        typer.Option(
            help="Folder of an EAGLE head. Default: the one that is shipped for this target.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        Method | None, typer.Option(help="Default: eagle-2.", show_default=False)
    ] = None,
    tree: Annotated[
        str,
        typer.Option(help="For eagle: chain:DEPTH or static. For eagle-2: TOPK,DEPTH,NODES."),
    ] = "",
    prompts: Annotated[int, typer.Option(min=1, help="Prompts to check, from the first on.")] = 12,
    workload: Annotated[
        Path | None,
        typer.Option(
            help="Prompts in the format of Spec-Bench's question.jsonl; own ones if absent.",
            show_default=False,
        ),
    ] = None,
    chat: Annotated[
        bool | None,
        typer.Option(
            "--chat/--no-chat",
            help="Put the prompts into the chat template. Default: if the model has one.",
            show_default=False,
        ),
    ] = None,
    chat_template: Annotated[
        Path | None, typer.Option(help="A chat template to use instead of the model's own.")
    ] = None,
    temperature: Annotated[float, typer.Option(help="0 takes the likeliest token.")] = 0.0,
    samples: Annotated[
        int,
        typer.Option(min=1, help="Texts a prompt, where drafts are drawn and laws compared."),
    ] = 200,
    seed: Annotated[int, typer.Option(help="Decides all draws.")] = 0,
    max_new_tokens: Annotated[
        int, typer.Option(min=1, help="Tokens after which an answer stops.")
    ] = 128,
    as_json: Annotated[bool, typer.Option("--json", help="What was found as JSON.")] = False,
    dtype: Annotated[Dtype, typer.Option(help="Number format.")] = Dtype.fp32,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    threads: Annotated[
        int | None, typer.Option(help="Threads on a CPU; all cores if absent.")
    ] = None,
) -> None:
    """Check that decoding with drafts gives the output of plain decoding.

    Greedily, and with drafts that are not drawn (eagle-2), all ids must be equal. Where drafts are
    drawn (eagle, temperature above 0), the first three tokens must have the target's own
    distribution: a chi-square test for each prompt, significance 0.001 over all.

    Exit code 0: equal. 1: something differs. 2: wrong usage, or something that cannot be read.
    """
    # What is wrong with the prompts is said before a model is loaded.
    from eagle_impl.errors import OptionError
    from eagle_impl.workloads import PROMPTS, read_workload

    if chat is False and chat_template is not None:
        raise OptionError("--no-chat uses no chat template", "leave out --chat-template")
    questions = read_workload(workload or PROMPTS)[:prompts]

    from eagle_impl.answer import prepare
    from eagle_impl.losslessness.checking import Asked, check, is_exact
    from eagle_impl.losslessness.report import as_document, judge, lines
    from eagle_impl.sampling import Sampler
    from eagle_impl.training.progress import Progress

    sampler = Sampler(temperature=temperature)
    kit = prepare(
        target=target,
        head=head,
        method=method.value if method is not None else None,
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
