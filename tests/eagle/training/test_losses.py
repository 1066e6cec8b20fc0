from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Generator

from eagle_impl.training.losses import NOISE, disturbed, losses

# With this head the logits are the feature, of which the last dimension is no token.
HEAD = torch.eye(4)[:3]


def test_regression_is_smooth_l1_averaged_over_a_features_dimensions() -> None:
    predicted = torch.tensor([[0.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0]])
    wanted = torch.tensor([[0.5, -3.0, 0.0, 1.0], [1.0, 2.0, 3.0, 4.0]])
    # 0.5 * 0.5^2, 3 - 0.5, 0, and 1 - 0.5
    right = [(0.125 + 2.5 + 0.0 + 0.5) / 4, 0.0]
    assert losses(predicted, wanted, HEAD).regression.tolist() == pytest.approx(right)


def test_classification_is_cross_entropy_with_the_targets_distribution() -> None:
    predicted = torch.tensor([[math.log(1.0), math.log(2.0), math.log(5.0), 7.0]])
    wanted = torch.tensor([[math.log(3.0), math.log(3.0), math.log(2.0), -7.0]])
    right = -(3 * math.log(1 / 8) + 3 * math.log(2 / 8) + 2 * math.log(5 / 8)) / 8
    assert losses(predicted, wanted, HEAD).classification.item() == pytest.approx(right)


def test_over_some_ids_both_distributions_are_renormalised() -> None:
    predicted = torch.tensor([[math.log(1.0), math.log(2.0), math.log(5.0), 0.0]])
    wanted = torch.tensor([[math.log(3.0), math.log(3.0), math.log(2.0), 0.0]])
    found = losses(predicted, wanted, HEAD[[0, 2]])
    right = -(3 * math.log(1 / 6) + 2 * math.log(5 / 6)) / 5
    assert found.classification.item() == pytest.approx(right)


def test_hits_are_rows_with_the_same_first_choice() -> None:
    predicted = torch.tensor([[1.0, 0.0, 0.5, 9.0], [1.0, 0.0, 0.5, 9.0]])
    wanted = torch.tensor([[0.6, 0.0, 0.5, 0.0], [0.6, 0.7, 0.5, 0.0]])
    assert losses(predicted, wanted, HEAD).hits.tolist() == [True, False]


def test_the_total_is_regression_and_a_tenth_of_classification() -> None:
    found = losses(torch.rand(5, 4), torch.rand(5, 4), HEAD)
    assert torch.allclose(found.total, found.regression + 0.1 * found.classification)


def test_only_the_prediction_is_moved() -> None:
    predicted = torch.rand(5, 4, requires_grad=True)
    wanted = torch.rand(5, 4, requires_grad=True)
    losses(predicted, wanted, HEAD).total.sum().backward()
    assert predicted.grad is not None
    assert predicted.grad.abs().sum() > 0
    assert wanted.grad is None


@given(st.integers(0, 2**32), st.integers(1, 50))
def test_noise_is_uniform_within_its_bounds(seed: int, rows: int) -> None:
    features = torch.full((rows, 64), 3.0)
    noise = disturbed(features, Generator().manual_seed(seed)) - features
    assert noise.abs().max() <= NOISE * 1.00001
    assert noise.abs().max() > NOISE * 0.8
    assert abs(noise.mean()) < NOISE * 0.4


def test_noise_depends_on_the_generator_alone() -> None:
    features = torch.zeros(3, 5)
    first, second = (disturbed(features, Generator().manual_seed(1)) for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first, disturbed(features, Generator().manual_seed(2)))


def test_gradients_are_right() -> None:
    torch.manual_seed(0)
    predicted = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
    wanted = torch.randn(6, 4, dtype=torch.float64)
    lm_head = torch.randn(9, 4, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: losses(x, wanted, lm_head).total, predicted)


@given(st.integers(0, 2**32), st.sampled_from([0.01, 1.0, 30.0]))
def test_classification_is_that_of_torch_whatever_the_scale(seed: int, scale: float) -> None:
    generator = Generator().manual_seed(seed)
    predicted, wanted, lm_head = (
        scale * torch.randn(7, 16, generator=generator).requires_grad_(),
        scale * torch.randn(7, 16, generator=generator),
        torch.randn(40, 16, generator=generator),
    )
    found = losses(predicted, wanted, lm_head).classification
    target = (wanted @ lm_head.t()).softmax(-1)
    right = torch.nn.functional.cross_entropy(predicted @ lm_head.t(), target, reduction="none")
    assert torch.allclose(found, right, rtol=1e-4, atol=1e-3)
    (mine,) = torch.autograd.grad(found.sum(), predicted)
    (theirs,) = torch.autograd.grad(right.sum(), predicted)
    assert torch.allclose(mine, theirs, rtol=1e-3, atol=1e-4)
