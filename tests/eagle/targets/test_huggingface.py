from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from eagle.guessing import Guesser
from eagle.targets.tiny_transformers import MODELS, build, own, own_words
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor

from eagle_impl.drafters.eagle import EagleDrafter
from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.drafters.interface import Drafter
from eagle_impl.dynamic_trees import DynamicTree
from eagle_impl.errors import CapacityError, CheckpointError, PromptError
from eagle_impl.generation import generate
from eagle_impl.targets import passes
from eagle_impl.targets.huggingface import HuggingFaceTarget, load_huggingface
from eagle_impl.targets.huggingface_config import read_huggingface_config
from eagle_impl.targets.interface import RopeConfig, Target
from eagle_impl.trees import DraftTree

each_model = pytest.mark.parametrize("name", MODELS)
CPU = torch.device("cpu")


@functools.cache
def target(name: str) -> HuggingFaceTarget:
    return HuggingFaceTarget(build(*MODELS[name]))


def tokens(count: int, seed: int = 0) -> Tensor:
    # Of Gemma 3's vocabulary the last token stands for a picture.
    return torch.randint(0, 60, (count,), generator=torch.Generator().manual_seed(seed))


def same(got: Tensor, expected: Tensor) -> None:
    assert got.shape == expected.shape
    assert (got - expected).abs().max() <= 1e-5 * max(1.0, float(expected.abs().max()))


@each_model
def test_it_says_what_transformers_says(name: str) -> None:
    of, ids = target(name), tokens(30)
    logits, received = own_words(name, ids)
    cache = of.new_cache(30)
    got = of.prefill(ids, cache)
    assert cache.length == 30
    same(got.features, received)
    same(got.logits, logits[-1:])
    same(of.lm_head(got.features), logits)


@st.composite
def trees(draw: st.DrawFn) -> DraftTree:
    """Any tree whose parents stand before their children; siblings may bear the same token."""
    size = draw(st.integers(1, 12))
    parents = [-1, *(draw(st.integers(0, node - 1)) for node in range(1, size))]
    drawn = draw(st.lists(st.integers(0, 59), min_size=size, max_size=size))
    return DraftTree(torch.tensor(drawn), torch.tensor(parents))


def path_to(node: int, tree: DraftTree) -> list[int]:
    path: list[int] = []
    while node >= 0:
        path.insert(0, node)
        node = int(tree.parents[node])
    return path


@each_model
@settings(max_examples=8)
@given(trees(), st.integers(1, 16), st.data())
def test_a_tree_is_all_its_paths_and_what_is_kept_is_as_if_read(
    name: str, tree: DraftTree, prompt: int, data: st.DataObject
) -> None:
    """Prompts and trees are longer than the windows of layers that have some."""
    of, ids, drafted = target(name), tokens(prompt), tree.tokens
    cache = of.new_cache(prompt + len(drafted) + 3)
    of.prefill(ids, cache)
    got = of.verify(drafted, prompt + tree.depths, tree.mask, cache)
    assert cache.length == prompt
    for leaf in set(range(len(drafted))) - set(tree.parents.tolist()):
        path = path_to(leaf, tree)
        logits, received = own_words(name, torch.cat((ids, drafted[path])))
        same(got.logits[path], logits[prompt:])
        same(got.features[path], received[prompt:])

    path = path_to(data.draw(st.integers(0, len(drafted) - 1)), tree)
    of.keep(torch.tensor(path), cache)
    assert cache.length == prompt + len(path)
    more = tokens(3, seed=1)
    chain = torch.ones(3, 3, dtype=torch.bool).tril()
    got = of.verify(more, cache.length + torch.arange(3), chain, cache)
    logits, received = own_words(name, torch.cat((ids, drafted[path], more)))
    same(got.logits, logits[-3:])
    same(got.features, received[-3:])


@each_model
def test_greedy_text_is_that_of_plain_decoding_and_of_generate(name: str) -> None:
    of, prompt, count = target(name), tokens(9, seed=3), 24
    told = own(name).generate(
        prompt[None],
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
        max_new_tokens=count,
        do_sample=False,
    )
    expected = told[0, len(prompt) :].tolist()
    torch.manual_seed(0)
    untrained = EagleHead(HeadConfig.like(of.config))
    drafters: list[Drafter | None] = [None, EagleDrafter(untrained, of, DynamicTree(3, 3, 8))]
    drafters += [Guesser([*prompt.tolist(), *expected], 60, seed) for seed in range(3)]
    for drafter in drafters:
        assert list(generate(of, prompt.tolist(), drafter=drafter, max_new_tokens=count)) == (
            expected
        )


@each_model
def test_a_head_reads_the_embedding_that_the_model_makes(name: str) -> None:
    of, ids = target(name), tokens(7)
    embedded = of.embed(ids)
    scales = {
        "Gemma": 32**0.5,
        "Gemma 2": 32**0.5,
        "Gemma 3": 32**0.5,
        "Gemma 3 with eyes": 32**0.5,
    }
    same(embedded, of.embedding_weight[ids] * scales.get(name, 1.0))
    with torch.inference_mode():
        logits = own(name)(inputs_embeds=embedded[None]).logits[0]
    same(of.prefill(ids, of.new_cache(7)).logits, logits[-1:])


def test_a_long_prompt_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("Mixtral", "Gemma 3"):
        ids = tokens(17)
        logits, received = own_words(name, ids)
        with monkeypatch.context() as patch:
            patch.setattr(passes, "CHUNK", 5)
            got = target(name).prefill(ids, target(name).new_cache(17))
        same(got.features, received)
        same(got.logits, logits[-1:])


def test_a_tree_that_is_not_kept_leaves_no_trace() -> None:
    of, ids = target("Gemma 2"), tokens(9)
    cache = of.new_cache(12)
    of.prefill(ids[:6], cache)
    chain = torch.ones(5, 5, dtype=torch.bool).tril()
    of.verify(tokens(5, seed=1), 6 + torch.arange(5), chain, cache)
    assert (cache.length, cache.capacity) == (6, 12)
    same(of.prefill(ids[6:], cache).logits, own_words("Gemma 2", ids)[0][-1:])


def test_a_position_off_by_one_is_another_answer() -> None:
    of, ids = target("Qwen3"), tokens(8)
    expected = own_words("Qwen3", ids)[0][7:]
    for position, right in ((7, True), (8, False)):
        cache = of.new_cache(8)
        of.prefill(ids[:7], cache)
        mask = torch.ones(1, 1, dtype=torch.bool)
        got = of.verify(ids[7:], torch.tensor([position]), mask, cache).logits
        assert torch.allclose(got, expected, rtol=1e-3, atol=1e-3) is right


def test_no_room_and_nothing_to_read() -> None:
    of = target("Qwen3")
    cache = of.new_cache(8)
    of.prefill(tokens(6), cache)
    line = "3 more tokens do not fit into a cache that holds 6 of at most 8"
    with pytest.raises(CapacityError, match=line):
        of.prefill(tokens(3), cache)
    with pytest.raises(CapacityError, match=line):
        of.verify(tokens(3), torch.arange(3), torch.ones(3, 3).bool(), cache)
    with pytest.raises(PromptError, match="no tokens to read"):
        of.prefill(tokens(0), cache)
    with pytest.raises(CapacityError, match="no memory for a cache of 1000000000000000 tokens"):
        of.prefill(tokens(1), of.new_cache(10**15))


def test_what_is_asked_about_it() -> None:
    of: Target = target("Qwen3")
    config = of.config
    assert (config.vocab_size, config.hidden_size, config.intermediate_size) == (61, 32, 48)
    assert (config.layers, config.heads, config.kv_heads, config.head_dim) == (3, 4, 2, 12)
    assert (config.max_positions, config.eos_ids, config.bos_id) == (256, (2,), 1)
    assert (of.device, of.dtype) == (CPU, torch.float32)
    assert of.lm_head_weight.shape == of.embedding_weight.shape == (61, 32)
    assert target("Gemma 3").config.rope == RopeConfig(1000000.0)
    assert target("Gemma 3").config.tied
    assert (target("OPT").config.head_dim, target("OPT").config.kv_heads) == (8, 4)
    assert target("OPT").config.hidden_size == 16  # of its features


def test_half_precision() -> None:
    for name in ("Qwen3", "Gemma 2"):
        of = HuggingFaceTarget(build(*MODELS[name]).to(torch.bfloat16))
        got = of.prefill(tokens(20), of.new_cache(20))
        assert got.logits.dtype == got.features.dtype == of.dtype == torch.bfloat16
        expected = own_words(name, tokens(20))[1]
        assert (got.features.float() - expected).norm() < 0.05 * expected.norm()


LONGROPE = {
    "rope_type": "longrope",
    "short_factor": [1.0] * 4,
    "long_factor": [4.0] * 4,
    "rope_theta": 10000.0,
}


def test_the_context_ends_where_positions_would_be_turned_otherwise() -> None:
    family, fields = MODELS["Phi-3, windows"]
    original = {"original_max_position_embeddings": 64, "rope_parameters": LONGROPE}
    of = HuggingFaceTarget(build(family, fields | original))
    assert of.config.max_positions == 64


# What cannot be judged in trees


@pytest.mark.parametrize(
    ("family", "fields", "line"),
    [
        ("Mamba", {"num_hidden_layers": 2}, "MambaForCausalLM cannot .* keeps a state"),
        ("Bloom", {"n_layer": 2, "n_head": 4}, "BloomForCausalLM cannot .* its own kind"),
        (
            "Lfm2",
            {
                "intermediate_size": 48,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "layer_types": ["conv", "full_attention"],
            },
            "Lfm2ForCausalLM cannot judge trees of tokens",
        ),
    ],
)
def test_a_model_that_cannot_branch_is_refused(
    family: str, fields: dict[str, Any], line: str
) -> None:
    sizes = {"vocab_size": 61, "hidden_size": 32, "pad_token_id": 0}
    with pytest.raises(CheckpointError, match=line) as caught:
        HuggingFaceTarget(build(family, sizes | fields))
    assert "Mixtral" in caught.value.hint


def test_a_model_that_looks_at_the_order_in_the_cache_is_refused() -> None:
    model = build(*MODELS["Qwen3"])
    for layer in model.model.layers:
        attend = layer.self_attn.forward

        def shifted(hidden_states: Tensor, attend: Any = attend, **more: Any) -> Any:
            return attend(hidden_states + 0.1 * hidden_states.roll(1, dims=1), **more)

        layer.self_attn.forward = shifted
    with pytest.raises(CheckpointError, match="Qwen3ForCausalLM does not judge a tree"):
        HuggingFaceTarget(model)


def test_logits_that_the_lm_head_alone_does_not_make_are_refused() -> None:
    model = build(*MODELS["Qwen3"])
    forward = model.forward

    def other(*given: Any) -> Any:
        told = forward(*given)
        told.logits = told.logits.sin()
        return told

    model.forward = other
    with pytest.raises(CheckpointError, match="Qwen3ForCausalLM does not judge a tree"):
        HuggingFaceTarget(model)


def test_weights_that_are_not_numbers_are_refused() -> None:
    model = build(*MODELS["Qwen3"])
    with torch.no_grad():
        model.model.norm.weight[3] = torch.nan
    with pytest.raises(CheckpointError, match="its logits are not finite"):
        HuggingFaceTarget(model)


# Files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(*MODELS["Gemma 2"]).save_pretrained(tmp_path / "m")
    return tmp_path / "m"


def change(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_a_folder_is_read(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    change(folder / "generation_config.json", eos_token_id=[2, 7])
    of = load_huggingface(folder, CPU, torch.float32)
    assert capfd.readouterr() == ("", "")
    same(of.prefill(tokens(9), of.new_cache(9)).logits, own_words("Gemma 2", tokens(9))[0][-1:])
    assert of.config.eos_ids == (2, 7)
    assert read_huggingface_config(folder) == of.config
    assert load_huggingface(folder, CPU, torch.bfloat16).dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("change_to", "line"),
    [
        ({"model_type": "abacus"}, "transformers does not know it: .*abacus"),
        ({"hidden_size": "many"}, "transformers does not know it"),
        ({"model_type": "t5"}, "Gemma2ForCausalLM is no causal language model"),
        ({"architectures": ["Gemma2ForTokenClassification"]}, "is no causal language model"),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, "weights are quantised"),
        (
            {"num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"]},
            "unexpected model.layers.2.input_layernorm.weight",
        ),
        ({"intermediate_size": 50}, "transformers cannot read it: .*"),
    ],
    ids=["type", "size", "encoder", "classifier", "quantised", "layers", "shape"],
)
def test_a_config_that_is_not_that_of_such_a_model(
    folder: Path, change_to: dict[str, Any], line: str
) -> None:
    change(folder / "config.json", **change_to)
    with pytest.raises(CheckpointError, match=line) as caught:
        load_huggingface(folder, CPU, torch.float32)
    assert "\n" not in caught.value.message + caught.value.hint
    assert caught.value.message.startswith(f"{folder}: ")


@pytest.mark.parametrize("damage", ["missing", "unexpected", "truncated"])
def test_weights_that_are_not_whole(folder: Path, damage: str) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    line = damage
    if damage == "missing":
        del weights["model.layers.1.mlp.up_proj.weight"]
        line = "missing model.layers.1.mlp.up_proj.weight"
    elif damage == "unexpected":
        weights["model.layers.1.mlp.gate.weight"] = torch.ones(3)
        line = "unexpected model.layers.1.mlp.gate.weight"
    else:
        line = "transformers cannot read it: "
    save_file(weights, path, {"format": "pt"})
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match=line) as caught:
        load_huggingface(folder, CPU, torch.float32)
    assert "\n" not in caught.value.message


def test_neither_pickles_nor_code_of_the_folder_are_touched(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match="transformers cannot read it") as caught:
        load_huggingface(folder, CPU, torch.float32)
    assert "safetensors" in caught.value.hint

    (folder / "theirs.py").write_text("raise SystemExit('their code was run')\n")
    theirs = {"AutoConfig": "theirs.Config", "AutoModelForCausalLM": "theirs.Model"}
    change(folder / "config.json", model_type="theirs", auto_map=theirs)
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    with pytest.raises(CheckpointError, match="transformers does not know it") as caught:
        load_huggingface(folder, CPU, torch.float32)
    assert "their own code" in caught.value.hint


def test_progress_bars_and_warnings_are_as_before(folder: Path) -> None:
    log = transformers.utils.logging
    before = log.is_progress_bar_enabled(), log.get_verbosity()
    load_huggingface(folder, CPU, torch.float32)
    assert (log.is_progress_bar_enabled(), log.get_verbosity()) == before
