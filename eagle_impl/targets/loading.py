"""Models by name: a folder, the packaged model, or a model of the Hugging Face hub."""

from __future__ import annotations

import re
from pathlib import Path

import torch

from eagle_impl.errors import CheckpointError, OptionError
from eagle_impl.formats.files import one_line
from eagle_impl.formats.huggingface import read_config, read_model
from eagle_impl.targets.interface import Target
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.targets.packaged import NAME, packaged_folder
from eagle_impl.text import Text, load_text

_HUB_FILES = ["model*.safetensors", "*.json", "*.jinja"]


def load_target(
    name: str | Path,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int | None = None,
) -> Target:
    """A Llama-shaped target.

    Args:
        name: A folder, ``smollm2-135m-instruct``, or ``ORG/NAME`` of a hub.
        device: Where it runs.
        dtype: Number format of weights and features.
        threads: Threads that this process computes with on a CPU; torch's choice if absent.

    Raises:
        CheckpointError: There is no such model, or it cannot be read.
        OptionError: There is no such device, or the number of threads is impossible.
    """
    place = _device(device)
    if threads is not None:
        if threads < 1:
            raise OptionError(f"{threads} threads are too few")
        torch.set_num_threads(threads)
    config, weights = read_model(find_folder(name), place, dtype)
    return LlamaTarget(config, weights, device=place, dtype=dtype)


def load_target_text(name: str | Path, template: Path | None = None) -> Text:
    """A target's tokenizer and chat template.

    Args:
        name: As for ``load_target``.
        template: A chat template to use instead of the model's own.

    Raises:
        CheckpointError: There is no such model, or its files cannot be read.
    """
    folder = find_folder(name)
    return load_text(folder, read_config(folder), name=str(name), template=template)


def find_folder(name: str | Path) -> Path:
    """The folder of a model, which is fetched first if need be.

    The packaged model's name always means the packaged model; a folder of that name is written
    with a slash.

    Raises:
        CheckpointError: There is none.
    """
    if str(name) == NAME:
        return packaged_folder()
    folder = Path(name)
    if name != "" and folder.is_dir():
        return folder
    if isinstance(name, str) and re.fullmatch(r"[\w-][\w.-]*/[\w-][\w.-]*", name):
        return _hub_folder(name)
    raise CheckpointError(
        f"'{name}': no such folder and no known model",
        f"name a folder with config.json, {NAME}, or ORG/NAME of the hub",
    )


def _hub_folder(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download

        # What is there already is used when the hub cannot be reached.
        return Path(snapshot_download(name, allow_patterns=_HUB_FILES, ignore_patterns=["*/*"]))
    except Exception as error:  # of the hub, of whatever it asks with, or of the system
        said = one_line(error)
        raise CheckpointError(
            f"{name}: no such folder, and the hub does not give it: {said[:200]}",
            f"fetch it elsewhere and name its folder, or use {NAME}",
        ) from None


def _device(device: torch.device | str) -> torch.device:
    try:
        place = torch.device(device)
    except RuntimeError:
        raise OptionError(f"{device}: no such device", "use cpu or cuda") from None
    if place.type == "cuda" and not torch.cuda.is_available():
        raise OptionError("no CUDA device can be used here", "use cpu")
    return place
