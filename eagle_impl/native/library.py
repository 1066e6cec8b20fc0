"""The compiled kernels, kept in the user's cache directory.

The library lies there under a name that says what it was made from: source, flags, compiler and the
CPU's features. Beside it lies its hash.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from eagle_impl.caches import cache_home
from eagle_impl.scratch import scratch

SOURCES = tuple(
    Path(__file__).with_name(name)
    for name in ("kernels.cpp", "attention.h", "lanes.h", "pool.h", "products.h", "ranking.h")
)
FLAGS = ("-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-fPIC", "-pthread", "-shared")

_VECTORS = (
    ("__AVX512F__", "avx512"),
    ("__AVX2__", "avx2"),
    ("__SSE2__", "sse2"),
    ("__ARM_FEATURE_SVE", "sve"),
    ("__ARM_NEON", "neon"),
)
"""Macros that tell which vectors the compiler computes with; the first that is defined counts."""
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Library:
    """Kernels that can be called."""

    functions: ctypes.CDLL
    vectors: str
    """What they compute with, such as ``avx512``."""


@dataclass(frozen=True, slots=True)
class Missing:
    """No kernels."""

    why: str
    mend: str
    """What brings them."""


def load() -> Library | Missing:
    """The kernels, compiled unless they are there already."""
    named = os.environ.get("CXX")
    compiler = named or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return Missing("there is no C++ compiler", "install g++ or clang++, or name one in CXX")
    try:
        words = shlex.split(named) if named else [compiler]
        if not words or shutil.which(words[0]) is None:
            return Missing(f"CXX names {compiler}, and there is no such compiler", "name another")
        functions, macros = _compiled(*words)
    except subprocess.SubprocessError as error:
        return Missing(f"{compiler} does not compile them: {_said(error)}", "CXX names another one")
    except (OSError, RuntimeError, ValueError) as error:
        # A RuntimeError is that of no home, a ValueError that of odd quotes in CXX.
        return Missing(
            f"{compiler} makes none that can be kept and loaded: {error}",
            "CXX names the compiler, XDG_CACHE_HOME the place",
        )
    defined = macros.decode(errors="replace").split()
    return Library(functions, next((name for sign, name in _VECTORS if sign in defined), "scalar"))


def _compiled(*compiler: str) -> tuple[ctypes.CDLL, bytes]:
    """The library, and the macros that it was compiled under."""
    macros = _run(*compiler, *FLAGS, "-dM", "-E", "-x", "c++", os.devnull)
    sources = (source.read_bytes() for source in SOURCES)
    made_from = b"\0".join((*sources, " ".join(FLAGS).encode(), macros))
    cache = cache_home() / "eagle_impl"
    library = cache / f"native-{hashlib.sha256(made_from).hexdigest()[:16]}.so"
    seal = library.with_suffix(".sha256")
    if _is_whole(library, seal):
        return ctypes.CDLL(str(library)), macros
    with scratch(cache) as folder:
        made, sealed = folder / library.name, folder / seal.name
        _run(*compiler, *FLAGS, str(SOURCES[0]), "-o", str(made))
        functions = _loaded(made)  # what cannot be loaded is not kept
        sealed.write_text(_digest(made))
        os.replace(made, library)  # at once: another process may want it too
        os.replace(sealed, seal)
    return functions, macros


def _loaded(made: Path) -> ctypes.CDLL:
    """A library at a place that is soon gone, which a complaint therefore does not name."""
    try:
        return ctypes.CDLL(str(made))
    except OSError as error:
        raise OSError(str(error).removeprefix(f"{made}: ")) from None


def _is_whole(library: Path, seal: Path) -> bool:
    """Whether a library is as it was made: to load part of one would kill the process."""
    try:
        return seal.read_text() == _digest(library)
    except (OSError, UnicodeError):
        return False


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _run(*command: str) -> bytes:
    return subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS).stdout


def _said(error: subprocess.SubprocessError) -> str:
    """What a compiler complained of, on one line."""
    if not isinstance(error, subprocess.CalledProcessError):
        return f"it takes more than {_SECONDS} seconds"
    lines = error.stderr.decode(errors="replace").strip().splitlines()
    telling = [line.strip() for line in lines if "error" in line.lower()] or lines[-1:]
    return telling[0] if telling else f"exit status {error.returncode}"
