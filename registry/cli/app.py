"""The table of commands, and how errors reach a person."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated

import typer

from registry._version import __version__
from registry.cli import EXIT_CLEAN, EXIT_USAGE
from registry.cli.add import add
from registry.cli.cite_evidence import cite_evidence
from registry.cli.compare import compare
from registry.cli.contest import contest
from registry.cli.correct import correct
from registry.cli.diff import diff
from registry.cli.explain import explain
from registry.cli.export import export
from registry.cli.fetch import fetch
from registry.cli.hide import hide
from registry.cli.init import init
from registry.cli.list import list_records
from registry.cli.log import log
from registry.cli.schema import command as schema
from registry.cli.settle import settle
from registry.cli.show import show
from registry.cli.sources import sources
from registry.cli.stats import stats
from registry.cli.verify import verify
from registry.cli.withdraw import withdraw
from registry.errors import RegistryError

app = typer.Typer(
    name="registry",
    help="Facts about machine-learning papers, each with its evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("verify")(verify)
app.command("show")(show)
app.command("list")(list_records)
app.command("compare")(compare)
app.command("export")(export)
app.command("stats")(stats)
app.command("diff")(diff)
app.command("log")(log)
app.command("fetch")(fetch)
app.command("sources")(sources)
app.command("add")(add)
app.command("cite-evidence")(cite_evidence)
app.command("correct")(correct)
app.command("contest")(contest)
app.command("settle")(settle)
app.command("withdraw")(withdraw)
app.command("hide")(hide)
app.command("explain")(explain)
app.command("schema")(schema)
app.command("init")(init)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"registry {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Facts about machine-learning papers, each with its evidence."""


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; an error becomes one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that knows no check marks shows their codes, and the rest is readable.
            stream.reconfigure(errors="backslashreplace")
    # Records hold no cycles, and a command ends soon: collecting would only cost time.
    gc.disable()
    try:
        code = app(args=list(arguments), prog_name="registry", standalone_mode=False)
        return code if isinstance(code, int) else EXIT_CLEAN
    except typer.TyperException as error:
        sys.stderr.write(_wrong_usage(error))
        return EXIT_USAGE
    except RegistryError as error:
        hint = f" ({error.hint})" if error.hint else ""
        sys.stderr.write(f"registry: {error.message}{hint}\n")
        return EXIT_USAGE
    except SystemExit as end:
        # The reader went away (`registry list | head`); that is no fault of the run, but Click
        # says 1 for it.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
    except OSError as error:
        said = error.strerror or type(error).__name__
        if error.filename is None:
            # What could not be written must not be written a second time at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        else:
            said = f"{os.fsdecode(error.filename)}: {said}"
        sys.stderr.write(f"registry: {said}\n")
        return EXIT_USAGE
    return EXIT_CLEAN


def _wrong_usage(error: typer.TyperException) -> str:
    """What is wrong with the words of a command, on one line; empty where help was shown."""
    message = error.format_message().removeprefix("Invalid value: ").replace(" Value error,", "")
    said = " ".join(message.split()).removesuffix(".")
    context: typer.Context | None = getattr(error, "ctx", None)
    command = context.command_path if context else "registry"
    return f"registry: {said} (`{command} --help` tells more)\n" if said else ""
