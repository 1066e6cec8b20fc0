"""When two amounts are equal: the same unit or one that converts, within a source's rounding."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from registry.equality.interface import NOT_GIVEN, SAME, Comparison

_FEWEST_DIGITS = 3
"""A source that does not say how it rounds is taken to give at least so many digits."""

_ABOUT = 10
"""An amount that is hedged with ``about`` may be off by the reciprocal of this."""

_KINDS_OF_AMOUNT = (("scope", "package"), ("sparsity", "dense"))
"""What two amounts must share before their numbers can be held together, and the default."""

_PREFIXES = {"m": -3, "": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5}


def _scaled(dimension: str, suffix: str, prefixes: str) -> dict[str, tuple[str, Decimal]]:
    return {
        f"{prefix}{suffix}": (dimension, Decimal(10) ** _PREFIXES[prefix])
        for prefix in prefixes.split(",")
    }


def _binary(dimension: str, suffix: str) -> dict[str, tuple[str, Decimal]]:
    return {
        f"{prefix}{suffix}": (dimension, Decimal(1024) ** power)
        for prefix, power in _BINARY.items()
    }


_UNITS: dict[str, tuple[str, Decimal]] = {
    **_scaled("storage", "B", ",k,K,M,G,T,P"),
    **_binary("storage", "B"),
    **_scaled("bandwidth", "B/s", ",k,K,M,G,T,P"),
    **_binary("bandwidth", "B/s"),
    **_scaled("floating point", "FLOP/s", "M,G,T,P,E"),
    **_scaled("integer", "OP/s", "M,G,T,P,E"),
    **_scaled("power", "W", "m,,k,M"),
    **_scaled("time", "s", "m,"),
    "fraction": ("share", Decimal(1)),
    "percent": ("share", Decimal("0.01")),
}
"""What each unit measures, and how much of the dimension's own unit it is. A unit that is not
listed equals itself alone."""


def round_half_up(value: Decimal, digits: int) -> Decimal:
    """Round to a number of significant digits, a half away from zero as datasheets do."""
    if value == 0:
        return value
    last = value.adjusted() - digits + 1
    return value.quantize(Decimal(1).scaleb(last), rounding=ROUND_HALF_UP)


def written_digits(value: Decimal) -> int:
    """Significant digits of a number as written; zeros at the end may be rounding."""
    return len(value.normalize().as_tuple().digits)


def compare_quantities(
    recorded: Mapping[str, Any], observed: Mapping[str, Any], significant_digits: int | None = None
) -> Comparison:
    """Compare two amounts: ``value``, ``unit``, perhaps ``scope``, ``sparsity``, ``qualifier``.

    They are equal if one is the other rounded to the digits that it is given with.

    Args:
        recorded: The amount in the record.
        observed: The amount that a source gives.
        significant_digits: The digits that the source rounds to, where that is known.
    """
    if recorded.get("value") is None or observed.get("value") is None:
        return NOT_GIVEN
    for key, usual in _KINDS_OF_AMOUNT:
        own_kind, other_kind = (amount.get(key) or usual for amount in (recorded, observed))
        if own_kind != other_kind:
            note = f"the record means {own_kind}, the source {other_kind}"
            return Comparison("different", key, note)
    dimension, own = _in_base_unit(recorded)
    other_dimension, other = _in_base_unit(observed)
    units = f"the record has {_text(recorded)}, the source {_text(observed)}"
    if dimension != other_dimension:
        return Comparison("different", "unit", units)
    result = _within_rounding(
        own, other, _digits(recorded, None), _digits(observed, significant_digits)
    )
    hedged = _hedged(recorded, observed, own, other, result)
    if hedged is not None:
        return hedged
    if result.outcome == "different" and _number(recorded) == _number(observed):
        return Comparison("different", "unit", units)
    return result


def _within_rounding(own: Decimal, other: Decimal, digits: int, other_digits: int) -> Comparison:
    if own == other:
        return SAME
    if round_half_up(own, other_digits) == other:
        return Comparison(
            "same", "rounding", f"the source rounds to {other_digits} significant digits"
        )
    if round_half_up(other, digits) == own:
        return Comparison("same", "rounding", f"the record rounds to {digits} significant digits")
    return Comparison("different", "amount")


def _hedged(
    recorded: Mapping[str, Any],
    observed: Mapping[str, Any],
    own: Decimal,
    other: Decimal,
    result: Comparison,
) -> Comparison | None:
    """What a bound or an ``about`` on either side makes of the comparison, if there is one."""
    hedge, other_hedge = (_hedge(amount) for amount in (recorded, observed))
    if hedge == other_hedge:
        return None
    if "about" in (hedge, other_hedge):
        if result.outcome == "same":
            return result
        if abs(own - other) * _ABOUT <= max(abs(own), abs(other)):
            return Comparison("cannot-tell", "approximate", "one side says “about”")
        return result
    if {hedge, other_hedge} == {"at-least", "at-most"}:
        return Comparison("cannot-tell", "bound", "one side is a lower, the other an upper bound")
    # One side is exact: what it says must lie on the right side of the other's bound.
    bound, exact = (own, other) if hedge != "exactly" else (other, own)
    kept = exact >= bound if "at-least" in (hedge, other_hedge) else exact <= bound
    if kept or result.outcome == "same":
        return Comparison("cannot-tell", "bound", "one side gives only a bound, which is kept")
    return Comparison("different", "bound", "one side gives a bound, which the other breaks")


def _hedge(amount: Mapping[str, Any]) -> str:
    return amount.get("qualifier") or "exactly"


def _number(amount: Mapping[str, Any]) -> Decimal:
    return Decimal(str(amount["value"]))


def _digits(amount: Mapping[str, Any], known: int | None) -> int:
    return known or max(_FEWEST_DIGITS, written_digits(_number(amount)))


def _in_base_unit(amount: Mapping[str, Any]) -> tuple[str, Decimal]:
    unit = str(amount.get("unit") or "")
    dimension, factor = _UNITS.get(unit, (unit, Decimal(1)))
    return dimension, _number(amount) * factor


def _text(amount: Mapping[str, Any]) -> str:
    return f"{_number(amount).normalize():f} {amount.get('unit') or '(no unit)'}"
