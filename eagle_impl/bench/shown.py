"""A benchmark record as tables and plots show it: by way of decoding, with names for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eagle_impl.errors import OptionError
from registry.equality.runs import other_runs
from registry.records.benchmark import Baseline, Benchmark, Result, is_edited
from registry.reports.wording import visible
from registry.store.nearest import did_you_mean
from registry.store.root import find_root
from registry.verify import load
from registry.views.page import one_line
from registry.views.shelf import Shelf

PLAIN = "plain decoding"
"""Name of the baseline that speedups are speedups over."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way of decoding."""

    name: str
    """The method's name, or what a baseline is called."""
    drafting: str
    """Shape of the draft; empty for a baseline."""
    results: tuple[Result, ...]

    def at(self, metric: str, temperature: float | None) -> Result | None:
        """Its number of that metric at a temperature; None where it was not measured."""
        for result in self.results:
            conditions = result.conditions
            if result.metric.name == metric and conditions.temperature == temperature:
                return result
        return None

    def depths(self, temperature: float | None) -> list[tuple[int, Result]]:
        """Depth in the draft, from 1, to how many of its tokens were accepted there."""
        found: list[tuple[int, Result]] = []
        for result in self.results:
            kind, _, place = result.metric.name.partition("-")
            if result.conditions.temperature == temperature and place.isdecimal():
                # On chains the head's own features before the token are counted, so from 0.
                if kind == "alpha":
                    found.append((int(place) + 1, result))
                elif kind == "acceptance":
                    found.append((int(place), result))
        return sorted(found, key=lambda one: one[0])


@dataclass(frozen=True, slots=True)
class Shown:
    """A record with the names of what it refers to."""

    record: Benchmark
    others: tuple[Benchmark, ...]
    """Other runs of the same measurement."""
    model: str
    machine: str
    """With the accelerator that was used, and the threads."""
    prompts: str
    ways: tuple[Way, ...]
    """The methods, in the order of the record."""
    baselines: tuple[Way, ...]
    """What they are held against, plain decoding first."""

    @property
    def temperatures(self) -> list[float]:
        """At which something was decoded, in order."""
        every = (one for way in self.ways for one in way.results)
        return sorted(
            {one.conditions.temperature for one in every if one.conditions.temperature is not None}
        )

    @property
    def commit(self) -> str:
        """What ran, in short."""
        near = "near commit" if self.record.uncommitted else "commit"
        return f"{near} {self.record.commit[:12]}"

    @property
    def circumstances(self) -> tuple[str, ...]:
        """What every number must be read with, in lines."""
        record, work = self.record, self.record.workload
        precisions = {one.conditions.precision for one in record.results}
        lines = (
            f"{self.model}, {', '.join(sorted(filter(None, precisions)))}, on {self.machine}",
            f"{work.prompts} prompts of {self.prompts}, at most {work.tokens} tokens each, "
            f"{work.repeats} times",
            f"benchmark/{record.id}, measured {record.measured}, {self.commit}",
        )
        return tuple(map(plain, lines))


def plain(text: str) -> str:
    """A text of a record on one line, its invisible characters as codes."""
    return visible(one_line(text))


def open_benchmark(record_id: str, root: Path | None) -> Shown:
    """Read a record and what it refers to.

    Args:
        record_id: Its id, with or without ``benchmark/``.
        root: The registry; the one that one is in, or the one that is shipped, if absent.

    Raises:
        OptionError: There is no usable record of that name.
        RegistryError: There is no registry, or a file cannot be read.
    """
    shelf = Shelf(load(find_root(root)))
    wanted = record_id.removeprefix("benchmark/")
    record = shelf.get(Benchmark, wanted)
    known = sorted(shelf.index.by_kind.get("benchmark", {}))
    if record is None:
        hint = did_you_mean(wanted, known) or f"there are {', '.join(known) or 'none'}"
        raise OptionError(f"there is no usable benchmark/{wanted}", hint)
    if record.withdrawn:
        because = plain(record.withdrawn.because)
        raise OptionError(f"benchmark/{wanted} was withdrawn: {because}", "take another one")
    if is_edited(record):
        told = f"benchmark/{wanted} is not what was measured: it was edited by hand"
        raise OptionError(told, f"registry verify benchmark/{wanted} says more")
    every = shelf.all(Benchmark, (f"benchmark/{one}" for one in known))
    machine, work = record.machine, record.workload
    used = f"{shelf.label('machine', machine.record)}, {machine.threads} threads"
    if machine.accelerator or machine.device:
        card = machine.device or shelf.label("accelerator", machine.accelerator or "")
        used = f"{card}, in {used}"
    return Shown(
        record=record,
        others=other_runs(record, every),
        model=plain(shelf.label("model", record.model)),
        machine=used,
        prompts=shelf.label("dataset", work.dataset) if work.dataset else work.name,
        ways=tuple(_ways(record, shelf)),
        baselines=tuple(_baselines(record)),
    )


def _ways(record: Benchmark, shelf: Shelf) -> Iterator[Way]:
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in record.results:
        method, drafting = result.conditions.method or "", result.conditions.drafting or ""
        groups.setdefault((method, drafting), []).append(result)
    for (method, drafting), results in groups.items():
        yield Way(plain(shelf.label("method", method)), plain(drafting), tuple(results))


def _baselines(record: Benchmark) -> Iterator[Way]:
    groups: dict[str, list[Baseline]] = {PLAIN: []}
    for baseline in record.baselines or ():
        groups.setdefault(baseline.name, []).append(baseline)
    for name, results in groups.items():
        if results:
            yield Way(plain(name), "", tuple(results))
