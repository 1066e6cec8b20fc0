from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.errors import OptionError
from eagle_impl.linears import Kind, choose, linear, usable

CPU = torch.device("cpu")
KINDS = usable(CPU, torch.float32)
ROUNDED: list[Kind] = ["int8"] if "native" in KINDS else []
INVARIANT: list[Kind] = [kind for kind in KINDS if kind == "native"] + ROUNDED


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
def test_a_token_alone_and_among_others_to_the_last_bit(kind: Kind, tokens: int, seed: int) -> None:
    x, weight = normal(tokens, 37, seed=seed), normal(50, 37, seed=seed + 1)
    apply = linear(weight, None, kind)
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


# Weights that are rounded


@pytest.mark.parametrize("kind", ROUNDED)
@given(st.integers(1, 40), st.integers(1, 70), st.integers(1, 100), st.data())
def test_whole_numbers_are_not_rounded(
    kind: Kind, tokens: int, inputs: int, outputs: int, data: st.DataObject
) -> None:
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 99)))

    def whole(most: int, *shape: int) -> Tensor:
        return torch.randint(-most, most + 1, shape, generator=generator).float()

    weight = whole(126, outputs, inputs)
    weight[:, -1] = 127.0  # so that the scale is 1
    scale = torch.tensor([0.25, 1.0, 8.0])[torch.arange(outputs) % 3]
    x, bias, onto = whole(50, tokens, inputs), whole(99, outputs), whole(99, tokens, outputs)
    apply = linear(weight * scale[:, None], bias, kind)
    exact = x @ (weight * scale[:, None]).T + bias  # below 2^24 in quarters: no sum is rounded
    assert torch.equal(apply(x), exact)
    assert torch.equal(apply(x, onto=onto), exact + onto)


@pytest.mark.parametrize("kind", ROUNDED)
@given(st.integers(1, 70), st.integers(1, 100), st.floats(1e-6, 1e6), st.integers(0, 99))
def test_no_weight_is_off_by_more_than_half_a_step(
    kind: Kind, inputs: int, outputs: int, size: float, seed: int
) -> None:
    weight = size * normal(outputs, inputs, seed=seed)
    used = linear(weight, None, kind)(torch.eye(inputs)).T
    steps = weight.abs().amax(dim=1, keepdim=True) / 127
    assert ((used - weight).abs() <= 0.5001 * steps).all()


@pytest.mark.parametrize("kind", ROUNDED)
def test_an_output_without_weights(kind: Kind) -> None:
    weight = torch.tensor([[0.0, 0.0], [1.0, -1.0]])
    bias = torch.tensor([3.0, 0.0])
    assert linear(weight, bias, kind)(torch.tensor([[5.0, 2.0]])).tolist() == [[3.0, 3.0]]


def test_what_is_rounded_is_never_chosen_for_a_target() -> None:
    assert "int8" not in KINDS
    with pytest.raises(OptionError, match="no linears 'int8'"):
        choose("int8", CPU, torch.float32)


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
