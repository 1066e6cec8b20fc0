"""Whether a head and a target belong together.

What a head drafts is judged by the target, so that nothing here can spoil the output. A head that
was made for another target, or that counts positions otherwise, only drafts badly, and nothing
would show it but the speed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import MismatchError
from eagle_impl.fingerprint import alike, sample
from eagle_impl.formats.eagle import EagleFiles, read_eagle
from eagle_impl.targets.interface import ModelConfig, RopeConfig, Target


@dataclass(frozen=True, slots=True)
class Misfit:
    """Something in which a head and a target differ."""

    weight: Literal["impossible", "foreign", "different"]
    """The head cannot be used, or was made for another target, or for the same under other
    settings."""
    message: str
    """What it is, on one line."""


class MisfitWarning(UserWarning):
    """A head will draft for a target that it was not made for."""


def load_eagle(folder: Path, target: Target) -> tuple[EagleHead, DraftVocabulary | None]:
    """A head for a target, on its device and in its number format, and what may be drafted.

    Warns of all that makes drafts worse than they need be.

    Raises:
        CheckpointError: The files cannot be read, or do not make a head.
        MismatchError: The head cannot be used with this target.
    """
    files = read_eagle(folder)
    head, vocabulary = files.head(target.device, target.dtype), files.vocabulary
    for misfit in misfits(files, target.config, target.embedding_weight, target.lm_head_weight):
        if misfit.weight == "impossible":
            raise MismatchError(f"{folder}: {misfit.message}", "use a head made for this target")
        warnings.warn(f"{folder}: {misfit.message}", MisfitWarning, stacklevel=2)
    return head, vocabulary


def misfits(
    files: EagleFiles, config: ModelConfig, embedding: Tensor, lm_head: Tensor
) -> Iterator[Misfit]:
    """All in which a head and a target differ, what matters most first.

    Args:
        files: The head.
        config: The target's.
        embedding: The target's. [vocab, hidden]
        lm_head: The target's. [vocab, hidden]
    """
    head, possible = files.config, True
    for name, ours, theirs in (
        ("hidden size", head.hidden_size, config.hidden_size),
        ("vocabulary size", head.vocab_size, config.vocab_size),
    ):
        if ours != theirs:
            possible = False
            yield Misfit(
                "impossible", f"made for another target: {name} {ours}, the target's is {theirs}"
            )
    if possible:
        yield from _foreign(files, embedding, lm_head)
    yield from _different(head, config)


def _foreign(files: EagleFiles, embedding: Tensor, lm_head: Tensor) -> Iterator[Misfit]:
    known = files.trained_for
    if known is not None and not alike(
        torch.tensor(known.lm_head), sample(lm_head, len(known.lm_head))
    ):
        yield Misfit("foreign", f"made for {known.target}: this target has another LM head")
    for name, ours, theirs in (
        ("embedding", files.embedding, embedding),
        ("LM head", files.lm_head, lm_head),
    ):
        if ours is not None and not (
            ours.shape == theirs.shape and alike(sample(ours, 4096), sample(theirs, 4096))
        ):
            yield Misfit("foreign", f"made for another target: its copy of the {name} differs")


def _different(head: HeadConfig, config: ModelConfig) -> Iterator[Misfit]:
    if head.rope != config.rope:
        yield Misfit(
            "different", f"rotary {described(head.rope)}, the target's is {described(config.rope)}"
        )
    if head.max_positions < config.max_positions:
        yield Misfit(
            "different",
            f"drafts only in the first {head.max_positions} positions, the target has"
            f" {config.max_positions}",
        )
    for name, ours, theirs in (
        ("head_dim", head.head_dim, config.head_dim),
        ("key-value heads", head.kv_heads, config.kv_heads),
    ):
        if ours != theirs:
            yield Misfit("different", f"{name} {ours}, the target's is {theirs}")


def described(rope: RopeConfig) -> str:
    """Rotary settings in few words."""
    words = f"theta {rope.theta:g}"
    if rope.scaling == "none":
        return words
    words += f", {rope.scaling} scaling by {rope.factor:g}"
    if rope.scaling == "llama3":
        words += (
            f" (from {rope.original_positions} positions, frequency factors"
            f" {rope.low_frequency_factor:g} and {rope.high_frequency_factor:g})"
        )
    return words
