"""The command line. It can say its version, and that it cannot generate yet."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from registry._version import __version__

EXIT_CLEAN = 0
EXIT_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the ``eagle_impl`` command and exit: 0 after ``--version``, else 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--version"]:
        sys.stdout.write(f"eagle_impl {__version__}\n")
        sys.exit(EXIT_CLEAN)
    sys.stderr.write(f"eagle_impl: generation is not part of this release ({__version__})\n")
    sys.exit(EXIT_USAGE)
