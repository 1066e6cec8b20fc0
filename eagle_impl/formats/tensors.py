"""Named tensors from files, and the judgement of whether they are what they must be.

Weights come from strangers. A safetensors file holds numbers and nothing else, but it may be cut
short or be something else under that name; a pickle is a program, and is read only by a loader
that runs none of it. No way of reading is tried again less safely.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import one_line, read_bytes, read_json

SAFETENSORS = "model.safetensors"
PICKLE = "pytorch_model.bin"
_INDEX = ".index.json"
_PICKLES = (".bin", ".pt", ".pth")
_USE_SAFETENSORS = "use a safetensors file, or convert it where it comes from"

_LONGEST_HEADER = 100_000_000
"""Bytes that safetensors' own readers allow a header."""

_FIRST = 64
"""Bytes that tell what a file is."""

_BYTES = {
    "F64": 8,
    "F32": 4,
    "F16": 2,
    "BF16": 2,
    "I64": 8,
    "I32": 4,
    "I16": 2,
    "I8": 1,
    "U8": 1,
    "BOOL": 1,
}
"""Sizes of the number formats that weights and vocabulary tables come in."""

_Size = Annotated[int, msgspec.Meta(ge=0)]


class _Entry(msgspec.Struct):
    """What a safetensors header says of one tensor."""

    dtype: str
    shape: list[_Size]
    data_offsets: tuple[_Size, _Size]


class _Index(msgspec.Struct):
    """Which file of several holds which tensor."""

    weight_map: dict[str, str]


def read_folder(folder: Path) -> dict[str, Tensor]:
    """All tensors of a checkpoint, whether it is one file or several.

    Tensors of safetensors files are mapped, not read: they cost no memory until they are used.

    Raises:
        CheckpointError: There are none, or a file cannot be read or is not what it must be.
    """
    for name in (SAFETENSORS, PICKLE):
        # A link that leads nowhere is there, too; whoever opens it says so.
        if os.path.lexists(folder / name):
            return read_tensors(folder / name)
        if os.path.lexists(folder / (name + _INDEX)):
            return _read_parts(folder / (name + _INDEX))
    raise CheckpointError(f"{folder}: no weights here", f"{SAFETENSORS} is looked for")


def read_tensors(path: Path) -> dict[str, Tensor]:
    """All tensors of one file.

    Raises:
        CheckpointError: It cannot be read or is not what it must be.
    """
    return _read_pickle(path) if path.suffix in _PICKLES else _read_safetensors(path)


def write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write a safetensors file, which whoever may read other new files may read as well.

    Raises:
        OSError: It cannot be written; or a SafetensorError, which is none.
    """
    path.touch()
    mode = path.stat().st_mode
    save_file(dict(tensors), path, {"format": "pt"})
    path.chmod(mode)  # safetensors leaves its files to their owner alone


def fit(
    tensors: Mapping[str, Tensor], shapes: Mapping[str, tuple[int, ...]], where: object
) -> None:
    """Hold weights against the shapes that they must have.

    Args:
        tensors: What was read.
        shapes: The shape of every weight that there must be.
        where: What to name in a complaint.

    Raises:
        CheckpointError: One is missing, is not expected, has another shape, or holds no real
            numbers.
    """
    missing = [name for name in shapes if name not in tensors]
    if missing:
        raise CheckpointError(f"{where}: missing {_some(missing)}")
    unexpected = [name for name in tensors if name not in shapes]
    if unexpected:
        raise CheckpointError(
            f"{where}: unexpected {_some(unexpected)}",
            "weights and config.json describe different architectures",
        )
    for name, shape in shapes.items():
        tensor = tensors[name]
        if tuple(tensor.shape) != shape:
            raise CheckpointError(
                f"{where}: {name} has shape {list(tensor.shape)}, config.json asks for "
                f"{list(shape)}"
            )
        if not tensor.is_floating_point():
            raise CheckpointError(f"{where}: {name} holds {_named(tensor.dtype)}, not weights")


def converted(
    tensors: Mapping[str, Tensor], device: torch.device, dtype: torch.dtype, where: object
) -> dict[str, Tensor]:
    """Weights on the device and in the number format that they are used in, all of them finite.

    Raises:
        CheckpointError: One holds NaN or infinity, or does after the conversion.
    """
    ready = {}
    for name, tensor in tensors.items():
        ready[name] = tensor.to(device, dtype)
        if not _finite(ready[name]):
            lost = tensor.dtype != dtype and _finite(tensor)
            what = f"is too large for {_named(dtype)}" if lost else "holds NaN or infinity"
            hint = "use another number format" if lost else "the file is damaged"
            raise CheckpointError(f"{where}: {name} {what}", hint)
    return ready


def require_finite(tensors: Mapping[str, Tensor], where: object) -> None:
    """Hold weights to being numbers, in the number formats that they have.

    Raises:
        CheckpointError: One holds NaN or infinity.
    """
    for name, tensor in tensors.items():
        converted({name: tensor}, tensor.device, tensor.dtype, where)


def _finite(tensor: Tensor) -> bool:
    # The extremes of a tensor with NaN are NaN. One pass, a tenth of the time of isfinite().
    return tensor.numel() == 0 or all(bool(extreme.isfinite()) for extreme in tensor.aminmax())


def _read_parts(index: Path) -> dict[str, Tensor]:
    places = read_json(index, _Index).weight_map
    for part in places.values():
        if PurePosixPath(part).name != part or "\\" in part or not part.strip("."):
            raise CheckpointError(f"{index}: names a file outside its folder: {part!r}")
    tensors: dict[str, Tensor] = {}
    for part in sorted(set(places.values())):
        for name, tensor in read_tensors(index.parent / part).items():
            if name in tensors:
                raise CheckpointError(f"{index.parent / part}: {name} is in another file as well")
            tensors[name] = tensor
    missing = [name for name in places if name not in tensors]
    if missing:
        raise CheckpointError(f"{index}: its files lack {_some(missing)}")
    return tensors


def _read_safetensors(path: Path) -> dict[str, Tensor]:
    _judge(path)
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path}: {one_line(error)}") from None


def _judge(path: Path) -> None:
    """Refuse what is no whole safetensors file, in words that say what it is instead."""
    start = read_bytes(path, _FIRST)
    length = int.from_bytes(start[:8], "little")
    if len(start) > 8 and (length > _LONGEST_HEADER or start[8:9] != b"{"):
        if start[:1] == b"\x80" or start[:4] == b"PK\x03\x04":
            raise CheckpointError(f"{path}: holds a pickle, which is not opened", _USE_SAFETENSORS)
        raise CheckpointError(f"{path}: not a safetensors file")
    present = path.stat().st_size - 8 - length
    if present < 0:
        raise CheckpointError(f"{path}: truncated: its header is not whole", "download it again")
    promised = max((end for _, end in _spans(path, read_bytes(path, 8 + length)[8:])), default=0)
    if promised > present:
        raise CheckpointError(
            f"{path}: truncated: its header promises {promised} bytes of weights, {present} are "
            "there",
            "download it again",
        )


def _spans(path: Path, header: bytes) -> Iterable[tuple[int, int]]:
    """Where in the file each tensor stands, after a check of what the header says of it."""
    try:
        fields = json.loads(header, object_pairs_hook=_unique)
        fields.pop("__metadata__", None)
        entries = msgspec.convert(fields, dict[str, _Entry])
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        raise CheckpointError(f"{path}: broken header: {one_line(error)}") from None
    for name, entry in entries.items():
        size = _BYTES.get(entry.dtype)
        if size is None:
            raise CheckpointError(
                f"{path}: {name} is in {entry.dtype}, which is not supported",
                "quantised weights must be converted to bfloat16, float16 or float32",
            )
        start, end = entry.data_offsets
        if end - start != math.prod(entry.shape) * size:
            raise CheckpointError(
                f"{path}: {name} takes {end - start} bytes, which is not what {entry.dtype} "
                f"{entry.shape} takes"
            )
        yield start, end


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)} is there twice")
    return fields


def _read_pickle(path: Path) -> dict[str, Tensor]:
    read_bytes(path, _FIRST)
    try:
        held: object = torch.load(path, map_location="cpu", weights_only=True)
    except Exception:  # a damaged or hostile pickle can raise anything
        # What torch says would lead a reader to open it unsafely.
        raise CheckpointError(
            f"{path}: refused: it is damaged, or holds more than weights and could run code",
            _USE_SAFETENSORS,
        ) from None
    if not isinstance(held, dict) or not all(
        isinstance(name, str) and isinstance(tensor, Tensor) for name, tensor in held.items()
    ):
        raise CheckpointError(f"{path}: holds no plain table of tensors", _USE_SAFETENSORS)
    for name, tensor in held.items():
        if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_meta:
            raise CheckpointError(f"{path}: {name} is no plain tensor", _USE_SAFETENSORS)
    return {name: tensor.detach() for name, tensor in held.items()}


def _some(names: list[str]) -> str:
    """The first of many names."""
    more = len(names) - 3
    return ", ".join(names[:3]) + (f" and {more} more" if more > 0 else "")


def _named(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
