"""The same model decoded by llama.cpp: what many would use instead on a machine without a GPU.

It is no dependency of the project. Whoever has ``llama-server`` names a GGUF file of the model; the
prompts go there as the ids that the own engine gets, and ids come back. The weights are those of
the file, and the arithmetic is its own: where weights are quantised, it quantises activations, too.
So its outputs may be others, which is told and held against nobody.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from eagle_impl.bench.clock import Clock
from eagle_impl.bench.methods import Engine, Method, Outcome
from eagle_impl.bench.serving import Server, output_of, serving
from eagle_impl.errors import CheckpointError, EngineError, OptionError
from eagle_impl.formats.files import one_line
from eagle_impl.formats.gguf import read_gguf_heading
from eagle_impl.targets.interface import ModelConfig
from eagle_impl.targets.seal import sha256
from registry.reports.wording import visible

LLAMA_SERVER = "llama-server"
"""Name of the program, and key of the method."""
_TIMED = "time of the whole request, over HTTP on the loopback"
_PATIENCE, _PER_TOKEN = 60.0, 2.0
"""Seconds after which it is taken for stuck: for a request, and more for each token in it."""
_SPARE = 8
"""Places in the context that it may keep free."""


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """A ``llama-server`` and a model for it."""

    program: str
    version: str
    model: Path
    weights: str
    """The type that most weights have."""
    file: str
    """What the file is, in words."""
    vocabulary: int
    """How many tokens the model knows."""

    @property
    def software(self) -> str:
        """What its times depend on."""
        return f"llama.cpp {self.version}, {self.file}"


class _Answer(msgspec.Struct):
    tokens: Annotated[list[Annotated[int, msgspec.Meta(ge=0)]], msgspec.Meta(min_length=1)]
    tokens_evaluated: int


def find_llama_server(program: str, model: Path, config: ModelConfig) -> LlamaServer | str:
    """What decodes a model.

    Args:
        program: The ``llama-server``; the one on the PATH if empty.
        model: A GGUF file.
        config: Of the model that it must hold.

    Returns:
        That, or why there is none.

    Raises:
        CheckpointError: The file cannot be read, or holds no model.
        OptionError: It is another model, or there is no such program.
    """
    weights, file = _described(model, config)
    if os.name != "posix":
        return "this system cannot stop and continue programs"
    found = shutil.which(program or LLAMA_SERVER)
    if found is None and program:
        raise OptionError(f"there is no program {program}", "name one with --llama-server")
    if found is None:
        return "there is no llama-server on the PATH"
    try:
        told = output_of(LLAMA_SERVER, [found, "--version"], _environment())
    except EngineError as error:
        return error.message
    version = re.search(r"^version: ([ -~]{1,80})", told, re.MULTILINE)
    if version is None:
        return f"{found} does not tell its version as llama-server does"
    return LlamaServer(found, version[1], model, weights, file, config.vocab_size)


@contextmanager
def llama_methods(
    llama: LlamaServer, context: int, threads: int, clock: Clock
) -> Iterator[list[Method]]:
    """Greedy decoding by a server, which runs meanwhile.

    Args:
        llama: What to start.
        context: Tokens of the longest prompt and of what is generated after it.
        threads: To compute with, as for the own engine.
        clock: Seconds.

    Raises:
        EngineError: The server does not start, or does not load the model.
    """
    options = {
        "--model": llama.model.resolve(),
        "--ctx-size": context + _SPARE,
        "--threads": threads,
        "--threads-batch": threads,
        "--parallel": 1,
        "--device": "none",
    }
    command = [llama.program, *(str(word) for option in options.items() for word in option)]
    with serving(LLAMA_SERVER, command, _environment()) as server:

        def decode(
            prompt: Sequence[int], tokens: int, temperature: float = 0.0, seed: int = 0
        ) -> Outcome:
            with server.awake():
                began = clock()
                ids = _completed(server, prompt, tokens)
                took = clock() - began
            if len(ids) > tokens or max(ids) >= llama.vocabulary:
                raise EngineError(f"llama-server gives {len(ids)} ids of up to {max(ids)}")
            return Outcome(ids, took)

        engine = Engine("llama-cpp", llama.software, llama.weights, _TIMED)
        yield [Method(LLAMA_SERVER, f"llama.cpp, {llama.weights}", decode, engine=engine)]


def _completed(server: Server, prompt: Sequence[int], tokens: int) -> tuple[int, ...]:
    """What the server generates, the end token included if there was one."""
    asked = {
        "prompt": prompt,
        "n_predict": tokens,
        "temperature": 0,
        "samplers": ["temperature"],  # or the file's own settings may penalise what was said
        "cache_prompt": False,
        "return_tokens": True,
        "response_fields": ["tokens", "tokens_evaluated"],
    }
    patience = _PATIENCE + _PER_TOKEN * (len(prompt) + tokens)
    said = server.post("/completion", msgspec.json.encode(asked), patience)
    try:
        answer = msgspec.json.decode(said, type=_Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EngineError(f"llama-server answers with no ids: {one_line(error)}") from None
    if answer.tokens_evaluated != len(prompt):
        read = f"{answer.tokens_evaluated} tokens of a prompt of {len(prompt)}"
        raise EngineError(f"llama-server has read {read}")
    return tuple(answer.tokens)


def _described(path: Path, config: ModelConfig) -> tuple[str, str]:
    """The type that most weights of a file have, and what the file is."""
    heading = read_gguf_heading(path)
    every = heading.weights.total()
    if not every:
        raise CheckpointError(f"{path}: there are no weights in it")
    for name, (found, right) in _geometry(heading.values, config).items():
        if found != right:
            message = f"{path}: {name} {'not told' if found is None else found}"
            raise OptionError(
                f"{message}, and the target's is {right}", "name a GGUF file of the same model"
            )
    types = heading.weights.most_common()
    shares = ", ".join(f"{name} {n / every:.0%}" for name, n in types if n >= every / 100)
    size = path.stat().st_size
    return types[0][0], f"{visible(path.name)} ({shares}), {size} bytes, sha256 {sha256(path)}"


def _geometry(values: Mapping[str, Any], config: ModelConfig) -> dict[str, tuple[int | None, int]]:
    """By name: what a GGUF file says of its model, and what it must say."""
    tokens = values.get("tokenizer.ggml.tokens")
    known = len(tokens) if isinstance(tokens, list) else None
    kind = values.get("general.architecture")
    told = {
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "block_count": config.layers,
        "attention.head_count": config.heads,
        "attention.head_count_kv": config.kv_heads,
    }
    return {"number of tokens": (known, config.vocab_size)} | {
        key: (values.get(f"{kind}.{key}"), right) for key, right in told.items()
    }


def _environment() -> dict[str, str]:
    """Variables without those that set what is to be as it is by default.

    Prompts that were read earlier are not kept: putting them aside would take time of the next one.
    A release that knows no such setting keeps none.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LLAMA_")}
    return kept | {"LLAMA_ARG_CACHE_RAM": "0"}
