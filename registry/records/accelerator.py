"""Accelerators: hardware whose numbers carry unit, precision, sparsity, scope and source."""

from __future__ import annotations

from typing import Literal

from registry.records.base import Day, Items, Maybe, OrganizationId, Part, Record, Text
from registry.records.quantities import Quantity, Scope
from registry.records.tracked import Tracked

Precision = Literal["fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4"]


class Peak(Part):
    """What a peak arithmetic rate is a rate of; two peaks compare only if all of this is equal."""

    precision: Precision
    """Number format of the operands."""
    sparsity: Literal["dense", "2:4"]
    """``dense``, or with the 2:4 structured sparsity that doubles the printed number."""
    path: Literal["matrix", "vector"]
    """Matrix units (tensor cores and their like) or ordinary vector units."""
    accumulate: Maybe[Precision] = None
    """Number format of the accumulator, where the rate depends on it."""
    scope: Maybe[Scope] = None
    """Die, package (the default) or superchip."""


class PeakRate(Peak):
    """A peak arithmetic rate of an accelerator."""

    rate: Tracked[Quantity]
    """The rate."""


class Accelerator(Record):
    """A product in one form factor with one memory size."""

    kind: Literal["accelerator"]
    """Always ``accelerator``."""
    name: Text
    """Product name with form factor and memory size."""
    vendor: OrganizationId
    """The maker."""
    architecture: Maybe[Text] = None
    """Name of the architecture."""
    aliases: Maybe[Items[Text]] = None
    """Other names in use, among them what drivers report."""
    memory_size: Tracked[Quantity]
    """Size of the device memory."""
    memory_type: Maybe[Tracked[Text]] = None
    """Type of the device memory."""
    memory_bandwidth: Maybe[Tracked[Quantity]] = None
    """Peak bandwidth of the device memory."""
    power: Maybe[Tracked[Quantity]] = None
    """Board or module power limit."""
    form_factor: Maybe[Tracked[Text]] = None
    """Form factor."""
    interconnect: Maybe[Tracked[Text]] = None
    """Link to other accelerators."""
    released: Maybe[Tracked[Day]] = None
    """Release day."""
    peaks: Maybe[Items[PeakRate]] = None
    """Peak arithmetic rates, one for each combination of precision, sparsity and path."""
