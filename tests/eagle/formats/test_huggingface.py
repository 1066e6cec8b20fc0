from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from eagle.tiny import settings_of, tiny_config, tiny_weights, write_model
from safetensors.torch import save_file
from torch import Tensor

from eagle_impl.errors import CheckpointError
from eagle_impl.formats.huggingface import read_config, read_model, shapes
from eagle_impl.targets.interface import ModelConfig, RopeConfig

CPU = torch.device("cpu")

LLAMA_3_1_8B = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "bos_token_id": 128000,
    "eos_token_id": [128001, 128008, 128009],
    "hidden_act": "silu",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "max_position_embeddings": 131072,
    "mlp_bias": False,
    "model_type": "llama",
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "rms_norm_eps": 1e-05,
    "rope_scaling": {
        "factor": 8.0,
        "high_freq_factor": 4.0,
        "low_freq_factor": 1.0,
        "original_max_position_embeddings": 8192,
        "rope_type": "llama3",
    },
    "rope_theta": 500000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "vocab_size": 128256,
}
QWEN_2_5_HALF_B = {
    "architectures": ["Qwen2ForCausalLM"],
    "attention_dropout": 0.0,
    "bos_token_id": 151643,
    "eos_token_id": 151645,
    "hidden_act": "silu",
    "hidden_size": 896,
    "intermediate_size": 4864,
    "max_position_embeddings": 32768,
    "max_window_layers": 21,
    "model_type": "qwen2",
    "num_attention_heads": 14,
    "num_hidden_layers": 24,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-06,
    "rope_theta": 1000000.0,
    "sliding_window": 32768,
    "tie_word_embeddings": True,
    "use_sliding_window": False,
    "vocab_size": 151936,
}
MISTRAL_7B_V0_1 = {
    "architectures": ["MistralForCausalLM"],
    "bos_token_id": 1,
    "eos_token_id": 2,
    "hidden_act": "silu",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "max_position_embeddings": 32768,
    "model_type": "mistral",
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "rms_norm_eps": 1e-05,
    "rope_theta": 10000.0,
    "sliding_window": 4096,
    "tie_word_embeddings": False,
    "vocab_size": 32000,
}
VICUNA_7B = {
    "architectures": ["LlamaForCausalLM"],
    "bos_token_id": 1,
    "eos_token_id": 2,
    "hidden_act": "silu",
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "max_position_embeddings": 2048,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "rms_norm_eps": 1e-06,
    "vocab_size": 32000,
}
"""As it was published in 2023: without a key for shared heads, for rotary settings and for ties."""

TINY = settings_of(tiny_config())


def write(folder: Path, *settings: dict[str, Any], generation: Any = None) -> Path:
    merged = {name: value for fields in settings for name, value in fields.items()}
    kept = {name: value for name, value in merged.items() if value != "left out"}
    (folder / "config.json").write_text(json.dumps(kept))
    if generation is not None:
        (folder / "generation_config.json").write_text(json.dumps(generation))
    return folder


def complaint(folder: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        read_config(folder)
    assert "\n" not in caught.value.message
    return f"{caught.value.message} ({caught.value.hint})"


@pytest.mark.parametrize(
    ("settings", "generation", "expected"),
    [
        (
            LLAMA_3_1_8B,
            {"eos_token_id": [128001, 128008, 128009], "temperature": 0.6},
            ModelConfig(
                vocab_size=128256,
                hidden_size=4096,
                intermediate_size=14336,
                layers=32,
                heads=32,
                kv_heads=8,
                head_dim=128,
                max_positions=131072,
                norm_epsilon=1e-5,
                rope=RopeConfig(500000.0, "llama3", 8.0, 1.0, 4.0, 8192),
                eos_ids=(128001, 128008, 128009),
                bos_id=128000,
            ),
        ),
        (
            QWEN_2_5_HALF_B,
            {"eos_token_id": [151645, 151643]},
            ModelConfig(
                vocab_size=151936,
                hidden_size=896,
                intermediate_size=4864,
                layers=24,
                heads=14,
                kv_heads=2,
                head_dim=64,
                max_positions=32768,
                norm_epsilon=1e-6,
                rope=RopeConfig(1e6),
                tied=True,
                attention_bias=True,
                eos_ids=(151645, 151643),
                bos_id=151643,
            ),
        ),
        (
            MISTRAL_7B_V0_1,
            None,
            ModelConfig(
                vocab_size=32000,
                hidden_size=4096,
                intermediate_size=14336,
                layers=32,
                heads=32,
                kv_heads=8,
                head_dim=128,
                max_positions=4096,  # where the window ends
                norm_epsilon=1e-5,
                eos_ids=(2,),
                bos_id=1,
            ),
        ),
        (
            VICUNA_7B,
            {"eos_token_id": None},
            ModelConfig(
                vocab_size=32000,
                hidden_size=4096,
                intermediate_size=11008,
                layers=32,
                heads=32,
                kv_heads=32,
                head_dim=128,
                max_positions=2048,
                norm_epsilon=1e-6,
                eos_ids=(2,),
                bos_id=1,
            ),
        ),
    ],
    ids=["Llama 3.1 8B", "Qwen2.5 0.5B", "Mistral 7B", "Vicuna 7B"],
)
def test_published_configurations(
    tmp_path: Path, settings: dict[str, Any], generation: Any, expected: ModelConfig
) -> None:
    assert read_config(write(tmp_path, settings, generation=generation)) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"rope_theta": "left out"}, RopeConfig(10000.0)),
        ({"rope_scaling": None}, RopeConfig(10000.0)),
        ({"rope_theta": 5e5}, RopeConfig(5e5)),
        (
            {"rope_theta": "left out", "rope_parameters": {"rope_theta": 5e5}},
            RopeConfig(5e5),
        ),
        (
            {"rope_theta": 5e5, "rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}},
            RopeConfig(5e5),
        ),
        ({"rope_scaling": {"type": "linear", "factor": 4.0}}, RopeConfig(1e4, "linear", 4.0)),
        ({"rope_scaling": {"rope_type": "linear", "factor": 4}}, RopeConfig(1e4, "linear", 4.0)),
        (
            {
                "rope_theta": "left out",
                "rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 3e4},
            },
            RopeConfig(3e4, "linear", 2.0),
        ),
        (
            {
                "rope_scaling": {
                    "type": "llama3",
                    "factor": 32.0,
                    "low_freq_factor": 1.0,
                    "high_freq_factor": 4.0,
                    "original_max_position_embeddings": 64,
                }
            },
            RopeConfig(1e4, "llama3", 32.0, 1.0, 4.0, 64),
        ),
    ],
)
def test_rotary_settings_in_every_layout(
    tmp_path: Path, changes: dict[str, Any], expected: RopeConfig
) -> None:
    assert read_config(write(tmp_path, TINY, changes)).rope == expected


@pytest.mark.parametrize(
    ("settings", "positions"),
    [
        (MISTRAL_7B_V0_1 | {"sliding_window": None}, 32768),
        (LLAMA_3_1_8B | {"sliding_window": 4096}, 131072),  # Llama has none and ignores it
        (QWEN_2_5_HALF_B | {"use_sliding_window": True, "sliding_window": 8192}, 8192),
        (QWEN_2_5_HALF_B | {"use_sliding_window": True, "sliding_window": 65536}, 32768),
    ],
)
def test_a_context_ends_where_a_window_would_begin_to_slide(
    tmp_path: Path, settings: dict[str, Any], positions: int
) -> None:
    assert read_config(write(tmp_path, settings)).max_positions == positions


@pytest.mark.parametrize(
    ("own", "generation", "expected"),
    [
        (2, None, (2,)),
        ([2, 5], {}, (2, 5)),
        (2, {"eos_token_id": 7}, (2, 7)),
        (2, {"eos_token_id": [7, 2]}, (2, 7)),
        (None, {"eos_token_id": [7]}, (7,)),
        (None, None, ()),
    ],
)
def test_ids_that_end_a_generation_come_from_both_files(
    tmp_path: Path, own: Any, generation: Any, expected: tuple[int, ...]
) -> None:
    folder = write(tmp_path, TINY, {"eos_token_id": own}, generation=generation)
    assert read_config(folder).eos_ids == expected


@pytest.mark.parametrize("name", [key for key in TINY if key.startswith(("vocab", "hidden", "in"))])
def test_a_missing_size_is_named(tmp_path: Path, name: str) -> None:
    assert name in complaint(write(tmp_path, TINY, {name: "left out"}))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"hidden_size": "48"}, "$.hidden_size"),
        ({"hidden_size": 0}, "$.hidden_size"),
        ({"num_hidden_layers": 10**9}, "$.num_hidden_layers"),
        ({"vocab_size": 10**30}, "$.vocab_size"),
        ({"rms_norm_eps": -1e-5}, "$.rms_norm_eps"),
        ({"rope_theta": 0}, "$.rope_theta"),
        ({"tie_word_embeddings": "yes"}, "$.tie_word_embeddings"),
        ({"eos_token_id": "</s>"}, "$.eos_token_id"),
        ({"eos_token_id": [2, 61]}, "special tokens [2, 61, 1]"),
        ({"bos_token_id": -1}, "special tokens [2, -1]"),
        ({"num_key_value_heads": 3}, "4 heads cannot share 3"),
        ({"head_dim": None, "num_attention_heads": 5, "num_key_value_heads": 5}, "multiple of 5"),
        ({"head_dim": 15}, "head_dim 15 is odd"),
        ({"hidden_act": "gelu"}, "hidden_act gelu is not supported (the Hugging Face target"),
        ({"attention_bias": True}, "attention_bias is not supported (the Hugging Face target"),
        ({"mlp_bias": True}, "mlp_bias is not supported (the Hugging Face target"),
        ({"partial_rotary_factor": 0.5}, "partial_rotary_factor is not supported"),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor is not"),
        ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "'dynamic' is not supported (the"),
        ({"rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, "'yarn' is not supported (the"),
        ({"rope_scaling": {"type": "linear"}}, "settings of the linear rotary scaling"),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "settings of the llama3 rotary"),
        ({"rope_scaling": "linear"}, "$.rope_scaling"),
        ({"rope_parameters": {"rope_theta": 5e5}}, "two values of rope_theta, 10000.0 and 500000"),
        (
            {"quantization_config": {"quant_method": "gptq"}},
            "quantised (gptq) (use the model before",
        ),
        ({"architectures": ["GemmaForCausalLM"]}, "architecture GemmaForCausalLM is not one of"),
        ({"architectures": ["LlamaForCausalLMEagle3"]}, "architecture LlamaForCausalLMEagle3 is"),
        ({"architectures": None, "model_type": "gpt2"}, "architecture gpt2 is not one of"),
        ({"architectures": []}, "architecture unnamed is not one of"),
        ({"architectures": "LlamaForCausalLM"}, "$.architectures"),
    ],
)
def test_what_cannot_be_run_faithfully_is_refused(
    tmp_path: Path, changes: dict[str, Any], what: str
) -> None:
    assert what in complaint(write(tmp_path, TINY, changes))


def test_the_type_names_the_architecture_where_no_list_does(tmp_path: Path) -> None:
    settings = QWEN_2_5_HALF_B | {"architectures": None}
    assert read_config(write(tmp_path, settings)).attention_bias


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"vocab_size": }', "\x80\x04", "[" * 9999]
)
def test_a_configuration_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text, encoding="latin-1")
    assert "config.json: " in complaint(tmp_path)
    write(tmp_path, TINY)
    (tmp_path / "generation_config.json").write_text(text, encoding="latin-1")
    assert "generation_config.json: " in complaint(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n "a": 1,\n "b": NaN,\n "c": 2}', "invalid character in line 3: 'NaN,' ()"),
        ('{"a": 1,}', "trailing comma in object in line 1: '}' ()"),
    ],
)
def test_what_is_no_json_is_shown_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "config.json").write_text(text)
    assert complaint(tmp_path).endswith(said)


def test_a_byte_order_mark_is_no_part_of_a_configuration(tmp_path: Path) -> None:
    write(tmp_path, TINY)
    plain = read_config(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(path.read_text(), encoding="utf-8-sig")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")
    assert read_config(tmp_path) == plain


@pytest.mark.parametrize("name", ["config.json", "generation_config.json"])
def test_a_link_that_leads_nowhere_is_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, TINY)
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).symlink_to("elsewhere.json")
    assert f"{name}: is a link to elsewhere.json, which is not there" in complaint(tmp_path)


def test_a_folder_without_configuration(tmp_path: Path) -> None:
    assert "config.json: there is no such file" in complaint(tmp_path)


# Weights


@pytest.mark.parametrize(
    "config",
    [tiny_config(), tiny_config(tied=True), tiny_config(attention_bias=True, tied=True)],
    ids=["plain", "tied", "with biases"],
)
def test_a_model_is_read_as_it_was_written(tmp_path: Path, config: ModelConfig) -> None:
    weights = tiny_weights(config)
    read, tensors = read_model(write_model(tmp_path, config, weights), CPU, torch.float32)
    assert read == config
    assert tensors.keys() == weights.keys() == shapes(config).keys()
    assert all(torch.equal(tensors[name], tensor) for name, tensor in weights.items())
    halved = read_model(tmp_path, CPU, torch.bfloat16)[1]
    assert {tensor.dtype for tensor in halved.values()} == {torch.bfloat16}


def test_the_number_of_weights_is_that_of_the_published_model() -> None:
    # SmolLM2-135M has 134,515,008 parameters: 49152 * 576 + 30 * 3,540,096 + 576
    config = ModelConfig(49152, 576, 1536, 30, 9, 3, 64, 8192, tied=True)
    assert sum(torch.Size(shape).numel() for shape in shapes(config).values()) == 134_515_008


def changed(folder: Path, config: ModelConfig, **changes: Tensor | None) -> Path:
    weights: dict[str, Tensor | None] = dict(tiny_weights(config))
    weights |= {name.replace("__", "."): tensor for name, tensor in changes.items()}
    kept = {name: tensor for name, tensor in weights.items() if tensor is not None}
    return write_model(folder, config, kept)


def test_weights_that_the_configuration_does_not_describe(tmp_path: Path) -> None:
    plain, tied = tiny_config(), tiny_config(tied=True)
    for folder, what in (
        (changed(tmp_path / "0", plain, lm_head__weight=None), "missing lm_head.weight"),
        (changed(tmp_path / "1", plain, model__norm__bias=torch.ones(48)), "unexpected model.norm"),
        (changed(tmp_path / "2", plain, model__norm__weight=torch.ones(47)), r"model.norm.weight"),
        (write_model(tmp_path / "3", tiny_config(vocab_size=64), tiny_weights(plain)), "embed_tok"),
        (changed(tmp_path / "4", plain, lm_head__weight=torch.full((61, 48), torch.nan)), "NaN"),
        (changed(tmp_path / "5", tied, lm_head__weight=torch.ones(61, 48)), "not the embedding"),
    ):
        with pytest.raises(CheckpointError, match=what) as caught:
            read_model(folder, CPU, torch.float32)
        assert str(folder) in caught.value.message


def test_what_older_checkpoints_repeat_is_left_out(tmp_path: Path) -> None:
    config = tiny_config(tied=True)
    weights = tiny_weights(config)
    more = {
        "lm_head.weight": weights["model.embed_tokens.weight"].clone(),
        "model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(8),
    }
    write_model(tmp_path, config, weights | more)
    assert read_model(tmp_path, CPU, torch.float32)[1].keys() == weights.keys()


def test_a_model_in_parts(tmp_path: Path) -> None:
    config = tiny_config()
    weights = tiny_weights(config)
    write(tmp_path, settings_of(config))
    places = {name: f"model-{number % 2}.safetensors" for number, name in enumerate(weights)}
    for part in sorted(set(places.values())):
        held = {name: tensor for name, tensor in weights.items() if places[name] == part}
        save_file(held, tmp_path / part)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    tensors = read_model(tmp_path, CPU, torch.float32)[1]
    assert all(torch.equal(tensors[name], tensor) for name, tensor in weights.items())
