from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from eagle.drafters.head_target import random_head
from eagle.tiny import tiny_config, tiny_weights
from safetensors.torch import load_file, save_file
from torch import Tensor

from eagle_impl.drafters.head import HeadConfig
from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import MismatchError
from eagle_impl.fingerprint import TrainedFor, alike, sample
from eagle_impl.formats.eagle import read_eagle, write_eagle
from eagle_impl.formats.fitting import Misfit, MisfitWarning, load_eagle, misfits
from eagle_impl.targets.interface import ModelConfig, RopeConfig
from eagle_impl.targets.llama import LlamaTarget

ROPE = RopeConfig(500000.0, "llama3", 8.0, 1.0, 4.0, 8192)
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
MODEL = tiny_config(**SIZES, rope=ROPE)


def target(config: ModelConfig = MODEL, seed: int = 0) -> LlamaTarget:
    return LlamaTarget(config, tiny_weights(config, seed), linears="plain")


def written(folder: Path, config: HeadConfig, trained_for: TrainedFor | None = None) -> Path:
    write_eagle(folder / "head", random_head(config), trained_for=trained_for)
    return folder / "head"


def with_copies(folder: Path, **copies: Tensor) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path) | {f"{name}.weight": copy for name, copy in copies.items()}
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path)


def all_misfits(folder: Path, model: LlamaTarget) -> list[Misfit]:
    return [
        *misfits(read_eagle(folder), model.config, model.embedding_weight, model.lm_head_weight)
    ]


def test_a_head_made_for_its_target_fits(tmp_path: Path) -> None:
    model = target()
    config = HeadConfig.like(MODEL)
    folder = tmp_path / "head"
    write_eagle(
        folder,
        random_head(config),
        DraftVocabulary.of([4, 60], 70),
        TrainedFor.of(model, "tiny"),
    )
    with_copies(folder, embed_tokens=model.embedding_weight.half(), lm_head=model.lm_head_weight)
    assert all_misfits(folder, model) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        head, vocabulary = load_eagle(folder, model)
    assert head.config == config
    assert vocabulary is not None
    assert vocabulary.ids.tolist() == [4, 60]


def test_a_head_has_the_number_format_of_its_target(tmp_path: Path) -> None:
    model = LlamaTarget(MODEL, tiny_weights(MODEL), dtype=torch.bfloat16)
    folder = written(tmp_path, HeadConfig.like(MODEL), TrainedFor.of(target(), "tiny"))
    assert load_eagle(folder, model)[0].dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hidden_size": 24}, "made for another target: hidden size 24, the target's is 32"),
        ({"vocab_size": 69}, "made for another target: vocabulary size 69, the target's is 70"),
    ],
)
def test_a_head_of_another_size_is_refused(
    tmp_path: Path, changes: dict[str, int], said: str
) -> None:
    folder = written(tmp_path, replace(HeadConfig.like(MODEL), **changes))
    with pytest.raises(MismatchError) as caught:
        load_eagle(folder, target())
    assert caught.value.message == f"{folder}: {said}"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"rope": RopeConfig(10000.0)},
            "rotary theta 10000, the target's is theta 500000, llama3 scaling by 8 (from 8192"
            " positions, frequency factors 1 and 4)",
        ),
        (
            {"rope": RopeConfig(500000.0, "linear", 2.0)},
            "rotary theta 500000, linear scaling by 2, the target's is theta 500000, llama3 scaling"
            " by 8 (from 8192 positions, frequency factors 1 and 4)",
        ),
        ({"max_positions": 16}, "drafts only in the first 16 positions, the target has 128"),
        ({"head_dim": 8}, "head_dim 8, the target's is 16"),
        ({"kv_heads": 4}, "key-value heads 4, the target's is 2"),
    ],
)
def test_a_head_with_other_settings_warns(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    config = replace(HeadConfig.like(MODEL), **changes)  # type: ignore[arg-type]
    folder = written(tmp_path, config)
    assert all_misfits(folder, target()) == [Misfit("different", said)]
    with pytest.warns(MisfitWarning) as warned:
        load_eagle(folder, target())
    assert [str(warning.message) for warning in warned] == [f"{folder}: {said}"]
    assert warned[0].filename == __file__


def test_a_head_may_know_more_positions_than_its_target(tmp_path: Path) -> None:
    folder = written(tmp_path, replace(HeadConfig.like(MODEL), max_positions=1000))
    assert all_misfits(folder, target()) == []


def test_a_head_for_another_target_of_the_same_size_warns(tmp_path: Path) -> None:
    folder = written(tmp_path, HeadConfig.like(MODEL), TrainedFor.of(target(), "tiny"))
    other = target(seed=1)
    with_copies(folder, embed_tokens=target().embedding_weight, lm_head=target().lm_head_weight)
    assert all_misfits(folder, other) == [
        Misfit("foreign", "made for tiny: this target has another LM head"),
        Misfit("foreign", "made for another target: its copy of the embedding differs"),
        Misfit("foreign", "made for another target: its copy of the LM head differs"),
    ]
    with pytest.warns(MisfitWarning) as warned:
        load_eagle(folder, other)
    assert len(warned) == 3


def test_a_copy_of_another_shape_differs(tmp_path: Path) -> None:
    folder = written(tmp_path, HeadConfig.like(MODEL))
    with_copies(folder, lm_head=target().lm_head_weight[:-1])
    (misfit,) = all_misfits(folder, target())
    assert misfit.weight == "foreign"


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_the_same_weight_is_known_in_every_number_format(dtype: torch.dtype) -> None:
    weight = torch.randn(500, 96, generator=torch.Generator().manual_seed(0)) * 0.02
    rounded = sample(weight.to(dtype), 400)
    assert alike(sample(weight, 400), rounded)
    assert alike(rounded, sample(weight, 400))
    assert not alike(sample(weight, 16), sample(weight.roll(1, 0), 16))
    assert not alike(sample(weight, 16), sample(weight * 1.05, 16))


def test_a_sample_is_taken_from_all_rows_and_columns() -> None:
    weight = torch.arange(60.0).view(6, 10)
    assert {int(number) // 10 for number in sample(weight, 6)} == {0, 1, 2, 3, 4, 5}
    assert len({int(number) % 10 for number in sample(weight, 6)}) > 3
