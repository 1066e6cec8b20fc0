"""Models of transformers with random weights, one for every way in which they differ."""

from __future__ import annotations

import copy
import functools
from typing import Any

import torch
import transformers
from torch import Tensor, nn

_SIZES = {
    "vocab_size": 61,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 256,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
_LLAMA = _SIZES | {"intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 12}
_EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
_MIXED = ["sliding_attention", "full_attention", "sliding_attention"]
_GEMMA_3 = _LLAMA | {"sliding_window": 5, "layer_types": _MIXED}

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "Mixtral": ("Mixtral", _LLAMA | _EXPERTS),
    "Mistral, windows": ("Mistral", _LLAMA | {"sliding_window": 5}),
    "Qwen2, windows": (
        "Qwen2",
        _LLAMA | {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 1},
    ),
    "Qwen3": ("Qwen3", _LLAMA),
    "Qwen3 with experts": (
        "Qwen3Moe",
        _LLAMA | {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16},
    ),
    "Gemma": ("Gemma", _LLAMA),
    "Gemma 2": (
        "Gemma2",
        _LLAMA
        | {"sliding_window": 5, "final_logit_softcapping": 2.0, "attn_logit_softcapping": 3.0},
    ),
    "Gemma 3": ("Gemma3Text", _GEMMA_3),
    "Gemma 3 with eyes": (
        "Gemma3",
        {
            "text_config": _GEMMA_3,
            "vision_config": {
                "hidden_size": 32,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "intermediate_size": 32,
                "image_size": 28,
                "patch_size": 14,
            },
            "mm_tokens_per_image": 4,
            "image_token_index": 60,
        },
    ),
    "Phi-3, windows": (
        "Phi3",
        _SIZES | {"intermediate_size": 48, "num_key_value_heads": 2, "sliding_window": 5},
    ),
    "Phi": ("Phi", _SIZES | {"intermediate_size": 48}),
    "GPT-NeoX": ("GPTNeoX", _SIZES | {"intermediate_size": 48}),
    "OPT": ("OPT", _SIZES | {"ffn_dim": 48, "word_embed_proj_dim": 16}),
    "GPT-2": ("GPT2", _SIZES),
    "Granite": ("Granite", _LLAMA | {"logits_scaling": 3.0, "embedding_multiplier": 2.0}),
    "Cohere, windows": (
        "Cohere2",
        _SIZES | {"intermediate_size": 48, "logit_scale": 0.25, "sliding_window": 5},
    ),
    "gpt-oss": ("GptOss", _LLAMA | _EXPERTS | {"sliding_window": 5}),
    "latent keys": (
        "DeepseekV3",
        _SIZES
        | {
            "intermediate_size": 48,
            "moe_intermediate_size": 16,
            "num_key_value_heads": 4,
            "n_routed_experts": 4,
            "n_group": 1,
            "topk_group": 1,
            "num_experts_per_tok": 2,
            "first_k_dense_replace": 1,
            "q_lora_rank": 16,
            "kv_lora_rank": 16,
            "qk_rope_head_dim": 8,
            "qk_nope_head_dim": 8,
            "v_head_dim": 12,
        },
    ),
}
_CLASSES = {
    "Gemma3Text": "Gemma3ForCausalLM",
    "Gemma3": "Gemma3ForConditionalGeneration",
    "GPT2": "GPT2LMHeadModel",
}


def build(family: str, settings: dict[str, Any], seed: int = 0) -> Any:
    """A model in which no weight is zero or one by its initialisation."""
    config = getattr(transformers, f"{family}Config")(
        **copy.deepcopy(settings), attn_implementation="eager"
    )
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(seed)
        model = getattr(transformers, _CLASSES.get(family, f"{family}ForCausalLM"))(config)
        for parameter in model.parameters():
            spread = parameter.shape[-1] ** -0.5 if parameter.dim() > 1 else 0.1
            parameter.add_(spread * torch.randn(parameter.shape))
    return model.eval()


@functools.cache
def own(name: str) -> Any:
    """A model as transformers runs it, with eager attention."""
    return build(*MODELS[name])


@torch.inference_mode()
def own_words(name: str, ids: Tensor) -> tuple[Tensor, Tensor]:
    """What transformers says of a row of tokens: logits, and what the LM head received."""
    received: list[Tensor] = []

    def record(_: nn.Module, given: tuple[Tensor, ...]) -> None:
        received.append(given[0])

    model = own(name)
    hook = model.get_output_embeddings().register_forward_pre_hook(record)
    try:
        logits = model(input_ids=ids[None]).logits[0]
    finally:
        hook.remove()
    return logits, received[0][0]
