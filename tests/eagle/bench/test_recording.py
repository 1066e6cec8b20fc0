"""From a measurement to a record that the registry's own checks accept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from eagle.bench.small import Small, write_small
from eagle.bench.small_llama_server import install, write_model
from world import World, assertion, small_world, tracked

from eagle_impl.bench import command
from eagle_impl.bench.header import Commit
from eagle_impl.bench.machine import Fitted, Machine
from eagle_impl.bench.place import accelerator_of
from eagle_impl.cli import app
from registry.records.benchmark import Benchmark, seal
from registry.verify import load

SHED = Machine("Heron 2 (family 9, model 4)", "heron64", ("dive",), 8, 4, "16 GiB", (), "")
COMMIT = Commit("0123456789abcdef0123456789abcdef01234567")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return write_small(tmp_path_factory.mktemp("small"))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine and a commit that every test can count on."""
    monkeypatch.setattr(command.machine, "describe", lambda: SHED)
    monkeypatch.setattr(command.header, "commit", lambda: COMMIT)


@pytest.fixture
def books(tmp_path: Path) -> World:
    """A registry with what a benchmark refers to."""
    records = small_world()
    more: list[dict[str, Any]] = [
        {"kind": "model", "id": "target", "name": "The tiny one"},
        {"kind": "dataset", "id": "ripples", "name": "Ripples", "task": "conversation"},
        *(
            {
                "kind": "method",
                "id": name,
                "name": name.upper(),
                "introduced_by": "trees",
                "summary": "Drafts.",
            }
            for name in ("eagle", "eagle-2")
        ),
    ]
    records |= {f"{one['kind']}/{one['id']}": one for one in more}
    books = World(records, tmp_path / "books")
    books.write()
    return books


def bench(small: Small, books: World, *more: object) -> int:
    given = ("--target", small.target, "--head", small.head, "--workload", small.workload)
    sizes = ("--tokens", 8, "--repeats", 2, "--transformers", 0, "--batch", 2, "--threads", 1)
    words = ["bench", *given, *sizes, "--record", "--root", books.root, *more]
    try:
        return app.run([str(word) for word in words])
    except SystemExit as ended:
        return int(ended.code or 0)


def held(books: World, key: str) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((books.root / f"data/{key}.yaml").read_text())
    return data


def findings(books: World, *severities: str) -> list[str]:
    """What is found in the registry as it lies there.

    Save that the clock takes a good part of the time, as it does of a model as small as this.
    """
    books.records.clear()
    found = [one for one in books.report().findings if one.severity in severities]
    return [one.code for one in found if one.code != "BEN009"]


@pytest.mark.usefixtures("here")
def test_a_record_is_written_with_all_that_it_is_to_be_read_with(
    small: Small, books: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(small, books, "--dataset", "ripples") == 0
    name = "target-on-heron-2-8-cores-16-gib-0123456"
    assert f"wrote data/benchmarks/{name}.yaml" in capsys.readouterr().err
    assert findings(books, "error", "warning") == []

    record = held(books, f"benchmarks/{name}")
    assert record["hash"] == seal(Benchmark.model_validate(record))
    assert record["model"] == "target"
    assert record["methods"] == ["eagle-2", "eagle"]
    assert record["papers"] == ["trees"]
    assert "beside" not in record  # there are no claims
    assert record["commit"] == COMMIT.id
    assert "uncommitted" not in record
    workload = hashlib.sha256(small.workload.read_bytes()).hexdigest()
    assert record["workload"] == {
        "name": "questions.jsonl",
        "sha256": workload,
        "dataset": "ripples",
        "prompts": 3,
        "tokens": 8,
        "repeats": 2,
        "turns": "first turns",
    }
    target = hashlib.sha256((small.target / "model.safetensors").read_bytes()).hexdigest()
    assert record["target"] == {"path": str(small.target), "sha256": target}
    (load,) = (one for one in record["surroundings"] if one.startswith("load "))
    assert "when it began 20" in load
    assert record["missing"] == ["transformers: it was not asked for"]
    weights = hashlib.sha256((small.head / "model.safetensors").read_bytes()).hexdigest()
    assert record["heads"] == [{"path": str(small.head), "sha256": weights}]
    raw = (books.root / f"data/benchmarks/{name}.jsonl").read_bytes()
    assert record["raw"]["sha256"] == hashlib.sha256(raw).hexdigest()
    # Conditions, session; 3 prompts x 2 repeats x 5 methods x 2 temperatures; 6 rounds; 2 batches.
    assert record["raw"]["lines"] == raw.count(b"\n") == 2 + 60 + 6 + 2
    assert record["machine"] == {
        "record": "heron-2-8-cores-16-gib",
        "processor": SHED.processor,
        "cores": 4,
        "threads": 1,
        "memory": "16 GiB",
    }
    checks = record["checks"]
    assert (checks["compared"], checks["differing"]) == (6 * (5 + 3), 0)
    assert (checks["outputs"], checks["interruptions"]) == (3, 0)
    assert "--record" not in record["command"]
    assert [*(books.root / "data/benchmarks").iterdir()] != []
    assert not list((books.root / "data/benchmarks").glob(".*"))

    machine = held(books, "machines/heron-2-8-cores-16-gib")
    assert machine == {
        "kind": "machine",
        "id": "heron-2-8-cores-16-gib",
        "name": "Heron 2, 8 cores, 16 GiB",
        "processor": SHED.processor,
        "architecture": "heron64",
        "features": ["dive"],
        "cores": 8,
        "memory": "16 GiB",
    }


@pytest.mark.usefixtures("here")
def test_what_another_engine_took_is_recorded_with_its_files(
    small: Small, books: World, tmp_path: Path
) -> None:
    books.records["engine/llama-cpp"] = {"kind": "engine", "id": "llama-cpp", "name": "llama.cpp"}
    books.write()
    model = write_model(tmp_path / "m.gguf")
    llama = ("--gguf", model, "--llama-server", install(tmp_path))
    assert bench(small, books, "--id", "one", *llama) == 0
    record = held(books, "benchmarks/one")
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    file = f"m.gguf (F32 100%), {model.stat().st_size} bytes, sha256 {digest}"
    assert record["software"][-1] == f"llama.cpp 4321 (abcdef0), {file}"
    speed, other = (
        next(
            one
            for one in record["baselines"]
            if (one["name"], one["metric"]["name"]) == ("llama.cpp, F32", metric)
        )
        for metric in ("speed", "differing-outputs")
    )
    assert speed["count"] == 3 * 2
    assert speed["conditions"] == {
        "precision": "F32",
        "temperature": 0,
        "batch": 1,
        "engine": "llama-cpp",
        "other": ["time of the whole request, over HTTP on the loopback"],
    }
    assert other["median"] == 1.0
    assert "other" not in other["conditions"]
    assert record["checks"]["differing"] == 0
    assert findings(books, "error", "warning") == []


@pytest.mark.usefixtures("here")
def test_the_numbers_that_plots_need_are_there(small: Small, books: World) -> None:
    assert bench(small, books, "--id", "one") == 0
    record = held(books, "benchmarks/one")
    wanted = {"speed", "speedup", "speedup-by-prompt", "tau", "tau-by-prompt"}
    wanted |= {"peak-memory", "target-pass", "verify-pass", "draft-passes"}
    wanted |= {"roofline", "roofline-reached", "roofline-share"}
    wanted |= {f"time-{part}" for part in ("prefill", "draft", "verify", "accept", "other")}
    found: dict[tuple[str, str], set[str]] = {}
    for one in record["results"]:
        conditions = one["conditions"]
        key = conditions["method"], conditions["drafting"]
        found.setdefault(key, set()).add(one["metric"]["name"])
    assert len(found) == 4
    for (_, drafting), metrics in found.items():
        depth = "alpha-0" if drafting.startswith("chain") else "acceptance-1"
        assert metrics >= wanted | {depth}
    for one in record["results"]:
        spread = ("low", "lower_quartile", "median", "upper_quartile", "high")
        values = [one[key] for key in spread if key in one]
        assert values == sorted(values)
        assert (len(values) == 5) == (one["count"] > 1)
    baselines = {(one["name"], one["metric"]["name"]) for one in record["baselines"]}
    assert {("plain decoding", "speed"), ("plain decoding", "throughput")} <= baselines
    sizes = {one["conditions"]["batch"] for one in record["baselines"]}
    assert sizes == {1, 2}


@pytest.mark.usefixtures("here")
def test_no_number_can_be_edited_unnoticed(small: Small, books: World) -> None:
    assert bench(small, books, "--id", "one") == 0
    path = books.root / "data/benchmarks/one.yaml"
    text = path.read_text()
    line = next(line for line in text.splitlines() if line.startswith("    high: "))
    path.write_text(text.replace(line, f"{line}1", 1))
    assert "BEN001" in findings(books, "error")
    path.write_text(text)
    raw = path.with_suffix(".jsonl")
    raw.write_bytes(raw.read_bytes().replace(b'"seconds":', b'"seconds": ', 1))
    assert findings(books, "error") == ["BEN002"]


@pytest.mark.usefixtures("here")
def test_a_machine_that_is_known_is_not_entered_again(small: Small, books: World) -> None:
    for name in ("one", "two"):
        assert bench(small, books, "--id", name) == 0
    assert len(list((books.root / "data/machines").iterdir())) == 1
    assert held(books, "benchmarks/two")["machine"] == held(books, "benchmarks/one")["machine"]


def test_another_machine_of_the_same_name_is_another_record(
    small: Small, books: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command.header, "commit", lambda: COMMIT)
    for name, features in (("one", ("dive",)), ("two", ("dive", "fly"))):
        found = replace(SHED, features=features)
        monkeypatch.setattr(command.machine, "describe", lambda found=found: found)
        assert bench(small, books, "--id", name) == 0
    used = [held(books, f"benchmarks/{name}")["machine"]["record"] for name in ("one", "two")]
    assert used == ["heron-2-8-cores-16-gib", "heron-2-8-cores-16-gib-2"]
    assert findings(books, "error") == []


def test_code_that_was_not_committed_is_told(
    small: Small, books: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command.machine, "describe", lambda: SHED)
    monkeypatch.setattr(command.header, "commit", lambda: replace(COMMIT, changes="abc"))
    assert bench(small, books, "--id", "one") == 0
    assert held(books, "benchmarks/one")["uncommitted"] is True
    assert findings(books, "error", "warning") == ["BEN007"]


class Killed(BaseException):
    """No error that anybody handles."""


@pytest.mark.usefixtures("here")
def test_a_killed_run_is_recorded_by_the_same_command(
    small: Small, books: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*more: object) -> None:
        raise Killed

    folder = books.root / "data/benchmarks"
    with monkeypatch.context() as patched:
        patched.setattr("eagle_impl.bench.measuring.Round", killed)
        with pytest.raises(Killed):
            bench(small, books, "--id", "one")
    # Nobody takes what is half done for a record.
    assert [path.name for path in folder.iterdir()] == [".one.jsonl"]
    assert findings(books, "error", "warning") == []
    assert bench(small, books, "--id", "one") == 0
    assert held(books, "benchmarks/one")["checks"]["interruptions"] == 1
    assert sorted(path.name for path in folder.iterdir()) == ["one.jsonl", "one.yaml"]
    runs = [json.loads(line) for line in (folder / "one.jsonl").read_bytes().splitlines()]
    assert sum("session" in line for line in runs) == 2


@pytest.mark.usefixtures("here")
def test_the_record_names_what_was_read_when_it_was(
    small: Small, books: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workload = tmp_path / "questions.jsonl"
    workload.write_bytes(small.workload.read_bytes())
    measure = command.measure

    def edited_meanwhile(*given: Any, **more: Any) -> Any:
        workload.write_text("{}")
        return measure(*given, **more)

    monkeypatch.setattr(command, "measure", edited_meanwhile)
    assert bench(small, books, "--id", "one", "--workload", workload) == 0
    read = hashlib.sha256(small.workload.read_bytes()).hexdigest()
    assert held(books, "benchmarks/one")["workload"]["sha256"] == read


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("ending", ["yaml", "jsonl"])
def test_a_record_that_appears_meanwhile_is_left_alone(
    small: Small,
    books: World,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
) -> None:
    folder = books.root / "data/benchmarks"
    measure = command.measure

    def another_appears(*given: Any, **more: Any) -> Any:
        (folder / f"one.{ending}").write_text("kind: benchmark\n")
        return measure(*given, **more)

    with monkeypatch.context() as patched:
        patched.setattr(command, "measure", another_appears)
        assert bench(small, books, "--id", "one") == 2
    assert "one" in capsys.readouterr().err.splitlines()[-1]
    # And what was measured waits for another name.
    assert sorted(path.name for path in folder.iterdir()) == [".one.jsonl", f"one.{ending}"]
    assert (folder / f"one.{ending}").read_text() == "kind: benchmark\n"


@pytest.mark.usefixtures("here")
def test_what_a_killed_run_left_is_not_written_over(
    small: Small, books: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = books.root / "data/benchmarks"
    folder.mkdir(exist_ok=True)
    (folder / ".one.jsonl").write_text("left")
    assert bench(small, books, "--id", "one", "--raw", tmp_path / "raw") == 2
    assert "holds what a killed run of this id measured" in capsys.readouterr().err
    assert (folder / ".one.jsonl").read_text() == "left"
    (folder / ".one.jsonl").unlink()
    # Another way to write the place that is taken anyway.
    assert bench(small, books, "--id", "one", "--raw", folder / ".." / "benchmarks/.one.jsonl") == 0
    assert sorted(path.name for path in folder.iterdir()) == ["one.jsonl", "one.yaml"]


def refusal(
    capsys: pytest.CaptureFixture[str], small: Small, books: World, more: Sequence[object]
) -> str:
    assert bench(small, books, *more) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert not list((books.root / "data").glob("*/*.jsonl"))
    return err


@pytest.mark.usefixtures("here")
def test_what_cannot_be_recorded_is_refused_before_it_is_measured(
    small: Small, books: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more, words in (
        (("--model", "nobody"), "there is no record model/nobody"),
        (("--dataset", "puddles"), "there is no record dataset/puddles"),
        (("--id", "No Id"), "'No Id' is no id"),
        (("--methods", "plain"), "a record is of methods that draft"),
        (("--root", tmp_path / "none"), "no registry at"),
    ):
        assert words in refusal(capsys, small, books, more)
    held_before = books.root / "data/benchmarks"
    held_before.mkdir(exist_ok=True)
    (held_before / "taken.yaml").write_text("kind: benchmark\n")
    assert "a benchmark/taken already" in refusal(capsys, small, books, ("--id", "taken"))
    (books.root / "data/methods/eagle.yaml").unlink()
    assert "there is no record method/eagle " in refusal(capsys, small, books, ())


def test_code_without_a_commit_is_refused(
    small: Small,
    books: World,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command.header, "commit", lambda: Commit(""))
    assert "names the commit" in refusal(capsys, small, books, ())


def card(name: str, size: float, *aliases: str) -> dict[str, Any]:
    return {
        "kind": "accelerator",
        "id": name,
        "name": f"Maker {name}",
        "vendor": "maker",
        "aliases": list(aliases),
        "memory_size": tracked(
            "asserted", assertion({"value": size, "unit": "GB"}, because="On the box.")
        ),
    }


@pytest.mark.parametrize(
    ("name", "gib", "record"),
    [
        # What drivers say of an A100 of 40 GB (40,960 MiB, a part of it reserved) and of 80 GB.
        ("NVIDIA Kestrel-SXM4-40GB", 39.4, "kestrel-40gb"),
        ("NVIDIA Kestrel", 79.2, "kestrel-80gb"),
        ("NVIDIA Kestrel", 39.4, "kestrel-40gb"),
        # A size that no record has, a name that none has, and one that two have.
        ("NVIDIA Kestrel", 24.0, ""),
        ("NVIDIA Merlin", 39.4, ""),
        ("Twin", 16.0, ""),
    ],
)
def test_an_accelerator_is_found_by_name_and_memory(
    books: World, name: str, gib: float, record: str
) -> None:
    books.records |= {
        f"accelerator/{one['id']}": one
        for one in (
            card("kestrel-40gb", 40, "NVIDIA Kestrel SXM4 40GB", "Kestrel"),
            card("kestrel-80gb", 80, "Kestrel"),
            card("twin-a", 16, "Twin"),
            card("twin-b", 16, "twin"),
        )
    }
    assert accelerator_of(Fitted(name, gib, 1), load(books.write())) == record


def test_accelerators_of_the_shipped_registry_are_found(shipped: Path) -> None:
    registry = load(shipped)
    # As nvidia-smi and torch report them, in GiB.
    assert accelerator_of(Fitted("NVIDIA A100-SXM4-40GB", 39.4, 8), registry) == "a100-40gb-sxm4"
    assert accelerator_of(Fitted("NVIDIA H200", 139.8, 1), registry) == "h200-sxm"
    assert accelerator_of(Fitted("NVIDIA H200", 79.1, 1), registry) == ""
