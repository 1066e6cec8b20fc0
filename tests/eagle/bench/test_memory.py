from __future__ import annotations

from pathlib import Path

import pytest
import torch

from eagle_impl.bench import memory
from eagle_impl.bench.memory import PeakMemory

MIB = 2**20


def test_what_was_held_counts_although_it_is_gone() -> None:
    peak = PeakMemory()
    peak.begin()
    before = peak.bytes()
    held = torch.ones(64 * MIB // 4)
    del held
    assert peak.bytes() >= before + 60 * MIB


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux forgets")
def test_earlier_peaks_are_forgotten() -> None:
    peak = PeakMemory()
    peak.begin()
    held = torch.ones(64 * MIB // 4)
    most = peak.bytes()
    del held
    peak.begin()
    assert peak.bytes() < most - 32 * MIB


def test_other_systems_are_asked_in_their_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_STATUS", "_CLEAR"):
        monkeypatch.setattr(memory, name, tmp_path / "none" / name)
    peak = PeakMemory()
    peak.begin()
    # An interpreter with torch in it.
    assert 30 * MIB < peak.bytes() < 2**40


def test_gpus_are_asked_for_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    reset = list[torch.device]()
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", reset.append)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 77)
    peak = PeakMemory("cuda")
    peak.begin()
    assert (reset, peak.bytes()) == ([torch.device("cuda")], 77)
