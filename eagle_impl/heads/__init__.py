"""Heads that come with the project, each in a folder named after its target.

Beside a head lie ``training.json``, which says how it was made and how good it is, and
``log.jsonl``, the losses as they fell. ``eagle_impl train`` wrote all of them.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import torch

from eagle_impl.errors import CheckpointError
from eagle_impl.fingerprint import TrainedFor, alike, sample
from eagle_impl.formats.files import read_json
from eagle_impl.formats.huggingface import read_config, read_weights


class _Config(msgspec.Struct):
    """What a head's config.json says of its target."""

    vocab_size: int
    hidden_size: int
    trained_for: TrainedFor


def shipped_head(target: str) -> Path | None:
    """The folder of the head for a target, named as on the command line; None if there is none.

    A folder is known by the numbers in it, whatever it is called. Few of them are read.
    """
    for config in sorted(Path(__file__).parent.glob("*/config.json")):
        # What is written with a slash is a folder of somebody else's.
        if target == config.parent.name:
            return config.parent
        if target and _is_in(Path(target), read_json(config, _Config)):
            return config.parent
    return None


def _is_in(folder: Path, head: _Config) -> bool:
    """Whether a folder holds the target that a head was made for."""
    try:
        config = read_config(folder)
        if (config.vocab_size, config.hidden_size) != (head.vocab_size, head.hidden_size):
            return False
        weights = read_weights(folder, config)
    except CheckpointError:
        return False  # whoever loads it says why
    lm_head = weights["model.embed_tokens.weight" if config.tied else "lm_head.weight"]
    known = head.trained_for.lm_head
    return alike(torch.tensor(known), sample(lm_head, len(known)))
