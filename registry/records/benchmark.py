"""Benchmarks: measurements of this project. They stand beside claims, never in them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from registry.records.base import (
    AcceleratorId,
    ClaimsId,
    Day,
    Items,
    Maybe,
    MethodId,
    ModelId,
    PaperId,
    Part,
    Record,
    Sha256,
    Text,
    Whole,
)
from registry.records.claims import Conditions, Metric


class Machine(Part):
    """The machine of a run, described from the machine itself."""

    processor: Text
    """Processor model."""
    cores: Whole
    """Cores that the run could use."""
    threads: Whole
    """Threads that the run did use."""
    memory: Text
    """Memory size."""
    accelerator: Maybe[AcceleratorId] = None
    """Accelerator, if the run used one."""


class Result(Part):
    """One measured number."""

    metric: Metric
    """What was measured."""
    conditions: Conditions
    """Under what conditions."""
    median: float
    """Median over the repeats."""
    low: float
    """Smallest value."""
    high: float
    """Largest value."""
    count: Whole
    """Number of repeats."""


class Benchmark(Record):
    """A run of this project's implementation and the records it is to be read with."""

    kind: Literal["benchmark"]
    """Always ``benchmark``."""
    measured: Day
    """The day of the run."""
    methods: Items[MethodId]
    """Methods that were run."""
    model: ModelId
    """Target model."""
    papers: Items[PaperId]
    """Papers whose methods were run."""
    beside: Maybe[Items[ClaimsId]] = None
    """Claims that the results may stand beside; they never support them."""
    machine: Machine
    """The machine."""
    software: Items[Text]
    """Names and versions of what the result depends on."""
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    """Commit of this project."""
    command: Text
    """The command line."""
    seed: Whole
    """Seed."""
    raw_sha256: Maybe[Sha256] = None
    """Hash of the raw results file."""
    results: Items[Result]
    """The results."""
