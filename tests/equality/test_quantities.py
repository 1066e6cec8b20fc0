from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.equality.quantities import compare_quantities, round_half_up, written_digits


def amount(value: float, unit: str = "GB/s", **more: str) -> dict[str, Any]:
    return {"value": value, "unit": unit, **more}


@pytest.mark.parametrize(
    ("recorded", "observed"),
    [
        (amount(2039), amount(2.039, "TB/s")),
        (amount(1979, "TFLOP/s"), amount(1.979, "PFLOP/s")),
        (amount(700, "W"), amount(0.7, "kW")),
        (amount(50, "percent"), amount(0.5, "fraction")),
        (amount(80, "GiB"), amount(85.89934592, "GB")),
        (amount(2.7, "x"), amount(2.7, "x")),
        (amount(80, "GB"), amount(80.0, "GB", scope="package")),
    ],
)
def test_units_convert(recorded: dict[str, Any], observed: dict[str, Any]) -> None:
    assert compare_quantities(recorded, observed).outcome == "same"
    assert compare_quantities(observed, recorded).outcome == "same"


@pytest.mark.parametrize(
    ("recorded", "observed", "digits"),
    [
        (1555, 1560, 3),  # the half is rounded up
        (1555, 1560, None),
        (2039, 2040, None),
        (1935, 1940, None),
        (1008, 1010, None),
        (936, 936.2, None),  # the record is the coarser one
        (300, 300.1, None),
        (165.15, 165.2, None),
        (7700, 8000, 1),
    ],
)
def test_amounts_within_rounding(recorded: float, observed: float, digits: int | None) -> None:
    result = compare_quantities(amount(recorded), amount(observed), digits)
    assert (result.outcome, result.kind) == ("same", "rounding")


@pytest.mark.parametrize(
    ("recorded", "observed", "digits"),
    [
        (3350, 3360, None),
        (4800, 4890, None),
        (3280, 3200, None),
        (2039, 2000, None),  # fewer than three digits count as three
        (1545, 1560, 3),
        (897, 1130, None),
    ],
)
def test_amounts_that_differ(recorded: float, observed: float, digits: int | None) -> None:
    result = compare_quantities(amount(recorded), amount(observed), digits)
    assert (result.outcome, result.kind) == ("different", "amount")


@pytest.mark.parametrize(
    ("recorded", "observed"),
    [
        (amount(80, "GB"), amount(80, "GiB")),
        (amount(2.039, "GB/s"), amount(2.039, "TB/s")),
        (amount(312, "TFLOP/s"), amount(312, "TOP/s")),
        (amount(5, "ms"), amount(5, "s")),
        (amount(5, "tokens"), amount(5, "parameters")),
    ],
)
def test_the_same_number_of_another_unit(
    recorded: dict[str, Any], observed: dict[str, Any]
) -> None:
    result = compare_quantities(recorded, observed)
    assert (result.outcome, result.kind) == ("different", "unit")


def test_a_die_is_no_package() -> None:
    result = compare_quantities(amount(180, "GB"), amount(90, "GB", scope="die"))
    assert (result.outcome, result.kind) == ("different", "scope")
    assert "package" in result.note
    assert "die" in result.note


def test_a_sparse_rate_is_no_dense_rate() -> None:
    sparse = amount(312, "TFLOP/s", sparsity="2:4")
    result = compare_quantities(amount(312, "TFLOP/s"), sparse)
    assert (result.outcome, result.kind) == ("different", "sparsity")
    assert result.note == "the record means dense, the source 2:4"


@pytest.mark.parametrize(
    ("recorded", "observed", "outcome", "kind"),
    [
        (amount(2040), amount(2000, qualifier="at-least"), "cannot-tell", "bound"),
        (amount(1900), amount(2000, qualifier="at-least"), "different", "bound"),
        (amount(2000, qualifier="at-most"), amount(1900), "cannot-tell", "bound"),
        (amount(2000, qualifier="at-most"), amount(2100), "different", "bound"),
        (
            amount(2000, qualifier="at-least"),
            amount(2000, qualifier="at-least"),
            "same",
            "",
        ),
        (
            amount(2000, qualifier="at-least"),
            amount(2500, qualifier="at-most"),
            "cannot-tell",
            "bound",
        ),
        (amount(2040), amount(2000, qualifier="about"), "cannot-tell", "approximate"),
        (amount(2040), amount(2040, qualifier="about"), "same", ""),
        (amount(2040), amount(900, qualifier="about"), "different", "amount"),
        (amount(2040), amount(2040, qualifier="exactly"), "same", ""),
    ],
)
def test_hedged_amounts(
    recorded: dict[str, Any], observed: dict[str, Any], outcome: str, kind: str
) -> None:
    result = compare_quantities(recorded, observed)
    assert (result.outcome, result.kind) == (outcome, kind)


def test_a_missing_amount_decides_nothing() -> None:
    assert compare_quantities({"unit": "W"}, amount(5, "W")).outcome == "cannot-tell"


@pytest.mark.parametrize(
    ("value", "digits", "rounded"),
    [
        ("1555", 3, "1560"),
        ("1554.9", 3, "1550"),
        ("0.0125", 2, "0.013"),
        ("-2.5", 1, "-3"),
        ("999.5", 3, "1000"),
        ("0", 3, "0"),
    ],
)
def test_rounding_half_up(value: str, digits: int, rounded: str) -> None:
    assert round_half_up(Decimal(value), digits) == Decimal(rounded)


@pytest.mark.parametrize(
    ("value", "digits"), [("1560", 3), ("1555", 4), ("0.0125", 3), ("80.0", 1)]
)
def test_written_digits(value: str, digits: int) -> None:
    assert written_digits(Decimal(value)) == digits


@given(st.integers(1, 10**6), st.integers(3, 5))
def test_a_rounded_amount_is_always_recognised(value: int, digits: int) -> None:
    rounded = float(round_half_up(Decimal(value), digits))
    assert compare_quantities(amount(value), amount(rounded), digits).outcome == "same"


@given(st.floats(0.001, 1e6), st.floats(0.001, 1e6))
def test_comparing_amounts_is_symmetric(one: float, other: float) -> None:
    there = compare_quantities(amount(one), amount(other))
    back = compare_quantities(amount(other), amount(one))
    assert there.outcome == back.outcome
