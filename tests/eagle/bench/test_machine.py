from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from eagle_impl.bench import machine
from eagle_impl.bench.machine import Fitted, Machine, describe, used_card

X86 = """processor\t: 0
vendor_id\t: Heron
cpu family\t: 9
model\t\t: 4
model name\t: Heron 2
flags\t\t: fpu sse2 avx2 fma avx512f made_up

processor\t: 1
model name\t: Heron 3
"""
ARM = "processor\t: 0\nFeatures\t: fp asimd asimddp sve i8mm\n"


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cpuinfo"
    monkeypatch.setattr(machine, "_CPUINFO", path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    return path


def test_a_processor_has_its_numbers_since_a_brand_is_not_enough(told: Path) -> None:
    told.write_text(X86)
    found = describe()
    assert found.processor == "Heron 2 (family 9, model 4)"
    assert found.features == ("avx2", "fma", "avx512f")
    assert (found.accelerators, found.driver) == ((), "")
    assert 1 <= found.usable <= found.cores
    assert found.memory.endswith(" GiB")


def test_a_processor_without_a_name_is_called_by_its_architecture(
    told: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.write_text(ARM)
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("platform.machine", lambda: "heron64")
    found = describe()
    assert (found.processor, found.architecture) == ("heron64", "heron64")
    assert found.features == ("asimddp", "sve", "i8mm")
    told.unlink()
    assert describe().features == ()


def test_accelerators_are_counted_by_type(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cards = [("Kestrel", 48.0), ("Merlin", 15.9), ("Kestrel", 48.0)]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    monkeypatch.setattr(
        torch.cuda,
        "get_device_properties",
        lambda at: SimpleNamespace(name=cards[at][0], total_memory=int(cards[at][1] * 2**30)),
    )
    monkeypatch.setenv("PATH", "")  # nobody knows the driver
    told.write_text(X86)
    found = describe()
    assert found.accelerators == (Fitted("Kestrel", 48.0, 2), Fitted("Merlin", 15.9, 1))
    assert found.driver == ""


def test_the_accelerator_that_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    kestrel, merlin = Fitted("Kestrel", 48.0, 1), Fitted("Merlin", 15.9, 1)
    one = Machine("Heron 2", "heron64", (), 8, 4, "16 GiB", (kestrel,), "5.1")
    assert used_card(one, "cpu") is None
    assert used_card(one, "cuda") == kestrel
    cards = [("Kestrel", 48.0), ("Merlin", 15.9)]
    monkeypatch.setattr(
        torch.cuda,
        "get_device_properties",
        lambda at: SimpleNamespace(
            name=cards[at.index or 0][0], total_memory=int(cards[at.index or 0][1] * 2**30)
        ),
    )
    both = replace(one, accelerators=(kestrel, merlin))
    assert used_card(both, "cuda") == kestrel
    assert used_card(both, "cuda:1") == merlin


def test_a_machine_in_a_line() -> None:
    cards = (Fitted("Kestrel", 47.5, 2),)
    one = Machine("Heron 2", "heron64", (), 8, 4, "16 GiB", cards, "5.1")
    assert str(one) == "Heron 2, 8 cores (4 usable), 16 GiB, 2 x Kestrel 47.5 GiB, driver 5.1"
