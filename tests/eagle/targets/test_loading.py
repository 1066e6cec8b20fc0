from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from eagle.tiny import tiny_config, tiny_weights, write_model
from eagle.tiny_text import byte_level

from eagle_impl.errors import CheckpointError, OptionError
from eagle_impl.native import kernels as native
from eagle_impl.targets import loading
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.targets.loading import find_folder, load_target, load_target_text

CONFIG = tiny_config(vocab_size=300, layers=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    byte_level().save(
        str(write_model(tmp_path / "m", CONFIG, tiny_weights(CONFIG)) / "tokenizer.json")
    )
    return tmp_path / "m"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A hub that answers with whatever is put there, and remembers what it was asked."""
    played = SimpleNamespace(answer=None, asked=[])

    def snapshot_download(name: str, **options: Any) -> str:
        played.asked.append((name, options))
        if isinstance(played.answer, Exception):
            raise played.answer
        return str(played.answer)

    module = SimpleNamespace(snapshot_download=snapshot_download)
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)  # type: ignore[arg-type]
    return played


def test_a_folder_is_loaded_as_what_it_holds(folder: Path) -> None:
    target = load_target(str(folder))
    plain = LlamaTarget(CONFIG, tiny_weights(CONFIG))
    ids = torch.tensor([5, 7, 11])
    judged = [one.prefill(ids, one.new_cache(64)).logits for one in (target, plain)]
    assert target.config == CONFIG
    assert torch.equal(*judged)
    assert load_target(folder, dtype=torch.bfloat16).dtype == torch.bfloat16
    assert load_target_text(folder).encode("hi") == [104, 105]
    assert load_target_text(folder).name == str(folder)


def test_a_folder_that_holds_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"config\.json: there is no such file"):
        load_target(tmp_path)
    with pytest.raises(CheckpointError, match=r"config\.json: there is no such file"):
        load_target_text(tmp_path)


def test_the_packaged_models_name_means_no_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(loading, "packaged_folder", lambda: folder)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smollm2-135m-instruct").mkdir()
    assert find_folder("smollm2-135m-instruct") == folder
    assert find_folder("./smollm2-135m-instruct") == Path("smollm2-135m-instruct")


@pytest.mark.parametrize(
    "name", ["", "llama", "./absent", "/absent/model", "a/b/c", "../x", "a/..", "\0"]
)
def test_a_name_of_nothing_is_refused_without_asking_a_hub(
    name: str, hub: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError, match="no such folder and no known model") as caught:
        find_folder(name)
    assert "smollm2-135m-instruct" in caught.value.hint
    assert not hub.asked


def test_a_model_of_a_hub_is_found_there(hub: SimpleNamespace, folder: Path) -> None:
    hub.answer = folder
    assert load_target("some-org/Model-1.5B").config == CONFIG
    ((name, options),) = hub.asked
    assert name == "some-org/Model-1.5B"
    assert "*.bin" not in options["allow_patterns"]


def test_a_hub_that_does_not_answer_is_one_line(hub: SimpleNamespace) -> None:
    hub.answer = OSError("cannot reach the hub\n\nand so on at length\n" + 1000 * "x")
    with pytest.raises(CheckpointError) as caught:
        load_target("some-org/model")
    assert "some-org/model: no such folder, and the hub" in caught.value.message
    assert "cannot reach the hub and so on" in caught.value.message
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 300
    assert caught.value.message.endswith("and so on at length ...")


def test_a_hub_that_cannot_be_reached_is_named_by_the_cause(hub: SimpleNamespace) -> None:
    hub.answer = FileNotFoundError("Got: a cause\nno snapshot for the specified revision on disk")
    hub.answer.__cause__ = ConnectionError("[Errno -2] Name or service not known")
    with pytest.raises(CheckpointError) as caught:
        load_target("some-org/model")
    assert caught.value.message.endswith("does not give it: [Errno -2] Name or service not known")


def test_threads_are_those_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    rest = [] if native.kernels() is None else [1]  # kernels have threads of their own
    for threads, dtype, expected in (
        (None, torch.float32, rest),
        (3, torch.float32, [3, *rest]),
        (None, torch.bfloat16, []),
        (3, torch.bfloat16, [3]),
    ):
        asked.clear()
        load_target(folder, dtype=dtype, threads=threads)
        assert asked == expected
    with pytest.raises(OptionError, match="0 threads"):
        load_target(folder, threads=0)


def test_a_device_that_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(OptionError, match="no CUDA device"):
        load_target(folder, device="cuda")
    with pytest.raises(OptionError, match="abacus: no such device"):
        load_target(folder, device="abacus")
