from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from eagle_impl.bench.clock import Clock
from eagle_impl.bench.huggingface import transformers_methods


class Played:
    """Stands in for transformers: notes how it is asked, and says 7, 8."""

    def __init__(self) -> None:
        self.loaded: dict[str, Any] = {}
        self.asked: list[dict[str, Any]] = []
        self.threads: list[int] = []
        self.logging = SimpleNamespace(
            set_verbosity_error=lambda: None, disable_progress_bar=lambda: None
        )
        self.AutoModelForCausalLM = self
        self.generation_config: Any = {"repetition_penalty": 1.3}

    def from_pretrained(self, folder: Path, **options: Any) -> Played:
        self.loaded = {"folder": folder, **options}
        return self

    def eval(self) -> None:
        pass

    def to(self, device: str) -> None:
        assert device == "cpu"

    def GenerationConfig(self, **options: Any) -> dict[str, Any]:  # noqa: N802 (its own name)
        return options

    def generate(self, ids: Tensor, *, attention_mask: Tensor, generation_config: Any) -> Tensor:
        assert attention_mask.tolist() == [[1] * ids.shape[1]]
        assert self.generation_config == generation_config
        self.asked.append(generation_config)
        self.threads.append(torch.get_num_threads())
        return torch.cat([ids, torch.tensor([[7, 8]])], dim=1)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    played = Played()
    monkeypatch.setitem(sys.modules, "transformers", played)  # type: ignore[arg-type]
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield played
    torch.set_num_threads(before)


def test_transformers_is_asked_for_the_same(played: Played) -> None:
    methods = transformers_methods(Path("model"), [2, 5], 2, Clock())
    assert not isinstance(methods, str)
    assert [method.decode((3, 1, 4), 9).ids for method in methods] == [(7, 8), (7, 8)]
    assert [method.own for method in methods] == [False, False]
    assert played.loaded["dtype"] is torch.float32
    assert played.loaded["attn_implementation"] == "sdpa"
    greedy = {"do_sample": False, "max_new_tokens": 9, "eos_token_id": [2, 5], "pad_token_id": 2}
    assert played.asked == [greedy, greedy | {"prompt_lookup_num_tokens": 10}]
    # As many threads as it was told, and none of them kept.
    assert (played.threads, torch.get_num_threads()) == ([2, 2], 1)


def test_why_there_is_none_is_told(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path, **options: Any) -> Played:
        raise ValueError("no such\narchitecture")

    monkeypatch.setattr(played, "from_pretrained", fail)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "9.8")
    why = transformers_methods(Path("model"), [], 1, Clock())
    assert why == "transformers 9.8 cannot load the model: no such architecture"
