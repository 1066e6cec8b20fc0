from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from eagle.drafters.head_target import CONFIG, random_head, reference
from eagle.drafters.reference_head import Pair

from eagle_impl.drafters.head import EagleHead, HeadConfig, RmsNorm
from eagle_impl.targets.interface import ModelConfig, RopeConfig


def geometry(name: str) -> HeadConfig:
    """Models whose heads' sizes the EAGLE papers and their README give."""
    hidden, intermediate, heads, kv_heads = {
        "Vicuna-7B": (4096, 11008, 32, 32),
        "Vicuna-13B": (5120, 13824, 40, 40),
        "LLaMA2-Chat-70B": (8192, 28672, 64, 8),
        "LLaMA3-8B": (4096, 14336, 32, 8),
        "Mixtral-8x7B": (4096, 14336, 32, 32),
    }[name]
    return HeadConfig(
        vocab_size=32000,
        hidden_size=hidden,
        intermediate_size=intermediate,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=128,
        max_positions=2048,
    )


@pytest.mark.parametrize(
    ("name", "millions"),
    [
        ("Vicuna-7B", 235.9),
        ("Vicuna-13B", 369.6),
        ("LLaMA2-Chat-70B", 989.9),
        ("LLaMA3-8B", 251.7),
        ("Mixtral-8x7B", 276.8),
    ],
)
def test_heads_are_as_large_as_published(name: str, millions: float) -> None:
    with torch.device("meta"):
        head = EagleHead(geometry(name))
    assert sum(p.numel() for p in head.parameters()) / 1e6 == pytest.approx(millions, abs=0.06)


def test_tensors_are_named_and_shaped_as_in_published_checkpoints() -> None:
    config = HeadConfig(
        vocab_size=31,
        hidden_size=24,
        intermediate_size=40,
        heads=4,
        kv_heads=2,
        head_dim=8,
        max_positions=64,
        fc_bias=True,
        attention_bias=True,
    )
    attention = "layers.0.self_attn."
    assert {name: [*t.shape] for name, t in EagleHead(config).state_dict().items()} == {
        "fc.weight": [24, 48],
        "fc.bias": [24],
        attention + "q_proj.weight": [32, 24],
        attention + "q_proj.bias": [32],
        attention + "k_proj.weight": [16, 24],
        attention + "k_proj.bias": [16],
        attention + "v_proj.weight": [16, 24],
        attention + "v_proj.bias": [16],
        attention + "o_proj.weight": [24, 32],
        "layers.0.mlp.gate_proj.weight": [40, 24],
        "layers.0.mlp.up_proj.weight": [40, 24],
        "layers.0.mlp.down_proj.weight": [24, 40],
        "layers.0.post_attention_layernorm.weight": [24],
    }


@pytest.mark.parametrize("biased", [False, True])
def test_the_head_computes_what_the_paper_says(biased: bool) -> None:
    config = HeadConfig(
        vocab_size=31,
        hidden_size=24,
        intermediate_size=40,
        heads=4,
        kv_heads=2,
        head_dim=8,
        max_positions=64,
        norm_epsilon=1e-5,
        rope=RopeConfig(theta=100.0),
        fc_bias=biased,
        attention_bias=biased,
    )
    head = random_head(config).double()
    generator = torch.Generator().manual_seed(1)
    embeddings = torch.randn(7, 24, generator=generator, dtype=torch.float64)
    features = torch.randn(7, 24, generator=generator, dtype=torch.float64)
    pairs = [
        Pair(e, f, i)
        for i, (e, f) in enumerate(zip(embeddings.numpy(), features.numpy(), strict=True))
    ]
    expected = np.stack([reference(head).predict(pairs[: i + 1]) for i in range(7)])
    with torch.no_grad():
        computed = head(embeddings[None], features[None])[0]
    np.testing.assert_allclose(computed.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_norm_worked_by_hand() -> None:
    norm = RmsNorm(2, epsilon=0.0)
    with torch.no_grad():
        norm.weight.copy_(torch.tensor([1.0, 10.0]))
        # The mean square of 3 and 4 is 12.5.
        normed = norm(torch.tensor([3.0, 4.0])).tolist()
    assert normed == pytest.approx([3 / math.sqrt(12.5), 40 / math.sqrt(12.5)])


def test_no_pair_sees_a_later_one() -> None:
    head = random_head(CONFIG)
    embeddings, features = torch.randn(2, 1, 9, 24, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        before = head(embeddings, features)
        features[0, 5:] += 1.0
        embeddings[0, 5:] -= 1.0
        after = head(embeddings, features)
    torch.testing.assert_close(after[0, :5], before[0, :5], rtol=0, atol=0)
    assert (after[0, 5:] - before[0, 5:]).abs().min() > 0


def test_a_mask_says_what_is_seen() -> None:
    head = random_head(CONFIG)
    embeddings, features = torch.randn(2, 2, 6, 24, generator=torch.Generator().manual_seed(3))
    causal = torch.ones(6, 6, dtype=torch.bool).tril()
    padded = causal.expand(2, 1, 6, 6).clone()
    padded[1, :, 2:, 1] = False  # row 1 of the batch has a pair that later ones must not see
    with torch.no_grad():
        plain = head(embeddings, features)
        torch.testing.assert_close(head(embeddings, features, causal), plain)
        masked = head(embeddings, features, padded)
        features[1, 1] += 1.0
        moved = head(embeddings, features, padded)
    torch.testing.assert_close(masked[0], plain[0])
    torch.testing.assert_close(moved[1, 2:], masked[1, 2:])


def test_every_weight_is_trained() -> None:
    config = HeadConfig(
        vocab_size=31,
        hidden_size=6,
        intermediate_size=5,
        heads=2,
        kv_heads=1,
        head_dim=4,
        max_positions=64,
        fc_bias=True,
        attention_bias=True,
    )
    head = random_head(config).double()
    generator = torch.Generator().manual_seed(4)
    embeddings, features = torch.randn(2, 1, 3, 6, generator=generator, dtype=torch.float64)
    names = [name for name, _ in head.named_parameters()]

    def loss(*values: torch.Tensor) -> torch.Tensor:
        weights = dict(zip(names, values, strict=True))
        out = torch.func.functional_call(head, weights, (embeddings, features))
        return out.square().sum()

    assert torch.autograd.gradcheck(loss, tuple(head.parameters()), fast_mode=True)
    head(embeddings, features).sum().backward()
    # A bias on all keys alike moves every score of a query alike: softmax takes it out again, but
    # for the rotation.
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in head.parameters())


def test_positions_stay_exact_in_half_precision() -> None:
    head = random_head(CONFIG).to(torch.bfloat16)
    cos, sin = head.rotation(torch.tensor([1000]))
    # The fastest pair of dimensions turns by one radian a position.
    assert cos.dtype == torch.bfloat16
    assert cos[0, 0].item() == pytest.approx(math.cos(1000.0), abs=0.003)
    assert sin[0, 0].item() == pytest.approx(math.sin(1000.0), abs=0.003)
    assert cos[0, 1].item() == pytest.approx(math.cos(1000.0 * 100 ** (-1 / 4)), abs=0.003)


def test_a_head_like_its_target() -> None:
    target = ModelConfig(
        vocab_size=99,
        hidden_size=32,
        intermediate_size=80,
        layers=7,
        heads=4,
        kv_heads=2,
        head_dim=16,
        max_positions=4096,
        norm_epsilon=1e-6,
        rope=RopeConfig(theta=500000.0, scaling="llama3", factor=8.0),
        tied=True,
        attention_bias=True,
    )
    assert HeadConfig.like(target) == HeadConfig(
        vocab_size=99,
        hidden_size=32,
        intermediate_size=80,
        heads=4,
        kv_heads=2,
        head_dim=16,
        max_positions=4096,
        norm_epsilon=1e-6,
        rope=RopeConfig(theta=500000.0, scaling="llama3", factor=8.0),
    )
