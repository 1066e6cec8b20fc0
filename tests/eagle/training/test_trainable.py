from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (torch's own name for it)
from eagle.tiny import tiny_config

from eagle_impl.drafters.head import EagleHead, HeadConfig
from eagle_impl.training.trainable import exported, product, trainable

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
