"""Under what a benchmark was measured. A figure without these says nothing."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import read_bytes
from registry._version import __version__

ROOT = Path(__file__).parents[2]
"""Where the project lies, if it runs from a checkout."""

_LIBRARIES = ("torch", "numpy", "tokenizers", "transformers")
_PRODUCTS = (":(exclude,top)data/benchmarks", ":(exclude,top)data/machines")
"""What benchmarks write themselves: it changes nothing of what the next one measures."""


@dataclass(frozen=True, slots=True)
class Commit:
    """What of the project's history is measured."""

    id: str
    """Empty outside of a checkout."""
    changes: str = ""
    """Hash of what differs from the commit; empty if nothing does."""

    def __str__(self) -> str:
        """In a line."""
        if not self.id:
            return "not in a checkout"
        return f"commit {self.id}" + (f", changed since ({self.changes})" if self.changes else "")


def software(kernels: str) -> list[str]:
    """Names and versions of all that times depend on.

    Args:
        kernels: What computes the target, as ``computing.computed_by`` tells it.
    """
    return [
        platform.platform(),
        f"{platform.python_implementation()} {platform.python_version()}",
        *(f"{name} {_version(name)}" for name in _LIBRARIES),
        f"claims-registry {__version__}",
        f"kernels {kernels}",
    ]


def environment() -> dict[str, str]:
    """Variables that decide how threads wait and how many there are."""
    names = ("GOMP_SPINCOUNT", "OMP_NUM_THREADS", "OMP_WAIT_POLICY")
    return {name: os.environ[name] for name in names if name in os.environ}


def sha256(path: Path) -> str:
    """Of a file.

    Raises:
        CheckpointError: It cannot be read.
    """
    return hashlib.sha256(read_bytes(path)).hexdigest()


def sha256_of_head(folder: Path) -> str:
    """Of a head's weights, in whichever of the two formats they are.

    Raises:
        CheckpointError: There are none.
    """
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).is_file():
            return sha256(folder / name)
    raise CheckpointError(f"{folder}: there are no weights in it")


def commit(root: Path = ROOT) -> Commit:
    """The commit of a checkout, and whether files differ from it."""
    # A checkout of something else may be around an installed copy.
    if not _git(root, "ls-files", "eagle_impl/__init__.py"):
        return Commit("")
    told = _git(root, "status", "--porcelain", "--", ".", *_PRODUCTS)
    if told:
        told += _git(root, "diff", "HEAD", "--", ".", *_PRODUCTS)
    changes = hashlib.sha256(told.encode()).hexdigest()[:12] if told else ""
    return Commit(_git(root, "rev-parse", "HEAD"), changes)


def shown(path: Path) -> str:
    """A path from the project's root if it lies there, else as it was named."""
    try:
        return path.resolve().relative_to(ROOT).as_posix()
    except ValueError:
        return str(path)


def load() -> str:
    """How many programs wanted a core in the last minute, on average."""
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (AttributeError, OSError):
        return "unknown"


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
