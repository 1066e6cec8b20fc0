"""The tokenizer in a GGUF file, as the files that Hugging Face's libraries read."""

from __future__ import annotations

from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.gguf import Gguf

_CONTROL = 3
"""Type of the tokens that mark turns and ends, which no text is cut into."""


def tokenizer_of(gguf: Gguf) -> Tokenizer:
    """Byte-level BPE as SmolLM trained it: every digit is a token of its own.

    Raises:
        CheckpointError: The file says that another kind of tokenizer is needed.
    """
    values = gguf.values
    kind = (values.get("tokenizer.ggml.model"), values.get("tokenizer.ggml.pre"))
    if kind != ("gpt2", "smollm"):
        raise CheckpointError(f"tokenizer {kind[0]}/{kind[1]} in a GGUF file is not supported")
    tokens: list[str] = values["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in values["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({token: id for id, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [
            AddedToken(token, normalized=False, special=True)
            for token, type in zip(tokens, values["tokenizer.ggml.token_type"], strict=True)
            if type == _CONTROL
        ]
    )
    return tokenizer


def tokenizer_config(gguf: Gguf) -> dict[str, Any]:
    """tokenizer_config.json: special tokens, chat template, longest context."""
    values = gguf.values
    tokens: list[str] = values["tokenizer.ggml.tokens"]
    config: dict[str, Any] = {
        f"{name}_token": tokens[values[f"tokenizer.ggml.{key}_token_id"]]
        for name, key in (("bos", "bos"), ("eos", "eos"), ("unk", "unknown"), ("pad", "padding"))
        if f"tokenizer.ggml.{key}_token_id" in values
    }
    return config | {
        "add_bos_token": values.get("tokenizer.ggml.add_bos_token", False),
        "chat_template": values.get("tokenizer.chat_template"),
        "clean_up_tokenization_spaces": False,
        "model_max_length": values["llama.context_length"],
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
