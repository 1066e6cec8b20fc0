"""What transformers knows about a model before its weights are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import AutoConfig, GenerationConfig
from transformers.configuration_utils import PreTrainedConfig
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
from transformers.utils import logging

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.files import judge_regular, one_line
from eagle_impl.targets.interface import ModelConfig, RopeConfig

CHOOSE = "use a model with attention in all layers, such as Llama, Mixtral, Qwen3, Gemma or Phi-3"
"""Hint where a model cannot be run."""


def pretrained_config(folder: Path) -> PreTrainedConfig:
    """What a folder's config.json says. No code of the folder's is run.

    Raises:
        CheckpointError: transformers does not know such models, or cannot run it here.
    """
    for path in folder.iterdir():
        judge_regular(path)
    with quiet():
        try:
            config: PreTrainedConfig = AutoConfig.from_pretrained(
                folder, trust_remote_code=False, local_files_only=True
            )
        except Exception as error:  # any, since whatever the file says is tried
            raise CheckpointError(
                f"{folder}: transformers does not know it: {one_line(error)[:300]}",
                "models that bring their own code are not run",
            ) from None
    if getattr(config, "quantization_config", None) is not None:
        raise CheckpointError(
            f"{folder}: its weights are quantised", "use the model before it was quantised"
        )
    known = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(config.model_type)
    named = config.architectures[0] if config.architectures else known
    if known is None or named != known:
        raise CheckpointError(f"{folder}: {named or config.model_type} is no causal language model")
    return config


def read_huggingface_config(folder: Path) -> ModelConfig:
    """Geometry of a model that ``load_huggingface`` reads.

    Raises:
        CheckpointError: transformers does not know such models.
    """
    config, generation = pretrained_config(folder), None
    if (folder / "generation_config.json").exists():
        generation = GenerationConfig.from_pretrained(folder, local_files_only=True)
    return model_config(config, generation)


def model_config(config: PreTrainedConfig, generation: GenerationConfig | None) -> ModelConfig:
    """What the program asks about a model.

    The sizes that only heads take after are those that Llama would have, where a model has none.

    Raises:
        CheckpointError: It does not say how long its context is.
    """
    text: Any = config.get_text_config(decoder=True)
    hidden, heads = text.hidden_size, text.num_attention_heads
    ends = [token for told in (text, generation) if told for token in _ids(told.eos_token_id)]
    ropes = _ropes(text)
    return ModelConfig(
        vocab_size=text.vocab_size,
        hidden_size=hidden,
        intermediate_size=getattr(text, "intermediate_size", None) or 4 * hidden,
        layers=text.num_hidden_layers,
        heads=heads,
        kv_heads=getattr(text, "num_key_value_heads", None) or heads,
        head_dim=getattr(text, "head_dim", None) or hidden // heads,
        max_positions=_context(text, ropes),
        norm_epsilon=getattr(text, "rms_norm_eps", 1e-5),
        rope=RopeConfig(theta=ropes[0].get("rope_theta", RopeConfig().theta)),
        tied=bool(config.tie_word_embeddings),
        attention_bias=bool(getattr(text, "attention_bias", False)),
        eos_ids=tuple(dict.fromkeys(ends)),
        bos_id=text.bos_token_id,
    )


def _ids(told: int | list[int] | None) -> list[int]:
    return [] if told is None else [told] if isinstance(told, int) else told


def _ropes(text: Any) -> list[dict[str, Any]]:
    """Rotary settings: those of all layers, or of each kind of layer, the widest kind first."""
    told = getattr(text, "rope_parameters", None) or {}
    kinds = [told[kind] for kind in sorted(told) if isinstance(told[kind], dict)]
    return kinds or [told]


def _context(text: Any, ropes: list[dict[str, Any]]) -> int:
    longest = getattr(text, "max_position_embeddings", None)
    if longest is None:
        raise CheckpointError(
            f"a model of type {text.model_type} does not say how long its context is", CHOOSE
        )
    # Beyond its original context such a model turns all positions otherwise, so that the text
    # would depend on how far ahead was drafted.
    bends = [rope for rope in ropes if rope.get("rope_type") in ("dynamic", "longrope")]
    shortest: int = min(
        [longest, *(rope.get("original_max_position_embeddings", longest) for rope in bends)]
    )
    return shortest


@contextmanager
def quiet() -> Iterator[None]:
    """Without progress bars, and without warnings of what is judged here anyway."""
    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
