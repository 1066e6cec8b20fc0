"""A clock that waits for what is under way, and knows what reading it costs."""

from __future__ import annotations

import statistics
from time import perf_counter

import torch

_TIMES = 1000
"""Readings in a row by which one reading is measured, and how often that is done over."""


class Clock:
    """Seconds, as ``time.perf_counter`` counts them."""

    def __init__(self, device: torch.device | str = "cpu") -> None:
        """A clock for work on a device.

        On a GPU work is queued and runs later; the clock then waits for it, so that its time is
        counted where it was asked for.
        """
        self._device = torch.device(device)
        self._waits = self._device.type == "cuda"
        self.readings = 0
        """How often it was read."""

    def __call__(self) -> float:
        """The time now, once all that was queued is done."""
        self.readings += 1
        if self._waits:
            torch.cuda.synchronize(self._device)
        return perf_counter()

    def cost(self) -> float:
        """Seconds that one reading takes while the device is idle.

        What a GPU could have computed while the program waited for it comes on top. It is little
        here, since every cycle has to wait for what the target chose in any case.
        """
        taken, before = [], self.readings
        for _ in range(11):
            began = perf_counter()
            for _ in range(_TIMES):
                self()
            taken.append((perf_counter() - began) / _TIMES)
        self.readings = before
        return statistics.median(taken)
