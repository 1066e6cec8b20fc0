"""Draft vocabularies: the token ids that a drafter may propose.

An LM head over the whole vocabulary is most of what a small head's draft step costs, and frequent
tokens are most of what is drafted. A drafter that proposes only those multiplies by fewer rows.
(Zhao et al., FR-Spec, 2025.) Nothing is lost in the output: the target judges with its whole
vocabulary.

Checkpoints write a draft vocabulary as two tables. ``d2t`` holds *offsets*: draft id i is target
id ``i + d2t[i]``. ``t2d`` tells for every target id whether it can be drafted. A wrong table is
not noticed in the output, only in a low acceptance, so every contradiction is refused here.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from eagle_impl.errors import CheckpointError


@dataclass(frozen=True, slots=True, eq=False)
class DraftVocabulary:
    """Which target id every draft id stands for."""

    ids: Tensor
    """Target ids by draft id; distinct. [drafted], int64"""
    vocab_size: int
    """Of the target."""

    def __post_init__(self) -> None:
        ids = self.ids
        if ids.dim() != 1 or ids.dtype != torch.int64 or ids.numel() == 0:
            raise CheckpointError(
                f"draft vocabulary is not a list of int64 ids: {ids.dtype}, shape {[*ids.shape]}"
            )
        outside = ids[(ids < 0) | (ids >= self.vocab_size)]
        if outside.numel():
            raise CheckpointError(
                f"draft vocabulary holds target id {outside[0]}, outside 0..{self.vocab_size - 1}"
            )
        ordered = ids.sort().values
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        if repeated.numel():
            raise CheckpointError(f"draft vocabulary holds target id {repeated[0]} more than once")

    @classmethod
    def of(cls, ids: list[int] | Tensor, vocab_size: int) -> DraftVocabulary:
        """A vocabulary of some ids, in ascending order whatever theirs is."""
        return cls(torch.as_tensor(ids, dtype=torch.int64).sort().values, vocab_size)

    @classmethod
    def from_tables(cls, d2t: Tensor, t2d: Tensor | None, vocab_size: int) -> DraftVocabulary:
        """The vocabulary that two tables describe.

        Args:
            d2t: Offset of every draft id. [drafted], int64
            t2d: Whether every target id can be drafted; absent in some checkpoints.
                [vocab], bool or 0 and 1
            vocab_size: Of the target.

        Raises:
            CheckpointError: If they describe none, or not the same.
        """
        if d2t.dim() != 1 or d2t.dtype not in (torch.int64, torch.int32):
            raise CheckpointError(f"d2t is not a list of offsets: {d2t.dtype}, {[*d2t.shape]}")
        wide = d2t.long()
        ids = wide + torch.arange(wide.numel(), device=wide.device)
        if t2d is None:
            if not wide.any() and wide.numel() < vocab_size:
                raise CheckpointError(
                    "d2t is all zero and no t2d says that the first ids are meant",
                    hint="the map was never filled: export the head again",
                )
            return cls(ids, vocab_size)
        if t2d.shape != (vocab_size,):
            raise CheckpointError(f"t2d is {[*t2d.shape]}, but the target has {vocab_size} ids")
        drafted = t2d.bool()
        if (count := int(drafted.sum())) != wide.numel():
            raise CheckpointError(f"d2t maps {wide.numel()} draft ids, t2d marks {count}")
        vocabulary = cls(ids, vocab_size)
        if not drafted[ids].all():
            stray = int(ids[~drafted[ids]][0])
            raise CheckpointError(
                f"d2t maps to target id {stray}, which t2d does not mark",
                hint="d2t holds offsets: target id = draft id + d2t[draft id]",
            )
        return vocabulary

    @property
    def d2t(self) -> Tensor:
        """Offset of every draft id. [drafted], int64."""
        return self.ids - torch.arange(self.ids.numel(), device=self.ids.device)

    @property
    def t2d(self) -> Tensor:
        """Whether every target id can be drafted. [vocab], bool."""
        marks = torch.zeros(self.vocab_size, dtype=torch.bool, device=self.ids.device)
        marks[self.ids] = True
        return marks

    def __len__(self) -> int:
        return self.ids.numel()
