from __future__ import annotations

import pytest
import torch

from eagle_impl.bench.clock import Clock


def test_readings_are_counted_and_never_go_back() -> None:
    clock = Clock()
    readings = [clock() for _ in range(50)]
    assert readings == sorted(readings)
    assert clock.readings == 50


def test_measuring_what_a_reading_costs_is_no_reading() -> None:
    clock = Clock()
    assert 0 < clock.cost() < 1e-3
    assert clock.readings == 0


def test_a_gpu_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = list[torch.device]()
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    Clock("cpu")()
    assert waited == []
    Clock("cuda:0")()
    assert waited == [torch.device("cuda:0")]
