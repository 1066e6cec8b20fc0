"""Measurements as JSON: what was measured, and what was made of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eagle_impl.errors import OptionError
from registry.store.write import replace

FORMAT = 1
"""Counts the layouts that the document ever had."""


def check_places(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Refuse places to write to before anything is measured.

    Args:
        outputs: Files to write.
        inputs: Files that are read, and folders.

    Raises:
        OptionError: No file can be written there, or something is there that is read or written as
            well.
    """
    taken = [os.path.realpath(one) for one in inputs]
    for path in outputs:
        if path.is_dir():
            raise OptionError(f"{path}: cannot be written: it is a folder", "name a file")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise OptionError(f"{path}: cannot be written", "name a file in a folder that is there")
        place = os.path.realpath(path)
        for one in taken:
            if place == one or (os.path.isdir(one) and place.startswith(f"{one}{os.sep}")):
                raise OptionError(f"{path}: would take the place of {one}", "name another file")
        taken.append(place)


def write(path: Path, fields: Mapping[str, Any]) -> None:
    """Write a document wholly or not at all.

    Raises:
        OptionError: It cannot be written.
    """
    text = json.dumps({"format": FORMAT, **fields}, indent=1, ensure_ascii=False) + "\n"
    try:
        replace(path, text.encode())
    except OSError as error:
        raise OptionError(f"{path}: cannot be written: {error.strerror}") from None
