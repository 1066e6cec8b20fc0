"""``make bench-eagle``, which is ``python -m eagle_impl.bench`` and so ``eagle_impl bench``."""

from __future__ import annotations

import sys

from eagle_impl.cli import main

if __name__ == "__main__":
    main(["bench", *sys.argv[1:]])
