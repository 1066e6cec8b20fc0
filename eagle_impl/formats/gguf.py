"""Models as llama.cpp stores them: one GGUF file with settings, tokenizer and quantised weights.

Only what the packaged model needs is read: the Llama architecture in float32, Q8_0 and Q4_1.
Quantised weights become the float32 numbers that they stand for. Of any other file, what it says of
itself can be read.

Layout (ggml's docs/gguf.md): magic, version, counts; keys and values; names, shapes and places of
tensors; and, from the next multiple of the alignment, their bytes.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import torch
from torch import Tensor

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import one_line, read_bytes

_SCALARS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
"""Formats of ``struct``, by GGUF's numbers of value types; 8 is text and 9 an array."""

_DAMAGE = (struct.error, LookupError, ValueError, TypeError, ArithmeticError, RuntimeError)
"""What reading nonsense may raise."""

_MATRICES = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_AROUND = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}

_MOST_DIMENSIONS = 8
"""Twice as many as a tensor of ggml has."""
_LONGEST = 2**24
"""More values than any list holds: vocabularies have less than a million."""

T = TypeVar("T")
_Place: TypeAlias = tuple[str, list[int], int, int]
"""Of a tensor: name, shape (outermost dimension first), number of the type, and where it begins."""


@dataclass(frozen=True, slots=True)
class Gguf:
    """What a GGUF file holds."""

    values: dict[str, Any]
    """Settings by key: numbers, text, truth values and lists of these."""
    tensors: dict[str, Tensor]
    """Weights by llama.cpp's names, float32."""


@dataclass(frozen=True, slots=True)
class GgufHeading:
    """What a GGUF file says of itself."""

    values: dict[str, Any]
    """Settings by key, as of ``Gguf``."""
    weights: Counter[str]
    """How many there are of each type, by ggml's names."""


def read_gguf(path: Path) -> Gguf:
    """Read a file and dequantise its weights.

    Raises:
        CheckpointError: It is no GGUF file, is damaged, or holds other kinds of weights.
    """
    return _read(path, _parse)


def read_gguf_heading(path: Path) -> GgufHeading:
    """Read a file without its weights, of whatever types they are.

    Raises:
        CheckpointError: It is no GGUF file, or is damaged.
    """
    return _read(path, _parse_heading)


def _read(path: Path, parse: Callable[[mmap.mmap], T]) -> T:
    """Something of a file."""
    if read_bytes(path, 24)[:4] != b"GGUF":
        raise CheckpointError(f"{path}: not a GGUF file")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        try:
            return parse(content)
        except _DAMAGE as error:
            raise CheckpointError(f"{path}: damaged GGUF file: {one_line(error)}") from None


def huggingface_tensors(gguf: Gguf) -> dict[str, Tensor]:
    """Weights under the names of Hugging Face's Llama, with rows of q and k in its order."""
    heads = int(gguf.values["llama.attention.head_count"])
    kv_heads = int(gguf.values["llama.attention.head_count_kv"])
    renamed = {}
    for name, tensor in gguf.tensors.items():
        parts = name.split(".")
        if parts[0] == "blk":
            if parts[2] in ("attn_q", "attn_k"):
                tensor = _halves(tensor, heads if parts[2] == "attn_q" else kv_heads)
            renamed[f"model.layers.{parts[1]}.{_MATRICES[parts[2]]}.{parts[3]}"] = tensor
        else:
            renamed[f"{_AROUND[parts[0]]}.{parts[1]}"] = tensor
    return renamed


def huggingface_config(gguf: Gguf) -> dict[str, Any]:
    """config.json, with rotary settings where transformers 4 and where transformers 5 look."""
    values = gguf.values
    heads, theta = values["llama.attention.head_count"], values["llama.rope.freq_base"]
    tokens = {
        f"{name}_token_id": values.get(f"tokenizer.ggml.{key}_token_id")
        for name, key in (("bos", "bos"), ("eos", "eos"), ("pad", "padding"))
    }
    return tokens | {
        "architectures": ["LlamaForCausalLM"],
        "attention_bias": False,
        "dtype": "float32",
        "head_dim": values.get(
            "llama.rope.dimension_count", values["llama.embedding_length"] // heads
        ),
        "hidden_act": "silu",
        "hidden_size": values["llama.embedding_length"],
        "intermediate_size": values["llama.feed_forward_length"],
        "max_position_embeddings": values["llama.context_length"],
        "mlp_bias": False,
        "model_type": "llama",
        "num_attention_heads": heads,
        "num_hidden_layers": values["llama.block_count"],
        "num_key_value_heads": values["llama.attention.head_count_kv"],
        "rms_norm_eps": values["llama.attention.layer_norm_rms_epsilon"],
        "rope_parameters": {"rope_theta": theta, "rope_type": "default"},
        "rope_theta": theta,
        "tie_word_embeddings": "output.weight" not in gguf.tensors,
        "vocab_size": len(values["tokenizer.ggml.tokens"]),
    }


def _halves(rows: Tensor, heads: int) -> Tensor:
    """Undo llama.cpp's order of q and k, where the two rotated dimensions are neighbours.

    [heads * head_dim, hidden] -> the same, each head's first elements of all pairs first.
    """
    pairs = rows.view(heads, -1, 2, rows.shape[1])  # [heads, head_dim / 2, 2, hidden]
    return pairs.transpose(1, 2).flatten(0, 2).contiguous()


class _Cursor:
    """Reads one value after the other."""

    def __init__(self, content: mmap.mmap) -> None:
        self.content = content
        self.position = 0

    def scalar(self, code: str) -> Any:
        (value,) = struct.unpack_from(f"<{code}", self.content, self.position)
        self.position += struct.calcsize(f"<{code}")
        return value

    def text(self) -> str:
        length = self.scalar("Q")
        start, self.position = self.position, self.position + length
        if self.position > len(self.content):
            raise ValueError("truncated")
        return self.content[start : self.position].decode()

    def value(self, kind: int) -> Any:
        if kind == 8:
            return self.text()
        if kind == 9:
            kind, count = self.scalar("I"), self.scalar("Q")
            if count > _LONGEST:
                raise ValueError(f"a list of {count} values")
            return [self.value(kind) for _ in range(count)]
        return self.scalar(_SCALARS[kind])


def _said(cursor: _Cursor) -> tuple[dict[str, Any], list[_Place]]:
    """Settings, and where the tensors are; the cursor stands behind all that then."""
    cursor.position = 4
    version, tensors, pairs = cursor.scalar("I"), cursor.scalar("Q"), cursor.scalar("Q")
    if version not in (2, 3):
        raise ValueError(f"version {version}")
    values = {cursor.text(): cursor.value(cursor.scalar("I")) for _ in range(pairs)}
    places = []
    for _ in range(tensors):
        name, dimensions = cursor.text(), cursor.scalar("I")
        if dimensions > _MOST_DIMENSIONS:
            raise ValueError(f"{dimensions} dimensions")
        shape = [cursor.scalar("Q") for _ in range(dimensions)][::-1]
        places.append((name, shape, cursor.scalar("I"), cursor.scalar("Q")))
    return values, places


def _parse_heading(content: mmap.mmap) -> GgufHeading:
    values, places = _said(_Cursor(content))
    weights = Counter[str]()
    for _, shape, kind, _ in places:
        weights[_TYPES.get(kind, f"type {kind}")] += math.prod(shape)
    return GgufHeading(values, weights)


def _parse(content: mmap.mmap) -> Gguf:
    cursor = _Cursor(content)
    values, places = _said(cursor)
    alignment = values.get("general.alignment", 32)
    start = math.ceil(cursor.position / alignment) * alignment
    found = {}
    for name, shape, kind, offset in places:
        if kind not in _KINDS:
            raise ValueError(f"{name} is of type {kind}; types {sorted(_KINDS)} are read")
        weights, size, dequantise = _KINDS[kind]
        blocks, rest = divmod(math.prod(shape), weights)
        raw = content[start + offset : start + offset + blocks * size]
        if rest or len(raw) < blocks * size:
            raise ValueError(f"{name} is cut off")
        block = torch.frombuffer(bytearray(raw), dtype=torch.uint8).view(blocks, size)
        found[name] = dequantise(block).view(shape)
    return Gguf(values, found)


def _scale(blocks: Tensor, start: int) -> Tensor:
    """The float16 number that stands in each block at a place. [blocks, 1], float32."""
    return blocks[:, start : start + 2].contiguous().view(torch.float16).float()


def _q4_1(blocks: Tensor) -> Tensor:
    """Scale, minimum, and 32 numbers of 4 bits: low halves of 16 bytes, then their high halves."""
    nibbles = blocks[:, 4:]
    steps = torch.cat((nibbles & 15, nibbles >> 4), dim=1)  # [blocks, 32]
    return _scale(blocks, 0) * steps + _scale(blocks, 2)


def _q8_0(blocks: Tensor) -> Tensor:
    """Scale, and 32 numbers of 8 bits."""
    return _scale(blocks, 0) * blocks[:, 2:].view(torch.int8)


def _float32(blocks: Tensor) -> Tensor:
    return blocks.view(torch.float32)


_KINDS: dict[int, tuple[int, int, Callable[[Tensor], Tensor]]] = {
    0: (1, 4, _float32),
    3: (32, 20, _q4_1),
    8: (32, 34, _q8_0),
}
"""Weights and bytes in a block, and what its numbers are, by ggml's numbers of tensor types."""

_TYPES = (
    {0: "F32", 1: "F16", 28: "F64", 30: "BF16", 39: "MXFP4", 40: "NVFP4"}
    | {2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1", 41: "Q1_0"}
    | {10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K"}
    | {16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S"}
    | {22: "IQ2_S", 23: "IQ4_XS", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0"}
)
"""Names of types by the same numbers; whole numbers, which no weights are, have none."""
