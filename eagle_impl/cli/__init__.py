"""The command line, one thin module for each command."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143

SPIN = "1500"
"""Turns that a thread of OpenMP, with which torch computes, spins when it waits. It should spin for
as long as another thread is a little late, which on a quiet machine is all there is to wait for,
and give its core away soon after: where others want the cores as well, the one that is waited for
cannot run while it spins. On two cores of an EPYC, a token of SmolLM2-135M took torch 14 ms with
1500 as with 20000 turns, and 16 ms with 1000; beside one busy program 38, 290 and 32 ms. The
kernels of ``eagle_impl.native`` wait in their own way."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the ``eagle_impl`` command and exit.

    Exit codes: 0 done, 1 something was found to differ or not to fit, 2 wrong usage or input,
    130 interrupted, 143 terminated. A reader of the output that goes away changes none of them.
    """
    signal.signal(signal.SIGTERM, _terminate)
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(words)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED  # also while modules are imported, which takes seconds
    sys.exit(code)


def _terminate(number: int, frame: FrameType | None) -> None:
    """End as for any other reason, so that what is half made is removed."""
    sys.exit(EXIT_TERMINATED)


def _run(words: list[str]) -> int:
    if words == ["--version"]:
        from registry._version import __version__

        sys.stdout.write(f"eagle_impl {__version__}\n")
        return EXIT_CLEAN
    # Read when torch loads its OpenMP, which is later than this.
    os.environ.setdefault("GOMP_SPINCOUNT", SPIN)
    from eagle_impl.cli.app import run

    return run(words)
