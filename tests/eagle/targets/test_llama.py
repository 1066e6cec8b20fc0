from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
import transformers
from eagle.tiny import tiny_config, tiny_weights
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.attention import Rotation
from eagle_impl.errors import CapacityError, CheckpointError, OptionError, PromptError
from eagle_impl.linears import usable
from eagle_impl.targets import passes
from eagle_impl.targets.interface import Cache, Judgement, ModelConfig, RopeConfig, Target
from eagle_impl.targets.llama import LlamaTarget
from eagle_impl.trees import DraftTree

WAYS = [(torch.device("cpu"), kind) for kind in usable(torch.device("cpu"), torch.float32)]
if torch.cuda.is_available():
    WAYS.append((torch.device("cuda"), "plain"))
each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[1]} on {way[0]}")

LLAMA3 = RopeConfig(
    theta=500.0, scaling="llama3", factor=8.0, low_frequency_factor=1.0, original_positions=16
)
GEOMETRIES: dict[str, dict[str, Any]] = {
    "grouped": {},
    "every head its own keys": {"kv_heads": 4},
    "one key head for all": {"kv_heads": 1},
    "tied": {"tied": True},
    "biases of q, k and v": {"attention_bias": True},
    "narrow odd heads": {"head_dim": 10, "heads": 6, "kv_heads": 3, "hidden_size": 30},
    "wide heads": {"head_dim": 80, "heads": 2, "kv_heads": 1},
    "linear scaling": {"rope": RopeConfig(theta=500.0, scaling="linear", factor=4.0)},
    "Llama 3 scaling": {"rope": LLAMA3},
    "another epsilon": {"norm_epsilon": 0.1},
}


@functools.cache
def target(way: tuple[torch.device, str], name: str = "grouped") -> LlamaTarget:
    config = tiny_config(**GEOMETRIES[name])
    return LlamaTarget(config, tiny_weights(config), device=way[0], linears=way[1])


def tokens(count: int, seed: int = 0, device: torch.device | None = None) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, tiny_config().vocab_size, (count,), generator=generator).to(device)


def causal(count: int, device: torch.device | None = None) -> Tensor:
    return torch.ones(count, count, dtype=torch.bool, device=device).tril()


def judge(of: Target, ids: Tensor, cache: Cache, mask: Tensor | None = None) -> Judgement:
    """Judge a chain, or a tree with a mask, after what is kept."""
    mask = causal(len(ids), of.device) if mask is None else mask
    return of.verify(ids, cache.length - 1 + mask.sum(dim=1), mask, cache)


def read(of: Target, ids: Tensor) -> Judgement:
    """Logits and features of all tokens, read at once and without a past."""
    features = of.prefill(ids, of.new_cache(len(ids))).features
    return Judgement(of.lm_head(features), features)


def same(of: LlamaTarget, got: Judgement, expected: Judgement) -> None:
    """Own kernels agree to the last bit, whatever was computed together."""
    for mine, right in ((got.features, expected.features), (got.logits, expected.logits)):
        assert mine.shape == right.shape
        if of.kernels:
            assert torch.equal(mine, right)
        else:
            assert torch.allclose(mine, right, rtol=1e-4, atol=1e-5)


def transformers_says(
    family: str, config: ModelConfig, weights: dict[str, Tensor], ids: Tensor
) -> tuple[Tensor, Tensor]:
    """Logits and last hidden states of the same model in transformers."""
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": config.rope.theta}
    if config.rope.scaling != "none":
        rope |= {"rope_type": config.rope.scaling, "factor": config.rope.factor}
    if config.rope.scaling == "llama3":
        rope |= {
            "low_freq_factor": config.rope.low_frequency_factor,
            "high_freq_factor": config.rope.high_frequency_factor,
            "original_max_position_embeddings": config.rope.original_positions,
        }
    model = getattr(transformers, f"{family}ForCausalLM")(
        getattr(transformers, f"{family}Config")(
            vocab_size=config.vocab_size,
            hidden_size=config.hidden_size,
            intermediate_size=config.intermediate_size,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            num_key_value_heads=config.kv_heads,
            head_dim=config.head_dim,
            max_position_embeddings=config.max_positions,
            rms_norm_eps=config.norm_epsilon,
            rope_parameters=rope,
            tie_word_embeddings=config.tied,
            **({"sliding_window": config.max_positions} if family == "Mistral" else {}),
        )
    )
    given = weights | (
        {"lm_head.weight": weights["model.embed_tokens.weight"]} if config.tied else {}
    )
    model.load_state_dict(given, strict=True)
    with torch.no_grad():
        said = model.eval()(ids[None], output_hidden_states=True)
    return said.logits[0], said.hidden_states[-1][0]


FAMILIES = [
    ("Qwen2" if changes.get("attention_bias") else "Llama", name)
    for name, changes in GEOMETRIES.items()
]
FAMILIES += [("Mistral", "grouped"), ("Mistral", "wide heads")]


@each_way
@pytest.mark.parametrize(("family", "name"), FAMILIES)
def test_it_says_what_transformers_says(
    way: tuple[torch.device, str], family: str, name: str
) -> None:
    of = target(way, name)
    ids = tokens(40)
    logits, hidden = transformers_says(family, of.config, tiny_weights(of.config), ids)
    got = read(of, ids.to(of.device))
    scale = float(hidden.abs().max())
    assert (got.features.cpu() - hidden).abs().max() < 1e-4 * scale
    assert (got.logits.cpu() - logits).abs().max() < 1e-4 * float(logits.abs().max())


@each_way
@pytest.mark.parametrize("name", GEOMETRIES)
def test_one_by_one_as_all_at_once(way: tuple[torch.device, str], name: str) -> None:
    of = target(way, name)
    ids = tokens(20, device=of.device)
    expected = read(of, ids)
    cache = of.new_cache(20)
    got = [of.prefill(ids[:1], cache)]
    for i in range(1, 20):
        assert cache.length == i
        got.append(of.prefill(ids[i : i + 1], cache))
    features = torch.cat([one.features for one in got])
    same(of, Judgement(torch.cat([one.logits for one in got]), features), expected)


@each_way
def test_a_chain_as_single_steps(way: tuple[torch.device, str]) -> None:
    of = target(way)
    ids = tokens(19, device=of.device)
    expected = read(of, ids)
    for length in range(1, 13):
        cache = of.new_cache(19)
        of.prefill(ids[:7], cache)
        got = judge(of, ids[7 : 7 + length], cache)
        end = 7 + length
        same(of, got, Judgement(expected.logits[7:end], expected.features[7:end]))


@st.composite
def trees(draw: st.DrawFn) -> DraftTree:
    """Any tree whose parents stand before their children; siblings may bear the same token."""
    size = draw(st.integers(1, 14))
    parents = [-1, *(draw(st.integers(0, node - 1)) for node in range(1, size))]
    drawn = draw(st.lists(st.integers(0, 60), min_size=size, max_size=size))
    return DraftTree(torch.tensor(drawn), torch.tensor(parents))


def path_to(node: int, tree: DraftTree) -> list[int]:
    path: list[int] = []
    while node >= 0:
        path.insert(0, node)
        node = int(tree.parents[node])
    return path


@each_way
@settings(max_examples=40)
@given(trees(), st.integers(1, 20))
def test_a_tree_is_all_its_paths(
    way: tuple[torch.device, str], tree: DraftTree, prompt: int
) -> None:
    of = target(way)
    ids, drafted, mask = tokens(prompt, device=of.device), tree.tokens.to(of.device), tree.mask
    cache = of.new_cache(prompt + len(drafted))
    of.prefill(ids, cache)
    got = judge(of, drafted, cache, mask.to(of.device))
    for leaf in set(range(len(drafted))) - set(tree.parents.tolist()):
        path = path_to(leaf, tree)
        alone = read(of, torch.cat((ids, drafted[path])))
        expected = Judgement(alone.logits[prompt:], alone.features[prompt:])
        same(of, Judgement(got.logits[path], got.features[path]), expected)


@each_way
@settings(max_examples=40)
@given(trees(), st.integers(1, 20), st.data())
def test_what_is_kept_is_as_if_read(
    way: tuple[torch.device, str], tree: DraftTree, prompt: int, data: st.DataObject
) -> None:
    of = target(way)
    ids, drafted = tokens(prompt, device=of.device), tree.tokens.to(of.device)
    cache = of.new_cache(prompt + len(drafted) + 3)
    of.prefill(ids, cache)
    judge(of, drafted, cache, tree.mask.to(of.device))
    path = path_to(data.draw(st.integers(0, len(drafted) - 1)), tree)
    of.keep(torch.tensor(path, device=of.device), cache)
    assert cache.length == prompt + len(path)
    more = tokens(3, seed=1, device=of.device)
    got = judge(of, more, cache)
    expected = read(of, torch.cat((ids, drafted[path], more)))
    same(of, got, Judgement(expected.logits[-3:], expected.features[-3:]))


@each_way
def test_a_tree_that_is_not_kept_leaves_no_trace(way: tuple[torch.device, str]) -> None:
    of = target(way)
    ids = tokens(9, device=of.device)
    cache = of.new_cache(12)
    of.prefill(ids[:6], cache)
    judge(of, tokens(5, seed=1, device=of.device), cache)
    assert cache.length == 6
    expected = read(of, ids)
    same(of, judge(of, ids[6:], cache), Judgement(expected.logits[6:], expected.features[6:]))


def test_positions_follow_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    of = LlamaTarget(config := tiny_config(), tiny_weights(config))
    seen: list[list[int]] = []
    rotation = of.rotation

    def recorded(positions: Tensor) -> Rotation:
        seen.append(positions.tolist())
        return rotation(positions)

    monkeypatch.setattr(of, "rotation", recorded)
    cache = of.new_cache(20)
    of.prefill(tokens(7), cache)
    judge(of, tokens(4, seed=1), cache)
    of.keep(torch.tensor([0, 1]), cache)
    of.prefill(tokens(1), cache)
    tree = DraftTree(tokens(5), torch.tensor([-1, 0, 0, 1, 2]))
    judge(of, tree.tokens, cache, tree.mask)
    assert seen == [[0, 1, 2, 3, 4, 5, 6], [7, 8, 9, 10], [9], [10, 11, 11, 12, 12]]


@each_way
def test_a_position_off_by_one_is_another_answer(way: tuple[torch.device, str]) -> None:
    of = target(way)
    ids = tokens(8, device=of.device)
    expected = read(of, ids).features[7:]
    for position, right in ((7, True), (8, False)):
        cache = of.new_cache(8)
        of.prefill(ids[:7], cache)
        where = torch.tensor([position], device=of.device)
        got = of.verify(ids[7:], where, causal(1, of.device), cache).features
        assert torch.allclose(got, expected, rtol=1e-3, atol=1e-4) is right


def test_positions_beyond_the_longest_context() -> None:
    config = tiny_config(max_positions=8)
    of = LlamaTarget(config, tiny_weights(config))
    assert of.prefill(tokens(30), of.new_cache(30)).features.isfinite().all()


@each_way
def test_a_long_prompt_is_read_in_pieces(
    way: tuple[torch.device, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    of = target(way)
    ids = tokens(17, device=of.device)
    whole = of.prefill(ids, of.new_cache(17))
    assert whole.logits.shape == (1, of.config.vocab_size)
    monkeypatch.setattr(passes, "CHUNK", 5)
    same(of, of.prefill(ids, of.new_cache(17)), whole)


@each_way
def test_no_room(way: tuple[torch.device, str]) -> None:
    of = target(way)
    cache = of.new_cache(8)
    of.prefill(tokens(6, device=of.device), cache)
    held = cache.storage
    before = held.keys.clone(), held.values.clone()
    line = "3 more tokens do not fit into a cache that holds 6 of at most 8"
    with pytest.raises(CapacityError, match=line):
        judge(of, tokens(3, device=of.device), cache)
    with pytest.raises(CapacityError, match=line):
        of.prefill(tokens(3, device=of.device), cache)
    assert cache.length == 6
    assert torch.equal(held.keys, before[0])
    assert torch.equal(held.values, before[1])
    judge(of, tokens(2, device=of.device), cache)  # the room that is left can be used


def test_nothing_to_read() -> None:
    of = target(WAYS[0])
    with pytest.raises(PromptError, match="no tokens to read"):
        of.prefill(tokens(0), of.new_cache(4))


@each_way
def test_what_drafters_ask_for(way: tuple[torch.device, str]) -> None:
    for name in ("grouped", "tied"):
        of = target(way, name)
        weights = tiny_weights(of.config)
        embedding = weights["model.embed_tokens.weight"].to(of.device)
        head = embedding if of.config.tied else weights["lm_head.weight"].to(of.device)
        assert torch.equal(of.embedding_weight, embedding)
        assert torch.equal(of.lm_head_weight, head)
        ids = tokens(5, device=of.device)
        assert torch.equal(of.embed(ids), embedding[ids])
        got = of.prefill(ids, of.new_cache(5))
        assert of.lm_head(got.features).shape == (5, of.config.vocab_size)
        assert torch.allclose(got.logits, got.features[-1:] @ head.T, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision(dtype: torch.dtype) -> None:
    for name in ("grouped", "biases of q, k and v"):
        config = tiny_config(**GEOMETRIES[name])
        of = LlamaTarget(config, tiny_weights(config), dtype=dtype)
        got = read(of, tokens(20))
        assert got.logits.dtype == got.features.dtype == of.dtype == dtype
        expected = read(target(WAYS[0], name), tokens(20)).features
        error = (got.features.float() - expected).norm() / expected.norm()
        assert error < (0.03 if dtype == torch.bfloat16 else 0.004)


def test_it_is_a_target() -> None:
    of: Target = target(WAYS[0])
    assert (of.config, of.device, of.dtype) == (tiny_config(), torch.device("cpu"), torch.float32)


@pytest.mark.parametrize(
    ("name", "weight", "line"),
    [
        ("model.layers.1.mlp.up_proj.weight", None, "the checkpoint has no model.layers.1.mlp.up"),
        ("lm_head.weight", None, "the checkpoint has no lm_head.weight"),
        (
            "model.layers.0.self_attn.k_proj.weight",
            torch.zeros(64, 48),
            r"has shape \[64, 48\], but the configuration says \[32, 48\]",
        ),
        (
            "model.layers.0.self_attn.q_norm.weight",
            torch.ones(16),
            "model.layers.0.self_attn.q_norm.weight has no place in a Llama-shaped model",
        ),
        ("model.layers.4.mlp.up_proj.weight", torch.zeros(1), "has no place"),
    ],
    ids=["no weight", "not tied", "another shape", "another architecture", "too many layers"],
)
def test_weights_that_are_not_those_of_the_model(
    name: str, weight: Tensor | None, line: str
) -> None:
    config = tiny_config()
    weights = tiny_weights(config) | ({name: weight} if weight is not None else {})
    if weight is None:
        del weights[name]
    with pytest.raises(CheckpointError, match=line):
        LlamaTarget(config, weights)


def test_weights_that_do_not_matter() -> None:
    config = tiny_config(tied=True)
    weights = tiny_weights(config)
    weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    weights["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.zeros(8)
    LlamaTarget(config, weights)


def test_linears_by_name() -> None:
    config = tiny_config()
    assert LlamaTarget(config, tiny_weights(config), linears="plain").linears == "plain"
    with pytest.raises(OptionError, match="no linears 'best'"):
        LlamaTarget(config, tiny_weights(config), linears="best")
