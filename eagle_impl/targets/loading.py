"""Models by name: a folder, the packaged model, or a model of the Hugging Face hub."""

from __future__ import annotations

import importlib
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import torch

from eagle_impl.errors import ArchitectureError, CheckpointError, OptionError
from eagle_impl.formats.files import one_line
from eagle_impl.formats.huggingface import read_config, read_model
from eagle_impl.targets.interface import Target
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.targets.packaged import NAME, packaged_folder
from eagle_impl.text import Text, load_text

T = TypeVar("T")

_HUB_FILES = ["model*.safetensors", "*.json", "*.jinja"]

_MOST_THREADS = 1024
"""More than a machine has cores. A system that gives no more threads ends the process."""


def load_target(
    name: str | Path,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int | None = None,
) -> Target:
    """A target: own code for Llama-shaped ones, transformers for others.

    Args:
        name: A folder, ``smollm2-135m-instruct``, or ``ORG/NAME`` of a hub.
        device: Where it runs.
        dtype: Number format of weights and features.
        threads: Threads that this process computes with on a CPU; torch's choice if absent.

    Raises:
        CheckpointError: There is no such model, it cannot be read, or what would run it is not
            installed.
        OptionError: There is no such device, or the number of threads is impossible.
    """
    place = _device(device)
    if threads is not None:
        if not 1 <= threads <= _MOST_THREADS:
            raise OptionError(
                f"{threads} threads are too {'few' if threads < 1 else 'many'}",
                "name the number of cores that shall compute",
            )
        torch.set_num_threads(threads)
    return _read(name, lambda folder: _target(folder, place, dtype))


def load_target_text(name: str | Path, template: Path | None = None) -> Text:
    """A target's tokenizer and chat template.

    Args:
        name: As for ``load_target``.
        template: A chat template to use instead of the model's own.

    Raises:
        CheckpointError: There is no such model, or its files cannot be read.
    """
    return _read(name, lambda folder: _text(folder, str(name), template))


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


def _read(name: str | Path, read: Callable[[Path], T]) -> T:
    """What is read from the folder of a model.

    If the packaged one cannot be read, its files are looked at, and made again if need be.
    """
    folder = find_folder(name)
    try:
        return read(folder)
    except CheckpointError:
        if str(name) != NAME:
            raise
    return read(packaged_folder(thoroughly=True))


def _target(folder: Path, device: torch.device, dtype: torch.dtype) -> Target:
    try:
        config, weights = read_model(folder, device, dtype)
    except ArchitectureError as error:
        other: Target = _for_others("huggingface", error).load_huggingface(folder, device, dtype)
        return other
    target = LlamaTarget(config, weights, device=device, dtype=dtype)
    if target.kernels is not None:
        # They have their own threads. What remains for torch are steps of microseconds, of which
        # a second thread, which has to be woken and waited for, makes milliseconds.
        torch.set_num_threads(1)
    return target


def _text(folder: Path, name: str, template: Path | None) -> Text:
    try:
        config = read_config(folder)
    except ArchitectureError as error:
        config = _for_others("huggingface_config", error).read_huggingface_config(folder)
    return load_text(folder, config, name=name, template=template)


def _for_others(module: str, error: ArchitectureError) -> ModuleType:
    """A module for models that are not Llama-shaped. It takes seconds to import.

    Raises:
        CheckpointError: What it needs is not installed.
    """
    try:
        return importlib.import_module(f"eagle_impl.targets.{module}")
    except ImportError:
        hint = "pip install '.[huggingface]' in a clone brings what runs it"
        raise CheckpointError(error.message, hint) from None


def _hub_folder(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download

        # What is there already is used when the hub cannot be reached.
        return Path(snapshot_download(name, allow_patterns=_HUB_FILES, ignore_patterns=["*/*"]))
    except Exception as error:  # of the hub, of whatever it asks with, or of the system
        # That there is no copy here is what it ends with; its cause says why there is no new one.
        absent = isinstance(error, FileNotFoundError) and error.__cause__ is not None
        said = one_line(error.__cause__ if absent and error.__cause__ else error)
        raise CheckpointError(
            f"{name}: no such folder, and the hub does not give it: "
            f"{textwrap.shorten(said, 200, placeholder=' ...')}",
            f"fetch it elsewhere and name its folder, or use {NAME}",
        ) from None


def _device(device: torch.device | str) -> torch.device:
    try:
        place = torch.device(device)
    except RuntimeError:
        raise OptionError(f"{device}: no such device", "use cpu or cuda") from None
    if place.type not in ("cpu", "cuda"):
        raise OptionError(f"{device}: not supported", "use cpu or cuda")
    if place.type == "cuda" and not torch.cuda.is_available():
        raise OptionError("no CUDA device can be used here", "use cpu")
    if place.type == "cuda" and (place.index or 0) >= torch.cuda.device_count():
        raise OptionError(f"{device}: no such device, there are {torch.cuda.device_count()}")
    return place
