"""The typed kinds of record. This package imports nothing else of the project."""

from __future__ import annotations

from registry.records.accelerator import Accelerator
from registry.records.base import KindName, Record
from registry.records.benchmark import Benchmark
from registry.records.claims import Claims
from registry.records.entities import Dataset, Engine, Model, Organization
from registry.records.evidence import Evidence
from registry.records.machine import Machine
from registry.records.method import Method
from registry.records.paper import Paper
from registry.records.source import Source
from registry.records.venue import Venue

KINDS: dict[KindName, type[Record]] = {
    "paper": Paper,
    "method": Method,
    "claims": Claims,
    "accelerator": Accelerator,
    "machine": Machine,
    "model": Model,
    "dataset": Dataset,
    "engine": Engine,
    "venue": Venue,
    "organization": Organization,
    "source": Source,
    "evidence": Evidence,
    "benchmark": Benchmark,
}
"""Every kind and its model. A new kind is one model and one line here."""

FOLDERS: dict[KindName, str] = {
    kind: kind if kind in ("claims", "evidence") else f"{kind}s" for kind in KINDS
}
"""The folder under ``data/`` that holds the records of each kind."""

__all__ = ["FOLDERS", "KINDS", "KindName", "Record"]
