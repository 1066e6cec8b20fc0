"""Which embedding goes with which feature, and which predictions count.

With tokens t and features f of one conversation, both counted from 0, row i of what a head is
trained on is

    (f[i], embedding of t[i + 1]) -> f[i + 1]

and it counts if position i + 1 belongs to a response. Features, tokens and mask are all shifted
here and nowhere else: a mask that is left behind trains one row too many at the end of each
response and one too few at its beginning, and nothing fails.

The rows are what ``EagleDrafter.observe`` is given in use.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """What a head reads, and what it shall say."""

    ids: Tensor
    """The token after each feature. [rows]"""
    features: Tensor
    """[rows, hidden]"""
    wanted: Tensor
    """The feature one position on. [rows, hidden]"""
    counts: Tensor
    """Whether what the head says is judged. [rows], bool"""


def align(ids: Tensor, features: Tensor, response: Tensor) -> Pairs:
    """The rows of a conversation: one fewer than it has tokens.

    Args:
        ids: All tokens. [tokens]
        features: The target's, of all tokens. [tokens, hidden]
        response: Whether each token is part of a response. [tokens], bool
    """
    if not len(ids) == len(features) == len(response):
        raise ValueError(f"{len(ids)} ids, {len(features)} features, {len(response)} in the mask")
    return Pairs(ids[1:], features[:-1], features[1:], response[1:])
