"""The losses of EAGLE-1 (paper, section 3.2; ``eagle/train/main.py``).

Regression is SmoothL1 between the predicted and the target's feature, averaged over the dimensions
of a feature. Classification is the cross-entropy of the two distributions that the target's LM head
makes of them. The loss is regression + 0.1 * classification.

Losses are given row by row, and only for rows that count. Their mean is taken over all of these in
a step: neither padding nor how rows are spread over batches changes its scale.

An LM head over the whole vocabulary would cost more than all the rest, so that classification may
be restricted to frequent tokens: both distributions are then renormalised over these.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Generator, Tensor

from eagle_impl.training.trainable import product

CLASSIFICATION_WEIGHT = 0.1
"""Of the cross-entropy, where the regression has 1."""
NOISE = 0.1
"""Features are disturbed by up to this much either way, so that a head learns to go on from its own
inexact ones. As the paper has it; the published code scales it by 512 / length, length being that
of the longest sequence in a batch, so that it depends on the padding."""


class Losses(NamedTuple):
    """By row, of the rows that count."""

    regression: Tensor
    """[rows]"""
    classification: Tensor
    """[rows]"""
    hits: Tensor
    """Whether the most likely tokens of both distributions agree. [rows], bool"""

    @property
    def total(self) -> Tensor:
        """What is minimised, once it is averaged. [rows]."""
        return self.regression + CLASSIFICATION_WEIGHT * self.classification


def losses(predicted: Tensor, wanted: Tensor, lm_head: Tensor) -> Losses:
    """The losses of some rows.

    Args:
        predicted: The head's features. [rows, hidden]
        wanted: The target's. [rows, hidden]
        lm_head: The target's weights, of all tokens or of frequent ones. [ids, hidden]
    """
    wanted = wanted.detach()
    regression = F.smooth_l1_loss(predicted, wanted, reduction="none").mean(dim=-1)
    with torch.no_grad():
        target = product(wanted, lm_head)  # [rows, ids]
        best = target.argmax(dim=-1)
        target = target.softmax(dim=-1)
    logits = product(predicted, lm_head)
    classification = F.cross_entropy(logits, target, reduction="none")
    return Losses(regression, classification, logits.detach().argmax(dim=-1) == best)


def disturbed(features: Tensor, generator: Generator) -> Tensor:
    """Features with noise, uniform in [-NOISE, NOISE). [...] -> [...]."""
    noise = torch.rand(features.shape, generator=generator, dtype=features.dtype)
    return features + (noise * (2 * NOISE) - NOISE).to(features.device)
