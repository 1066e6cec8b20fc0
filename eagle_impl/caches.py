"""Where the user's caches lie."""

from __future__ import annotations

import os
from pathlib import Path


def cache_home() -> Path:
    """XDG_CACHE_HOME, of which XDG's specification ignores relative paths; or ``~/.cache``.

    Raises:
        RuntimeError: The user has no home.
    """
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".cache"
