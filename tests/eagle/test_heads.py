from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest
import torch
import yaml
from eagle.tiny import tiny_config, tiny_weights, write_model

from eagle_impl.formats.eagle import read_eagle
from eagle_impl.heads import shipped_head
from eagle_impl.targets.packaged import NAME
from eagle_impl.training.recipe import Recipe, preset

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder() -> Path:
    found = shipped_head(NAME)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["", ".", "..", "no-such-model", f"./{NAME}", f"../heads/{NAME}"])
def test_other_targets_have_none(name: str) -> None:
    assert shipped_head(name) is None


def model(folder: Path, head: Path, *, copied: bool = True) -> Path:
    """A folder with the numbers that the head remembers of its target, in another number format."""
    files = read_eagle(head)
    assert files.trained_for is not None
    config = tiny_config(
        vocab_size=files.config.vocab_size, hidden_size=files.config.hidden_size, tied=True
    )
    weights = tiny_weights(config)
    embedding = weights["model.embed_tokens.weight"].to(torch.bfloat16)
    count = len(files.trained_for.lm_head)
    rows = torch.linspace(0, config.vocab_size - 1, count, dtype=torch.float64).long()
    if copied:
        numbers = torch.tensor(files.trained_for.lm_head).to(torch.bfloat16)
        embedding[rows, torch.arange(count) * 7919 % config.hidden_size] = numbers
    weights["model.embed_tokens.weight"] = embedding
    return write_model(folder, config, weights)


def test_a_folder_is_known_by_its_numbers(folder: Path, tmp_path: Path) -> None:
    assert shipped_head(str(model(tmp_path / "a copy", folder))) == folder
    assert shipped_head(str(model(tmp_path / "another", folder, copied=False))) is None
    small = tiny_config()
    assert shipped_head(str(write_model(tmp_path / "small", small, tiny_weights(small)))) is None


def test_the_head_is_whole_and_small(folder: Path) -> None:
    files = read_eagle(folder)
    assert list(files.problems()) == []
    assert files.trained_for is not None
    assert files.trained_for.target == NAME
    assert (folder / "model.safetensors").stat().st_size < 25_000_000


def test_it_says_how_it_was_made(folder: Path) -> None:
    told = json.loads((folder / "training.json").read_text())
    recipe = msgspec.convert(told["recipe"], Recipe)
    assert recipe == preset("base")
    assert told["data"]["learnt"]["response_tokens"] >= 1_000_000
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert log[-1]["step"] == told["steps"]
    assert log[0]["loss"] > 2 * [line for line in log if "loss" in line][-1]["loss"]


def test_the_registry_holds_the_hash_of_what_it_says(folder: Path) -> None:
    evidence = ROOT / "data" / "evidence" / f"{NAME}-eagle-head-training.yaml"
    recorded = yaml.safe_load(evidence.read_text())["sha256"]
    assert recorded == hashlib.sha256((folder / "training.json").read_bytes()).hexdigest()
