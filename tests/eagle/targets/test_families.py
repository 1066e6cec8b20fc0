"""Folders as transformers writes them: which target they get, and that it says the same."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from eagle.targets.tiny_transformers import MODELS, build
from eagle.tiny import tiny_config, tiny_weights, write_model
from eagle.tiny_text import byte_level

import eagle_impl
from eagle_impl.errors import CheckpointError
from eagle_impl.targets.huggingface import HuggingFaceTarget
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.targets.loading import load_target, load_target_text

SIZES = {
    "vocab_size": 300,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
ROPE = {"rope_type": "default", "rope_theta": 500.0}
LLAMA_3 = ROPE | {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
YARN = ROPE | {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}

FOLDERS: dict[str, tuple[type, str, dict[str, Any]]] = {
    "Llama": (LlamaTarget, "Llama", {"rope_parameters": ROPE}),
    "Llama, tied": (LlamaTarget, "Llama", {"tie_word_embeddings": True}),
    "Llama, wide heads": (LlamaTarget, "Llama", {"head_dim": 24}),
    "Llama 3": (LlamaTarget, "Llama", {"rope_parameters": LLAMA_3}),
    "Llama, linear scaling": (
        LlamaTarget,
        "Llama",
        {"rope_parameters": ROPE | {"rope_type": "linear", "factor": 4.0}},
    ),
    "Mistral": (LlamaTarget, "Mistral", {"sliding_window": None}),
    "Qwen2": (LlamaTarget, "Qwen2", {}),
    "Llama, YaRN": (HuggingFaceTarget, "Llama", {"rope_parameters": YARN}),
    "Llama, biases everywhere": (HuggingFaceTarget, "Llama", {"attention_bias": True}),
    "Mixtral": (HuggingFaceTarget, "Mixtral", {"num_local_experts": 4}),
    "Gemma 2": (HuggingFaceTarget, "Gemma2", {"head_dim": 12, "sliding_window": 5}),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_gets_the_target_that_says_the_same(name: str, tmp_path: Path) -> None:
    kind, family, more = FOLDERS[name]
    model = build(family, SIZES | more)
    model.save_pretrained(tmp_path)
    byte_level().save(str(tmp_path / "tokenizer.json"))
    target = load_target(tmp_path)
    assert isinstance(target, kind)
    ids = torch.randint(0, 300, (40,), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        expected = model(ids[None]).logits[0]
    got = target.lm_head(target.prefill(ids, target.new_cache(40)).features)
    assert (got - expected).abs().max() < 1e-4 * float(expected.abs().max())
    assert (target.config.eos_ids, target.config.bos_id) == ((2,), 1)
    assert load_target_text(tmp_path).encode("hi") == [104, 105]


def test_without_transformers_one_line_names_what_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(*MODELS["Mixtral"]).save_pretrained(tmp_path)
    for module in ("huggingface", "huggingface_config"):
        monkeypatch.delitem(sys.modules, f"eagle_impl.targets.{module}")
    monkeypatch.setitem(sys.modules, "transformers", None)  # importing it fails
    for load in (load_target, load_target_text):
        with pytest.raises(CheckpointError, match="architecture MixtralForCausalLM") as caught:
            load(tmp_path)
        assert "pip install '.[huggingface]' in a clone" in caught.value.hint
        assert "\n" not in caught.value.message + caught.value.hint


def test_a_llama_shaped_model_is_run_without_transformers(tmp_path: Path) -> None:
    """It is large, and takes seconds to import."""
    config = tiny_config(vocab_size=300, layers=1)
    write_model(tmp_path, config, tiny_weights(config))
    byte_level().save(str(tmp_path / "tokenizer.json"))
    program = """
import sys
from eagle_impl.cli import main
try:
    main()
finally:
    assert "torch" in sys.modules
    assert "transformers" not in sys.modules
"""
    words = ["generate", "hi", "--target", str(tmp_path), "--max-new-tokens", "3"]
    subprocess.run([sys.executable, "-c", program, *words], check=True, capture_output=True)


def test_transformers_is_imported_by_what_runs_it_only() -> None:
    package = Path(eagle_impl.__file__).parent
    importing = set()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "transformers" for name in names):
                importing.add(file.relative_to(package).as_posix())
    assert all(file.startswith(("targets/huggingface", "bench/")) for file in importing)
    assert "targets/huggingface.py" in importing
