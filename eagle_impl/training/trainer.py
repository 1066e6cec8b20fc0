"""The trainer: steps, checkpoints, judgements.

A step is made of lanes, batches that are computed side by side, one thread each; their gradients
are added in order. All randomness is a function of the seed and of what it is for, so that a
checkpoint needs no state of generators; and a run that was killed and resumed gives the very head
that it would have given.
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Generator, Tensor, nn

from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import one_line
from eagle_impl.targets.interface import Target
from eagle_impl.training.alignment import align
from eagle_impl.training.conversations import Conversation
from eagle_impl.training.corpus import Corpus, Features, most_frequent, steps
from eagle_impl.training.judging import Judgement, judge
from eagle_impl.training.losses import disturbed, losses
from eagle_impl.training.progress import Progress
from eagle_impl.training.recipe import Recipe
from eagle_impl.training.trainable import STEP, answered, exported, trainable

CHECKPOINT_SECONDS = 180.0
LOGGED_STEPS = 20
"""Steps that share a line of the log. Checkpoints are taken between two lines."""

Write = Callable[[dict[str, Any]], None]
"""Writes a line of the log."""


@dataclass(slots=True)
class _Sums:
    """Since the last line of the log."""

    rows: int = 0
    regression: float = 0.0
    classification: float = 0.0
    hits: float = 0.0


class Trainer:
    """A head while it learns."""

    def __init__(
        self,
        target: Target,
        corpus: Corpus,
        vocabulary: DraftVocabulary,
        recipe: Recipe,
        seed: int,
        checkpoint: Path,
    ) -> None:
        """Begin, or go on from a checkpoint that is there.

        Args:
            target: Teaches.
            corpus: What is learnt from.
            vocabulary: What the head will draft.
            recipe: How.
            seed: Of the head's first weights, the order of conversations and the noise.
            checkpoint: Where to keep it.

        Raises:
            CheckpointError: There is one that cannot be read.
        """
        self._target, self._corpus, self._vocabulary = target, corpus, vocabulary
        self._recipe, self._seed, self._checkpoint = recipe, seed, checkpoint
        self._features = Features(target)
        counts = corpus.counts(target.config.vocab_size)
        classified = most_frequent(counts, recipe.classified_ids).to(target.device)
        self._lm_head = target.lm_head_weight[classified].float()
        lengths = [len(one.ids) for one in corpus.learnt]
        self._plan = [
            step
            for epoch in range(recipe.epochs)
            for step in steps(
                lengths, recipe.lane_tokens, recipe.lanes, random.Random(f"{seed} epoch {epoch}")
            )
        ]
        head = new_head(HeadConfig.like(target.config), seed).to(target.device)
        self._head = trainable(head, *self._scales())
        self._weights = list(self._head.parameters())
        self._optimizer = torch.optim.AdamW(
            self._weights, betas=recipe.betas, weight_decay=recipe.weight_decay, fused=True
        )
        self.step = 0
        """Steps that were made."""
        self._seconds = 0.0
        if checkpoint.exists():
            self._restore()

    @property
    def head(self) -> EagleHead:
        """The head as it is now, in its ordinary form."""
        return exported(self._head)

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self._plan)

    def run(self, pool: Executor, write: Write, progress: Progress) -> dict[str, Judgement]:
        """Make all steps that are left.

        Args:
            pool: Lanes are computed in it.
            write: Called with each line of the log.
            progress: Told of steps.

        Returns:
            How good the head is in the end, by kind of conversation.
        """
        begun, saved = time.monotonic() - self._seconds, time.monotonic()
        sums, verdict = _Sums(), dict[str, Judgement]()
        progress.begin("training", "steps", self.steps)
        progress.advance(self.step, counts=False)
        while self.step < self.steps:
            rate = self._rate()
            self._learn(pool, rate, sums)
            self.step += 1
            progress.advance(1)
            if self.step % LOGGED_STEPS == 0 or self.step == self.steps:
                line = self._line(sums, rate, time.monotonic() - begun)
                write(line)
                sums = _Sums()
                judged = f", chain {verdict['all'].tau:.2f} tokens a cycle" if verdict else ""
                progress.note(f"loss {line['loss']:.3f}{judged}")
            if self._is_judged():
                verdict = self.judge(pool)
                for kind, judgement in verdict.items():
                    write({"step": self.step, "held_out": kind, **asdict(judgement)})
            if self.step % LOGGED_STEPS == 0 and time.monotonic() - saved > CHECKPOINT_SECONDS:
                self._seconds = time.monotonic() - begun
                self.save()
                saved = time.monotonic()
        self._seconds = time.monotonic() - begun
        self.save()
        progress.end()
        return verdict or self.judge(pool)

    def judge(self, pool: Executor) -> dict[str, Judgement]:
        """How good the head is now, by kind of conversation."""
        jury = self._corpus.jury(self._recipe.judged)
        return judge(self.head, self._target, self._vocabulary, jury, self._features, pool)

    def save(self) -> None:
        """Write the checkpoint."""
        scratch = self._checkpoint.with_name(f".{self._checkpoint.name}")
        torch.save(
            {
                "step": self.step,
                "seconds": self._seconds,
                "head": self._head.state_dict(),
                "optimizer": self._optimizer.state_dict(),
            },
            scratch,
        )
        os.replace(scratch, self._checkpoint)

    def _restore(self) -> None:
        try:
            kept = torch.load(self._checkpoint, map_location=self._target.device, weights_only=True)
            self._head.load_state_dict(kept["head"])
            self._optimizer.load_state_dict(kept["optimizer"])
            self.step, self._seconds = int(kept["step"]), float(kept["seconds"])
        except Exception as error:  # a damaged pickle can raise anything
            raise CheckpointError(
                f"{self._checkpoint}: cannot be read: {one_line(error)}",
                "delete it to train from the beginning",
            ) from None

    def _scales(self) -> tuple[float, float]:
        """What makes embeddings and features of unit size, going by some conversations."""
        some = self._corpus.learnt[:64]
        ids = torch.cat([one.ids for one in some]).to(self._target.device)
        features = torch.cat([self._features.of(one) for one in some])
        of_embeddings = self._target.embedding_weight[ids].float().square().mean().rsqrt()
        return of_embeddings.item(), features.square().mean().rsqrt().item()

    def _rate(self) -> float:
        """Learning rate of the next step: a rise, then a cosine."""
        recipe, done = self._recipe, self.step / self.steps
        if done < recipe.warmup:
            return recipe.learning_rate * (self.step + 1) / (recipe.warmup * self.steps + 1)
        turned = (1 + math.cos(math.pi * (done - recipe.warmup) / (1 - recipe.warmup))) / 2
        return recipe.learning_rate * (recipe.final_rate + (1 - recipe.final_rate) * turned)

    def _learn(self, pool: Executor, rate: float, sums: _Sums) -> None:
        """Make a step."""
        step = self._plan[self.step]
        batches = [[self._corpus.learnt[at] for at in lane] for lane in step]
        rows = sum(one.response_tokens for batch in batches for one in batch)
        lanes = pool.map(self._lane, range(len(step)), batches, [rows] * len(step))
        gradients: list[Tensor] | None = None
        for of_lane, of_sums in lanes:
            if gradients is None:
                gradients = list(of_lane)
            else:
                torch._foreach_add_(gradients, list(of_lane))
            sums.regression += of_sums[0]
            sums.classification += of_sums[1]
            sums.hits += of_sums[2]
        sums.rows += rows
        assert gradients is not None
        for weight, gradient in zip(self._weights, gradients, strict=True):
            weight.grad = gradient
        nn.utils.clip_grad_norm_(self._weights, self._recipe.clip)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()

    def _lane(
        self, lane: int, batch: list[Conversation], rows: int
    ) -> tuple[tuple[Tensor, ...], list[float]]:
        """Gradients of a part of a step, and sums of its losses and hits.

        Args:
            lane: Its number.
            batch: Its conversations.
            rows: Rows that count in the whole step.
        """
        noise = Generator().manual_seed(self._noise_seed(lane))
        pairs = [align(one.ids, self._features.of(one), one.in_response) for one in batch]
        device = self._target.device
        features = torch.cat([disturbed(one.features, noise) for one in pairs])  # [tokens, hidden]
        ids = torch.cat([one.ids for one in pairs]).to(device)
        wanted = torch.cat([one.wanted[one.counts.to(device)] for one in pairs])
        counted = len(wanted)
        ids = F.pad(ids, (0, -len(ids) % STEP))
        features = F.pad(features, (0, 0, 0, len(ids) - len(features)))
        wanted = F.pad(wanted, (0, 0, 0, -counted % STEP))
        embeddings = F.embedding(ids, self._target.embedding_weight).float()
        predicted = answered(self._head, embeddings, features, [one.counts for one in pairs])
        of_rows = losses(predicted, wanted, self._lm_head)
        gradients = torch.autograd.grad(of_rows.total[:counted].sum() / rows, self._weights)
        return gradients, [part.detach()[:counted].float().sum().item() for part in of_rows]

    def _noise_seed(self, lane: int) -> int:
        return random.Random(f"{self._seed} noise {self.step} {lane}").getrandbits(63)

    def _is_judged(self) -> bool:
        """Whether it is time to judge: at the end, and so often before."""
        often = self._recipe.judgements
        return self.step * often // self.steps > (self.step - 1) * often // self.steps

    def _line(self, sums: _Sums, rate: float, seconds: float) -> dict[str, Any]:
        regression, classification = sums.regression / sums.rows, sums.classification / sums.rows
        return {
            "step": self.step,
            "loss": round(regression + 0.1 * classification, 5),
            "regression": round(regression, 5),
            "classification": round(classification, 5),
            "top1": round(sums.hits / sums.rows, 5),
            "rate": rate,
            "seconds": round(seconds, 1),
        }


def new_head(config: HeadConfig, seed: int) -> EagleHead:
    """A head that has not learnt anything: every linear halves the size of what goes through it."""
    generator = Generator().manual_seed(seed)
    head = EagleHead(config)
    with torch.no_grad():
        for weight in head.parameters():
            if weight.dim() == 2:
                size = 0.5 * weight.shape[1] ** -0.5
                weight.copy_(torch.randn(weight.shape, generator=generator) * size)
    return head
