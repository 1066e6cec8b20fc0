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

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Generator, Tensor

from eagle_impl.training.trainable import times

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
    classification, hits = _Classification.apply(predicted, wanted, lm_head)  # type: ignore[no-untyped-call]
    return Losses(regression, classification, hits)


class _Classification(torch.autograd.Function):
    """The cross-entropy, in as few passes over [rows, ids] as can be.

    With z and p the predicted logits and the target's distribution it is logsumexp(z) - p z, and
    its gradient in z is softmax(z) - p, which is all that is kept.
    """

    @staticmethod
    def forward(
        ctx: Any, predicted: Tensor, wanted: Tensor, lm_head: Tensor
    ) -> tuple[Tensor, Tensor]:
        target = times(wanted, lm_head)
        best = target.argmax(dim=-1, keepdim=True)
        target = target.softmax(dim=-1)
        logits = times(predicted, lm_head)
        highest = logits.amax(dim=-1)
        hits = logits.gather(-1, best).squeeze(-1) == highest
        shares = logits.softmax(dim=-1)
        # The largest share is exp(highest - logsumexp).
        total = highest - shares.amax(dim=-1).log()
        classification = total - logits.mul_(target).sum(dim=-1)
        ctx.save_for_backward(shares.sub_(target), lm_head)
        ctx.mark_non_differentiable(hits)
        return classification, hits

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        difference, lm_head = ctx.saved_tensors
        return times(difference, lm_head.t()) * gradients[0].unsqueeze(-1), None, None


def disturbed(features: Tensor, generator: Generator) -> Tensor:
    """Features with noise, uniform in [-NOISE, NOISE). [...] -> [...]."""
    noise = torch.rand(features.shape, generator=generator, dtype=features.dtype)
    return features + (noise * (2 * NOISE) - NOISE).to(features.device)
