"""Measured or specified amounts: a number never stands without its unit."""

from __future__ import annotations

from typing import Literal

from registry.records.base import Maybe, Part

Unit = Literal[
    "GB",
    "GiB",
    "GB/s",
    "TFLOP/s",
    "TOP/s",
    "W",
    "tokens/s",
    "x",
    "tokens",
    "fraction",
    "percent",
    "ms",
    "s",
    "parameters",
]
Scope = Literal["die", "package", "superchip"]


class Quantity(Part):
    """A number with its unit and the physical thing it is about."""

    value: float
    """The number."""
    unit: Unit
    """The unit, written as the enumeration has it."""
    scope: Maybe[Scope] = None
    """One die, the package that is sold as a unit (the default), or a superchip of several."""
    qualifier: Maybe[Literal["exactly", "at-least", "at-most", "about"]] = None
    """How the source hedges the number; ``exactly`` when absent."""
