"""Conversations to learn from, and the files that hold them.

Conversations are kept in shards: compressed tables of ids and of where responses lie. A target with
small features may have them kept beside the shard as they fall out of generating; else they are
computed again whenever they are needed. A file appears under its name only when it is whole.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import one_line

Span: TypeAlias = tuple[int, int]
"""First token, and the one after the last."""


@dataclass(frozen=True, slots=True, eq=False)
class Conversation:
    """A conversation that was held."""

    number: int
    """Of its script."""
    kind: str
    greedy: bool
    """Whether the target gave its most likely answers."""
    ids: Tensor
    """[tokens], int64"""
    responses: tuple[Span, ...]
    """Where the target's answers lie, without the ids that end them."""
    features: Tensor | None = field(default=None, repr=False)
    """The target's, where they are kept. [tokens, hidden], float16"""

    @property
    def response_tokens(self) -> int:
        """Tokens of all answers."""
        return sum(end - start for start, end in self.responses)

    @property
    def in_response(self) -> Tensor:
        """Whether each token is part of an answer. [tokens], bool."""
        mask = torch.zeros(len(self.ids), dtype=torch.bool)
        for start, end in self.responses:
            mask[start:end] = True
        return mask


def write_shard(path: Path, conversations: Sequence[Conversation], vocab_size: int) -> None:
    """Write a shard, with features if all conversations have them."""
    features = [one.features for one in conversations if one.features is not None]
    if features and len(features) == len(conversations):
        with _whole(_beside(path)) as scratch:
            np.save(scratch, torch.cat(features).numpy())
    number_format = np.uint16 if vocab_size <= 1 << 16 else np.uint32
    spans = [(i, *span) for i, one in enumerate(conversations) for span in one.responses]
    ids = [one.ids.numpy() for one in conversations]
    with _whole(path) as scratch:
        np.savez_compressed(
            scratch,
            ids=np.concatenate([np.empty(0, np.int64), *ids]).astype(number_format),
            lengths=np.array([len(one.ids) for one in conversations], np.int64),
            spans=np.array(spans, np.int64).reshape(-1, 3),
            numbers=np.array([one.number for one in conversations], np.int64),
            kinds=np.array([one.kind for one in conversations], np.str_),
            greedy=np.array([one.greedy for one in conversations], np.bool_),
        )


def read_shard(path: Path) -> list[Conversation]:
    """Read a shard. Features are mapped, not read.

    Raises:
        CheckpointError: It cannot be read, or is damaged.
    """
    with _named(path):
        with path.open("rb") as file, np.load(file) as arrays:
            table: dict[str, npt.NDArray[Any]] = dict(arrays)
        ends = table["lengths"].cumsum()
        if not ends.size:
            return []
        ids = torch.from_numpy(table["ids"].astype(np.int64))
        if len(ids) != ends[-1]:
            raise ValueError("its parts do not belong together")
        features = _read_features(_beside(path), len(ids))
        return [
            Conversation(
                int(table["numbers"][i]),
                str(table["kinds"][i]),
                bool(table["greedy"][i]),
                ids[start:end],
                tuple((int(a), int(b)) for at, a, b in table["spans"] if at == i),
                None if features is None else features[start:end],
            )
            for i, (start, end) in enumerate(zip(ends - table["lengths"], ends, strict=True))
        ]


def _read_features(path: Path, tokens: int) -> Tensor | None:
    """Features of as many tokens, if there are any. [tokens, hidden], float16."""
    if not path.exists():
        return None
    with _named(path):
        # Copied on writing, since torch warns of memory that must not be written to.
        features = torch.from_numpy(np.load(path, mmap_mode="c"))
        if len(features) != tokens:
            raise ValueError(f"it has {len(features)} tokens, and the shard {tokens}")
    return features


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name a file that cannot be read."""
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(
            f"{path}: cannot be read: {one_line(error)}",
            "delete it; what it held will be made again",
        ) from None


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.stem}.features.npy")


class _whole:  # noqa: N801 (used like a function)
    """A file that takes its name when it is whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._scratch = path.with_name(f".{path.name}")

    def __enter__(self) -> Any:
        self._file = self._scratch.open("wb")
        return self._file

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._file.flush()
            os.fsync(self._file.fileno())
        self._file.close()
        if kind is None:
            os.replace(self._scratch, self._path)
        else:
            self._scratch.unlink()
