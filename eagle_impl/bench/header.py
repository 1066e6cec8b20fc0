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
from eagle_impl.targets import seal
from registry._version import __version__
from registry.reports.wording import visible

ROOT = Path(__file__).parents[2]
"""Where the project lies, if it runs from a checkout."""

_LIBRARIES = ("torch", "numpy", "tokenizers", "transformers")
_QUIET = 0.3
"""Programs that want a core, on average, where nothing is at work that anybody has started."""
_CODE = ("eagle_impl", "registry", "data", "pyproject.toml", "constraints.txt")
_PRODUCTS = (":(exclude,top)data/benchmarks", ":(exclude,top)data/machines")
"""What benchmarks write themselves: it changes nothing of what the next one measures."""


@dataclass(frozen=True, slots=True)
class Hashes:
    """SHA-256 of what is read, at the time when it was."""

    workload: str
    target: str
    """Of its weights."""
    head: str
    """Of its weights."""


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


def sha256_of_weights(folder: Path) -> str:
    """Of the weights of a model or a head; of several files, of what ``sha256sum`` prints of them.

    Raises:
        CheckpointError: There are none, or they cannot be read.
    """
    files = sorted((*folder.glob("*.safetensors"), *folder.glob("*.bin")))
    if not files:
        raise CheckpointError(f"{folder}: there are no weights in it")
    sums = {file.name: _digest(file) for file in files}
    if len(sums) == 1:
        return sums[files[0].name]
    lines = "".join(f"{digest}  {name}\n" for name, digest in sums.items())
    return hashlib.sha256(lines.encode()).hexdigest()


def commit(root: Path = ROOT) -> Commit:
    """The commit of a checkout, and whether what is measured differs from it."""
    # A checkout of something else may be around an installed copy.
    if not _git(root, "ls-files", "eagle_impl/__init__.py"):
        return Commit("")
    paths = ("--", *_CODE, *_PRODUCTS)
    told = _git(root, "status", "--porcelain", *paths)
    id_ = _git(root, "rev-parse", "HEAD") or ""
    if told is None:
        return Commit(id_, "unknown")
    if told:
        told += _git(root, "diff", "HEAD", *paths) or ""
        # Of files that git does not know yet, it has told no more than the names.
        new = _git(root, "ls-files", "--others", "--exclude-standard", "-z", *paths) or ""
        files = (root / name for name in new.split("\0"))
        told += "".join(_digest(file) for file in files if file.is_file())
    return Commit(id_, hashlib.sha256(told.encode()).hexdigest()[:12] if told else "")


def shown(path: Path) -> str:
    """A path from the project's root if it lies there, else as it was named."""
    place = Path(os.path.realpath(path))
    return visible(place.relative_to(ROOT).as_posix() if place.is_relative_to(ROOT) else str(path))


def load() -> str:
    """How many programs wanted a core in the last minute, on average."""
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (AttributeError, OSError):
        return "unknown"


def is_busy() -> bool:
    """Whether other programs had more than a little of a core in the last minute."""
    try:
        return os.getloadavg()[0] > _QUIET
    except (AttributeError, OSError):
        return False


def _digest(file: Path) -> str:
    try:
        return seal.sha256(file)
    except OSError as error:
        raise CheckpointError(f"{file}: cannot be read: {error.strerror}") from None


def _git(root: Path, *words: str) -> str | None:
    """What git says; None if it does not."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
