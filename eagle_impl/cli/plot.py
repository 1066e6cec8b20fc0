"""``eagle_impl plot``: what a benchmark record holds, drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from eagle_impl.cli.options import folder, path


def plot(
    benchmark: Annotated[
        str, typer.Argument(metavar="BENCHMARK-ID", help="The record.", show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option(metavar="DIR", parser=folder, help="Where the files go; made if absent."),
    ] = Path(),
    root: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            parser=path,
            help="The registry; the one that you are in, or the shipped.",
        ),
    ] = None,
) -> None:
    """Draw a benchmark record as SVG: speedup, acceptance, throughput, roofline.

    The same record gives the same files, byte for byte, with the same release of matplotlib. They
    follow the reader's choice of a light or a dark page. Needs the extra "plot".

    Exit code 0: drawn, and stdout has the files. 2: no such record, or a file cannot be written.
    """
    from eagle_impl.bench.shown import open_benchmark
    from eagle_impl.errors import OptionError
    from eagle_impl.formats.files import judge_regular, one_line
    from registry.errors import RegistryError
    from registry.store.write import replace

    try:
        shown = open_benchmark(benchmark, root)
    except RegistryError as error:
        raise OptionError(error.message, error.hint) from None
    from eagle_impl.bench.plots import PLOTS

    output.mkdir(parents=True, exist_ok=True)
    for name, draw in PLOTS.items():
        try:
            text = draw(shown)
        except (ArithmeticError, ValueError) as error:  # of numbers that nothing can have measured
            message = f"benchmark/{shown.record.id}: {name} cannot be drawn: {one_line(error)}"
            raise OptionError(message, "look at its numbers") from None
        if text is None:
            sys.stderr.write(f"plot: the record has no numbers for {name}\n")
            continue
        path = output / f"{shown.record.id}-{name}.svg"
        judge_regular(path)
        try:
            replace(path, text.encode())
        except OSError as error:
            raise OptionError(f"{path}: cannot be written: {error.strerror}") from None
        sys.stdout.write(f"{path}\n")
