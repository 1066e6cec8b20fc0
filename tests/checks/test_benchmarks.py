"""Measurements: what stands there is what was measured, and supports no claim."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from library import library, sealed
from world import World, evidence

from registry.records.benchmark import Benchmark, seal

Record = dict[str, Any]
HERE = "benchmark/osprey-here"


@pytest.fixture
def books(tmp_path: Path) -> World:
    return library(tmp_path / "library")


def codes(books: World) -> set[str]:
    return {finding.code for finding in books.report().findings if finding.code.startswith("BEN")}


def of(books: World, change: Callable[[Record], object]) -> set[str]:
    """Codes after a change that whoever made it sealed anew."""
    record = copy.deepcopy(books[HERE])
    change(record)
    books.records[HERE] = sealed(record)
    return codes(books)


def test_a_measurement_as_it_was_written_has_no_findings(books: World) -> None:
    assert codes(books) == set()


def test_the_seal_is_what_its_description_says(books: World) -> None:
    record = Benchmark.model_validate(books[HERE])
    # Written down by hand after the description, with nothing of the program.
    text = (
        '{"checks":{"compared":60,"differing":0,"interruptions":0,"loops":2,"outputs":12,'
        '"timer":0.0001,"unaccounted":0.002},"command":"nest bench","commit":"' + "0" * 40 + '",'
        '"machine":{"cores":8,"memory":"16 GB","processor":"Heron 2","record":"shed","threads":4},'
        '"measured":"2026-05-02","methods":["osprey"],"model":"pond-7b",'
        '"results":[{"conditions":{"method":"osprey","model":"pond-7b","temperature":0.0},'
        '"count":5,"high":1.62,"low":1.4,"median":1.5,'
        '"metric":{"decimals":2,"name":"speedup","unit":"x"},"over":"repeats"}],'
        '"seed":7,"software":["nest 1.0"],'
        '"workload":{"dataset":"ripples","name":"ripples.jsonl","prompts":12,"repeats":5,'
        '"sha256":"' + "1" * 64 + '","tokens":64}}'
    )
    assert json.loads(text)
    assert seal(record) == hashlib.sha256(text.encode()).hexdigest()


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, one in value.items() for leaf in leaves(one, (*path, key))]
    if isinstance(value, list):
        return [leaf for at, one in enumerate(value) for leaf in leaves(one, (*path, at))]
    return [path]


EXAMPLE = library(Path()).records[HERE]
OWN_WORDS = {"kind", "id", "papers", "beside", "hash", "note", "withdrawn"}
MEASURED = [path for path in leaves(EXAMPLE) if path[0] not in OWN_WORDS]


@given(st.sampled_from(MEASURED), st.integers(1, 9))
def test_nothing_that_was_measured_can_be_edited_unnoticed(path: tuple[Any, ...], by: int) -> None:
    record = copy.deepcopy(EXAMPLE)
    holder: Any = record
    for step in path[:-1]:
        holder = holder[step]
    old = holder[path[-1]]
    other = {
        "commit": str(by) * 40,
        "sha256": "a" * 63 + str(by),
        "unit": "tokens",
        "measured": date(2026, 5, 2 + by),
    }
    text = f"{old}-{by}" if isinstance(old, str) else None
    holder[path[-1]] = other.get(str(path[-1]), text if text else None) or old + by
    edited = Benchmark.model_validate(record)
    assert seal(edited) != edited.hash


def test_layout_and_own_words_are_not_sealed() -> None:
    record = copy.deepcopy(EXAMPLE)
    record["results"][0]["conditions"] = dict(
        reversed(record["results"][0]["conditions"].items())
    ) | {"temperature": 0.0}
    record["checks"]["compared"] = 60.0
    record |= {"note": "Read it with care.", "beside": ["osprey"], "papers": ["osprey", "trees"]}
    assert seal(Benchmark.model_validate(record)) == EXAMPLE["hash"]


def test_an_edited_number_is_found_where_it_was_sealed(books: World) -> None:
    books[HERE]["results"][0]["median"] = 1.6
    (found,) = books.found("BEN001")
    assert (found.record, found.field, found.severity) == (HERE, "hash", "error")
    assert "edited by hand" in found.message


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("about", HERE, "about"),
        ("locator", "data/benchmarks/osprey-here.yaml, results", "locator"),
        ("locator", "see benchmark/osprey-here", "locator"),
        ("url", "https://example.org/blob/main/data/benchmarks/osprey-here.jsonl", "url"),
    ],
)
def test_a_benchmark_is_no_evidence(books: World, key: str, value: str, field: str) -> None:
    said = evidence("paper/osprey", "forum", observation={"year": 2025}) | {key: value}
    if key == "about":
        said["observation"] = {}
        said["silent_on"] = ["year"]
    books.records["evidence/osprey-measured"] = said | {"id": "osprey-measured"}
    found = books.found("BEN003")
    assert [(one.record, one.field) for one in found] == [("evidence/osprey-measured", field)]


@pytest.mark.parametrize(
    "locator", ["Table 2, benchmarks", "https://example.org/benchmark/osprey", "our benchmark / 2"]
)
def test_what_others_measured_is_evidence(books: World, locator: str) -> None:
    said = evidence("paper/osprey", "forum", observation={"year": 2025}, locator=locator)
    books.records["evidence/osprey-measured"] = said | {"id": "osprey-measured"}
    assert books.found("BEN003") == []


def test_a_claim_cannot_cite_a_benchmark(books: World) -> None:
    books["claims/osprey"]["claims"][0]["evidence"] = ["osprey-here"]
    (found,) = books.found("LNK002")
    assert found.record == "claims/osprey"
    assert "of kind benchmark" in found.message


def test_a_benchmark_stands_beside_claims_of_what_it_ran(books: World) -> None:
    assert of(books, lambda record: record.update(beside=["osprey"])) == set()
    other = copy.deepcopy(books["claims/osprey"]) | {"id": "trees", "paper": "trees"}
    text = json.dumps(other, default=str).replace('"osprey"', '"trees"')
    books.records["claims/trees"] = json.loads(text) | {"claims": other["claims"][:0]}
    books.records["claims/trees"]["tables"] = []
    record = copy.deepcopy(books[HERE]) | {"beside": ["osprey", "trees"]}
    books.records[HERE] = record
    (found,) = books.found("BEN004")
    assert found.field == "beside[1]"
    assert "claims/trees claims nothing of osprey" in found.message


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda one: one["conditions"].pop("method"), "results[0].conditions"),
        (lambda one: one["conditions"].update(method="trees"), "results[0].conditions.method"),
        (lambda one: one.update(count=0), "results[0].count"),
        (lambda one: one.update(median=1.7), "results[0]"),
        (lambda one: one.update(low=1.55), "results[0]"),
        (lambda one: one.update(lower_quartile=1.51), "results[0]"),
        (lambda one: one.update(upper_quartile=1.63), "results[0]"),
    ],
)
def test_results_are_well_formed(
    books: World, change: Callable[[Record], object], field: str
) -> None:
    assert of(books, lambda record: change(record["results"][0])) == {"BEN005"}
    assert [found.field for found in books.found("BEN005")] == [field]


def test_baselines_need_no_method_but_an_order(books: World) -> None:
    one = {**books[HERE]["results"][0], "name": "plain", "conditions": {}}
    assert of(books, lambda record: record.update(baselines=[one])) == set()
    assert of(books, lambda record: record["baselines"][0].update(low=2.0)) == {"BEN005"}


@pytest.mark.parametrize(("key", "value"), [("processor", "Heron 3"), ("memory", "8 GB")])
def test_a_machine_is_what_its_record_says(books: World, key: str, value: str) -> None:
    books["machine/shed"][key] = value
    (found,) = books.found("BEN006")
    assert (found.record, found.field) == (HERE, f"machine.{key}")
    assert value in found.message


def test_a_run_uses_no_more_cores_than_there_are(books: World) -> None:
    books["machine/shed"]["cores"] = 9  # of which the run could use 8
    assert codes(books) == set()
    books["machine/shed"]["cores"] = 7
    assert [found.field for found in books.found("BEN006")] == ["machine.cores"]


def test_a_machine_without_a_record_dangles(books: World) -> None:
    del books.records["machine/shed"]
    assert [found.field for found in books.found("LNK001")] == ["machine.record"]
    assert codes(books) == set()


def test_code_that_was_not_committed_is_a_warning(books: World) -> None:
    assert of(books, lambda record: record.update(uncommitted=True)) == {"BEN007"}
    (found,) = books.found("BEN007")
    assert (found.severity, found.field) == ("warning", "uncommitted")


@pytest.mark.parametrize("key", ["unaccounted", "timer"])
def test_times_that_do_not_add_up_are_a_warning(books: World, key: str) -> None:
    limit = {"unaccounted": 0.02, "timer": 0.01}[key]
    assert of(books, lambda record: record["checks"].update({key: limit})) == set()
    assert of(books, lambda record: record["checks"].update({key: limit * 1.01})) == {"BEN009"}
    (found,) = books.found("BEN009")
    assert (found.severity, found.field) == ("warning", f"checks.{key}")


RAW = b'{"conditions":{}}\n{"run":1}\n'


@pytest.fixture
def raw(books: World) -> Path:
    """The single runs, beside the record that names their hash."""
    record = books[HERE] | {"raw": {"sha256": hashlib.sha256(RAW).hexdigest(), "lines": 2}}
    books.records[HERE] = sealed(record)
    path = books.write() / "data/benchmarks/osprey-here.jsonl"
    path.write_bytes(RAW)
    return path


def test_single_runs_lie_beside_the_record(books: World, raw: Path) -> None:
    assert books.found("BEN002", "FIL001") == []


def test_other_single_runs_are_found_although_nothing_else_changed(books: World, raw: Path) -> None:
    books.report()  # which is remembered
    raw.write_bytes(RAW.replace(b"1", b"2"))
    (found,) = books.found("BEN002")
    assert (found.record, found.field) == (HERE, "raw.sha256")
    assert found.line > 1
    raw.write_bytes(RAW)
    assert books.found("BEN002") == []
    raw.unlink()
    (found,) = books.found("BEN002")
    assert found.field == "raw"
    assert "osprey-here.jsonl" in found.message


def test_a_copy_is_no_further_run(books: World, raw: Path) -> None:
    copied = "benchmark/osprey-here-2"
    books.records[copied] = copy.deepcopy(books[HERE]) | {"id": "osprey-here-2"}
    books.write()
    raw.with_name("osprey-here-2.jsonl").write_bytes(RAW)
    (found,) = books.found("BEN008")
    assert (found.record, found.field, found.severity) == (copied, "raw", "error")
    assert f"{HERE} has the same single runs" in found.message
    # What is remembered of either file says nothing of the other, whichever came first.
    books.records["benchmark/a-copy"] = copy.deepcopy(books[HERE]) | {"id": "a-copy"}
    del books.records[copied]
    raw.with_name("osprey-here-2.yaml").unlink()
    raw.with_name("osprey-here-2.jsonl").rename(raw.with_name("a-copy.jsonl"))
    (found,) = books.found("BEN008")
    assert found.record == HERE
    assert "benchmark/a-copy has the same single runs" in found.message
    del books.records["benchmark/a-copy"]
    raw.with_name("a-copy.jsonl").unlink()
    raw.with_name("a-copy.yaml").unlink()
    assert books.found("BEN008") == []
    books.records[copied] = copy.deepcopy(books[HERE]) | {"id": "osprey-here-2"}
    raw.with_name("osprey-here-2.jsonl").write_bytes(RAW)
    books[copied]["withdrawn"] = {
        "reason": "duplicate",
        "because": "It was copied.",
        "by": "mira",
        "recorded": date(2026, 6, 2),
    }
    assert books.found("BEN008") == []


def test_single_runs_without_a_record_are_misplaced(books: World, raw: Path) -> None:
    raw.rename(raw.with_name("kestrel.jsonl"))
    (found,) = books.found("FIL001")
    assert found.file == "data/benchmarks/kestrel.jsonl"
    assert "has no record" in found.message
    elsewhere = raw.parents[1] / "papers/osprey.jsonl"
    raw.with_name("kestrel.jsonl").rename(elsewhere)
    (found,) = books.found("FIL001")
    assert found.file == "data/papers/osprey.jsonl"
