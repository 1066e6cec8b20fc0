"""``python -m registry``."""

from __future__ import annotations

from registry.cli import main

if __name__ == "__main__":
    main()
