"""Writes GGUF files, by ggml's own description of the format."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

FLOAT32, Q4_1, Q8_0 = 0, 3, 8
"""Numbers of tensor types."""


def write_gguf(
    path: Path,
    values: Mapping[str, Any],
    tensors: Mapping[str, tuple[int, list[int], bytes]],
    alignment: int = 32,
) -> Path:
    """Write settings, and tensors as type, shape (outermost dimension first) and bytes."""
    infos, data = b"", b""
    for name, (kind, shape, content) in tensors.items():
        data += bytes(-len(data) % alignment)
        dimensions = struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        infos += text(name) + dimensions + struct.pack("<IQ", kind, len(data))
        data += content
    start = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    start += b"".join(text(key) + typed(value) for key, value in values.items()) + infos
    path.write_bytes(start + bytes(-len(start) % alignment) + data)
    return path


def float32(tensor: Tensor) -> tuple[int, list[int], bytes]:
    """A tensor that is not quantised."""
    numbers = tensor.flatten().tolist()
    return FLOAT32, list(tensor.shape), struct.pack(f"<{len(numbers)}f", *numbers)


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def typed(value: Any) -> bytes:
    """A value behind the number of its type."""
    if isinstance(value, list):
        items = [typed(item) for item in value]
        kind = items[0][:4]
        content = kind + struct.pack("<Q", len(items)) + b"".join(item[4:] for item in items)
        return struct.pack("<I", 9) + content
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    return struct.pack("<II", 4, value)
