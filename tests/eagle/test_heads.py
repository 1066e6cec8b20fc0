from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest
import yaml

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
