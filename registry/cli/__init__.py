"""The command line, one thin module for each command.

Starting must stay quick, so the modules here import nothing heavy until a command runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_NOT_ASKED = 3
EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the ``registry`` command and exit.

    Exit codes: 0 clean, 1 findings, 2 wrong usage or no registry, 3 a source could not be asked
    under ``--strict``, 130 interrupted.
    """
    # Not list(...): once the command of that name is imported, `list` is its module here.
    words = sys.argv[1:] if arguments is None else [*arguments]
    try:
        code: int | str | None = _run(words)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED  # also while modules are imported, which takes a moment
    except SystemExit as end:
        code = end.code
    if arguments is not None:
        sys.exit(code)
    _leave(code)


def _run(words: list[str]) -> int:
    if words == ["--version"]:
        # Answered before anything is imported that a version does not need.
        from registry._version import __version__

        sys.stdout.write(f"registry {__version__}\n")
        return EXIT_CLEAN
    from registry.cli.app import run

    return run(words)


def _leave(code: int | str | None) -> NoReturn:
    """End the process at once: to free ten thousand records one by one takes a fifth of a run."""
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    for stream in (sys.stdout, sys.stderr):
        # A stream may be closed, or its reader gone; neither changes the outcome.
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code if isinstance(code, int) else EXIT_FINDINGS if code else EXIT_CLEAN)
