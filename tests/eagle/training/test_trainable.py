from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from eagle.tiny import tiny_config

from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.training.trainable import STEP, answered, exported, product, times, trainable

CONFIG = HeadConfig.like(tiny_config())


def new(**changes: bool) -> EagleHead:
    torch.manual_seed(0)
    return EagleHead(replace(CONFIG, **changes))


def pairs() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    return 0.03 * torch.randn(2, 9, 48), 2.0 * torch.randn(2, 9, 48)


@pytest.mark.parametrize("changes", [{}, {"fc_bias": True, "attention_bias": True}])
def test_an_exported_head_computes_the_same_without_scales(changes: dict[str, bool]) -> None:
    head = trainable(new(**changes), 30.0, 0.5)
    plain = exported(head)
    assert {type(m) for m in plain.modules() if isinstance(m, torch.nn.Linear)} == {torch.nn.Linear}
    assert torch.allclose(plain(*pairs()), head(*pairs()), rtol=1e-4, atol=1e-5)


def test_scales_belong_to_embeddings_and_features_in_this_order() -> None:
    head = new()
    embeddings, features = pairs()
    right = head(30.0 * embeddings, 0.5 * features)
    found = trainable(head, 30.0, 0.5)(embeddings, features)
    assert torch.allclose(found, right, rtol=1e-4, atol=1e-5)


def test_an_exported_head_is_a_copy_under_published_names() -> None:
    head = trainable(new(), 30.0, 0.5)
    plain = exported(head)
    assert list(plain.state_dict()) == list(EagleHead(CONFIG).state_dict())
    with torch.no_grad():
        for weight in plain.parameters():
            weight.zero_()
    assert all(weight.any() for weight in head.parameters())


@pytest.mark.parametrize("shape", [(7, 48), (2, 5, 48)])
def test_products_and_their_gradients_are_those_of_linear(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    x, weight = torch.randn(shape, requires_grad=True), torch.randn(80, 48, requires_grad=True)
    factors = torch.randn(*shape[:-1], 80)
    mine, right = product(x, weight), F.linear(x, weight)
    assert torch.allclose(mine, right, rtol=1e-4, atol=1e-4)
    for found, wanted in zip(
        torch.autograd.grad((mine * factors).sum(), (x, weight)),
        torch.autograd.grad((right * factors).sum(), (x, weight)),
        strict=True,
    ):
        assert torch.allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_in_float64_products_are_exact() -> None:
    x, weight = torch.rand(3, 4, dtype=torch.float64), torch.rand(5, 4, dtype=torch.float64)
    assert torch.equal(product(x, weight), F.linear(x, weight))


def texts(*answers: tuple[int, ...]) -> tuple[torch.Tensor, torch.Tensor, list[torch.Tensor]]:
    """Three texts in one go, and rows of each that count."""
    torch.manual_seed(2)
    counts = [torch.zeros(length, dtype=torch.bool) for length in (9, 70, 5)]
    for one, places in zip(counts, answers, strict=True):
        one[list(places)] = True
    return torch.randn(90, 48), torch.randn(90, 48), counts


ANSWERS = [
    ((3, 4, 8), (*range(2, 30), *range(60, 70)), (0,)),
    ((7,), (), (1, 2)),
    (tuple(range(9)), tuple(range(70)), tuple(range(5))),
]


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_answers_and_gradients_are_those_of_each_text_alone(
    answers: tuple[tuple[int, ...], ...], dtype: torch.dtype
) -> None:
    head = trainable(new(), 1.0, 0.5).to(dtype)
    assert isinstance(head.fc, torch.nn.Linear)
    head.fc.scales = head.fc.scales.to(dtype)  # type: ignore[union-attr, operator]
    embeddings, features, counts = texts(*answers)
    embeddings, features = embeddings.to(dtype), features.to(dtype)
    right, start = [], 0
    for one in counts:
        of_text = slice(start, start := start + len(one))
        right.append(head(embeddings[None, of_text], features[None, of_text])[0][one])
    wanted = torch.cat(right)
    found = answered(head, embeddings, features, counts)
    assert len(found) % STEP == 0
    found = found[: len(wanted)]
    close = {"rtol": 1e-3, "atol": 1e-4} if dtype == torch.float32 else {}
    assert torch.allclose(found, wanted, **close)
    factors = torch.randn(wanted.shape).to(dtype)
    for mine, theirs in zip(
        torch.autograd.grad((found * factors).sum(), list(head.parameters())),
        torch.autograd.grad((wanted * factors).sum(), list(head.parameters())),
        strict=True,
    ):
        assert torch.allclose(mine, theirs, **close)


@pytest.mark.parametrize("shape", [(1, 48), (48, 1), (1, 1), (30, 48)])
def test_times_takes_matrices_however_they_lie(shape: tuple[int, int]) -> None:
    torch.manual_seed(0)
    rows, inputs = shape
    x, weight = torch.randn(shape), torch.randn(20, inputs)
    right = x.double() @ weight.double().t()
    wide = torch.randn(2 * rows, 2 * inputs)
    wide[::2, ::2] = x
    for given_x in (x, x.t().contiguous().t(), wide[::2, ::2]):
        for given_weight in (weight, weight.t().contiguous().t()):
            assert torch.allclose(times(given_x, given_weight).double(), right, atol=1e-4)
    one = torch.randn(1, inputs)
    assert torch.allclose(times(one.expand(rows, inputs), weight), one @ weight.t(), atol=1e-4)
