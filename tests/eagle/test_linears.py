from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.errors import OptionError
from eagle_impl.linears import choose, linear, usable

CPU = torch.device("cpu")
KINDS = usable(CPU, torch.float32)
INVARIANT = [kind for kind in KINDS if kind == "native"]


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("kind", KINDS)
def test_a_product_worked_by_hand(kind: str) -> None:
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, -6.0]])
    apply = linear(weight, torch.tensor([0.5, 0.0, -1.0]), choose(kind, CPU, torch.float32))
    x = torch.tensor([[1.0, 1.0], [2.0, -1.0]])
    assert apply(x).tolist() == [[3.5, 7.0, -2.0], [0.5, 2.0, 15.0]]
    onto = torch.tensor([[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]])
    assert apply(x, onto=onto).tolist() == [[13.5, 27.0, 28.0], [40.5, 52.0, 75.0]]


@pytest.mark.parametrize("kind", KINDS)
@given(
    st.integers(1, 40),
    st.integers(1, 70),
    st.integers(1, 100),
    st.booleans(),
    st.booleans(),
    st.integers(0, 99),
)
def test_every_way_agrees_with_float64(
    kind: str, tokens: int, inputs: int, outputs: int, biased: bool, added: bool, seed: int
) -> None:
    x, weight = normal(tokens, inputs, seed=seed), normal(outputs, inputs, seed=seed + 1)
    bias = normal(outputs, seed=seed + 2) if biased else None
    onto = normal(tokens, outputs, seed=seed + 3) if added else None
    got = linear(weight, bias, choose(kind, CPU, torch.float32))(x, onto)
    exact = x.double() @ weight.double().T
    exact += sum(part.double() for part in (bias, onto) if part is not None)
    assert got.shape == (tokens, outputs)
    assert torch.allclose(got.double(), exact, atol=1e-4)


@pytest.mark.parametrize("kind", INVARIANT)
@given(st.integers(1, 30), st.integers(0, 99))
def test_a_token_alone_and_among_others_to_the_last_bit(kind: str, tokens: int, seed: int) -> None:
    x, weight = normal(tokens, 37, seed=seed), normal(50, 37, seed=seed + 1)
    apply = linear(weight, None, choose(kind, CPU, torch.float32))
    alone = torch.cat([apply(row) for row in x.split(1)])
    assert torch.equal(apply(x), alone)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_a_wider_tensor(kind: str) -> None:
    x, weight = normal(3, 10), normal(4, 6)
    got = linear(weight, None, choose(kind, CPU, torch.float32))(x[:, 2:8])
    assert torch.allclose(got, x[:, 2:8] @ weight.T, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_more_dimensions(kind: str) -> None:
    x, weight = normal(2, 3, 6), normal(4, 6)
    apply = linear(weight, None, choose(kind, CPU, torch.float32))
    assert torch.allclose(apply(x), x @ weight.T, atol=1e-5)
    assert torch.allclose(apply(x, onto=torch.ones(2, 3, 4)), 1 + x @ weight.T, atol=1e-5)


def test_auto_is_the_best_that_is_offered() -> None:
    assert choose("auto", CPU, torch.float32) == KINDS[0]
    assert choose("auto", CPU, torch.bfloat16) == "plain"
    assert choose("auto", torch.device("cuda"), torch.float32) == "plain"


@pytest.mark.parametrize(
    ("wanted", "device", "dtype", "line"),
    [
        ("quick", "cpu", torch.float32, "no linears 'quick' for float32 on cpu"),
        ("mkl", "cpu", torch.bfloat16, "no linears 'mkl' for bfloat16 on cpu"),
        ("onednn", "cuda:0", torch.float32, "no linears 'onednn' for float32 on cuda:0"),
    ],
)
def test_a_way_that_is_not_offered(wanted: str, device: str, dtype: torch.dtype, line: str) -> None:
    with pytest.raises(OptionError) as caught:
        choose(wanted, torch.device(device), dtype)
    assert caught.value.message == line
    assert "plain" in caught.value.hint


def test_plain_keeps_the_number_format() -> None:
    weight = normal(4, 6).bfloat16()
    apply = linear(weight, None, choose("auto", CPU, torch.bfloat16))
    assert apply(normal(2, 6).bfloat16()).dtype == torch.bfloat16
