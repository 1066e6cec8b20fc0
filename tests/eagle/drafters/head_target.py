"""A target whose every feature is what a given head predicts, so that the head is always right.

It knows nothing of caches: a feature is computed from the tokens up to it by the reference head.
Whatever the drafter does to positions, to the shift between features and embeddings, to masks or
to its cache that is not what the head means, shows as a draft that is not accepted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from eagle.drafters.reference_head import Array, Pair, ReferenceHead
from torch import Tensor

from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.targets.interface import Cache, Judgement, ModelConfig, RopeConfig

CONFIG = HeadConfig(
    vocab_size=31,
    hidden_size=24,
    intermediate_size=40,
    heads=4,
    kv_heads=2,
    head_dim=8,  # not hidden_size / heads
    max_positions=64,
    norm_epsilon=1e-5,
    rope=RopeConfig(theta=100.0),
)

SIXTEENS = replace(CONFIG, hidden_size=32, intermediate_size=48, head_dim=16)
"""Sizes that the kernels of our own can compute."""


def random_head(config: HeadConfig = CONFIG, seed: int = 0) -> EagleHead:
    """A head whose features keep their size from one to the next."""
    generator = torch.Generator().manual_seed(seed)
    head = EagleHead(config)
    with torch.no_grad():
        for parameter in head.parameters():
            size = parameter.shape[-1] ** -0.5 if parameter.dim() == 2 else 0.4
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * size)
    return head


def reference(head: EagleHead) -> ReferenceHead:
    """The same head, computed plainly."""
    return ReferenceHead(
        {name: t.double().numpy() for name, t in head.state_dict().items()},
        heads=head.config.heads,
        kv_heads=head.config.kv_heads,
        theta=head.config.rope.theta,
        epsilon=head.config.norm_epsilon,
    )


class Kept:
    """What was read, as token ids."""

    def __init__(self, capacity: int) -> None:
        self.ids: list[int] = []
        self.judged: list[int] = []
        self.capacity = capacity

    @property
    def length(self) -> int:
        return len(self.ids)


class HeadTarget:
    """See above. The feature of the first token, which no pair predicts, is taken from a table."""

    device = torch.device("cpu")
    dtype = torch.float32

    def __init__(self, head: EagleHead, seed: int = 0) -> None:
        geometry = head.config
        self.config = ModelConfig(
            vocab_size=geometry.vocab_size,
            hidden_size=geometry.hidden_size,
            intermediate_size=geometry.intermediate_size,
            layers=1,
            heads=geometry.heads,
            kv_heads=geometry.kv_heads,
            head_dim=geometry.head_dim,
            max_positions=geometry.max_positions,
        )
        generator = torch.Generator().manual_seed(seed)
        self.embedding_weight, self.lm_head_weight, self._first = torch.randn(
            3, geometry.vocab_size, geometry.hidden_size, generator=generator
        )
        self.lm_head_weight *= 0.3  # else one token takes it all
        self._reference = reference(head)
        self._features: dict[tuple[int, ...], Array] = {}

    def feature(self, ids: tuple[int, ...]) -> Array:
        """The feature of the last of some tokens. [hidden]."""
        if ids not in self._features:
            self._features[ids] = (
                self._reference.predict(self.pairs(ids))
                if len(ids) > 1
                else self._first[ids[0]].double().numpy()
            )
        return self._features[ids]

    def pairs(self, ids: tuple[int, ...]) -> list[Pair]:
        """The pairs that tokens make."""
        embeddings = self.embedding_weight.double().numpy()
        return [
            Pair(embeddings[token], self.feature(ids[: i + 1]), i)
            for i, token in enumerate(ids[1:])
        ]

    def new_cache(self, capacity: int) -> Kept:
        return Kept(capacity)

    def prefill(self, ids: Tensor, cache: Cache) -> Judgement:
        kept = _kept(cache)
        start = kept.length
        kept.ids += ids.tolist()
        judged = self._judge([tuple(kept.ids[: i + 1]) for i in range(start, kept.length)])
        return Judgement(judged.logits[-1:], judged.features)

    def verify(self, ids: Tensor, positions: Tensor, mask: Tensor, cache: Cache) -> Judgement:
        kept = _kept(cache)
        kept.judged = ids.tolist()
        assert positions.tolist() == (kept.length - 1 + mask.sum(dim=1)).tolist()
        return self._judge([(*kept.ids, *ids[row].tolist()) for row in mask])

    def keep(self, path: Tensor, cache: Cache) -> None:
        kept = _kept(cache)
        kept.ids += [kept.judged[node] for node in path.tolist()]

    def lm_head(self, features: Tensor) -> Tensor:
        return features @ self.lm_head_weight.T

    def embed(self, ids: Tensor) -> Tensor:
        return self.embedding_weight[ids]

    def _judge(self, prefixes: list[tuple[int, ...]]) -> Judgement:
        features = torch.tensor(np.stack([self.feature(ids) for ids in prefixes])).float()
        return Judgement(self.lm_head(features), features)


def _kept(cache: Cache) -> Kept:
    assert isinstance(cache, Kept)
    return cache
