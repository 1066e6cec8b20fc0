from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from transformers.generation import logits_process as process

from eagle_impl.errors import EagleError, OptionError
from eagle_impl.sampling import Sampler, seen_tokens
from eagle_impl.trees import DraftTree


def logits_of(*probabilities: float) -> Tensor:
    """One row of logits, not normalised. [1, vocab]."""
    return torch.tensor([probabilities]).log() + 5.0


def distribution(sampler: Sampler, *probabilities: float) -> list[float]:
    row: list[float] = sampler.distribution(logits_of(*probabilities))[0].tolist()
    return row


# Each step by itself, then what the order decides


@pytest.mark.parametrize(
    ("sampler", "before", "after"),
    [
        # Temperature 1 is the model itself, not "off".
        (Sampler(temperature=1), (0.5, 0.3, 0.2), (0.5, 0.3, 0.2)),
        # 1/2 squares probabilities, 2 takes their roots.
        (Sampler(temperature=0.5), (0.5, 0.3, 0.2), (25 / 38, 9 / 38, 4 / 38)),
        (Sampler(temperature=2), (9 / 14, 4 / 14, 1 / 14), (3 / 6, 2 / 6, 1 / 6)),
        (Sampler(temperature=0), (0.2, 0.5, 0.3), (0, 1, 0)),
        (Sampler(temperature=1e-320), (0.2, 0.5, 0.3), (0, 1, 0)),
        (Sampler(temperature=1, top_k=2), (0.2, 0.5, 0.3), (0, 0.625, 0.375)),
        (Sampler(temperature=1, top_k=1), (0.2, 0.5, 0.3), (0, 1, 0)),
        (Sampler(temperature=1, top_k=99), (0.2, 0.5, 0.3), (0.2, 0.5, 0.3)),
        # As likely as the second: kept as well.
        (Sampler(temperature=1, top_k=2), (0.25, 0.5, 0.25), (0.25, 0.5, 0.25)),
        (Sampler(temperature=1, top_p=0.79), (0.2, 0.5, 0.3), (0, 0.625, 0.375)),
        (Sampler(temperature=1, top_p=0.81), (0.2, 0.5, 0.3), (0.2, 0.5, 0.3)),
        (Sampler(temperature=1, top_p=0.01), (0.2, 0.5, 0.3), (0, 1, 0)),
        # Exactly the mass is enough; of equals the lowest ids are kept.
        (Sampler(temperature=1, top_p=0.5), (0.25, 0.25, 0.25, 0.25), (0.5, 0.5, 0, 0)),
        (Sampler(temperature=1, top_p=0.51), (0.25, 0.25, 0.25, 0.25), (1 / 3, 1 / 3, 1 / 3, 0)),
        (Sampler(temperature=1, min_p=0.59), (0.2, 0.5, 0.3), (0, 0.625, 0.375)),
        (Sampler(temperature=1, min_p=0.61), (0.2, 0.5, 0.3), (0, 1, 0)),
        (Sampler(temperature=1, min_p=1), (0.4, 0.2, 0.4), (0.5, 0, 0.5)),
        # Temperature before top-p: .658 and .237 are enough only once they are that.
        (Sampler(temperature=0.5, top_p=0.85), (0.5, 0.3, 0.2), (25 / 34, 9 / 34, 0)),
        # Top-k before top-p: of two tokens, .571 is enough.
        (Sampler(temperature=1, top_k=2, top_p=0.55), (0.4, 0.3, 0.2, 0.1), (1, 0, 0, 0)),
        # Top-p before min-p: .625, which min-p leaves, would be enough for top-p.
        (Sampler(temperature=1, top_p=0.6, min_p=0.5), (0.5, 0.3, 0.1, 0.1), (0.625, 0.375, 0, 0)),
        # Temperature before min-p: .09 / .25 is too little.
        (Sampler(temperature=0.5, min_p=0.5), (0.5, 0.3, 0.2), (1, 0, 0)),
    ],
)
def test_by_hand(sampler: Sampler, before: tuple[float, ...], after: tuple[float, ...]) -> None:
    assert distribution(sampler, *before) == pytest.approx(after, abs=1e-6)


def test_a_repetition_penalty_divides_positive_logits_and_multiplies_negative_ones() -> None:
    logits = torch.tensor([[2.0, -1.0, 1.0, 0.0]])
    seen = torch.tensor([[True, True, False, True]])
    sampler = Sampler(temperature=1, repetition_penalty=4)
    expected = torch.tensor([0.5, -4.0, 1.0, 0.0]).softmax(0)
    assert sampler.distribution(logits, seen)[0].tolist() == pytest.approx(expected.tolist())
    assert Sampler(repetition_penalty=4).choices(logits, seen).tolist() == [2]
    assert Sampler(repetition_penalty=4).distribution(logits, seen).tolist() == [[0, 0, 1, 0]]
    assert Sampler().choices(logits).tolist() == [0]


def test_a_repetition_penalty_does_not_guess_what_was_seen() -> None:
    with pytest.raises(ValueError, match="occurred"):
        Sampler(repetition_penalty=1.1).choices(torch.zeros(1, 3))


def test_each_node_of_a_tree_has_seen_the_prefix_its_ancestors_and_itself() -> None:
    tree = DraftTree(torch.tensor([3, 5, 6, 0, 5]), torch.tensor([-1, 0, 0, 1, 2]))
    seen = seen_tokens(torch.tensor([1, 1, 3]), tree, 8)
    assert [row.nonzero().flatten().tolist() for row in seen] == [
        [1, 3],
        [1, 3, 5],
        [1, 3, 6],
        [0, 1, 3, 5],
        [1, 3, 5, 6],
    ]


def test_the_first_token_of_all_has_no_prefix() -> None:
    tree = DraftTree(torch.tensor([2]), torch.tensor([-1]))
    none = torch.tensor([], dtype=torch.int64)
    assert seen_tokens(none, tree, 3).tolist() == [[False, False, True]]


# Greedy


def test_the_lowest_id_wins_among_equals() -> None:
    logits = torch.full((2, 5000), -1.0)
    logits[0, [7, 8, 4999]] = 3.0
    logits[1, 1:] = 2.0
    assert Sampler().choices(logits).tolist() == [7, 1]
    assert Sampler().distribution(logits).argmax(dim=1).tolist() == [7, 1]
    assert Sampler().distribution(logits).sum(dim=1).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("sampler", "greedy", "remembers"),
    [
        (Sampler(), True, False),
        (Sampler(temperature=1.0), False, False),
        (Sampler(temperature=1e-9), False, False),
        (Sampler(repetition_penalty=1.2), True, True),
    ],
)
def test_what_a_sampler_needs(sampler: Sampler, greedy: bool, remembers: bool) -> None:
    assert sampler.greedy is greedy
    assert sampler.remembers is remembers


# Number formats


@pytest.mark.parametrize("temperature", [0.0, 0.7])
@pytest.mark.parametrize(
    ("given", "result"),
    [
        (torch.bfloat16, torch.float32),
        (torch.float16, torch.float32),
        (torch.float32, torch.float32),
        (torch.float64, torch.float64),
    ],
)
def test_probabilities_are_float32_or_better(
    temperature: float, given: torch.dtype, result: torch.dtype
) -> None:
    logits = torch.linspace(-4, 4, 2000, dtype=given)[None]
    row = Sampler(temperature, top_p=0.9, repetition_penalty=1.1).distribution(
        logits, torch.zeros(1, 2000, dtype=torch.bool)
    )[0]
    assert row.dtype == result
    assert row.sum().item() == pytest.approx(1.0, abs=1e-6)


def test_what_the_model_excludes_has_no_probability() -> None:
    logits = torch.tensor([[0.0, -math.inf, 0.0, -math.inf]])
    sampler = Sampler(temperature=0.3, top_k=3, top_p=0.999, min_p=0.1, repetition_penalty=2.0)
    row = sampler.distribution(logits, torch.tensor([[False, True, False, False]]))[0]
    assert row.tolist() == [0.5, 0.0, 0.5, 0.0]


def test_logits_that_are_not_numbers_are_refused() -> None:
    logits = torch.tensor([[0.0, 1.0], [math.nan, 1.0]])
    for call in (Sampler().choices, Sampler().distribution):
        with pytest.raises(EagleError, match="not numbers") as caught:
            call(logits)
        assert "float32" in caught.value.hint


# Laws


@pytest.mark.parametrize("spread", [0.01, 1.0, 8.0])
@pytest.mark.parametrize(
    "sampler",
    [
        Sampler(temperature=0),
        Sampler(temperature=0.8),
        Sampler(temperature=1, top_k=40, top_p=0.9, min_p=0.01),
        Sampler(temperature=1, top_p=0.6),
    ],
)
def test_a_row_gets_the_same_bits_in_any_company(sampler: Sampler, spread: float) -> None:
    # More tokens than the nucleus is looked for among first; flat rows need them all.
    logits = torch.randn(6, 3000, generator=torch.Generator().manual_seed(1)) * spread
    logits[2] = logits[2] * 20
    together = sampler.distribution(logits)
    for row in range(6):
        assert torch.equal(together[row], sampler.distribution(logits[row : row + 1])[0])


@given(
    weights=st.lists(st.integers(0, 5), min_size=1, max_size=12).filter(any),
    share=st.integers(1, 19),
    copies=st.sampled_from([1, 300]),  # on both sides of where the nucleus is looked for first
)
def test_the_nucleus_is_the_smallest_set_and_prefers_low_ids(
    weights: list[int], share: int, copies: int
) -> None:
    weights = weights * copies
    order = sorted(range(len(weights)), key=lambda token: -weights[token])  # stable
    total = sum(weights)
    sums = accumulate(weights[token] for token in order)
    # A share that no running sum meets exactly: no rounding decides.
    mass = Fraction(share * total // 20 * 2 + 1, 2 * total)
    size = 1 + sum(Fraction(so_far, total) < mass for so_far in sums)
    sampler = Sampler(temperature=1, top_p=float(mass))
    row = sampler.distribution(torch.tensor([weights], dtype=torch.float64).log())[0]
    assert row.nonzero().flatten().tolist() == sorted(order[:size])
    kept = sum(weights[token] for token in order[:size])
    assert row.tolist() == pytest.approx(
        [weights[token] / kept if token in set(order[:size]) else 0 for token in range(len(row))]
    )


PROCESSORS = [
    Sampler(temperature=0.7),
    Sampler(temperature=1.3, top_k=7),
    Sampler(temperature=1, top_p=0.8),
    Sampler(temperature=1, min_p=0.2),
    Sampler(temperature=0.9, top_k=20, top_p=0.7, min_p=0.05, repetition_penalty=1.3),
    Sampler(temperature=1.5, top_p=0.95, repetition_penalty=0.8),
]


@pytest.mark.parametrize("sampler", PROCESSORS)
def test_it_is_what_generate_of_hugging_face_does(sampler: Sampler) -> None:
    ids = torch.tensor([[3, 17, 3, 40]])
    seen = torch.zeros(1, 60, dtype=torch.bool)
    seen[0, ids[0]] = True
    steps = [process.RepetitionPenaltyLogitsProcessor(sampler.repetition_penalty)]
    steps.append(process.TemperatureLogitsWarper(float(sampler.temperature)))
    if sampler.top_k:
        steps.append(process.TopKLogitsWarper(sampler.top_k))
    if sampler.top_p < 1:
        steps.append(process.TopPLogitsWarper(sampler.top_p))
    if sampler.min_p:
        steps.append(process.MinPLogitsWarper(sampler.min_p))
    generator = torch.Generator().manual_seed(3)
    for _ in range(20):
        logits = torch.randn(1, 60, generator=generator) * 3
        scores = logits
        for step in steps:
            scores = step(ids, scores)
        expected = scores.softmax(dim=-1)
        actual = sampler.distribution(logits, seen)
        assert torch.equal(actual > 0, expected > 0)
        torch.testing.assert_close(actual, expected)


@pytest.mark.parametrize("sampler", PROCESSORS)
def test_and_in_the_order_in_which_generate_does_it(sampler: Sampler) -> None:
    config = transformers.LlamaConfig(
        vocab_size=60,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        initializer_range=1.0,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = transformers.LlamaForCausalLM(config)
        told = model.generate(
            torch.tensor([[3, 17, 3, 40]]),
            attention_mask=torch.ones(1, 4, dtype=torch.int64),
            max_new_tokens=8,
            do_sample=True,
            temperature=float(sampler.temperature),
            top_k=sampler.top_k,
            top_p=sampler.top_p,
            min_p=sampler.min_p or None,
            repetition_penalty=float(sampler.repetition_penalty),
            return_dict_in_generate=True,
            output_logits=True,
            output_scores=True,
        )
    for step, (logits, scores) in enumerate(zip(told.logits, told.scores, strict=True)):
        seen = torch.zeros(1, 60, dtype=torch.bool)
        seen[0, told.sequences[0, : 4 + step]] = True
        actual, expected = sampler.distribution(logits, seen), scores.softmax(dim=-1)
        assert torch.equal(actual > 0, expected > 0)
        torch.testing.assert_close(actual, expected)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"temperature": -1.0}, "temperature -1.0"),
        ({"temperature": math.nan}, "temperature nan"),
        ({"temperature": math.inf}, "temperature inf"),
        ({"top_k": -1}, "top-k -1"),
        ({"top_p": 0.0}, "top-p 0.0"),
        ({"top_p": 1.1}, "top-p 1.1"),
        ({"top_p": math.nan}, "top-p nan"),
        ({"min_p": -0.1}, "min-p -0.1"),
        ({"min_p": 1.5}, "min-p 1.5"),
        ({"repetition_penalty": 0.0}, "repetition penalty 0.0"),
        ({"repetition_penalty": math.inf}, "repetition penalty inf"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(OptionError) as caught:
        Sampler(**options)
    assert caught.value.message.startswith(complaint)
    assert "\n" not in caught.value.message
    assert caught.value.hint
