"""The head once more, as slowly and plainly as it can be written: one pair at a time, in float64.

Written from the paper and the published code's behaviour, not from the implementation: loops,
complex numbers for the rotation, no cache, no grouping.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Pair(NamedTuple):
    """What the head reads: an embedding, and the feature one position before it."""

    embedding: Array
    feature: Array
    position: int


def softmax(scores: Array) -> Array:
    share = np.exp(scores - scores.max())
    return share / share.sum()


def rotated(vector: Array, position: int, theta: float) -> Array:
    """One head's vector, its first half the real and its second the imaginary parts."""
    half = len(vector) // 2
    turned = [
        complex(vector[i], vector[i + half])
        * complex(math.cos(angle := position * theta ** (-i / half)), math.sin(angle))
        for i in range(half)
    ]
    return np.array([z.real for z in turned] + [z.imag for z in turned])


@dataclass(frozen=True)
class ReferenceHead:
    """A head's weights under their published names, and what else it computes with."""

    weights: dict[str, Array]
    heads: int
    kv_heads: int
    theta: float
    epsilon: float

    def predict(self, pairs: list[Pair]) -> Array:
        """The next feature after the last of some pairs, all of which it looks back at."""
        attention, mlp = "layers.0.self_attn.", "layers.0.mlp."
        fused = [self._linear("fc", np.concatenate([p.embedding, p.feature])) for p in pairs]
        keys = [np.split(self._linear(attention + "k_proj", x), self.kv_heads) for x in fused]
        values = [np.split(self._linear(attention + "v_proj", x), self.kv_heads) for x in fused]
        x = fused[-1]
        gathered = []
        for head, query in enumerate(np.split(self._linear(attention + "q_proj", x), self.heads)):
            shared = head * self.kv_heads // self.heads
            query = rotated(query, pairs[-1].position, self.theta)
            turned = [
                rotated(key[shared], pair.position, self.theta)
                for key, pair in zip(keys, pairs, strict=True)
            ]
            share = softmax(np.array([query @ key for key in turned]) / math.sqrt(len(query)))
            gathered.append(sum(s * value[shared] for s, value in zip(share, values, strict=True)))
        x = x + self._linear(attention + "o_proj", np.concatenate(gathered))
        norm = x / math.sqrt(np.mean(x**2) + self.epsilon)
        norm = norm * self.weights["layers.0.post_attention_layernorm.weight"]
        gate = self._linear(mlp + "gate_proj", norm)
        swish = gate / (1 + np.exp(-gate))
        return x + self._linear(mlp + "down_proj", swish * self._linear(mlp + "up_proj", norm))

    def _linear(self, name: str, x: Array) -> Array:
        return self.weights[f"{name}.weight"] @ x + self.weights.get(f"{name}.bias", 0.0)
