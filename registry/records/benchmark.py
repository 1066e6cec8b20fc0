"""Benchmarks: measurements of this project. They stand beside claims, never in them.

A record is written by the program that measured (``eagle_impl bench --record``) and sealed: its
``hash`` is made of everything that was measured, so that a number edited by hand is found out.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from pydantic import Field

from registry.records.base import (
    AcceleratorId,
    ClaimsId,
    DatasetId,
    Day,
    Items,
    MachineId,
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


class Host(Part):
    """The machine of a run, as it described itself."""

    record: MachineId
    """The record of the machine."""
    processor: Text
    """Processor model."""
    cores: Whole
    """Cores that the run could use."""
    threads: Whole
    """Threads that the run did use."""
    memory: Text
    """Memory size."""
    accelerator: Maybe[AcceleratorId] = None
    """Accelerator, if the run used one that has a record."""
    device: Maybe[Text] = None
    """What the driver calls the accelerator, and the driver's version, if the run used one."""


class Workload(Part):
    """What was decoded."""

    name: Text
    """Name of the file with the prompts."""
    sha256: Sha256
    """Hash of that file."""
    dataset: Maybe[DatasetId] = None
    """The record of the prompts, where they have one."""
    prompts: Whole
    """Prompts that were decoded."""
    tokens: Whole
    """Tokens that were generated after each at most."""
    repeats: Whole
    """Times that each was decoded by each method."""
    turns: Maybe[Text] = None
    """Which turns of them, where they may have several."""


class Weights(Part):
    """Weights that were run."""

    path: Text
    """Their folder, from the project's root if it lies there, or the name of the model."""
    sha256: Sha256
    """Hash of the file with them; of several, of what ``sha256sum`` prints of them."""


class Raw(Part):
    """The file of all single runs, ``<id>.jsonl`` beside the record."""

    sha256: Sha256
    """Hash of the file."""
    lines: Whole
    """Lines of the file."""


class RunChecks(Part):
    """What the run found out about itself."""

    compared: Whole
    """Outputs whose token ids were to be those of plain decoding, and were compared."""
    differing: Whole
    """How many of them had other ids."""
    outputs: Whole
    """Outputs of plain decoding, repeats aside."""
    loops: Whole
    """How many of them end in a loop, in which drafts always hold."""
    unaccounted: float
    """Share of the measured time by which the parts of the time split miss it, at worst."""
    timer: float
    """Share of the measured time that reading the clock took, at most."""
    interruptions: Whole
    """Times that the run was killed and resumed."""


class Result(Part):
    """One measured number."""

    metric: Metric
    """What was measured."""
    conditions: Conditions
    """Under what conditions."""
    median: float
    """Median over what is counted."""
    low: float
    """Smallest value."""
    high: float
    """Largest value."""
    lower_quartile: Maybe[float] = None
    """A quarter of the values are not above it."""
    upper_quartile: Maybe[float] = None
    """A quarter of the values are not below it."""
    count: Whole
    """Number of values."""
    over: Maybe[Text] = None
    """What the values run over, such as ``repeats`` or ``prompts``."""


class Baseline(Result):
    """One measured number of something that a method is held against."""

    name: Text
    """What it is, such as plain decoding."""


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
    machine: Host
    """The machine."""
    software: Items[Text]
    """Names and versions of what the result depends on."""
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    """Commit of this project."""
    uncommitted: Maybe[bool] = None
    """Whether files differed from the commit, so that nobody can have the code that ran."""
    command: Text
    """The command line."""
    seed: Whole
    """Seed."""
    workload: Workload
    """What was decoded."""
    target: Maybe[Weights] = None
    """The weights of the target."""
    heads: Maybe[Items[Weights]] = None
    """The heads that drafted."""
    surroundings: Maybe[Items[Text]] = None
    """What else may bear on times: variables of the environment, and how busy the machine was."""
    missing: Maybe[Items[Text]] = None
    """What was to be held against the methods and was not measured, and why."""
    raw: Maybe[Raw] = None
    """The file of all single runs."""
    checks: RunChecks
    """What the run found out about itself."""
    results: Items[Result]
    """The results of the methods."""
    baselines: Maybe[Items[Baseline]] = None
    """The results of what they are held against."""
    hash: Sha256
    """The seal of the record (``registry.records.benchmark.seal``)."""


_NOT_MEASURED = {"kind", "id", "note", "withdrawn", "papers", "beside", "hash"}
"""What an editor may change: words about the record, and which records it is read with."""


def seal(record: Benchmark) -> str:
    """The hash that a benchmark must bear.

    SHA-256, in lower-case hexadecimal, of the record as JSON in UTF-8: without the keys ``kind``,
    ``id``, ``note``, ``withdrawn``, ``papers``, ``beside`` and ``hash``, and without keys that are
    absent; keys sorted by code point, no white space, no escapes but those that JSON demands; a day
    as ``YYYY-MM-DD``; a whole number (``count``, ``seed``, ...) in digits, and every other number
    as the shortest decimal that reads back as the same double, with at least one decimal or an
    exponent, as Python's ``repr`` writes it.

    It does not depend on layout, on the order of keys, or on whether 2.0 was written as 2.
    """
    said = record.model_dump(mode="json", exclude_none=True, exclude=_NOT_MEASURED)
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def is_edited(record: Benchmark) -> bool:
    """Whether what stands there is not what was measured: its hash is another."""
    return record.hash != seal(record)
