"""The machine, described by itself."""

from __future__ import annotations

import os
import platform
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

_FLAGS = (
    *("avx2", "fma", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "avx512_fp16"),
    *("amx_tile", "amx_bf16", "amx_int8"),
    *("asimddp", "sve", "sve2", "i8mm", "bf16"),
)
"""Features of CPUs on which the speed of matrix products depends."""
_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class Fitted:
    """Accelerators of one type."""

    name: str
    """What the driver calls them."""
    gib: float
    """Memory of each that can be used."""
    count: int

    @property
    def memory(self) -> str:
        """The memory with its unit."""
        return f"{self.gib:.1f} GiB"


@dataclass(frozen=True, slots=True)
class Machine:
    """A host."""

    processor: str
    architecture: str
    features: tuple[str, ...]
    cores: int
    usable: int
    """Cores that this process may use."""
    memory: str
    accelerators: tuple[Fitted, ...]
    driver: str
    """Version of the accelerators' driver; empty if there are none, or it cannot be known."""

    def __str__(self) -> str:
        """In a line."""
        cards = "".join(f", {one.count} x {one.name} {one.memory}" for one in self.accelerators)
        driver = f", driver {self.driver}" if self.driver else ""
        return (
            f"{self.processor}, {self.cores} cores ({self.usable} usable), {self.memory}"
            f"{cards}{driver}"
        )


def describe() -> Machine:
    """This machine."""
    cores = os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    cards = _accelerators()
    return Machine(
        processor=_processor(),
        architecture=platform.machine(),
        features=_features(),
        cores=cores,
        usable=usable,
        memory=_memory(),
        accelerators=cards,
        driver=_driver() if cards else "",
    )


def used_card(here: Machine, device: str) -> Fitted | None:
    """The accelerator that a device names; None for a CPU.

    Args:
        here: The machine.
        device: As torch names it, such as ``cuda`` or ``cuda:1``.
    """
    if not device.startswith("cuda"):
        return None
    if len(here.accelerators) < 2:
        return next(iter(here.accelerators), None)
    used = torch.cuda.get_device_properties(torch.device(device))
    same = (one for one in here.accelerators if (one.name, one.gib) == _told(used))
    return next(same, None)


def _processor() -> str:
    """The model; with its numbers, since machines in a cloud often have no more than a brand."""
    name = _cpu("model name") or platform.processor() or platform.machine()
    family, model = _cpu("cpu family"), _cpu("model")
    return f"{name} (family {family}, model {model})" if family and model else name


def _cpu(name: str) -> str:
    """What Linux says of the first core."""
    try:
        told = _CPUINFO.read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    pairs = (line.partition(":") for line in told)
    return next((value.strip() for key, _, value in pairs if key.strip() == name), "")


def _features() -> tuple[str, ...]:
    known = {*_cpu("flags").split(), *_cpu("Features").split()}  # x86, then ARM
    return tuple(flag for flag in _FLAGS if flag in known)


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "unknown"
    # In whole units: kernels keep a little more or less of it for themselves.
    return f"{size / 2**30:.0f} GiB"


def _accelerators() -> tuple[Fitted, ...]:
    if not torch.cuda.is_available():
        return ()
    found = Counter(
        _told(torch.cuda.get_device_properties(number))
        for number in range(torch.cuda.device_count())
    )
    return tuple(Fitted(name, gib, count) for (name, gib), count in found.items())


def _told(card: Any) -> tuple[str, float]:
    """Name and memory, of what torch says of a device."""
    return card.name, round(card.total_memory / 2**30, 1)


def _driver() -> str:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return next(iter(done.stdout.split()), "")
