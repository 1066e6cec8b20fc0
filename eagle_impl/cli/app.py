"""The table of commands, and how errors reach a person."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TextIO

import typer

from eagle_impl.cli import EXIT_CLEAN, EXIT_USAGE
from eagle_impl.cli.bench import bench
from eagle_impl.cli.figures import figures
from eagle_impl.cli.generate import generate
from eagle_impl.cli.inspect import inspect
from eagle_impl.cli.lossless import lossless
from eagle_impl.cli.plot import plot
from eagle_impl.cli.train import train
from eagle_impl.errors import EagleError, Notice

app = typer.Typer(
    name="eagle_impl",
    help="EAGLE speculative decoding: the output of the model alone, sooner.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("bench")(bench)
app.command("figures")(figures)
app.command("generate")(generate)
app.command("inspect")(inspect)
app.command("lossless")(lossless)
app.command("plot")(plot)
app.command("train")(train)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; an error becomes one line on stderr."""
    if sys.stdout is None:
        if sys.stderr is not None:
            sys.stderr.write("eagle_impl: stdout is closed\n")
        return EXIT_USAGE
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that knows few characters shows the codes of the others.
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            try:
                app(args=list(arguments), prog_name="eagle_impl", standalone_mode=True)
            except SystemExit as end:
                # With that, Click says 1, which means something else here.
                if not isinstance(end.__context__, BrokenPipeError):
                    raise
            finally:
                _flush()
    except EagleError as error:
        hint = f" ({error.hint})" if error.hint else ""
        sys.stderr.write(f"eagle_impl: {error.message}{hint}\n")
        return EXIT_USAGE
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("eagle_impl"):
            raise
        missing = error.name.partition(".")[0]
        needed = "plot" if missing == "matplotlib" else "eagle"
        extra = f"pip install '.[{needed}]' in a clone"
        sys.stderr.write(f"eagle_impl: {missing} is not installed ({extra})\n")
        return EXIT_USAGE
    except OSError as error:
        said = error.strerror or type(error).__name__
        if error.filename is None:
            _discard()
        else:
            said = f"{error.filename}: {said}"
        sys.stderr.write(f"eagle_impl: {said}\n")
        return EXIT_USAGE
    return EXIT_CLEAN


def _flush() -> None:
    """Write what waits, while it can still be said that this failed."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard()  # the reader went away (`... | head -1`), which changes no outcome


def _discard() -> None:
    """Let what could not be written not be written a second time at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Where in the code a warning comes from tells whoever runs a command nothing."""
    kind = "" if issubclass(category, Notice) else "warning: "
    sys.stderr.write(f"eagle_impl: {kind}{message}\n")
