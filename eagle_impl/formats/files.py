"""Reading files that may not be what their names say, and writing some.

A download that failed, or a clone without Git LFS, leaves a small text file under the name of a
large one. Whoever meets such a file should read what it is, not what a parser made of it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from eagle_impl.errors import CheckpointError

T = TypeVar("T")

_PAGE = "is a web page, not the file itself"
_STAND_INS = (
    (b"version https://git-lfs", "is a Git LFS pointer, not the file itself", "run `git lfs pull`"),
    (b"<!doctype", _PAGE, "download it again"),
    (b"<html", _PAGE, "download it again"),
    (b"<?xml", _PAGE, "download it again"),
)
"""What a file begins with in lower case, what it is then, and what to do. As the length that a
safetensors file begins with, any of these would be absurd."""


def read_bytes(path: Path, limit: int = -1) -> bytes:
    """The first bytes of a file, or all of it.

    Raises:
        CheckpointError: It cannot be read, is empty, or is a stand-in for the real file.
    """
    try:
        with path.open("rb") as file:
            content = file.read(limit)
    except FileNotFoundError:
        raise CheckpointError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: cannot be read: {_reason(error)}") from None
    if not content:
        raise CheckpointError(f"{path}: empty file", "download it again")
    for sign, what, hint in _STAND_INS:
        if content[: len(sign)].lower() == sign:
            raise CheckpointError(f"{path}: {what}", hint)
    return content


def read_json(path: Path, shape: type[T]) -> T:
    """A JSON file that has a known shape.

    Raises:
        CheckpointError: It cannot be read, is no JSON, or has another shape.
    """
    content = read_bytes(path)
    try:
        return msgspec.json.decode(content, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CheckpointError(f"{path}: {one_line(error)}") from None


def write_json(path: Path, fields: Any) -> None:
    """Write a JSON file, which takes its name when it is whole."""
    scratch = path.with_name(f".{path.name}")
    scratch.write_text(json.dumps(fields, indent=2) + "\n", encoding="utf-8")
    os.replace(scratch, path)


def one_line(error: BaseException) -> str:
    """What an error of another library says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or one_line(error)
