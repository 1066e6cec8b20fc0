"""EAGLE-1/2 heads as SafeAILab/EAGLE publishes them, and as other engines load them.

A folder with config.json and model.safetensors (or pytorch_model.bin, which is read with care and
never written). With h the hidden size, i the intermediate size, q and k the heads' sizes together:

    fc.weight [h, 2h], fc.bias [h] only if config.json's "bias" is not false (absent means true)
    layers.0.self_attn.{q,k,v}_proj.weight [q or k, h], their biases [q or k] if there are any
    layers.0.self_attn.o_proj.weight [h, q]
    layers.0.mlp.{gate,up}_proj.weight [i, h], layers.0.mlp.down_proj.weight [h, i]
    layers.0.post_attention_layernorm.weight [h]

All names may begin with ``model.``. Copies of the target's embedding and LM head may lie beside
them: they are compared with the target's and not used.

Of this project alone, since the published layout has no place for them:

    d2t [drafted], t2d [vocab]     the draft vocabulary (see ``eagle_impl.drafters.vocabulary``);
                                   config.json's "draft_vocab_size" then says how many ids it has.
                                   vLLM refuses tensors that it does not know: a head for it is
                                   written without a draft vocabulary
    "trained_for" in config.json   the target's name, and a fingerprint of its LM head
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor

from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import ArchitectureError, CheckpointError
from eagle_impl.fingerprint import TrainedFor
from eagle_impl.formats.files import read_json
from eagle_impl.formats.huggingface import Config, Size, geometry, read_family
from eagle_impl.formats.kinds import Kind, kind_of
from eagle_impl.formats.tensors import (
    SAFETENSORS,
    converted,
    fit,
    read_folder,
    require_finite,
    write_tensors,
)
from eagle_impl.targets.interface import RopeConfig

EMBEDDING, LM_HEAD = "embed_tokens.weight", "lm_head.weight"
D2T, T2D = "d2t", "t2d"
_FC_BIAS = "fc.bias"
_Q_BIAS = "layers.0.self_attn.q_proj.bias"

_TYPES = ("llama", "mistral", "mixtral", "qwen2")
_ARCHITECTURES = tuple(f"{name.capitalize()}ForCausalLM" for name in _TYPES)
"""What heads are called, after their targets."""

_OF_LLAMA = "a head has a layer of Llama's kind, whatever its target is"


class _Fields(Config, kw_only=True):
    """config.json, with the defaults of the published code."""

    num_hidden_layers: Size = 1
    max_position_embeddings: Size = 2048
    bias: bool = True
    qkv_bias: bool = False
    draft_vocab_size: Size | None = None
    trained_for: TrainedFor | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EagleFiles:
    """What a folder holds, before it is known whether that makes a head."""

    folder: Path
    config: HeadConfig
    weights: dict[str, Tensor]
    """By their names without prefix; those that belong to the head."""
    trained_for: TrainedFor | None
    draft_vocab_size: int | None
    d2t: Tensor | None
    t2d: Tensor | None
    embedding: Tensor | None
    """A copy of the target's. [vocab, hidden]"""
    lm_head: Tensor | None
    """A copy of the target's. [vocab, hidden]"""

    @property
    def vocabulary(self) -> DraftVocabulary | None:
        """The draft vocabulary.

        Raises:
            CheckpointError: There is half of one, or it contradicts itself.
        """
        promised, vocab_size = self.draft_vocab_size, self.config.vocab_size
        if self.d2t is None:
            if self.t2d is not None or promised not in (None, vocab_size):
                raise CheckpointError(
                    f"{self.folder}: a draft vocabulary of {promised or 'some'} ids, but no d2t"
                    " says which",
                    "export the head again, with its map",
                )
            return None
        if promised not in (None, self.d2t.numel()):
            raise CheckpointError(
                f"{self.folder}: d2t maps {self.d2t.numel()} ids, config.json says that"
                f" draft_vocab_size is {promised}"
            )
        try:
            return DraftVocabulary.from_tables(self.d2t, self.t2d, vocab_size)
        except CheckpointError as error:
            raise CheckpointError(f"{self.folder}: {error.message}", error.hint) from None

    def problems(self) -> Iterator[CheckpointError]:
        """All that keeps the files from being a head, one by one."""
        with torch.device("meta"):
            shapes = {n: (*t.shape,) for n, t in EagleHead(self.config).state_dict().items()}
        missing = {name: shape for name, shape in shapes.items() if name not in self.weights}
        strange = {name: tensor for name, tensor in self.weights.items() if name not in shapes}
        # Without fc.weight it is something else altogether, which has no bias to speak of.
        if "fc.weight" in self.weights and _FC_BIAS in missing:
            del missing[_FC_BIAS]
            yield CheckpointError(
                f'{self.folder}: missing {_FC_BIAS}: config.json does not say "bias": false',
                "say so there if the head has none",
            )
        parts = [({}, missing), (strange, {})]
        parts += [({n: t}, {n: shapes[n]}) for n, t in self.weights.items() if n in shapes]
        for tensors, wanted in parts:
            try:
                fit(tensors, wanted, self.folder)
                require_finite(tensors, self.folder)
            except CheckpointError as error:
                yield error
        try:
            self.vocabulary  # noqa: B018 (asked for its complaints)
        except CheckpointError as error:
            yield error

    def head(self, device: torch.device | str, dtype: torch.dtype) -> EagleHead:
        """The head.

        Raises:
            CheckpointError: The files do not make one.
        """
        for problem in self.problems():
            raise problem
        weights = converted(self.weights, torch.device(device), dtype, self.folder)
        with torch.device("meta"):
            head = EagleHead(self.config)
        head.load_state_dict(weights, assign=True)
        return head.requires_grad_(True)


def read_eagle(folder: Path) -> EagleFiles:
    """Read a head's files.

    Raises:
        CheckpointError: One cannot be read or is not what it must be.
    """
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "there is no such folder"
        raise CheckpointError(
            f"{folder}: {what}", "name the folder with the head's config.json and weights"
        )
    tensors = read_folder(folder)
    if (kind := kind_of(tensors)) not in (Kind.EAGLE, Kind.UNKNOWN):
        raise CheckpointError(
            f"{folder}: holds no {Kind.EAGLE}: it is of the kind {kind}", "name a head's folder"
        )
    path = folder / "config.json"
    fields = _read_fields(path)
    tensors = {
        name.removeprefix("model."): tensor
        for name, tensor in tensors.items()
        if not name.endswith(".rotary_emb.inv_freq")  # what config.json says already
    }
    aside = {name: tensors.pop(name, None) for name in (EMBEDDING, LM_HEAD, D2T, T2D)}
    if not fields.bias and _FC_BIAS in tensors and not tensors[_FC_BIAS].any():
        del tensors[_FC_BIAS]  # SGLang wants one in any case, so that exports add zeros
    try:
        sizes = geometry(path, fields)
    except ArchitectureError as error:  # what would run such a model takes no such head
        raise CheckpointError(error.message, _OF_LLAMA) from None
    config = replace(
        HeadConfig.like(sizes),
        fc_bias=fields.bias,
        attention_bias=sizes.attention_bias or fields.qkv_bias or _Q_BIAS in tensors,
    )
    return EagleFiles(
        folder,
        config,
        tensors,
        fields.trained_for,
        fields.draft_vocab_size,
        d2t=aside[D2T],
        t2d=aside[T2D],
        embedding=aside[EMBEDDING],
        lm_head=aside[LM_HEAD],
    )


def _read_fields(path: Path) -> _Fields:
    """config.json, if it can be a head's at all."""
    family = read_family(path)
    names = [
        name.removeprefix("Eagle").removesuffix("Eagle") for name in family.architectures or ()
    ]
    if family.model_type not in (None, *_TYPES):
        raise CheckpointError(f"{path}: model_type {family.model_type} is no head's", _OF_LLAMA)
    if names and not set(names) & set(_ARCHITECTURES):
        raise CheckpointError(f"{path}: architecture {names[0]} is no head's", _OF_LLAMA)
    fields = read_json(path, _Fields)
    if fields.num_hidden_layers != 1:
        raise CheckpointError(
            f"{path}: num_hidden_layers is {fields.num_hidden_layers}", "a head has one layer"
        )
    return fields


def write_eagle(
    folder: Path,
    head: EagleHead,
    vocabulary: DraftVocabulary | None = None,
    trained_for: TrainedFor | None = None,
) -> None:
    """Write a head, in the number format that it has.

    Args:
        folder: Made if need be; a head that is there is replaced.
        head: What to write.
        vocabulary: Ids to draft.
        trained_for: The target.
    """
    fields = config_fields(head.config, str(head.dtype).removeprefix("torch."))
    tensors = {name: tensor.contiguous() for name, tensor in head.state_dict().items()}
    if vocabulary is not None:
        fields["draft_vocab_size"] = len(vocabulary)
        tensors |= {D2T: vocabulary.d2t, T2D: vocabulary.t2d}
    if trained_for is not None:
        fields["trained_for"] = msgspec.to_builtins(trained_for)
    folder.mkdir(parents=True, exist_ok=True)
    # An interrupted writer leaves a head that is whole, not half of one.
    write_tensors(folder / f".{SAFETENSORS}", tensors)
    (folder / ".config.json").write_text(json.dumps(fields, indent=2) + "\n", encoding="utf-8")
    for name in (SAFETENSORS, "config.json"):
        os.replace(folder / f".{name}", folder / name)


def config_fields(config: HeadConfig, dtype: str) -> dict[str, Any]:
    """config.json of a head. Engines look for the same setting under several names."""
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": config.vocab_size,
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_hidden_layers": 1,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "hidden_act": "silu",
        "rms_norm_eps": config.norm_epsilon,
        "max_position_embeddings": config.max_positions,
        **rope_fields(config.rope),
        "bias": config.fc_bias,
        "attention_bias": config.attention_bias,
        "qkv_bias": config.attention_bias,
        "tie_word_embeddings": False,
        "pad_token_id": 0,
        "torch_dtype": dtype,
    }


def rope_fields(rope: RopeConfig) -> Mapping[str, Any]:
    """Rotary settings, in the layout of transformers 5 and in the older one."""
    settings: dict[str, Any] = {"rope_type": "default"}
    if rope.scaling != "none":
        settings = {"rope_type": rope.scaling, "factor": rope.factor}
    if rope.scaling == "llama3":
        settings |= {
            "low_freq_factor": rope.low_frequency_factor,
            "high_freq_factor": rope.high_frequency_factor,
            "original_max_position_embeddings": rope.original_positions,
        }
    return {
        "rope_theta": rope.theta,
        "rope_scaling": None
        if rope.scaling == "none"
        # The published code asks for "type", newer code for "rope_type".
        else settings | {"type": rope.scaling},
        "rope_parameters": settings | {"rope_theta": rope.theta},
    }
