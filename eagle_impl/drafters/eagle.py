"""EAGLE and EAGLE-2: drafting features with a head of one layer.

After each cycle the head reads what has become certain, with the target's *true* features; its own
guesses of a cycle are forgotten with the cycle. Then it drafts: the feature that it predicts after
the last pair gives the root's children, and each child's pair (that predicted feature beside the
child's embedding) predicts the next feature. Whether children are the most likely tokens or drawn,
and which of them are gone on from, is the tree's business (``eagle_impl.trees``).

Positions: a pair stands where its feature stands. With n certain pairs, those at level d of the
tree (the root's children are level 1) stand at n + d - 1, counted from 0. Each sees the certain
pairs, its ancestors and itself.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import torch
from torch import Generator, Tensor

from eagle_impl.drafters.head import EagleHead
from eagle_impl.drafters.native import NativeReader, kernels_for
from eagle_impl.drafters.reading import Reader, TorchReader
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.draws import generator_draws
from eagle_impl.errors import CapacityError, MismatchError
from eagle_impl.linears import Kind, choose, linear
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import StaticTree
from eagle_impl.targets.interface import Target
from eagle_impl.trees import DraftTree, Growth, TreeShape


class EagleDrafter:
    """Drafts with an EAGLE-1/2 head."""

    def __init__(
        self,
        head: EagleHead,
        target: Target,
        shape: TreeShape,
        vocabulary: DraftVocabulary | None = None,
        sampler: Sampler | None = None,
        *,
        exact: bool = False,
    ) -> None:
        """Put a head to work for a target.

        Where kernels of our own read the head (float32 on a CPU), its weights and those of the LM
        head are rounded to int8 *for drafting*, which is then several times as quick. The target
        judges with its own weights, so that not a token of the output depends on it.

        Args:
            head: On the target's device, in whatever number format.
            target: Lends its embedding and its LM head.
            shape: Tree to grow each cycle.
            vocabulary: Tokens that may be drafted; all if absent.
            sampler: How tokens will be chosen. If it draws, so do static trees, as in EAGLE-1:
                siblings without replacement, from what it makes of the draft's logits. All other
                trees take the most likely tokens, as in EAGLE-2.
            exact: Whether to draft with all weights as they are.

        Raises:
            MismatchError: Head, target and vocabulary are not of one size.
        """
        for what, ours, theirs in (
            ("hidden size", head.config.hidden_size, target.config.hidden_size),
            ("vocabulary size", head.config.vocab_size, target.config.vocab_size),
            (
                "draft vocabulary's size of the target",
                vocabulary.vocab_size if vocabulary else target.config.vocab_size,
                target.config.vocab_size,
            ),
        ):
            if ours != theirs:
                raise MismatchError(
                    f"the head was made for another target: {what} {ours}, the target's is {theirs}"
                )
        self.config = head.config
        self.shape = shape
        self.vocabulary = vocabulary
        self._target = target
        self._ids = None if vocabulary is None else vocabulary.ids.to(target.device)
        self._reader: Reader
        output = choose("auto", target.device, target.dtype)
        if (kernels := kernels_for(head)) is None:
            self._reader = TorchReader(head)
        else:
            kind: Kind = "native" if exact else "int8"
            self._reader = NativeReader(head, kernels, kind)
            output = kind if output == "native" else output
        self._lm_head = self._output(output)
        self._sampler = _drawing(sampler)
        self.begin(0)

    def with_shape(self, shape: TreeShape, sampler: Sampler | None = None) -> EagleDrafter:
        """A drafter of other trees that shares the weights with this one, and nothing else.

        Args:
            shape: Tree to grow each cycle.
            sampler: How tokens will be chosen; as before if absent.
        """
        other = copy.copy(self)
        other.shape = shape
        if sampler is not None:
            other._sampler = _drawing(sampler)
        other._reader = copy.copy(self._reader)
        other.begin(0)
        return other

    @property
    def max_positions(self) -> int:
        """Longest context whose drafts stand wholly within the positions that the head knows."""
        return max(0, self.config.max_positions - self.shape.depth)

    @property
    def depth(self) -> int:
        """Levels of drafted nodes at most."""
        return self.shape.depth

    @property
    def widest(self) -> int:
        """Nodes of a tree at most, its root included."""
        return 1 + self.shape.total

    def begin(self, capacity: int) -> None:
        """Forget everything and make room for ``capacity`` tokens."""
        self._capacity = capacity
        self._length = 0  # pairs that are certain
        self._predicted = torch.empty(0)  # feature after the last of them, [1, hidden]
        # A level of a tree takes room for one pair at least, so that there are enough positions.
        self._reader.begin(capacity + self.shape.expansions)

    @torch.inference_mode()
    def observe(self, ids: Tensor, features: Tensor) -> None:
        """Take in tokens that have become certain, each with the feature of the one before it.

        Args:
            ids: [tokens]
            features: The target's. [tokens, hidden]

        Raises:
            CapacityError: There is no room for them.
        """
        new = ids.numel()
        if not new:
            return
        if self._length + new > self._capacity:
            raise CapacityError(
                f"{new} more tokens do not fit into a drafter that holds {self._length} of at most"
                f" {self._capacity}",
                "begin with a larger capacity",
            )
        self._predicted = self._reader.read(self._target.embed(ids), features, self._length)
        self._length += new

    @torch.inference_mode()
    def draft(self, root: int, generator: Generator | None) -> DraftTree:
        """A tree whose root is the last certain token.

        Args:
            root: Token id.
            generator: For drafts that are drawn; without it none are.
        """
        growth: Growth
        logits = self._logits
        if self._sampler and generator is not None and isinstance(self.shape, StaticTree):
            growth = self.shape.plant_drawn(root, generator_draws(generator))
            logits = partial(self._warped, self._sampler)
        else:
            growth = self.shape.plant(root, self._ids)
        predicted, length, position = self._predicted, self._length, self._length
        while (frontier := growth.grow(logits(predicted))) is not None:
            predicted = self._reader.read_level(
                self._target.embed(frontier.tokens),
                predicted[frontier.sources],
                length,
                position,
                frontier.mask,
            )
            length += frontier.tokens.numel()
            position += 1
        return growth.tree()

    def _warped(self, sampler: Sampler, predicted: Tensor) -> Tensor:
        """What drafts are drawn from, over all of the target's ids.

        [rows, hidden] -> [rows, vocab]
        """
        log_probs = sampler.distribution(self._logits(predicted)).log()
        if self._ids is None:
            return log_probs
        rows, vocab_size = log_probs.shape[0], self._target.config.vocab_size
        return log_probs.new_full((rows, vocab_size), -torch.inf).index_copy_(
            1, self._ids, log_probs
        )

    def _output(self, kind: Kind) -> Callable[[Tensor], Tensor]:
        """The target's LM head, as far as it speaks of what may be drafted."""
        weight = self._target.lm_head_weight
        if self._ids is not None:
            weight = weight[self._ids]
        elif kind != "int8":
            return self._target.lm_head
        return linear(weight, None, kind).forward

    def _logits(self, predicted: Tensor) -> Tensor:
        """Of what may be drafted after some features. [rows, hidden] -> [rows, ids]."""
        return self._lm_head(predicted.to(self._target.dtype))


def _drawing(sampler: Sampler | None) -> Sampler | None:
    """How drafts are drawn, if they may be."""
    if sampler is None or sampler.greedy:
        return None
    # What was drafted is no part of the text, so that there is nothing to penalise.
    return replace(sampler, repetition_penalty=1.0)
