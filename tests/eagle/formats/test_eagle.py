from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from eagle.drafters.head_target import CONFIG, random_head
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from eagle_impl.drafters.head import HeadConfig
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import CheckpointError
from eagle_impl.fingerprint import TrainedFor
from eagle_impl.formats.eagle import read_eagle, write_eagle
from eagle_impl.formats.huggingface import read_config
from eagle_impl.targets.interface import RopeConfig

LLAMA_3 = RopeConfig(500000.0, "llama3", 8.0, 1.0, 4.0, 8192)


def written(folder: Path, config: HeadConfig = CONFIG, **more: Any) -> Path:
    """A folder with a head."""
    write_eagle(folder / "head", random_head(config), **more)
    return folder / "head"


def change_config(folder: Path, **changes: object) -> None:
    """Change keys of config.json; None removes one."""
    path = folder / "config.json"
    fields = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in fields.items() if value is not None}))


def change_tensors(folder: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    """Change the tensors."""
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


def complaint(folder: Path) -> str:
    """What is said of a broken head: one line."""
    with pytest.raises(CheckpointError) as caught:
        read_eagle(folder).head("cpu", torch.float32)
    said = caught.value.message
    assert str(folder) in said
    assert "\n" not in said + caught.value.hint
    return said.removeprefix(f"{folder}: ") + (
        f" ({caught.value.hint})" if caught.value.hint else ""
    )


@pytest.mark.parametrize(
    "config",
    [
        CONFIG,
        replace(CONFIG, fc_bias=True),
        replace(CONFIG, attention_bias=True),
        replace(CONFIG, rope=LLAMA_3),
        replace(CONFIG, rope=RopeConfig(10000.0, "linear", 2.0)),
        replace(CONFIG, kv_heads=4, norm_epsilon=1e-6, max_positions=7),
    ],
)
def test_what_is_written_is_read(tmp_path: Path, config: HeadConfig) -> None:
    files = read_eagle(written(tmp_path, config))
    assert files.config == config
    assert files.vocabulary is None
    assert files.trained_for is None
    head = files.head("cpu", torch.float32)
    original = random_head(config)
    assert all(parameter.requires_grad for parameter in head.parameters())
    weights = head.state_dict()
    assert weights.keys() == original.state_dict().keys()
    for name, tensor in original.state_dict().items():
        assert torch.equal(weights[name], tensor)
    embeddings, features = torch.randn(2, 1, 5, 24)
    assert torch.equal(head(embeddings, features), original(embeddings, features))


def test_the_layout(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        replace(CONFIG, rope=LLAMA_3),
        vocabulary=DraftVocabulary.of([3, 6, 11], 31),
        trained_for=TrainedFor("small-model", (0.5, -0.25)),
    )
    assert {path.name for path in folder.iterdir()} == {"config.json", "model.safetensors"}
    with safe_open(folder / "model.safetensors", "pt") as file:
        assert file.metadata() == {"format": "pt"}
        layout = {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
    attention = "layers.0.self_attn."
    assert layout == {
        "fc.weight": [24, 48],
        attention + "q_proj.weight": [32, 24],
        attention + "k_proj.weight": [16, 24],
        attention + "v_proj.weight": [16, 24],
        attention + "o_proj.weight": [24, 32],
        "layers.0.mlp.gate_proj.weight": [40, 24],
        "layers.0.mlp.up_proj.weight": [40, 24],
        "layers.0.mlp.down_proj.weight": [24, 40],
        "layers.0.post_attention_layernorm.weight": [24],
        "d2t": [3],
        "t2d": [31],
    }
    tables = load_file(folder / "model.safetensors")
    assert tables["d2t"].tolist() == [3, 5, 9]
    assert tables["t2d"].nonzero().flatten().tolist() == [3, 6, 11]
    scaling = {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }
    assert json.loads((folder / "config.json").read_text()) == {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": 31,
        "hidden_size": 24,
        "intermediate_size": 40,
        "num_hidden_layers": 1,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "max_position_embeddings": 64,
        "rope_theta": 500000.0,
        "rope_scaling": scaling | {"type": "llama3"},
        "rope_parameters": scaling | {"rope_theta": 500000.0},
        "bias": False,
        "attention_bias": False,
        "qkv_bias": False,
        "tie_word_embeddings": False,
        "pad_token_id": 0,
        "torch_dtype": "float32",
        "draft_vocab_size": 3,
        "trained_for": {"target": "small-model", "lm_head": [0.5, -0.25]},
    }
    files = read_eagle(folder)
    assert files.vocabulary is not None
    assert files.vocabulary.ids.tolist() == [3, 6, 11]
    assert files.trained_for == TrainedFor("small-model", (0.5, -0.25))


@pytest.mark.parametrize("layout", ["rope_scaling", "rope_parameters"])
def test_a_head_for_a_target_repeats_its_rotary_settings_and_its_heads(
    tmp_path: Path, layout: str
) -> None:
    scaling = {
        "rope_type": "llama3",
        "factor": 32.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 4096,
    }
    settings = {
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": 90,
        "hidden_size": 40,
        "intermediate_size": 56,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": 131072,
        "rope_theta": 250000.0,
        layout: scaling,
    }
    (tmp_path / "config.json").write_text(json.dumps(settings))
    target = read_config(tmp_path)
    written(tmp_path, HeadConfig.like(target))
    fields = json.loads((tmp_path / "head" / "config.json").read_text())
    assert fields["rope_theta"] == 250000.0
    assert fields["rope_scaling"] == scaling | {"type": "llama3"}
    assert fields["rope_parameters"] == scaling | {"rope_theta": 250000.0}
    kept = ("num_attention_heads", "num_key_value_heads", "head_dim", "max_position_embeddings")
    assert {name: fields[name] for name in kept} == {name: settings[name] for name in kept}
    assert read_eagle(tmp_path / "head").config.rope == target.rope


def test_a_head_as_published_for_vicuna(tmp_path: Path) -> None:
    """Sparse config.json, half precision, a pickle, a bias that nothing mentions."""
    config = replace(
        CONFIG,
        heads=3,
        kv_heads=3,
        max_positions=2048,
        norm_epsilon=1e-6,
        rope=RopeConfig(10000.0),
        fc_bias=True,
    )
    fields = {
        "architectures": ["LlamaForCausalLM"],
        "bos_token_id": 1,
        "eos_token_id": 2,
        "hidden_act": "silu",
        "hidden_size": 24,
        "initializer_range": 0.02,
        "intermediate_size": 40,
        "max_position_embeddings": 2048,
        "model_type": "llama",
        "num_attention_heads": 3,
        "num_hidden_layers": 1,
        "pad_token_id": 0,
        "rms_norm_eps": 1e-06,
        "tie_word_embeddings": False,
        "torch_dtype": "float16",
        "transformers_version": "4.28.1",
        "use_cache": True,
        "vocab_size": 31,
    }
    (tmp_path / "config.json").write_text(json.dumps(fields))
    head = random_head(config).half()
    embedding = torch.randn(31, 24).half()
    torch.save(
        head.state_dict() | {"embed_tokens.weight": embedding}, tmp_path / "pytorch_model.bin"
    )
    files = read_eagle(tmp_path)
    assert files.config == config
    assert files.embedding is not None
    assert torch.equal(files.embedding, embedding)
    read = files.head("cpu", torch.float32)
    assert read.dtype == torch.float32
    assert torch.equal(read.fc.bias, head.fc.bias.float())


def test_tensors_that_say_nothing_of_the_head(tmp_path: Path) -> None:
    folder = written(tmp_path)
    more = {
        "embed_tokens.weight": torch.randn(31, 24),
        "lm_head.weight": torch.randn(31, 24),
        "layers.0.self_attn.rotary_emb.inv_freq": torch.randn(4),
    }

    def prefix(tensors: dict[str, Tensor]) -> None:
        plain = {**tensors, **more}
        tensors.clear()
        tensors.update({f"model.{name}": tensor for name, tensor in plain.items()})

    change_tensors(folder, prefix)
    files = read_eagle(folder)
    assert files.lm_head is not None
    assert torch.equal(files.lm_head, more["lm_head.weight"])
    weights = files.head("cpu", torch.float32).state_dict()
    assert weights.keys() == random_head().state_dict().keys()


def test_biases_of_qwen2_heads_are_recognised_by_their_tensors(tmp_path: Path) -> None:
    folder = written(tmp_path, replace(CONFIG, attention_bias=True))
    change_config(folder, attention_bias=None, qkv_bias=None)
    assert read_eagle(folder).config.attention_bias


def test_a_bias_of_zeros_may_be_there_for_other_engines(tmp_path: Path) -> None:
    folder = written(tmp_path)
    change_tensors(folder, lambda tensors: tensors.update({"fc.bias": torch.zeros(24)}))
    assert not read_eagle(folder).head("cpu", torch.float32).config.fc_bias


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.pop("fc.weight"), "missing fc.weight"),
        (
            lambda t: [t.pop(name) for name in [*t] if "mlp" in name],
            "missing layers.0.mlp.gate_proj.weight, layers.0.mlp.up_proj.weight,"
            " layers.0.mlp.down_proj.weight",
        ),
        (
            lambda t: t.update({"layers.0.input_layernorm.weight": torch.ones(24)}),
            "unexpected layers.0.input_layernorm.weight (weights and config.json describe"
            " different architectures)",
        ),
        (
            lambda t: t.update({"fc.bias": torch.ones(24)}),
            "unexpected fc.bias (weights and config.json describe different architectures)",
        ),
        (
            lambda t: t.update({"fc.weight": torch.ones(24, 24)}),
            "fc.weight has shape [24, 24], config.json asks for [24, 48]",
        ),
        (
            lambda t: t["fc.weight"][3].fill_(torch.nan),
            "fc.weight holds NaN or infinity (the file is damaged)",
        ),
        (
            lambda t: t.update({"fc.weight": torch.ones(24, 48, dtype=torch.int8)}),
            "fc.weight holds int8, not weights",
        ),
        (
            lambda t: t.update({"d2t": torch.tensor([3, 5])}),
            "d2t maps 2 ids, config.json says that draft_vocab_size is 3",
        ),
        (
            lambda t: t.update({"d2t": torch.zeros(3, dtype=torch.int64)}),
            "d2t maps to target id 0, which t2d does not mark (d2t holds offsets: target id ="
            " draft id + d2t[draft id])",
        ),
        (
            lambda t: t.pop("d2t"),
            "a draft vocabulary of 3 ids, but no d2t says which (export the head again, with its"
            " map)",
        ),
        (
            lambda t: [t.pop("d2t"), t.pop("t2d")],
            "a draft vocabulary of 3 ids, but no d2t says which (export the head again, with its"
            " map)",
        ),
        (
            lambda t: t.update({"d2t": torch.tensor([3, 5, 29])}),
            "draft vocabulary holds target id 31, outside 0..30",
        ),
    ],
)
def test_what_is_wrong_with_tensors_is_said_in_a_line(
    tmp_path: Path, change: Callable[[dict[str, Tensor]], object], said: str
) -> None:
    folder = written(tmp_path, vocabulary=DraftVocabulary.of([3, 6, 11], 31))
    change_tensors(folder, change)
    assert complaint(folder) == said


def test_an_unmentioned_bias_must_be_there(tmp_path: Path) -> None:
    folder = written(tmp_path)
    change_config(folder, bias=None)
    assert complaint(folder) == (
        'missing fc.bias: config.json does not say "bias": false (say so there if the head has'
        " none)"
    )


def test_all_problems_are_found_at_once(tmp_path: Path) -> None:
    folder = written(tmp_path, vocabulary=DraftVocabulary.of([3, 6, 11], 31))
    change_config(folder, bias=True)

    def damage(tensors: dict[str, Tensor]) -> None:
        del tensors["layers.0.mlp.up_proj.weight"]
        tensors["norm.weight"] = torch.ones(24)
        tensors["fc.weight"][0, 0] = torch.inf
        tensors["layers.0.self_attn.o_proj.weight"] = torch.ones(2)
        tensors["d2t"][0] = 4

    change_tensors(folder, damage)
    said = [problem.message for problem in read_eagle(folder).problems()]
    for words in (
        "missing fc.bias",
        "missing layers.0.mlp.up_proj.weight",
        "unexpected norm.weight",
        "fc.weight holds NaN or infinity",
        "o_proj.weight has shape [2]",
        "target id 4, which t2d does not mark",
    ):
        assert sum(words in line for line in said) == 1
    assert len(said) == 6


class Probe:
    """Runs code when it is unpickled as anything but weights."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return (Path.touch, (self.path,))


def test_files_that_are_not_what_they_seem(tmp_path: Path) -> None:
    folder = written(tmp_path)
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    for content, said in (
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9000000\n",
            "Git LFS pointer",
        ),
        (b"", "empty file"),
        (whole[: len(whole) // 2], "truncated"),
        (pickle.dumps(Probe(tmp_path / "ran")), "pickle"),
    ):
        weights.write_bytes(content)
        assert said in complaint(folder)
    weights.unlink()
    assert "no weights here" in complaint(folder)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Probe(tmp_path / "ran")))
    assert "use a safetensors file" in complaint(folder)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hidden_size": None}, "hidden_size"),
        ({"hidden_size": "24"}, "hidden_size"),
        ({"num_key_value_heads": 3}, "4 heads cannot share 3 key-value heads"),
        ({"rope_theta": 10000.0}, "two values of rope_theta"),
        ({"rope_parameters": {"rope_type": "yarn", "rope_theta": 100.0}}, "'yarn'"),
        ({"hidden_act": "gelu"}, "hidden_act gelu is not supported"),
        ({"trained_for": {"target": "x", "lm_head": []}}, "trained_for"),
        ({"max_position_embeddings": -5}, "config.json: Expected `int` >= 1 - at `$.max_position"),
        ({"max_position_embeddings": 0}, "$.max_position_embeddings"),
        ({"draft_vocab_size": 0}, "$.draft_vocab_size"),
        ({"draft_vocab_size": -3}, "$.draft_vocab_size"),
        ({"num_hidden_layers": 2}, "config.json: num_hidden_layers is 2 (a head has one layer)"),
        ({"num_hidden_layers": -1}, "$.num_hidden_layers"),
        ({"head_dim": 0}, "$.head_dim"),
        ({"rms_norm_eps": 1e30}, "$.rms_norm_eps"),
        ({"rope_theta": 1e300, "rope_parameters": None}, "$.rope_theta"),
        ({"model_type": "mamba"}, "config.json: model_type mamba is no head's (a head has a layer"),
        ({"architectures": ["MambaForCausalLM"]}, "architecture MambaForCausalLM is no head's (a"),
        ({"quantization_config": {"quant_method": "gptq"}}, "weights are quantised (gptq)"),
        (
            {"rope_parameters": {"rope_type": "yarn", "rope_theta": 100.0, "factor": 2.0}},
            "rotary scaling 'yarn' is not supported (a head has a layer of Llama's kind",
        ),
    ],
)
def test_what_is_wrong_with_the_config_is_said_in_a_line(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    folder = written(tmp_path)
    change_config(folder, **changes)
    assert said in complaint(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"architectures": ["LlamaForCausalLMEagle"]},
        {"architectures": ["EagleLlamaForCausalLM"], "model_type": None},
        {"architectures": ["MixtralForCausalLM"], "model_type": "mixtral"},
        {"architectures": None, "model_type": "qwen2"},
    ],
)
def test_names_that_heads_are_published_under(tmp_path: Path, changes: dict[str, object]) -> None:
    folder = written(tmp_path)
    change_config(folder, **changes)
    assert read_eagle(folder).config == CONFIG


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["layers.0.input_layernorm.weight", "norm.weight"], "target model"),
        (["midlayer.hidden_norm.weight", "fc.weight"], "EAGLE-3 head"),
        (["medusa_head.0.0.linear.weight"], "Medusa heads"),
    ],
)
def test_what_is_something_else_is_said_to_be_that(
    tmp_path: Path, names: list[str], kind: str
) -> None:
    folder = written(tmp_path)
    save_file({name: torch.ones(2) for name in names}, folder / "model.safetensors")
    said = f"holds no EAGLE-1/2 head: it is of the kind {kind} (name a head's folder)"
    assert complaint(folder) == said


def test_a_head_without_config_is_none(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / "config.json").unlink()
    assert "config.json: there is no such file" in complaint(folder)


def test_a_head_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("eagle_impl.formats.eagle.write_tensors", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_eagle(folder, random_head(replace(CONFIG, rope=LLAMA_3), seed=5))
    files = read_eagle(folder)
    assert files.config == CONFIG
    assert torch.equal(files.head("cpu", torch.float32).fc.weight, random_head().fc.weight)
