"""The table of commands, and how errors reach a person."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer

from eagle_impl.cli import EXIT_CLEAN, EXIT_USAGE
from eagle_impl.cli.generate import generate
from eagle_impl.cli.inspect import inspect
from eagle_impl.cli.train import train
from eagle_impl.errors import EagleError

app = typer.Typer(
    name="eagle_impl",
    help="EAGLE speculative decoding: the output of the model alone, sooner.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("generate")(generate)
app.command("inspect")(inspect)
app.command("train")(train)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; an error becomes one line on stderr."""
    try:
        app(args=list(arguments), prog_name="eagle_impl", standalone_mode=True)
    except EagleError as error:
        hint = f" ({error.hint})" if error.hint else ""
        sys.stderr.write(f"eagle_impl: {error.message}{hint}\n")
        return EXIT_USAGE
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("eagle_impl"):
            raise
        extra = "pip install 'claims-registry[eagle]'"
        sys.stderr.write(f"eagle_impl: {error.name} is not installed ({extra})\n")
        return EXIT_USAGE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_CLEAN
