"""Files that one process uses at a time. The system unlocks what a killed process had locked."""

from __future__ import annotations

from typing import IO, Any

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]


def lock(file: IO[Any]) -> bool:
    """Lock an open file until it is closed.

    Returns:
        Whether nobody else has it; yes where there are no locks, as in some network file systems.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
