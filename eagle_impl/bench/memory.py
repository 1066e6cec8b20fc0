"""The most memory that a piece of work held."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from pathlib import Path

import torch

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_FORGET_THE_PEAK = "5"


class PeakMemory:
    """Peak of this process's memory; on a GPU, of what torch holds there.

    Weights and whatever else is loaded count, whoever loaded them.
    """

    def __init__(self, device: torch.device | str = "cpu") -> None:
        """Measure on a device."""
        self._device = torch.device(device)

    def begin(self) -> None:
        """Forget earlier peaks, where the system can; elsewhere they count as well."""
        if self._device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self._device)
            return
        with suppress(OSError):
            _CLEAR.write_text(_FORGET_THE_PEAK)

    def bytes(self) -> int:
        """The peak since ``begin``."""
        if self._device.type == "cuda":
            return torch.cuda.max_memory_allocated(self._device)
        try:
            found = re.search(r"VmHWM:\s*([0-9]+) kB", _STATUS.read_text())
        except OSError:
            found = None
        if found is not None:
            return int(found[1]) * 1024
        import resource  # there is none on Windows

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
