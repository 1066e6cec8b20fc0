"""A program that is called like llama.cpp's server, and a model for it, both small."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from eagle.bench import played_llama_server
from eagle.bench.small import CONFIG
from eagle.formats.gguf_file import FLOAT32, write_gguf

from eagle_impl.targets.interface import ModelConfig


def install(folder: Path, behaviour: str = "", *, within_a_script: bool = False) -> Path:
    """Put a ``llama-server`` into a folder.

    Args:
        folder: Where its log will be, too.
        behaviour: As ``played_llama_server`` knows them.
        within_a_script: Whether a script starts it, waits for it, and dies alone.
    """
    played = Path(played_llama_server.__file__)
    words = shlex.join([sys.executable, "-S", str(played), str(folder / "log"), behaviour])
    program = folder / "llama-server"
    line = f'{words} "$@"; exit $?' if within_a_script else f'exec {words} "$@"'
    program.write_text(f"#!/bin/sh\n{line}\n")
    program.chmod(0o755)
    return program


def log(folder: Path) -> list[dict[str, Any]]:
    """With what it was started, and what it was asked."""
    return [json.loads(line) for line in (folder / "log").read_text().splitlines()]


def settings(config: ModelConfig) -> dict[str, Any]:
    """What a GGUF file says of a model."""
    return {
        "general.architecture": "llama",
        "llama.embedding_length": config.hidden_size,
        "llama.feed_forward_length": config.intermediate_size,
        "llama.block_count": config.layers,
        "llama.attention.head_count": config.heads,
        "llama.attention.head_count_kv": config.kv_heads,
        "tokenizer.ggml.tokens": [f"t{number}" for number in range(config.vocab_size)],
    }


def write_model(path: Path, config: ModelConfig = CONFIG) -> Path:
    weights = (FLOAT32, [config.vocab_size, 1], bytes(4 * config.vocab_size))
    return write_gguf(path, settings(config), {"token_embd.weight": weights})
