"""``eagle_impl bench``: what drafts are worth here, measured."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from eagle_impl.cli.options import (
    DEFAULT_TARGET,
    DeviceOption,
    Dtype,
    DtypeOption,
    HeadOption,
    TargetOption,
    WorkloadOption,
    path,
)


def bench(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="8 prompts, 64 tokens, once; transformers 3. Minutes."),
    ] = False,
    workload: WorkloadOption = None,
    dataset: Annotated[str, typer.Option(help="Id of the record of these prompts.")] = "",
    prompts: Annotated[
        int | None, typer.Option(min=1, help="Prompts to take, the first ones (60).")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens to generate for each at most (128).")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Times that each is decoded by each method (3).")
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            metavar="NAMES",
            help="What to compare with plain decoding: eagle-2-7, eagle-2-25, eagle-1-chain, "
            "eagle-1-tree; all if absent.",
        ),
    ] = None,
    temperature: Annotated[
        list[float] | None, typer.Option(min=0, help="May be repeated; 0 and 1 if absent.")
    ] = None,
    batch: Annotated[
        list[int] | None,
        typer.Option(
            min=0, max=1024, help="Sizes at which plain decoding is measured; 0: none (1, 2, 4, 8)."
        ),
    ] = None,
    transformers: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="The first prompts, which transformers decodes as well (60); needs the extra "
            '"huggingface".',
        ),
    ] = None,
    gguf: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=path,
            help="The target as a GGUF file, which llama.cpp's llama-server decodes as well.",
            show_default=False,
        ),
    ] = None,
    llama_server: Annotated[
        str,
        typer.Option(
            metavar="PROGRAM", help="The llama-server for --gguf, if not the one on the PATH."
        ),
    ] = "",
    categories: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="MOST",
            help="Instead: tau and acceptance for every category, of so many prompts each at most.",
        ),
    ] = None,
    target: TargetOption = DEFAULT_TARGET,
    head: HeadOption = None,
    dtype: DtypeOption = Dtype.fp32,
    device: DeviceOption = "cpu",
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads of every engine; all cores if absent.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**53, help="Of the order of the methods, and of all draws.")
    ] = 0,
    json: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=path, help="Write all that was measured there, too."),
    ] = None,
    raw: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=path,
            help="The single runs, a line each; a run that was killed goes on with them. Default: "
            "beside the file of --json, or the record.",
            show_default=False,
        ),
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Write a record under data/benchmarks.")
    ] = False,
    root: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", parser=path, help="The registry to write to; the one that you are in."
        ),
    ] = None,
    id: Annotated[
        str, typer.Option(help="Of the record; model, machine and commit if absent.")
    ] = "",
    model: Annotated[str, typer.Option(help="Id of the target's record, if not its name.")] = "",
) -> None:
    """Decode prompts plainly, with drafts, and by transformers, in turn, and compare.

    Whatever was measured is kept: the same command goes on where a killed one ended. Nothing is
    reported if drafts changed an output in float32. What else runs on the machine takes time of
    what is measured.

    On a GPU, in ten minutes: --device cuda --dtype bf16 --prompts 8 --transformers 3.

    Exit code 0: done. 1: drafts changed an output. 2: wrong usage or something that cannot be read.
    """
    from eagle_impl.bench.asked import QUICK, Asked
    from eagle_impl.bench.command import bench as run
    from eagle_impl.errors import OptionError
    from registry.errors import RegistryError

    given = {
        "prompts": prompts,
        "tokens": tokens,
        "repeats": repeats,
        "transformers": transformers,
        "temperature": None if temperature is None else tuple(dict.fromkeys(temperature)),
        "batch": None if batch is None else tuple(dict.fromkeys(batch)),
        "methods": None if methods is None else tuple(_names(methods)),
    }
    if given["methods"] == ():
        raise OptionError("--methods names none", "leave it out to measure all")
    chosen = (QUICK if quick else {}) | {k: v for k, v in given.items() if v is not None}
    asked = Asked(
        target=target,
        head=head,
        gguf=gguf,
        llama_server=llama_server,
        workload=workload,
        dataset=dataset,
        categories=categories,
        dtype=dtype.value,
        device=device,
        threads=threads,
        seed=seed,
        json=json,
        raw=raw,
        record=record,
        root=root,
        id=id,
        model=model,
        **chosen,  # type: ignore[arg-type]
    )
    try:
        code = run(asked, _say)
    except RegistryError as error:
        raise OptionError(error.message, error.hint) from None
    raise typer.Exit(code)


def _names(given: list[str]) -> list[str]:
    """Names that are repeated, or parted by commas."""
    return [name.strip() for names in given for name in names.split(",") if name.strip()]


def _say(what: str) -> None:
    # Whoever reads it may go away, and be closed; the measuring goes on.
    with suppress(OSError, AttributeError):
        sys.stderr.write(f"bench: {what}\n")
        sys.stderr.flush()
