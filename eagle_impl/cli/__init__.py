"""The command line, one thin module for each command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

SPIN = "20000"
"""Turns that a waiting OpenMP thread spins. Left to itself, libgomp spins so long that on a machine
with few cores two threads stall each other for hundreds of milliseconds at a time."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the ``eagle_impl`` command and exit.

    Exit codes: 0 done, 1 something was found to differ or not to fit, 2 wrong usage or input,
    130 interrupted.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(words)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED  # also while modules are imported, which takes seconds
    sys.exit(code)


def _run(words: list[str]) -> int:
    if words == ["--version"]:
        from registry._version import __version__

        sys.stdout.write(f"eagle_impl {__version__}\n")
        return EXIT_CLEAN
    # Read when torch loads its OpenMP, which is later than this.
    os.environ.setdefault("GOMP_SPINCOUNT", SPIN)
    from eagle_impl.cli.app import run

    return run(words)
