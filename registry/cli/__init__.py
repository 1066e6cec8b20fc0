"""The command line, one thin module for each command.

Starting must stay quick, so the modules here import nothing heavy until a command runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_NOT_ASKED = 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the ``registry`` command and exit.

    Exit codes: 0 clean, 1 findings, 2 wrong usage or no registry, 3 a source could not be asked
    under ``--strict``.
    """
    # Not list(...): once the command of that name is imported, `list` is its module here.
    words = sys.argv[1:] if arguments is None else [*arguments]
    if words == ["--version"]:
        # Answered before anything is imported that a version does not need.
        from registry._version import __version__

        sys.stdout.write(f"registry {__version__}\n")
        sys.exit(EXIT_CLEAN)
    from registry.cli.app import run

    sys.exit(run(words))
