"""``python -m eagle_impl``."""

from __future__ import annotations

from eagle_impl.cli import main

if __name__ == "__main__":
    main()
