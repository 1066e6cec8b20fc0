"""From logits to the distribution that tokens are drawn from.

The steps and their order are those of Hugging Face's ``generate``: repetition penalty, temperature,
top-k, top-p, min-p. Each step sees what the one before it left over. The same steps serve plain
decoding, the verification of drafts and drafters that draw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from eagle_impl.errors import EagleError, OptionError
from eagle_impl.ranking import largest
from eagle_impl.trees import DraftTree

_FIRST = 512
"""Likeliest tokens among which the nucleus of top-p is looked for first. It is seldom larger, and
sorting a vocabulary of 50,000 takes forty times as long."""


@dataclass(frozen=True, slots=True)
class Sampler:
    """How tokens are chosen."""

    temperature: float = 0.0
    """What logits are divided by. 0 takes the most likely token, the lowest id among equals; 1 is
    the model's own distribution."""
    top_k: int = 0
    """Keep the k most likely tokens, and those as likely as the last of them. 0 keeps all."""
    top_p: float = 1.0
    """Keep the smallest set of most likely tokens that has this mass, lower ids first among equals.
    1 keeps all."""
    min_p: float = 0.0
    """Keep tokens at least this share as likely as the most likely one. 0 keeps all."""
    repetition_penalty: float = 1.0
    """What positive logits of tokens that occurred already are divided by, and negative ones
    multiplied by. 1 changes nothing."""

    def __post_init__(self) -> None:
        _require(
            0 <= self.temperature < math.inf,
            f"temperature {self.temperature} is not a finite number of at least 0",
            "0 is greedy, 1 samples from the model as it is",
        )
        _require(
            self.top_k >= 0,
            f"top-k {self.top_k} is less than 0",
            "0 keeps all tokens",
        )
        _require(
            0 < self.top_p <= 1,
            f"top-p {self.top_p} is not above 0 and at most 1",
            "1 keeps all tokens",
        )
        _require(
            0 <= self.min_p <= 1,
            f"min-p {self.min_p} is not between 0 and 1",
            "0 keeps all tokens",
        )
        _require(
            0 < self.repetition_penalty < math.inf,
            f"repetition penalty {self.repetition_penalty} is not a finite number above 0",
            "1 changes nothing, 1.1 discourages repetition",
        )

    @property
    def greedy(self) -> bool:
        """Whether nothing is drawn."""
        return self.temperature == 0

    @property
    def remembers(self) -> bool:
        """Whether the tokens that occurred already matter."""
        return self.repetition_penalty != 1

    def choices(self, logits: Tensor, seen: Tensor | None = None) -> Tensor:
        """The most likely token of each row, the lowest id among equals.

        Args:
            logits: A model's output. [rows, vocab]
            seen: What ``remembers`` asks for: the tokens that occurred. [rows, vocab], bool

        Returns:
            Token ids. [rows]

        Raises:
            EagleError: A logit is not a number.
        """
        return torch.tensor(self.chosen(logits, seen), device=logits.device)

    def chosen(self, logits: Tensor, seen: Tensor | None = None) -> list[int]:
        """The same as numbers."""
        ids = largest(self._penalised(logits, seen))
        if -1 in ids:
            raise EagleError(
                "the model's logits are not numbers",
                "if it overflows in float16, run it in float32 or bfloat16",
            )
        return ids

    def distribution(self, logits: Tensor, seen: Tensor | None = None) -> Tensor:
        """What tokens are drawn from; all mass on one token where nothing is drawn.

        Args:
            logits: A model's output. [rows, vocab]
            seen: What ``remembers`` asks for: the tokens that occurred. [rows, vocab], bool

        Returns:
            Probabilities in float32, or in float64 for such logits. [rows, vocab]
        """
        if self.greedy:
            chosen = self.choices(logits, seen)[:, None]
            return torch.zeros_like(logits, dtype=_precise(logits).dtype).scatter_(1, chosen, 1.0)
        scores = self._penalised(_precise(logits), seen)
        # With the largest score at 0, no temperature makes a score overflow.
        scores = scores - scores.amax(dim=-1, keepdim=True)
        scores = scores / max(self.temperature, torch.finfo(scores.dtype).tiny)
        chances = scores.softmax(dim=-1)
        if 0 < self.top_k < scores.shape[-1]:
            chances = _kept(chances, scores >= scores.topk(self.top_k).values[:, -1:])
        if self.top_p < 1:
            chances = _kept(chances, _nucleus(chances, self.top_p))
        if self.min_p > 0:
            chances = _kept(chances, chances >= self.min_p * chances.amax(dim=-1, keepdim=True))
        return chances

    def _penalised(self, logits: Tensor, seen: Tensor | None) -> Tensor:
        if not self.remembers:
            return logits
        if seen is None:
            raise ValueError("a repetition penalty needs the tokens that occurred already")
        logits, penalty = _precise(logits), self.repetition_penalty
        return torch.where(
            seen, torch.where(logits < 0, logits * penalty, logits / penalty), logits
        )


def seen_tokens(prefix: Tensor, tree: DraftTree, vocab_size: int) -> Tensor:
    """Which tokens occurred by each node of a tree: those before it, on its path, and its own.

    Args:
        prefix: All tokens before the root. [tokens]
        tree: The drafted tokens.
        vocab_size: Columns of the logits.

    Returns:
        Whether each token occurred. [nodes, vocab], bool
    """
    before = torch.zeros(vocab_size, dtype=torch.bool, device=tree.tokens.device)
    before[prefix.to(tree.tokens.device)] = True
    seen = before.repeat(tree.tokens.numel(), 1)
    nodes, ancestors = tree.mask.nonzero(as_tuple=True)
    seen[nodes, tree.tokens[ancestors]] = True
    return seen


def _nucleus(probabilities: Tensor, mass: float) -> Tensor:
    """Whether each token is in the smallest set with the mass. [rows, vocab] -> [rows, vocab]."""
    vocab_size = probabilities.shape[-1]
    for width in (min(_FIRST, vocab_size), vocab_size):
        top = probabilities.topk(width).values  # [rows, width], falling
        sums = top.cumsum(dim=-1, dtype=torch.float64)
        if (sums[:, -1] >= mass).all():
            break
    size = 1 + (sums[:, :-1] < mass).sum(dim=-1, keepdim=True)  # [rows, 1]
    last = top.gather(1, size - 1)  # probability of the last token in the set
    above, equal = probabilities > last, probabilities == last
    # The order of ``topk`` among equals is nobody's promise, so that they are counted by id.
    return above | (equal & (equal.cumsum(dim=-1) <= size - above.sum(dim=-1, keepdim=True)))


def _kept(chances: Tensor, keep: Tensor) -> Tensor:
    """Leave some tokens out. Quicker than another softmax. [rows, vocab] x 2 -> [rows, vocab]."""
    left = chances * keep
    return left / left.sum(dim=-1, keepdim=True)


def _precise(logits: Tensor) -> Tensor:
    """In float32 at least. [rows, vocab] -> [rows, vocab]."""
    return logits if logits.dtype == torch.float64 else logits.float()


def _require(holds: bool, message: str, hint: str) -> None:
    if not holds:
        raise OptionError(message, hint)
