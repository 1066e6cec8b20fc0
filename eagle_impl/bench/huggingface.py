"""The same weights decoded by transformers: what most people would use instead.

It is no dependency of the project. Where it is not installed, or cannot load the model, the report
says so.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from eagle_impl.bench.clock import Clock
from eagle_impl.bench.methods import Decode, Engine, Method, Outcome
from eagle_impl.formats.files import one_line

TRANSFORMERS = "transformers"
"""Key of its plain decoding, with which others are compared."""
_ENGINE = Engine("hugging-face-transformers")
LOOKED_UP = 10
"""Tokens that prompt lookup drafts, as in the documentation of transformers."""


def transformers_methods(
    folder: Path,
    eos_ids: Sequence[int],
    threads: int,
    clock: Clock,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
) -> list[Method] | str:
    """Greedy decoding by transformers, with SDPA, without and with prompt lookup.

    Args:
        folder: The model.
        eos_ids: Ids that end the text, as for the own engine.
        threads: To compute with, as for the own engine.
        clock: Seconds.
        device: Where to compute.
        dtype: Number format of the weights.

    Returns:
        The methods, or why there are none.
    """
    try:
        module: Any = importlib.import_module("transformers")
    except ImportError as error:
        return f"transformers is not installed ({one_line(error)})"
    module.logging.set_verbosity_error()
    module.logging.disable_progress_bar()
    try:
        model = module.AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, attn_implementation="sdpa", local_files_only=True
        )
    except Exception as error:  # of whatever the release does with the model
        version = importlib.metadata.version("transformers")
        return f"transformers {version} cannot load the model: {one_line(error)[:200]}"
    model.eval()
    model.to(device)
    plain = _decoder(module, model, eos_ids, threads, clock, device)
    return [
        Method(TRANSFORMERS, "transformers", plain, engine=_ENGINE),
        Method(
            "transformers-lookup",
            f"transformers, lookup {LOOKED_UP}",
            _decoder(
                module, model, eos_ids, threads, clock, device, prompt_lookup_num_tokens=LOOKED_UP
            ),
            engine=_ENGINE,
        ),
    ]


def _decoder(
    module: Any,
    model: Any,
    eos_ids: Sequence[int],
    threads: int,
    clock: Clock,
    device: torch.device | str,
    **more: Any,
) -> Decode:
    def decode(
        prompt: Sequence[int], tokens: int, temperature: float = 0.0, seed: int = 0
    ) -> Outcome:
        config = module.GenerationConfig(
            do_sample=False,
            max_new_tokens=tokens,
            eos_token_id=list(eos_ids) or None,
            pad_token_id=eos_ids[0] if eos_ids else 0,
            **more,
        )
        # What the model's folder recommends would otherwise fill in what is not said here.
        model.generation_config = config
        # The own engine has threads of its own, and leaves torch with one.
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            began = clock()
            ids = torch.tensor([prompt], device=device)  # [1, tokens]
            with torch.inference_mode():
                out = model.generate(
                    ids, attention_mask=torch.ones_like(ids), generation_config=config
                )
            generated = tuple(out[0, len(prompt) :].tolist())
            return Outcome(generated, clock() - began)
        finally:
            torch.set_num_threads(before)

    return decode
