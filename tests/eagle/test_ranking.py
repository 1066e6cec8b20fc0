from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.native import kernels as native
from eagle_impl.ranking import largest, likeliest

NAN = float("nan")
WAYS = ["torch", *(["kernels"] if native.kernels() is not None else [])]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to do the same."""
    if request.param == "torch":
        monkeypatch.setattr(native, "kernels", lambda: None)
    return str(request.param)


def row(size: int, **at: float) -> list[float]:
    """Zeros but for some places, ``at_3=1.0``."""
    numbers = [0.0] * size
    for name, value in at.items():
        numbers[int(name.removeprefix("at_"))] = value
    return numbers


def test_the_first_among_equals_is_the_largest(way: str) -> None:
    rows = torch.tensor(
        [
            row(3000, at_2999=1.0),
            row(3000, at_17=2.0, at_18=2.0, at_2999=2.0),
            row(3000, at_1023=5.0, at_1024=5.0),
            row(3000),
            [-math.inf] * 3000,
            [-math.inf] * 2999 + [-1e38],
            row(3000, at_40=math.inf, at_39=3e38),
        ]
    )
    assert largest(rows) == [2999, 17, 1023, 0, 0, 2999, 40]


@pytest.mark.parametrize("place", [0, 15, 16, 2989, 2999])
def test_what_is_no_number_is_found_wherever_it_stands(way: str, place: int) -> None:
    rows = torch.tensor([row(3000, at_5=1.0), row(3000, at_5=1.0)])
    rows[1, place] = NAN
    assert largest(rows) == [5, -1]


@pytest.mark.parametrize("size", [1, 7, 16, 33, 1025])
def test_the_largest_of_few_and_of_many(way: str, size: int) -> None:
    rows = torch.randn(9, size, generator=torch.Generator().manual_seed(size))
    assert largest(rows) == [max(range(size), key=one.__getitem__) for one in rows.tolist()]


def test_other_number_formats_and_rows_of_something_wider(way: str) -> None:
    rows = torch.randn(4, 50, generator=torch.Generator().manual_seed(0))
    expected = rows[:, 3:40].argmax(dim=1).tolist()
    assert largest(rows[:, 3:40]) == largest(rows[:, 3:40].double()) == expected
    assert likeliest(rows[:, 3:40], 1)[0][:, 0].tolist() == expected


def test_likeliest_worked_by_hand(way: str) -> None:
    # Chances of 1/2, 1/4 and 1/8 twice, whatever is added to all of a row.
    logits = torch.tensor([[1.0, 3.0, 2.0, 1.0], [-99.0, -97.0, -98.0, -99.0]]) * math.log(2)
    columns, log_probs = likeliest(logits, 2)
    assert columns.tolist() == [[1, 2], [1, 2]]
    assert log_probs.exp().flatten().tolist() == pytest.approx([0.5, 0.25] * 2, rel=1e-5)


@pytest.mark.parametrize("named", WAYS)
@given(st.integers(1, 5), st.integers(1, 700), st.integers(1, 12), st.floats(0.1, 40.0), st.data())
def test_likeliest_is_sorted_and_a_probability(
    named: str, rows: int, columns: int, count: int, spread: float, data: st.DataObject
) -> None:
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 99)))
    logits = spread * torch.randn(rows, columns, generator=generator)
    count = min(count, columns)
    with pytest.MonkeyPatch.context() as patched:
        if named == "torch":
            patched.setattr(native, "kernels", lambda: None)
        found, log_probs = likeliest(logits, count)
    exact = logits.double().log_softmax(dim=-1)
    order = exact.sort(dim=-1, descending=True, stable=True)
    assert found.tolist() == order.indices[:, :count].tolist()
    assert torch.allclose(log_probs.double(), order.values[:, :count], rtol=1e-5, atol=1e-5)
    assert (log_probs <= 0).all()


@pytest.mark.skipif(native.kernels() is None, reason="no compiler here")
def test_the_kernels_take_the_first_of_equals_first() -> None:
    logits = torch.tensor([row(300, at_299=1.0, at_150=1.0, at_2=1.0, at_40=2.0)])
    assert likeliest(logits, 6)[0].tolist() == [[40, 2, 150, 299, 0, 1]]


def test_impossible_tokens_may_be_among_the_likeliest(way: str) -> None:
    logits = torch.tensor([[-math.inf, 1.0, -math.inf]])
    columns, log_probs = likeliest(logits, 3)
    assert sorted(columns[0].tolist()) == [0, 1, 2]
    assert columns[0, 0] == 1
    assert log_probs[0].tolist() == pytest.approx([0.0, -math.inf, -math.inf])


def test_rows_alone_and_among_others(way: str) -> None:
    logits: Tensor = torch.randn(7, 500, generator=torch.Generator().manual_seed(1))
    together = likeliest(logits, 4)
    alone = [likeliest(one, 4) for one in logits.split(1)]
    for part in range(2):
        assert torch.equal(together[part], torch.cat([one[part] for one in alone]))
