"""Models as Hugging Face's libraries write them: a folder with config.json and weights.

Read are the architectures that are Llama in all but name. What would make a model compute something
else (another activation, another rotary scaling, biases elsewhere) is refused, since to ignore it
would give text that is only a little wrong.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NoReturn, TypeAlias

import msgspec
import torch
from torch import Tensor

from eagle_impl.errors import ArchitectureError, CheckpointError
from eagle_impl.formats.files import read_json
from eagle_impl.formats.tensors import converted, fit, read_folder
from eagle_impl.targets.interface import ModelConfig, RopeConfig

ARCHITECTURES = {"LlamaForCausalLM": False, "MistralForCausalLM": False, "Qwen2ForCausalLM": True}
"""Whether q, k and v have biases, by architecture."""

_TYPES = {"llama": "LlamaForCausalLM", "mistral": "MistralForCausalLM", "qwen2": "Qwen2ForCausalLM"}
_ELSEWHERE = "the Hugging Face target runs what transformers can load"

_WIDEST = 1 << 28
"""Larger sizes than any model has, whose products still fit into what counts bytes."""

Size: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1 << 31)]
"""A size that a model can have, each by itself."""

_Count = Annotated[int, msgspec.Meta(ge=1, le=1024)]
_Positive = Annotated[float, msgspec.Meta(gt=0, le=1e15)]
_Small = Annotated[float, msgspec.Meta(gt=0, le=1)]
_Ids = int | list[int] | None


class Family(msgspec.Struct):
    """What says whether the rest of config.json can be understood."""

    architectures: list[str] | None = None
    model_type: str | None = None
    quantization_config: dict[str, object] | None = None


class _Rope(msgspec.Struct):
    """Settings of the rotary embedding, under either of their two names."""

    rope_type: str | None = None
    type: str | None = None
    rope_theta: _Positive | None = None
    factor: _Positive | None = None
    low_freq_factor: _Positive | None = None
    high_freq_factor: _Positive | None = None
    original_max_position_embeddings: Size | None = None
    partial_rotary_factor: float = 1.0


class Config(msgspec.Struct):
    """config.json, with the defaults of transformers where older files leave something out."""

    vocab_size: Size
    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: _Count
    num_attention_heads: Size
    max_position_embeddings: Size
    num_key_value_heads: Size | None = None
    head_dim: Size | None = None
    rms_norm_eps: _Small = 1e-6
    rope_theta: _Positive | None = None
    rope_scaling: _Rope | None = None
    rope_parameters: _Rope | None = None
    tie_word_embeddings: bool = False
    hidden_act: str = "silu"
    attention_bias: bool = False
    mlp_bias: bool = False
    partial_rotary_factor: float = 1.0
    sliding_window: Size | None = 4096
    use_sliding_window: bool = False
    eos_token_id: _Ids = None
    bos_token_id: int | None = None


class _Generation(msgspec.Struct):
    """generation_config.json."""

    eos_token_id: _Ids = None


def read_model(
    folder: Path, device: torch.device, dtype: torch.dtype
) -> tuple[ModelConfig, dict[str, Tensor]]:
    """A model's geometry, and its weights under the names of Hugging Face's Llama.

    Raises:
        CheckpointError: Something is missing, damaged, contradictory or of another architecture.
    """
    config = read_config(folder)
    return config, converted(read_weights(folder, config), device, dtype, folder)


def read_weights(folder: Path, config: ModelConfig) -> dict[str, Tensor]:
    """A model's weights as they are stored, without what the file only repeats.

    Raises:
        CheckpointError: They cannot be read, or are not those of such a model.
    """
    tensors = {
        name: tensor
        for name, tensor in read_folder(folder).items()
        if not name.endswith(".rotary_emb.inv_freq")  # older checkpoints keep what config.json says
    }
    if config.tied and "lm_head.weight" in tensors:
        head = tensors.pop("lm_head.weight")
        embedding = tensors.get("model.embed_tokens.weight")
        if embedding is not None and not torch.equal(head, embedding):
            raise CheckpointError(
                f"{folder}: lm_head.weight is not the embedding, as config.json says it is",
                "correct tie_word_embeddings in config.json",
            )
    fit(tensors, shapes(config), folder)
    return tensors


def shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """The shape of every weight of a model."""
    hidden, inner = config.hidden_size, config.intermediate_size
    queries, keys = config.heads * config.head_dim, config.kv_heads * config.head_dim
    found: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (config.vocab_size, hidden)}
    for layer in range(config.layers):
        prefix = f"model.layers.{layer}."
        found[prefix + "input_layernorm.weight"] = (hidden,)
        for name, size in (("q", queries), ("k", keys), ("v", keys)):
            found[f"{prefix}self_attn.{name}_proj.weight"] = (size, hidden)
            if config.attention_bias:
                found[f"{prefix}self_attn.{name}_proj.bias"] = (size,)
        found[prefix + "self_attn.o_proj.weight"] = (hidden, queries)
        found[prefix + "post_attention_layernorm.weight"] = (hidden,)
        found[prefix + "mlp.gate_proj.weight"] = (inner, hidden)
        found[prefix + "mlp.up_proj.weight"] = (inner, hidden)
        found[prefix + "mlp.down_proj.weight"] = (hidden, inner)
    found["model.norm.weight"] = (hidden,)
    if not config.tied:
        found["lm_head.weight"] = (config.vocab_size, hidden)
    return found


def read_family(path: Path) -> Family:
    """What a config.json calls the model.

    Raises:
        CheckpointError: It cannot be read, or the weights are quantised.
    """
    family = read_json(path, Family)
    if family.quantization_config is not None:
        method = family.quantization_config.get("quant_method", "unnamed")
        raise CheckpointError(
            f"{path}: weights are quantised ({method})", "use the model before it was quantised"
        )
    return family


def read_config(folder: Path) -> ModelConfig:
    """A model's geometry, from config.json and generation_config.json.

    Raises:
        CheckpointError: It cannot be read, or describes a model that is not Llama-shaped.
    """
    path = folder / "config.json"
    architecture = _architecture(path)
    config = read_json(path, Config)
    model = geometry(path, config)
    if model.attention_bias:
        _refuse(path, "attention_bias")
    windowed = architecture == "MistralForCausalLM" or (
        architecture == "Qwen2ForCausalLM" and config.use_sliding_window
    )
    # Up to the window every token sees all before it, as in a model without one.
    window = config.sliding_window if windowed else None
    generation = folder / "generation_config.json"
    given = os.path.lexists(generation)
    more = read_json(generation, _Generation).eos_token_id if given else None
    eos_ids = dict.fromkeys((*_ids(config.eos_token_id), *_ids(more)))
    special = [*eos_ids, *_ids(config.bos_token_id)]
    if not all(0 <= token < config.vocab_size for token in special):
        raise CheckpointError(
            f"{path}: special tokens {special} are not all below vocab_size {config.vocab_size}"
        )
    return replace(
        model,
        max_positions=min(model.max_positions, window or model.max_positions),
        attention_bias=ARCHITECTURES[architecture],
        eos_ids=tuple(eos_ids),
        bos_id=config.bos_token_id,
    )


def geometry(path: Path, config: Config) -> ModelConfig:
    """The sizes that a config.json describes, of a whole model or of a head with its layers.

    Raises:
        CheckpointError: They cannot be, or are not those of something Llama-shaped.
    """
    heads = config.num_attention_heads
    kv_heads = config.num_key_value_heads or heads
    if heads % kv_heads:
        raise CheckpointError(f"{path}: {heads} heads cannot share {kv_heads} key-value heads")
    if config.head_dim is None and config.hidden_size % heads:
        raise CheckpointError(f"{path}: hidden_size {config.hidden_size} is no multiple of {heads}")
    head_dim = config.head_dim or config.hidden_size // heads
    if head_dim % 2:
        raise CheckpointError(f"{path}: head_dim {head_dim} is odd, rotary needs pairs")
    widest = max(config.hidden_size, config.intermediate_size, config.vocab_size, heads * head_dim)
    if widest > _WIDEST:
        raise CheckpointError(f"{path}: a size of {widest} is more than any model has")
    _refuse_variants(path, config)
    return ModelConfig(
        vocab_size=config.vocab_size,
        hidden_size=config.hidden_size,
        intermediate_size=config.intermediate_size,
        layers=config.num_hidden_layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        max_positions=config.max_position_embeddings,
        norm_epsilon=config.rms_norm_eps,
        rope=_rope(path, config),
        tied=config.tie_word_embeddings,
        attention_bias=config.attention_bias,
    )


def _architecture(path: Path) -> str:
    family = read_family(path)
    kind = family.model_type or "unnamed"
    named = family.architectures or [_TYPES.get(kind, kind)]
    for name in named:
        if name in ARCHITECTURES:
            return name
    raise ArchitectureError(
        f"{path}: architecture {named[0]} is not one of {', '.join(ARCHITECTURES)}", _ELSEWHERE
    )


def _refuse_variants(path: Path, config: Config) -> None:
    rope = config.rope_parameters or config.rope_scaling or _Rope()
    rotated = {config.partial_rotary_factor, rope.partial_rotary_factor}
    for variant, present in (
        (f"hidden_act {config.hidden_act}", config.hidden_act not in ("silu", "swish")),
        ("mlp_bias", config.mlp_bias),
        ("partial_rotary_factor", rotated != {1.0}),
    ):
        if present:
            _refuse(path, variant)


def _refuse(path: Path, variant: str) -> NoReturn:
    raise ArchitectureError(f"{path}: {variant} is not supported", _ELSEWHERE)


def _rope(path: Path, config: Config) -> RopeConfig:
    """Rotary settings in the layout of transformers 5, or in the older one."""
    settings = config.rope_parameters or config.rope_scaling or _Rope()
    thetas = {theta for theta in (settings.rope_theta, config.rope_theta) if theta is not None}
    if len(thetas) > 1:
        raise CheckpointError(f"{path}: two values of rope_theta, {min(thetas)} and {max(thetas)}")
    theta = thetas.pop() if thetas else RopeConfig().theta
    kind = settings.rope_type or settings.type or "default"
    if kind == "default":
        return RopeConfig(theta)
    factor = settings.factor
    if kind == "linear" and factor:
        return RopeConfig(theta, "linear", factor)
    low, high = settings.low_freq_factor, settings.high_freq_factor
    original = settings.original_max_position_embeddings
    if kind == "llama3" and factor and low and high and original and low < high:
        return RopeConfig(theta, "llama3", factor, low, high, original)
    if kind in ("linear", "llama3"):
        raise CheckpointError(f"{path}: settings of the {kind} rotary scaling are missing or wrong")
    raise ArchitectureError(f"{path}: rotary scaling {kind!r} is not supported", _ELSEWHERE)


def _ids(value: _Ids) -> list[int]:
    return [] if value is None else [value] if isinstance(value, int) else value
