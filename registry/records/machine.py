"""Machines: the hosts that benchmarks ran on, as they describe themselves."""

from __future__ import annotations

from typing import Literal

from registry.records.base import AcceleratorId, Items, Maybe, Part, Record, Text, Whole


class Fitted(Part):
    """Accelerators of one type in a machine."""

    name: Text
    """What their driver calls them."""
    memory: Text
    """Memory of each, as the driver counts it, with its unit."""
    count: Whole
    """How many there are."""
    accelerator: Maybe[AcceleratorId] = None
    """The accelerator's record; left out where none fits by name and memory."""


class Machine(Record):
    """A host: a processor, its memory, and what is fitted to it."""

    kind: Literal["machine"]
    """Always ``machine``."""
    name: Text
    """A name to show."""
    processor: Text
    """Processor model, as the system reports it."""
    architecture: Text
    """Instruction set architecture, such as ``x86_64``."""
    features: Maybe[Items[Text]] = None
    """Instruction sets beyond the architecture's base on which matrix products depend."""
    cores: Whole
    """Cores that the system has."""
    memory: Text
    """Main memory, with its unit."""
    accelerators: Maybe[Items[Fitted]] = None
    """Accelerators that are fitted."""
