"""Llama-shaped models (Llama, Mistral, Qwen2, SmolLM2, Vicuna, ...), in as few steps as possible.

    x -> x + out(attention(norm(x))) -> x + down(swiglu(norm(x))) -> ... -> norm(x) = feature

Weights that read the same input are one: q, k and v, and gate and up. On a CPU in float32 the
kernels of ``eagle_impl.native`` do the work, elsewhere torch. Reading a prompt, judging a tree and
decoding plainly are one function of the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from torch import Tensor

from eagle_impl.attention import Attend, Heads, Rotation, TorchAttention, fused, products
from eagle_impl.errors import CheckpointError
from eagle_impl.linears import Kind, choose, linear
from eagle_impl.native import kernels as native
from eagle_impl.rotary import cos_sin, inverse_frequencies
from eagle_impl.targets.cache import LlamaCache, Storage, TreeCache
from eagle_impl.targets.interface import ModelConfig
from eagle_impl.targets.passes import TreeTarget

Apply: TypeAlias = Callable[..., Tensor]
"""``Linear.forward``: that of a module, without what modules do around it."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """Weights of one decoder layer."""

    attention_norm: Tensor  # [hidden]
    qkv: Apply  # hidden -> (heads + 2 * kv_heads) * head_dim
    out: Apply  # heads * head_dim -> hidden
    mlp_norm: Tensor  # [hidden]
    gate_up: Apply  # hidden -> 2 * intermediate
    down: Apply  # intermediate -> hidden


class LlamaTarget(TreeTarget):
    """A Llama-shaped model; implements ``eagle_impl.targets.interface.Target``."""

    def __init__(
        self,
        config: ModelConfig,
        weights: Mapping[str, Tensor],
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
        linears: str = "auto",
    ) -> None:
        """Take the weights over.

        Args:
            config: Geometry.
            weights: By their names in Hugging Face's layout, ``model.layers.0...``.
            device: Where it shall run.
            dtype: Number format of weights and features.
            linears: How weights are applied; see ``eagle_impl.linears``.

        Raises:
            CheckpointError: A weight is missing, has another shape, or has no place.
            OptionError: Such linears are not offered here.
        """
        self.config = config
        self.device = torch.device(device)
        self.dtype = dtype
        self.linears: Kind = choose(linears, self.device, dtype)
        self.heads = Heads(config.heads, config.kv_heads, config.head_dim)
        self.kernels = _kernels(config) if self.linears == "native" else None
        """Compiled kernels for all that is not linear, or None where torch computes it."""
        self._frequencies = inverse_frequencies(config.rope, config.head_dim).to(self.device)
        taken = _Weights(weights, self.device, dtype)
        vocabulary = (config.vocab_size, config.hidden_size)
        self.embedding_weight = taken("model.embed_tokens.weight", *vocabulary)
        self.lm_head_weight = self.embedding_weight
        if not config.tied:
            self.lm_head_weight = taken("lm_head.weight", *vocabulary)
        self._layers = [self._layer(taken, f"model.layers.{i}.") for i in range(config.layers)]
        self._norm = taken("model.norm.weight", config.hidden_size)
        self._lm_head: Apply = linear(self.lm_head_weight, None, self.linears).forward
        taken.nothing_left(tied=config.tied)

    def _layer(self, taken: _Weights, prefix: str) -> _Layer:
        config = self.config
        hidden, wide = config.hidden_size, config.intermediate_size
        queries, keys = config.heads * config.head_dim, config.kv_heads * config.head_dim

        def together(inputs: int, outputs: dict[str, int], *, biased: bool = False) -> Apply:
            """Linears that read the same, as one."""
            parts = [(prefix + name, size) for name, size in outputs.items()]
            weight = torch.cat([taken(f"{name}.weight", size, inputs) for name, size in parts])
            bias = (
                torch.cat([taken(f"{name}.bias", size) for name, size in parts]) if biased else None
            )
            return linear(weight, bias, self.linears).forward

        return _Layer(
            attention_norm=taken(prefix + "input_layernorm.weight", hidden),
            qkv=together(
                hidden,
                {"self_attn.q_proj": queries, "self_attn.k_proj": keys, "self_attn.v_proj": keys},
                biased=config.attention_bias,
            ),
            out=together(queries, {"self_attn.o_proj": hidden}),
            mlp_norm=taken(prefix + "post_attention_layernorm.weight", hidden),
            gate_up=together(hidden, {"mlp.gate_proj": wide, "mlp.up_proj": wide}),
            down=together(wide, {"mlp.down_proj": hidden}),
        )

    def new_cache(self, capacity: int) -> LlamaCache:
        """An empty cache with room for ``capacity`` tokens."""
        return LlamaCache(self.storage(capacity), capacity)

    def storage(self, capacity: int, *slots: int) -> Storage:
        """Memory for ``capacity`` tokens, or for as many in each slot."""
        return Storage(
            self.config,
            capacity,
            native=self.kernels is not None,
            slots=slots,
            device=self.device,
            dtype=self.dtype,
        )

    @torch.inference_mode()
    def lm_head(self, features: Tensor) -> Tensor:
        """Logits of features. [tokens, hidden] -> [tokens, vocab]."""
        return self._lm_head(features)

    @torch.inference_mode()
    def embed(self, ids: Tensor) -> Tensor:
        """Input embeddings. [tokens] -> [tokens, hidden]."""
        return F.embedding(ids, self.embedding_weight)

    def _pass(
        self, ids: Tensor, positions: Tensor, mask: Tensor | None, cache: TreeCache
    ) -> Tensor:
        """See ``TreeTarget._pass``."""
        assert isinstance(cache, LlamaCache)
        rotation, start = self.rotation(positions), cache.length
        attend: Attend
        if self.kernels:
            columns = torch.arange(start, start + ids.numel())
            seen = columns + 1 if mask is None else torch.full_like(columns, start)
            attend = native.NativeAttention(
                self.kernels,
                self.heads,
                rotation,
                columns,
                seen,
                capacity=cache.storage.columns,
                mask=mask,
            )
        else:
            gather = products if self.device.type == "cpu" else fused
            attend = TorchAttention(self.heads, rotation, start, mask, gather)
        return self.run(ids, attend, cache.storage.layers)

    def rotation(self, positions: Tensor) -> Rotation:
        """Cosines and sines of positions. [tokens] -> [tokens, head_dim] each."""
        cos, sin = cos_sin(positions, self._frequencies)
        return cos.to(self.dtype), sin.to(self.dtype)

    def run(self, ids: Tensor, attend: Attend, cache: Iterable[tuple[Tensor, Tensor]]) -> Tensor:
        """Features of tokens, with an attention that knows where they stand.

        Args:
            ids: [tokens]
            attend: Called once a layer.
            cache: Keys and values of every layer, as ``attend`` takes them.

        Returns:
            Features. [tokens, hidden]
        """
        x = F.embedding(ids, self.embedding_weight)  # [tokens, hidden]
        for layer, (keys, values) in zip(self._layers, cache, strict=True):
            qkv = layer.qkv(self._normed(x, layer.attention_norm))
            x = layer.out(attend(qkv, keys, values), onto=x)
            gate_up = layer.gate_up(self._normed(x, layer.mlp_norm))
            x = layer.down(self._gated(gate_up), onto=x)
        return self._normed(x, self._norm)

    def _normed(self, x: Tensor, weight: Tensor) -> Tensor:
        """Root mean square norm, in float32 as Llama does. [tokens, hidden] -> the same."""
        if self.kernels:
            return self.kernels.rms_norm(x, weight, self.config.norm_epsilon)
        wide = x.float()
        mean = wide.square().mean(dim=-1, keepdim=True)
        return (wide * torch.rsqrt(mean + self.config.norm_epsilon)).to(x.dtype) * weight

    def _gated(self, gate_up: Tensor) -> Tensor:
        """``silu(gate) * up``. [tokens, 2 * intermediate] -> [tokens, intermediate]."""
        if self.kernels:
            return self.kernels.swiglu(gate_up)
        gate, up = gate_up.chunk(2, dim=-1)
        return F.silu(gate) * up


def _kernels(config: ModelConfig) -> native.Kernels | None:
    """Compiled kernels, where the sizes are such as they can compute."""
    sizes = (config.hidden_size, config.intermediate_size, config.head_dim)
    return native.kernels() if all(size % native.LANES == 0 for size in sizes) else None


class _Weights:
    """Weights by name, each checked when it is taken."""

    def __init__(
        self, weights: Mapping[str, Tensor], device: torch.device, dtype: torch.dtype
    ) -> None:
        self._weights, self._device, self._dtype = weights, device, dtype
        self._left = set(weights)

    def __call__(self, name: str, *shape: int) -> Tensor:
        if name not in self._weights:
            raise CheckpointError(
                f"the checkpoint has no {name}", "give the weights of a Llama-shaped model"
            )
        weight = self._weights[name]
        if weight.shape != shape:
            raise CheckpointError(
                f"{name} has shape {list(weight.shape)}, but the configuration says {list(shape)}",
                "config.json and the weights must belong together",
            )
        self._left.discard(name)
        return weight.detach().to(self._device, self._dtype).contiguous()

    def nothing_left(self, *, tied: bool) -> None:
        """A weight that nothing asked for means another architecture: refuse to ignore it."""
        ignored = ("rotary_emb.inv_freq", "lm_head.weight") if tied else ("rotary_emb.inv_freq",)
        unknown = sorted(name for name in self._left if not name.endswith(ignored))
        if unknown:
            raise CheckpointError(
                f"{unknown[0]} has no place in a Llama-shaped model"
                + (f" (nor have {len(unknown) - 1} others)" if unknown[1:] else ""),
                "use the target that runs any model of transformers",
            )
