"""``eagle_impl figures``: tables of measurements in documents, kept equal to the records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from eagle_impl.cli.options import path


def figures(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Markdown documents.", show_default=False),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say which blocks differ.")
    ] = False,
    root: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            parser=path,
            help="The registry; the one that you are in, or the shipped.",
        ),
    ] = None,
) -> None:
    """Fill the marked blocks of documents with tables made from benchmark records.

    A block begins with a line `<!-- figures: benchmark/ID -->` and ends with a line `<!-- end -->`.

    Exit code 0: the blocks are, or were made, what the records say. 1: --check found others. 2: no
    such record, a block without an end, or a file that cannot be read or written.
    """
    from eagle_impl.bench.blocks import filled
    from eagle_impl.bench.shown import open_benchmark
    from eagle_impl.cli import EXIT_FINDINGS
    from eagle_impl.errors import OptionError
    from eagle_impl.formats.files import judge_regular
    from registry.errors import RegistryError
    from registry.store.write import replace

    differing = 0
    for file in files:
        judge_regular(file)
        try:
            held = file.read_bytes()
            right = filled(
                held.decode("utf-8"), lambda name: open_benchmark(name, root), str(file)
            ).encode("utf-8")
            if held != right and not check:
                replace(file, right, expected=held)
        except RegistryError as error:
            raise OptionError(error.message, error.hint) from None
        except UnicodeDecodeError as error:
            line = held.count(b"\n", 0, error.start) + 1
            raise OptionError(f"{file}:{line}: is not UTF-8", "convert it") from None
        if held == right:
            continue
        differing += 1
        done = "does not say what the records say" if check else "written"
        sys.stderr.write(f"figures: {file}: {done}\n")
    raise typer.Exit(EXIT_FINDINGS if differing and check else 0)
