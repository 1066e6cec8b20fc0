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

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import torch
from torch import Generator, Tensor

from eagle_impl.drafters.head import EagleHead, Rotation, for_drafting
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.draws import generator_draws
from eagle_impl.errors import CapacityError, MismatchError
from eagle_impl.linears import choose, linear
from eagle_impl.sampling import Sampler
from eagle_impl.static_trees import StaticTree
from eagle_impl.targets.interface import Target
from eagle_impl.trees import DraftTree, Frontier, Growth, TreeShape


class EagleDrafter:
    """Drafts with an EAGLE-1/2 head."""

    def __init__(
        self,
        head: EagleHead,
        target: Target,
        shape: TreeShape,
        vocabulary: DraftVocabulary | None = None,
        sampler: Sampler | None = None,
    ) -> None:
        """Put a head to work for a target.

        Args:
            head: On the target's device, in whatever number format.
            target: Lends its embedding and its LM head.
            shape: Tree to grow each cycle.
            vocabulary: Tokens that may be drafted; all if absent.
            sampler: How tokens will be chosen. If it draws, so do static trees, as in EAGLE-1:
                siblings without replacement, from what it makes of the draft's logits. All other
                trees take the most likely tokens, as in EAGLE-2.

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
        self.head = for_drafting(head)
        self.shape = shape
        self.vocabulary = vocabulary
        self._target = target
        self._ids = None if vocabulary is None else vocabulary.ids.to(target.device)
        self._lm_head: Callable[[Tensor], Tensor] = target.lm_head
        if self._ids is not None:
            kind = choose("auto", target.device, target.dtype)
            self._lm_head = linear(target.lm_head_weight[self._ids], None, kind)
        self._sampler = None
        if sampler is not None and not sampler.greedy:
            # What was drafted is no part of the text, so that there is nothing to penalise.
            self._sampler = replace(sampler, repetition_penalty=1.0)
        self.begin(0)

    @property
    def max_positions(self) -> int:
        """Longest context whose drafts stand wholly within the positions that the head knows."""
        return max(0, self.head.config.max_positions - self.shape.depth)

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
        config = self.head.config
        self._capacity = capacity
        room = capacity + self.shape.expansions
        self._keys, self._values = torch.empty(
            (2, config.kv_heads, room, config.head_dim),
            dtype=self.head.dtype,
            device=self._target.device,
        )
        self._length = 0  # pairs that are certain
        self._predicted = torch.empty(0)  # feature after the last of them, [1, hidden]
        self._ahead: Rotation  # of the positions that follow, [depth, head_dim] each

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
        positions = torch.arange(
            self._length, self._length + new + self.shape.depth, device=features.device
        )
        cos, sin = self.head.rotation(positions)
        fused = self._fuse(ids, features)
        self._remember(fused, (cos[:new], sin[:new]), self._length)
        self._length += new
        # Only what follows the last pair is asked for; the others are there to be looked back at.
        self._predicted = self.head.predict(
            fused[-1:],
            (cos[new - 1 : new], sin[new - 1 : new]),
            self._keys[:, : self._length],
            self._values[:, : self._length],
        )
        self._ahead = cos[new:], sin[new:]

    @torch.inference_mode()
    def draft(self, root: int, generator: Generator | None) -> DraftTree:
        """A tree whose root is the last certain token.

        Args:
            root: Token id.
            generator: For drafts that are drawn; without it none are.
        """
        growth: Growth
        log_probs = self._log_probs
        if self._sampler and generator is not None and isinstance(self.shape, StaticTree):
            growth = self.shape.plant_drawn(root, generator_draws(generator))
            log_probs = partial(self._warped, self._sampler)
        else:
            growth = self.shape.plant(root, self._ids)
        predicted = self._predicted
        level, length = 0, self._length
        while (frontier := growth.grow(log_probs(predicted))) is not None:
            predicted = self._expand(frontier, predicted, level, length)
            length += frontier.tokens.numel()
            level += 1
        return growth.tree()

    def _expand(self, frontier: Frontier, predicted: Tensor, level: int, length: int) -> Tensor:
        """Features after each node of a frontier. [nodes, hidden].

        Args:
            frontier: Nodes of one level.
            predicted: Features that the nodes' tokens were drafted from. [rows, hidden]
            level: Of the nodes, 0 for the root's children.
            length: Pairs in the cache: the certain ones, then those of earlier frontiers.
        """
        cos, sin = self._ahead
        rotation = cos[level : level + 1], sin[level : level + 1]
        fused = self._fuse(frontier.tokens, predicted[frontier.sources])
        self._remember(fused, rotation, length)
        end = length + frontier.tokens.numel()
        bias = torch.zeros_like(frontier.mask, dtype=fused.dtype)
        return self.head.predict(
            fused,
            rotation,
            self._keys[:, :end],
            self._values[:, :end],
            bias.masked_fill_(~frontier.mask, -torch.inf),
        )

    def _fuse(self, ids: Tensor, features: Tensor) -> Tensor:
        dtype = self.head.dtype
        return self.head.fuse(self._target.embed(ids).to(dtype), features.to(dtype))

    def _remember(self, fused: Tensor, rotation: Rotation, start: int) -> None:
        """Write pairs to the cache. [pairs, hidden]."""
        keys, values = self.head.layer.self_attn.keys_values(fused, rotation)
        end = start + fused.shape[0]
        self._keys[:, start:end] = keys
        self._values[:, start:end] = values

    def _log_probs(self, predicted: Tensor) -> Tensor:
        """Of what may be drafted after some features. [rows, hidden] -> [rows, ids]."""
        return self._logits(predicted).float().log_softmax(dim=-1)

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

    def _logits(self, predicted: Tensor) -> Tensor:
        return self._lm_head(predicted.to(self._target.dtype))
