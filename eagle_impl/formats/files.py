"""Reading files that may not be what their names say, and writing some.

A download that failed, or a clone without Git LFS, leaves a small text file under the name of a
large one. Whoever meets such a file should read what it is, not what a parser made of it.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
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


def read_bytes(path: Path, limit: int = -1, *, piped: bool = False) -> bytes:
    """The first bytes of a file, or all of it.

    Args:
        path: The file.
        limit: How many bytes; all if negative.
        piped: Whether it may be a pipe or a device, which may never end: where somebody has named
            this very file, not where it lies in a folder.

    Raises:
        CheckpointError: It cannot be read, is empty, or is a stand-in for the real file.
    """
    if not piped:
        judge_regular(path)
    try:
        with path.open("rb") as file:
            content = file.read(limit)
    except FileNotFoundError:
        if path.is_symlink():
            lost = os.readlink(path)
            raise CheckpointError(f"{path}: is a link to {lost}, which is not there") from None
        raise CheckpointError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: cannot be read: {_reason(error)}") from None
    if not content:
        raise CheckpointError(f"{path}: empty file", "download it again")
    for sign, what, hint in _STAND_INS:
        if content[: len(sign)].lower() == sign:
            raise CheckpointError(f"{path}: {what}", hint)
    return content


def judge_regular(path: Path) -> None:
    """Refuse a pipe, a socket or a device, on which a reader may wait for ever.

    Raises:
        CheckpointError: It is one.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return  # whoever opens it says why
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise CheckpointError(f"{path}: is not a regular file")


def read_utf8(path: Path, limit: int = -1, *, piped: bool = False) -> bytes:
    """A file of text, without the byte order mark that some editors begin it with.

    Args:
        path: The file.
        limit: As for ``read_bytes``.
        piped: As for ``read_bytes``.

    Raises:
        CheckpointError: As for ``read_bytes``.
    """
    return read_bytes(path, limit, piped=piped).removeprefix(codecs.BOM_UTF8)


def read_json(path: Path, shape: type[T]) -> T:
    """A JSON file that has a known shape.

    Raises:
        CheckpointError: It cannot be read, is no JSON, or has another shape.
    """
    content = read_utf8(path)
    try:
        return msgspec.json.decode(content, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CheckpointError(f"{path}: {_placed(one_line(error), content)}") from None


def write_json(path: Path, fields: Any) -> None:
    """Write a JSON file, which takes its name when it is whole."""
    scratch = path.with_name(f".{path.name}")
    scratch.write_text(json.dumps(fields, indent=2) + "\n", encoding="utf-8")
    os.replace(scratch, path)


def one_line(error: BaseException) -> str:
    """What an error of another library says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _placed(said: str, content: bytes) -> str:
    """What is said of a byte of a JSON file, with its line and what stands there."""
    byte = re.search(r"\(byte (\d+)\)$", said)
    if byte is None:
        return said
    before, after = content[: int(byte[1])], content[int(byte[1]) :]
    line = before.count(b"\n") + 1
    shown = after.split(b"\n")[0][:20].decode(errors="replace")
    return f"{said[: byte.start()]}in line {line}: {shown!r}"


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or one_line(error)
