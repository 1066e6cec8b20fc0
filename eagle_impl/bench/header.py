"""Under what a benchmark was measured. A figure without these says nothing."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import read_bytes
from registry._version import __version__

_FLAGS = (
    *("avx2", "fma", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "avx512_fp16"),
    *("amx_tile", "amx_bf16", "amx_int8"),
    *("asimddp", "sve", "sve2", "i8mm", "bf16"),
)
"""Features of CPUs on which the speed of matrix products depends."""
_LIBRARIES = ("torch", "numpy", "tokenizers", "transformers")


def surroundings() -> dict[str, str]:
    """Machine, system, versions, commit."""
    libraries = ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)
    return {
        "machine": f"{_cpu('model name') or platform.machine()}, {_cores()}, {_memory()}",
        "features": ", ".join(_features()) or "unknown",
        "load": f"{load()} before this began",
        "system": platform.platform(),
        "python": f"{platform.python_implementation()} {platform.python_version()}, {libraries}",
        "project": f"claims-registry {__version__}, {commit(Path(__file__).parents[2])}",
    }


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


def commit(root: Path) -> str:
    """The commit of a checkout, and whether files differ from it."""
    # A checkout of something else may be around an installed copy.
    if not _git(root, "ls-files", "eagle_impl/__init__.py"):
        return "not in a checkout"
    changed = _git(root, "status", "--porcelain")
    return f"commit {_git(root, 'rev-parse', 'HEAD')}" + (", changed since" if changed else "")


def load() -> str:
    """How many programs wanted a core in the last minute, on average."""
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (AttributeError, OSError):
        return "unknown"


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _cpu(name: str) -> str:
    """What Linux says of the first core."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    pairs = (line.partition(":") for line in told)
    return next((value.strip() for key, _, value in pairs if key.strip() == name), "")


def _features() -> list[str]:
    known = {*_cpu("flags").split(), *_cpu("Features").split()}  # x86, then ARM
    return [flag for flag in _FLAGS if flag in known]


def _cores() -> str:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{os.cpu_count()} cores ({usable} usable)"


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "memory unknown"
    return f"{size / 2**30:.1f} GiB"
