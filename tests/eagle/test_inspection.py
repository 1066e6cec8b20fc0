from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import typer
from eagle.drafters.head_target import random_head
from eagle.scripted import tokens_of
from eagle.tiny import tiny_config, tiny_weights
from safetensors.torch import load_file, save_file
from torch import Tensor
from typer.testing import CliRunner

from eagle_impl.cli.inspect import inspect as command
from eagle_impl.drafters.head import HeadConfig
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import CheckpointError, OptionError
from eagle_impl.fingerprint import TrainedFor
from eagle_impl.formats.eagle import config_fields, rope_fields, write_eagle
from eagle_impl.formats.kinds import Kind, kind_of
from eagle_impl.inspection import inspect
from eagle_impl.targets.interface import ModelConfig, RopeConfig
from eagle_impl.targets.llama import LlamaTarget

SIZES = {
    "vocab_size": 70,
    "hidden_size": 32,
    "intermediate_size": 48,
    "layers": 2,
    "heads": 4,
    "kv_heads": 2,
    "head_dim": 16,
    "max_positions": 128,
}
MODEL = tiny_config(**SIZES, tied=True)


def model_folder(folder: Path, config: ModelConfig = MODEL, seed: int = 0) -> Path:
    folder.mkdir()
    fields = config_fields(HeadConfig.like(config), "float32") | {
        "num_hidden_layers": config.layers,
        "tie_word_embeddings": config.tied,
    }
    (folder / "config.json").write_text(json.dumps(fields))
    save_file(tiny_weights(config, seed), folder / "model.safetensors")
    tokens_of(a=0, b=1).save(str(folder / "tokenizer.json"))
    return folder


def head_folder(folder: Path, config: HeadConfig | None = None) -> Path:
    target = LlamaTarget(MODEL, tiny_weights(MODEL), linears="plain")
    write_eagle(
        folder,
        random_head(config or HeadConfig.like(MODEL)),
        DraftVocabulary.of([4, 9, 60], 70),
        TrainedFor.of(target, "tiny"),
    )
    return folder


def other_folder(folder: Path, tensors: dict[str, Tensor], **fields: object) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(fields))
    save_file(tensors, folder / "model.safetensors")
    return folder


def eagle_3() -> dict[str, Tensor]:
    return {
        "fc.weight": torch.ones(32, 96),
        "midlayer.hidden_norm.weight": torch.ones(32),
        "lm_head.weight": torch.ones(3, 32),
        "d2t": torch.tensor([4, 8, 58]),
        "t2d": torch.arange(70)[:, None].eq(torch.tensor([4, 9, 60])).any(dim=1),
    }


def test_a_head_that_fits(tmp_path: Path) -> None:
    found = inspect(head_folder(tmp_path / "head"), model_folder(tmp_path / "model"))
    assert found.kind == Kind.EAGLE
    # fc 64 x 32; q 64 x 32 and o; k, v 32 x 32; three of 48 x 32; a norm
    assert found.facts == {
        "parameters": f"{64 * 32 + 2 * 64 * 32 + 2 * 32 * 32 + 3 * 48 * 32 + 32:,}",
        "number format": "float32",
        "geometry": "hidden 32, intermediate 48, 4 heads, 2 key-value heads of 16",
        "biases": "none",
        "rotary": "theta 10000",
        "positions": "128",
        "vocabulary": "70, of which 3 are drafted",
        "trained for": "tiny",
    }
    assert found.problems == ()
    assert found.misfits == ()
    assert found.fits


def test_biases_are_named(tmp_path: Path) -> None:
    config = replace(HeadConfig.like(MODEL), fc_bias=True, attention_bias=True)
    assert inspect(head_folder(tmp_path / "head", config)).facts["biases"] == "fc and q, k, v"


def test_other_settings_do_no_harm(tmp_path: Path) -> None:
    config = replace(HeadConfig.like(MODEL), rope=RopeConfig(77.0))
    found = inspect(head_folder(tmp_path / "head", config), model_folder(tmp_path / "model"))
    assert [misfit.message for misfit in found.misfits] == [
        "rotary theta 77, the target's is theta 10000"
    ]
    assert found.fits


def test_a_head_for_another_target_does_not_fit(tmp_path: Path) -> None:
    head = head_folder(tmp_path / "head")
    found = inspect(head, model_folder(tmp_path / "same-size", seed=1))
    assert [m.message for m in found.misfits] == ["made for tiny: this target has another LM head"]
    assert not found.fits
    untied = tiny_config(**SIZES | {"hidden_size": 48})
    found = inspect(head, model_folder(tmp_path / "wider", untied))
    assert "hidden size 32, the target's is 48" in found.misfits[0].message
    assert not found.fits


def test_a_broken_head_does_not_fit(tmp_path: Path) -> None:
    folder = head_folder(tmp_path / "head")
    fields = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(fields | {"bias": True}))
    found = inspect(folder)
    assert found.problems == (
        'missing fc.bias: config.json does not say "bias": false (say so there if the head has'
        " none)",
    )
    assert not found.fits


def test_a_target(tmp_path: Path) -> None:
    model = model_folder(tmp_path / "model")
    found = inspect(model)
    assert found.kind == Kind.TARGET
    assert found.facts["geometry"] == (
        "2 layers, hidden 32, intermediate 48, 4 heads, 2 key-value heads of 16"
    )
    assert found.fits
    (model / "config.json").write_text(json.dumps({"model_type": "llama"}))
    assert "vocab_size" in inspect(model).problems[0]


def test_a_target_with_a_weight_that_is_no_number_is_not_whole(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model")
    tensors = load_file(folder / "model.safetensors")
    tensors["model.norm.weight"][5] = torch.inf
    save_file(tensors, folder / "model.safetensors")
    found = inspect(folder)
    assert found.problems == ("model.norm.weight holds NaN or infinity (the file is damaged)",)
    assert not found.fits


def test_a_target_without_a_tokenizer_is_not_whole(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    found = inspect(folder)
    assert found.problems == (
        f"{folder / 'tokenizer.json'}: there is no such file (fetch it from where the weights come"
        " from)",
    )
    assert not found.fits


def test_only_a_head_is_held_against_a_target_and_only_a_model_is_one(tmp_path: Path) -> None:
    model, head = model_folder(tmp_path / "model"), head_folder(tmp_path / "head")
    for target in (model, head):
        with pytest.raises(OptionError, match=f"^{model} is a whole model, and only heads fit"):
            inspect(model, target)
    of_three = other_folder(tmp_path / "third", eagle_3())
    for one in (head, of_three):
        with pytest.raises(CheckpointError) as caught:
            inspect(one, head)
        assert caught.value.message == (
            f"{head}: holds no whole model: it is of the kind EAGLE-1/2 head"
        )


def test_the_packaged_model_is_inspected_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = model_folder(tmp_path / "kept")
    monkeypatch.setattr("eagle_impl.inspection.packaged_folder", lambda: folder)
    code, lines = run("smollm2-135m-instruct")
    assert (code, lines[0]) == (0, "smollm2-135m-instruct: target model")
    code, lines = run("")
    assert code == 2
    assert any("a path is empty" in line for line in lines)


def test_what_a_target_only_repeats_is_nothing_wrong(tmp_path: Path) -> None:
    """As the loader has it: a tied LM head, and angles that config.json gives."""
    folder = model_folder(tmp_path / "model")
    tensors = load_file(folder / "model.safetensors")
    tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"].clone()
    tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(8)
    save_file(tensors, folder / "model.safetensors")
    assert inspect(folder).problems == ()
    assert inspect(head_folder(tmp_path / "head"), folder).fits
    tensors["lm_head.weight"][0, 0] += 1.0
    save_file(tensors, folder / "model.safetensors")
    assert "lm_head.weight is not the embedding" in inspect(folder).problems[0]


def test_an_eagle_3_head(tmp_path: Path) -> None:
    model = model_folder(tmp_path / "model")
    found = inspect(other_folder(tmp_path / "head", eagle_3()), model)
    assert found.kind == Kind.EAGLE_3
    assert found.facts["geometry"] == "hidden 32, three features of 32"
    assert found.facts["draft vocabulary"] == "3"
    assert found.fits
    wider = model_folder(
        tmp_path / "wider", tiny_config(**SIZES | {"hidden_size": 48, "vocab_size": 71})
    )
    assert [misfit.message for misfit in inspect(tmp_path / "head", wider).misfits] == [
        "made for another target: hidden size 32, the target's is 48",
        "made for another target: vocabulary size 70, the target's is 71",
    ]


def test_faults_of_an_eagle_3_head(tmp_path: Path) -> None:
    wrong_map = eagle_3() | {"d2t": torch.tensor([4, 8, 59])}
    (problem,) = inspect(other_folder(tmp_path / "map", wrong_map)).problems
    assert "target id 61, which t2d does not mark" in problem
    empty_map = eagle_3() | {"d2t": torch.zeros(3, dtype=torch.int64)}
    del empty_map["t2d"]
    (problem,) = inspect(other_folder(tmp_path / "zeros", empty_map, vocab_size=70)).problems
    assert "all zero" in problem
    narrow = eagle_3() | {"fc.weight": torch.ones(32, 64)}
    (problem,) = inspect(other_folder(tmp_path / "narrow", narrow)).problems
    assert problem == "fc.weight does not read three features beside each other"


def test_medusa_heads(tmp_path: Path) -> None:
    tensors = {
        f"{head}.{part}": torch.ones(*shape)
        for head in range(3)
        for part, shape in {
            "0.linear.weight": (32, 32),
            "0.linear.bias": (32,),
            "1.weight": (70, 32),
        }.items()
    }
    found = inspect(other_folder(tmp_path / "heads", tensors), model_folder(tmp_path / "model"))
    assert found.kind == Kind.MEDUSA
    assert found.facts["heads"] == "3"
    assert found.fits


def test_something_else(tmp_path: Path) -> None:
    found = inspect(other_folder(tmp_path / "what", {"encoder.weight": torch.ones(2, 2)}))
    assert found.kind == Kind.UNKNOWN
    assert found.problems == ("none of the known layouts; it holds encoder.weight",)
    assert not found.fits


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["model.layers.0.self_attn.q_proj.weight", "model.fc.weight"], Kind.EAGLE),
        (["layers.0.mlp.up_proj.weight"], Kind.EAGLE),  # a head that lacks fc
        (["model.layers.0.input_layernorm.weight", "model.norm.weight"], Kind.TARGET),
        (["layers.0.hidden_norm.weight", "fc.weight"], Kind.EAGLE_3),
        (["medusa_head.0.0.linear.weight"], Kind.MEDUSA),
        (["0.0.linear.bias", "0.1.weight"], Kind.MEDUSA),
        ([], Kind.UNKNOWN),
    ],
)
def test_kinds_are_told_by_names(names: list[str], kind: Kind) -> None:
    assert kind_of(names) == kind


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such folder"):
        inspect(tmp_path / "absent")
    folder = head_folder(tmp_path / "head")
    with pytest.raises(CheckpointError, match="no such folder and no known model"):
        inspect(folder, "absent")
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(CheckpointError, match="empty file"):
        inspect(folder)


def run(*words: object) -> tuple[int, list[str]]:
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output.splitlines()


def test_the_command(tmp_path: Path) -> None:
    head, model = head_folder(tmp_path / "head"), model_folder(tmp_path / "model")
    code, lines = run(head, "--target", model)
    assert code == 0
    assert lines[0] == f"{head}: EAGLE-1/2 head"
    assert "  rotary:           theta 10000" in lines
    assert lines[-1] == f"fits {model}"
    other = model_folder(tmp_path / "other", seed=1)
    code, lines = run(head, "--target", other)
    assert code == 1
    assert lines[-2:] == [
        f"does not fit {other}",
        "  made for tiny: this target has another LM head",
    ]
    code, lines = run(other_folder(tmp_path / "what", {"a\x1b[2J.weight": torch.ones(2)}))
    assert code == 1
    assert lines[-1] == "  wrong: none of the known layouts; it holds a\ufffd[2J.weight"


def test_rotary_settings_are_written_as_they_are_read() -> None:
    linear = {"rope_type": "linear", "factor": 4.0}
    assert rope_fields(RopeConfig(5.0, "linear", 4.0)) == {
        "rope_theta": 5.0,
        "rope_scaling": linear | {"type": "linear"},
        "rope_parameters": linear | {"rope_theta": 5.0},
    }
    assert rope_fields(RopeConfig(5.0)) == {
        "rope_theta": 5.0,
        "rope_scaling": None,
        "rope_parameters": {"rope_type": "default", "rope_theta": 5.0},
    }
