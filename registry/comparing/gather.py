"""Collects every number that the records hold of some methods."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from registry.comparing.conditions import stated_conditions
from registry.comparing.number import Condition, Number, Origin, Source, order
from registry.equality.runs import latest_runs
from registry.records.benchmark import Benchmark, Result, is_edited
from registry.records.claims import Claim, Claims, Table
from registry.records.evidence import Evidence
from registry.reports.wording import counted
from registry.store.cells import ReadCell, cells_of
from registry.views.claim_lines import amount
from registry.views.shelf import Shelf

ORIGINS: dict[Origin, str] = {
    "authors": "the authors of the source",
    "third-party": "a third party",
    "here": "this project",
}


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found."""

    numbers: tuple[Number, ...]
    unreadable: tuple[str, ...]
    """Tables whose cells cannot be told apart, since rows and columns do not fit."""


def gather(shelf: Shelf, methods: Collection[str]) -> Gathered:
    """Every number of ``methods``, in an order that does not depend on theirs.

    Numbers of records that were withdrawn are left out, and so are numbers that no method is named
    for: what is not stated is unknown. What several runs of one benchmark measured is one number,
    that of the last run, with the others in its remark.

    Raises:
        UnreadableError: a file can no longer be read.
    """
    gathering = _Gathering(shelf, frozenset(methods))
    wanted = {f"method/{method}" for method in methods}
    numbers: list[Number] = []
    benchmarks: list[Benchmark] = []
    for kind in ("claims", "benchmark"):
        for entry in shelf.index.by_kind.get(kind, {}).values():
            if not entry.withdrawn and any(link.key in wanted for link in entry.links):
                opened = shelf.open(entry.key)
                if opened is not None and isinstance(opened.record, Claims):
                    numbers += gathering.claims(opened.record)
                elif opened is not None and isinstance(opened.record, Benchmark):
                    benchmarks.append(opened.record)
    for run, others in latest_runs(benchmarks):
        numbers += gathering.benchmark(run, others)
    return Gathered(tuple(sorted(numbers, key=order)), tuple(sorted(gathering.unreadable)))


class _Gathering:
    def __init__(self, shelf: Shelf, methods: frozenset[str]) -> None:
        self.shelf = shelf
        self.methods = methods
        self.unreadable: list[str] = []

    def claims(self, record: Claims) -> Iterator[Number]:
        for claim in record.claims:
            method = claim.conditions.method if claim.conditions else None
            if method in self.methods and (claim.value is not None or claim.range is not None):
                yield self._claimed(claim, method, record)
        for table in record.tables or ():
            try:
                cells = list(cells_of(table))
            except (KeyError, ValueError):
                self.unreadable.append(f"{table.id} of claims/{record.id}")
                continue
            place = self._place(table, record)
            for cell in cells:
                if cell.conditions.get("method") in self.methods:
                    yield self._cell(cell, table, record, place)

    def _claimed(self, claim: Claim, method: str, record: Claims) -> Number:
        assert claim.conditions is not None
        stated = claim.conditions.model_dump(exclude_none=True)
        derived = claim.derivation
        rule = derived.rule if derived and derived.rule != "value" else ""
        span = claim.range
        rule = rule or ("range" if span else "")
        place = (record.id, "claim", claim.id)
        unit = claim.unit or ""
        kind = _kind(rule, claim.bound or "", is_range=span is not None)
        return Number(
            method=method,
            metric=claim.metric,
            unit=unit,
            value=claim.value,
            low=span.low if span else None,
            high=span.high if span else None,
            middle=None,
            decimals=None,
            bound=claim.bound or "",
            repeats=0,
            rule=rule,
            over=derived.over if derived and derived.rule != "value" else "",
            origin=claim.origin,
            own=self._is_own(method, record),
            drafting=claim.conditions.drafting or "",
            conditions=self._conditions(stated, place, unit, kind, claim.origin),
            source=Source(
                f"claims/{record.id}",
                claim.id,
                "",
                record.paper,
                claim.version,
                claim.locator,
                place,
            ),
            remark=claim.remark or "",
        )

    def _cell(self, cell: ReadCell, table: Table, record: Claims, place: Hashable) -> Number:
        stated = cell.conditions
        return Number(
            method=stated["method"],
            metric=cell.metric,
            unit=cell.unit,
            value=cell.value,
            low=None,
            high=None,
            middle=None,
            decimals=cell.decimals,
            bound="",
            repeats=0,
            rule="",
            over="",
            origin=table.origin,
            own=self._is_own(stated["method"], record),
            drafting=stated.get("drafting", ""),
            conditions=self._conditions(stated, place, cell.unit, _kind(), table.origin),
            source=Source(
                f"claims/{record.id}",
                table.id,
                f"{cell.row} / {cell.column}",
                record.paper,
                table.version,
                table.locator,
                place,
            ),
            remark="",
        )

    def benchmark(self, record: Benchmark, others: Sequence[Benchmark]) -> Iterator[Number]:
        for position, result in enumerate(record.results):
            method = result.conditions.method
            if method is None and len(record.methods) == 1:
                method = record.methods[0]
            if method in self.methods:
                number = self._measured(result, position, method, record)
                told = filter(None, (number.remark, _in_other_runs(result, record, others)))
                yield replace(number, remark="; ".join(told))

    def _measured(self, result: Result, position: int, method: str, record: Benchmark) -> Number:
        stated = result.conditions.model_dump(exclude_none=True)
        stated.setdefault("model", record.model)
        stated.setdefault("hardware", self._machine(record))
        work = record.workload
        if work.dataset is not None:
            stated.setdefault("dataset", work.dataset)
        # The same dataset cut to other lengths is other work.
        cut = (
            f"{work.prompts} prompts of {work.name} ({work.sha256[:8]}), {work.tokens} tokens each"
        )
        drafted = (f"head {head.sha256[:8]}" for head in record.heads or ())
        stated["other"] = (*stated.get("other", ()), cut, *drafted)
        prompts = Condition("dataset", work.name, ("prompts", work.sha256), "known")
        implied: dict[str, Condition] = {"engine": _own_engine(record), "dataset": prompts}
        metric, place = result.metric, ("benchmark", record.id)
        over, lower, upper = result.over or "", result.lower_quartile, result.upper_quartile
        rule = "median" if result.count > 1 else "value"
        kind = Condition("kind", f"{rule} of {over}".removesuffix(" of "), (rule, over), "known")
        return Number(
            method=method,
            metric=metric.name,
            unit=metric.unit,
            value=result.median,
            low=result.low,
            high=result.high,
            middle=None if lower is None or upper is None else (lower, upper),
            decimals=metric.decimals,
            bound="",
            repeats=result.count,
            rule=rule,
            over=over,
            origin="here",
            own=False,
            drafting=result.conditions.drafting or "",
            conditions=tuple(
                implied.get(one.key, one) if one.state == "unknown" else one
                for one in self._conditions(stated, place, metric.unit, kind, "here")
            ),
            source=Source(
                f"benchmark/{record.id}",
                f"{record.measured}",
                f"{position + 1}",
                "",
                f"commit {record.commit[:12]}",
                "results",
                place,
            ),
            remark=_doubt(record),
        )

    def _machine(self, record: Benchmark) -> dict[str, Any]:
        machine = record.machine
        threads = f"{machine.processor}, {machine.threads} of {machine.cores} cores"
        if machine.accelerator is not None:
            text = self.shelf.label("accelerator", machine.accelerator)
        else:
            text = machine.device or threads
        card = (machine.accelerator, machine.device)
        return {"text": text, "machine": (machine.record, *card, threads)}

    def _conditions(
        self,
        stated: Mapping[str, Any],
        place: Hashable,
        unit: str,
        kind: Condition,
        origin: Origin,
    ) -> tuple[Condition, ...]:
        measured = Condition("origin", ORIGINS[origin], origin, "known")
        return (*stated_conditions(stated, place, unit, self.shelf.label), kind, measured)

    def _place(self, table: Table, record: Claims) -> Hashable:
        """What tells tables apart: a leaderboard may be entered under each of its methods."""
        read = self.shelf.all(Evidence, (f"evidence/{one}" for one in table.evidence))
        documents = frozenset((one.source, one.url, one.locator, one.version) for one in read)
        printed = table.part_of or table.id
        if not documents or any(one.url is None for one in read):
            return (record.id, "table", printed)
        return (documents, "table", printed, table.version)

    def _is_own(self, method: str, record: Claims) -> bool:
        paper = self.shelf.index.get("paper", record.paper)
        introduced = self.shelf.index.get("method", method)
        return (introduced is not None and introduced.extra["introduced_by"] == record.paper) or (
            paper is not None and method in paper.extra["methods"]
        )


def _doubt(record: Benchmark) -> str:
    if is_edited(record):
        return "EDITED BY HAND: not what was measured"
    return "the code that ran differs from the commit" if record.uncommitted else ""


def _in_other_runs(result: Result, record: Benchmark, others: Sequence[Benchmark]) -> str:
    """What other runs of the same found where one has a result; where code may differ, its commit.

    They stand in a remark, since other code is another engine (``_own_engine``).
    """
    found = {
        other.id
        if other.commit == record.commit
        else f"{other.id}, commit {other.commit[:12]}": amount(
            same.median, same.metric.unit, same.metric.decimals
        )
        for other in others
        for same in other.results
        if (same.metric, same.conditions) == (result.metric, result.conditions)
    }
    if not found:
        return ""
    runs = counted(len(found), "more run", "more runs")
    return f"in {runs} {', '.join(found.values())} [{'; '.join(found)}]"


def _own_engine(record: Benchmark) -> Condition:
    """What runs where no engine is named; with other code, it is another engine."""
    text = f"this project's, commit {record.commit[:12]}"
    # Nobody knows what ran where files differed from the commit: that is the same only to itself.
    ran = (record.commit, record.id if record.uncommitted else "")
    return Condition("engine", text, ("own", ran), "known")


def _kind(rule: str = "", bound: str = "", *, is_range: bool = False) -> Condition:
    """Whether it is a value, a range, a best or a mean: those never stand side by side."""
    text = " ".join(filter(None, (bound.replace("-", " "), rule or "value")))
    return Condition("kind", text, (rule, bound, is_range), "known")
