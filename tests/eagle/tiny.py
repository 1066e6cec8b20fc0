"""Models with random weights that are small enough for tests."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from eagle_impl.targets.interface import ModelConfig


def tiny_config(**changes: Any) -> ModelConfig:
    """A geometry in which no two sizes are the same by accident."""
    config = ModelConfig(
        vocab_size=61,
        hidden_size=48,
        intermediate_size=80,
        layers=4,
        heads=4,
        kv_heads=2,
        head_dim=16,
        max_positions=256,
        eos_ids=(2,),
        bos_id=1,
    )
    return replace(config, **changes)


def tiny_weights(config: ModelConfig, seed: int = 0) -> dict[str, Tensor]:
    """Random weights under the names of Hugging Face's Llama, of a size that keeps logits apart."""
    random = torch.Generator().manual_seed(seed)
    hidden, inner = config.hidden_size, config.intermediate_size
    queries, keys = config.heads * config.head_dim, config.kv_heads * config.head_dim

    def matrix(rows: int, columns: int) -> Tensor:
        return torch.randn(rows, columns, generator=random) * columns**-0.5

    def near(middle: float, size: int) -> Tensor:
        return middle + 0.1 * torch.randn(size, generator=random)

    weights = {
        "model.embed_tokens.weight": torch.randn(config.vocab_size, hidden, generator=random)
    }
    for layer in range(config.layers):
        prefix = f"model.layers.{layer}."
        weights |= {
            prefix + "input_layernorm.weight": near(1.0, hidden),
            prefix + "self_attn.q_proj.weight": matrix(queries, hidden),
            prefix + "self_attn.k_proj.weight": matrix(keys, hidden),
            prefix + "self_attn.v_proj.weight": matrix(keys, hidden),
            prefix + "self_attn.o_proj.weight": matrix(hidden, queries),
            prefix + "post_attention_layernorm.weight": near(1.0, hidden),
            prefix + "mlp.gate_proj.weight": matrix(inner, hidden),
            prefix + "mlp.up_proj.weight": matrix(inner, hidden),
            prefix + "mlp.down_proj.weight": matrix(hidden, inner),
        }
        if config.attention_bias:
            weights |= {
                prefix + "self_attn.q_proj.bias": near(0.0, queries),
                prefix + "self_attn.k_proj.bias": near(0.0, keys),
                prefix + "self_attn.v_proj.bias": near(0.0, keys),
            }
    weights["model.norm.weight"] = near(1.0, hidden)
    if not config.tied:
        weights["lm_head.weight"] = matrix(config.vocab_size, hidden)
    return weights


def settings_of(config: ModelConfig) -> dict[str, Any]:
    """What config.json says of a geometry without rotary scaling."""
    return {
        "architectures": ["Qwen2ForCausalLM" if config.attention_bias else "LlamaForCausalLM"],
        "vocab_size": config.vocab_size,
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "max_position_embeddings": config.max_positions,
        "rms_norm_eps": config.norm_epsilon,
        "rope_theta": config.rope.theta,
        "tie_word_embeddings": config.tied,
        "eos_token_id": list(config.eos_ids),
        "bos_token_id": config.bos_id,
    }


def write_model(folder: Path, config: ModelConfig, weights: dict[str, Tensor]) -> Path:
    """A folder that holds a model as Hugging Face's libraries write it, without a tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(settings_of(config)))
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return folder
