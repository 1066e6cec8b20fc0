"""Measurements as JSON: what was measured, and what was made of it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eagle_impl.errors import OptionError

FORMAT = 1
"""Counts the layouts that the document ever had."""


def check_place(path: Path) -> None:
    """Refuse a place for a document before anything is measured.

    Raises:
        OptionError: No file can be written there.
    """
    if path.is_dir():
        raise OptionError(f"{path}: cannot be written: it is a folder", "name a file")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise OptionError(f"{path}: cannot be written", "name a file in a folder that is there")


def write(path: Path, fields: Mapping[str, Any]) -> None:
    """Write a document wholly or not at all.

    Raises:
        OptionError: It cannot be written.
    """
    text = json.dumps({"format": FORMAT, **fields}, indent=1, ensure_ascii=False) + "\n"
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as scratch:
            made = Path(scratch) / path.name
            made.write_text(text, encoding="utf-8")
            os.replace(made, path)
    except OSError as error:
        raise OptionError(f"{path}: cannot be written: {error.strerror}") from None
