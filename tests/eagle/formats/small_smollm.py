"""A model of SmolLM's kind that is small enough for tests, as llama.cpp stores one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eagle.formats.gguf_file import float32, write_gguf
from eagle.tiny import tiny_config, tiny_weights
from tokenizers import pre_tokenizers
from torch import Tensor

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())
MERGES = ["h e", "l l", "he ll", "hell o", "Ġ w", "1 2", "Ċ Ċ", "Ġ Ġ"]
TOKENS = [*SPECIAL, *ALPHABET, *(merge.replace(" ", "") for merge in MERGES)]
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' "
    "+ message['content'] + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
CONFIG = tiny_config(vocab_size=len(TOKENS), hidden_size=64, tied=True, layers=2)
WEIGHTS = tiny_weights(CONFIG)
"""In the order of rows that Hugging Face's Llama has."""

VALUES: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.block_count": CONFIG.layers,
    "llama.context_length": CONFIG.max_positions,
    "llama.embedding_length": CONFIG.hidden_size,
    "llama.feed_forward_length": CONFIG.intermediate_size,
    "llama.attention.head_count": CONFIG.heads,
    "llama.attention.head_count_kv": CONFIG.kv_heads,
    "llama.rope.freq_base": 50000.0,
    "llama.rope.dimension_count": CONFIG.head_dim,
    "llama.attention.layer_norm_rms_epsilon": 2.0**-16,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.token_type": [3] * len(SPECIAL) + [1] * (len(TOKENS) - len(SPECIAL)),
    "tokenizer.ggml.merges": MERGES,
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
    "tokenizer.ggml.unknown_token_id": 0,
    "tokenizer.ggml.padding_token_id": 2,
    "tokenizer.ggml.add_bos_token": False,
    "tokenizer.chat_template": TEMPLATE,
}


def neighbours(rows: Tensor, heads: int) -> Tensor:
    """Rows of q or k in llama.cpp's order: dimension i of a head beside dimension i + size / 2."""
    size = len(rows) // heads
    order = [
        head * size + half * (size // 2) + pair
        for head in range(heads)
        for pair in range(size // 2)
        for half in (0, 1)
    ]
    return rows[order]


def stored() -> dict[str, Tensor]:
    """The weights under llama.cpp's names, in its order."""
    names = {
        "token_embd.weight": "model.embed_tokens.weight",
        "output_norm.weight": "model.norm.weight",
    }
    for layer in range(CONFIG.layers):
        for own, other in (
            ("attn_norm", "input_layernorm"),
            ("attn_q", "self_attn.q_proj"),
            ("attn_k", "self_attn.k_proj"),
            ("attn_v", "self_attn.v_proj"),
            ("attn_output", "self_attn.o_proj"),
            ("ffn_norm", "post_attention_layernorm"),
            ("ffn_gate", "mlp.gate_proj"),
            ("ffn_up", "mlp.up_proj"),
            ("ffn_down", "mlp.down_proj"),
        ):
            names[f"blk.{layer}.{own}.weight"] = f"model.layers.{layer}.{other}.weight"
    heads = {"attn_q": CONFIG.heads, "attn_k": CONFIG.kv_heads}
    return {
        own: neighbours(WEIGHTS[other], heads[own.split(".")[2]])
        if own.split(".")[-2] in heads
        else WEIGHTS[other]
        for own, other in names.items()
    }


def write_small_smollm(path: Path) -> Path:
    """Write it."""
    return write_gguf(path, VALUES, {name: float32(weight) for name, weight in stored().items()})
