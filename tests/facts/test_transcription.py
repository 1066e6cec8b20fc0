"""Facts that were transcribed a second time, held against the shipped records.

Whoever wrote ``transcription.yaml`` had not seen the records, so that a slip on either side shows.
A fact counts as present if the record holds it in the way the fact asks for: as the value to use,
as a value kept because sources differ (in an assertion or in what a source was recorded to say),
or as one that is kept and is not the value to use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from registry.checks.matrix import Comparer
from registry.equality.fields import Context, compare
from registry.equality.names import parse_name, recorded_name
from registry.equality.titles import words
from registry.records.claims import Claims
from registry.records.paper import Paper
from registry.store.cells import cells_of
from registry.store.entry import Entry
from registry.verify import load
from registry.views.shelf import Shelf

Fact = Mapping[str, Any]

FACTS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("transcription.yaml").read_text(encoding="utf-8")
)
SEEN = [fact for fact in FACTS if fact["basis"] == "seen"]

RECORDS: dict[str, str] = {
    "A100 40GB SXM4": "a100-40gb-sxm4",
    "A100 80GB SXM4": "a100-80gb-sxm4",
    "A100 40GB PCIe": "a100-40gb-pcie",
    "A100 80GB PCIe": "a100-80gb-pcie",
    "H100 SXM5": "h100-sxm5",
    "H100 PCIe": "h100-pcie",
    "H200 SXM": "h200-sxm",
    "RTX 3090": "rtx-3090",
    "RTX 4090": "rtx-4090",
    "L4": "l4",
    "L40S": "l40s",
    "V100 16GB SXM2": "v100-16gb-sxm2",
    "V100 32GB SXM2": "v100-32gb-sxm2",
    "T4": "t4",
    "B200": "b200",
    "GB200, per GPU": "gb200",
    "MI250X": "mi250x",
    "MI300X": "mi300x",
    "TPU v4": "tpu-v4",
    "TPU v5e": "tpu-v5e",
    "TPU v5p": "tpu-v5p",
    "Gaudi2": "gaudi2",
}
"""The record of each accelerator. Papers are found by arXiv id."""

_MODELS = {
    "Vicuna 7B": ("vicuna-7b", "vicuna-7b-v1-3", "vicuna-7b-v1-5"),
    "Vicuna 13B": ("vicuna-13b", "vicuna-13b-v1-3", "vicuna-13b-v1-5"),
    "Vicuna 33B": ("vicuna-33b", "vicuna-33b-v1-3"),
    "LLaMA2-Chat 7B": ("llama2-chat-7b",),
    "LLaMA2-Chat 13B": ("llama2-chat-13b",),
    "LLaMA2-Chat 70B": ("llama2-chat-70b",),
    "Mixtral 8x7B Instruct": ("mixtral-8x7b-instruct",),
    "LLaMA-3.1 8B": ("llama-3-1-8b-instruct",),
    "LLaMA-3.3 70B": ("llama-3-3-70b-instruct",),
    "R1-Distill LLaMA 8B": ("deepseek-r1-distill-llama-8b",),
}
_METRICS = {
    "throughput": ("throughput", "speed"),
    "throughput ratio": ("throughput-ratio",),
    **{f"{n}-alpha": (f"alpha-{n}",) for n in range(5)},
}
_MEANT: dict[tuple[str, str], dict[str, str]] = {
    ("method", "vanilla"): {"method": "", "other": "no drafting"},
    ("method", "Medusa-1"): {"method": "medusa", "other": "Medusa-1"},
    ("method", "Medusa-2"): {"method": "medusa", "other": "Medusa-2"},
    ("dataset", "MT-bench"): {"dataset": "mt-bench", "without": "category"},
    ("dataset", "MT-bench coding"): {"dataset": "mt-bench", "other": "category coding"},
    ("dataset", "MT-bench extraction"): {"dataset": "mt-bench", "other": "category extraction"},
    ("dataset", "CNN/DM"): {"dataset": "cnn-dm"},
    ("dataset", "NQ"): {"dataset": "natural-questions"},
    ("dataset", "mean"): {"dataset": "", "other": "mean over the"},
    ("dataset", "Spec-Bench overall"): {"dataset": "spec-bench", "without": "the group for"},
    ("engine", "HuggingFace"): {"engine": "hugging-face-transformers"},
    ("training_data", "fixed"): {"other": "trained on the answers of ShareGPT"},
    ("training_data", "target-generated"): {"other": "trained on answers of the target"},
    ("variant", "EAGLE-2"): {"method": "eagle-2"},
    ("variant", "no feature constraint"): {"other": "without the constraint on features"},
    ("variant", "fused features"): {"method": "eagle-3"},
    ("hardware", "RTX 3090"): {"hardware": "RTX 3090"},
    ("hardware", "A100 80GB"): {"hardware": "A100 GPU (80GB)"},
}
"""What a word of the facts is in a record; an empty text stands for a condition left out."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a claims record, out of a table or stated by itself."""

    locator: str
    metric: str
    value: float | None
    conditions: Mapping[str, Any]


class Shipped:
    """The shipped registry, and whether it holds a fact."""

    def __init__(self, root: Path) -> None:
        self.shelf = Shelf(load(root, use_cache=False))
        self.index = self.shelf.index
        self.comparer = Comparer(self.index)

    def holds(self, fact: Fact) -> bool:
        if fact["kind"] == "claim":
            return self._claims(fact)
        entry = self._entry(fact)
        own = _OWN_RULES.get(fact["field"])
        if own is not None:
            return own(self, entry, fact)
        names = list(_field_names(fact))
        if fact["expect"] == "preferred":
            return any(self._same(entry, name, fact, v) for name, v in _preferred(entry, names))
        if fact["expect"] == "rival" and any(
            self._same(entry, name, fact, value) for name, value in _preferred(entry, names)
        ):
            return False
        return any(self._same(entry, name, fact, v) for name, v in self._kept(entry, names))

    def _entry(self, fact: Fact) -> Entry:
        if fact["kind"] == "paper":
            (entry,) = self.index.by_identifier["arxiv_id", fact["about"]]
            return entry
        entry_or_none = self.index.get("accelerator", RECORDS[fact["about"]])
        assert entry_or_none is not None, fact["about"]
        return entry_or_none

    def _kept(self, entry: Entry, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
        """Every value of the fields, in the record or in evidence about it."""
        for name in names:
            held = entry.fact(name)
            for assertion in held.held if held else ():
                yield name, assertion.value
            for item in self.index.evidence_about[entry.key]:
                if item.heard and item.heard.confirmed and name in item.heard.observed:
                    yield name, item.heard.observed[name]

    def _same(self, entry: Entry, name: str, fact: Fact, value: Any) -> bool:
        if "unit" in fact:
            return _same_amount(fact, value)
        if name == "authors" and value and isinstance(value[0], str):
            return [str(parse_name(name)) for name in value] == list(fact["value"])
        context = Context(
            self.comparer.venues,
            recorded_venue=str(dict(_preferred(entry, ["venue"])).get("venue", "")),
        )
        return compare(name, value, {name: fact["value"]}, context).outcome == "same"

    def author(self, entry: Entry, fact: Fact) -> bool:
        """Whether the name stands so in one of the author lines that are kept."""
        lines = [value for _, value in self._kept(entry, ["authors"])]
        names = (
            parse_name(n) if isinstance(n, str) else recorded_name(n) for x in lines for n in x
        )
        return fact["value"] in map(str, names)

    def affiliation(self, entry: Entry, fact: Fact) -> bool:
        (line,) = (value for _, value in _preferred(entry, ["authors"]))
        position = [str(recorded_name(author)) for author in line].index(fact["author"]) + 1
        wanted = position, fact.get("origin", "printed")
        return any(
            fact["value"] in (one["printed"], self.shelf.label("organization", resolved))
            for _, block in self._kept(entry, ["affiliations"])
            for one in block
            if (one["author"], one.get("origin", "printed")) == wanted
            for resolved in [one.get("organization", "")]
        )

    def related(self, entry: Entry, fact: Fact) -> bool:
        paper = self.shelf.get(Paper, entry.id)
        assert paper is not None
        return any(
            work.relation == fact["relation"] and words(fact["value"]) in words(work.text)
            for work in paper.related or ()
        )

    def arxiv_version(self, entry: Entry, fact: Fact) -> bool:
        paper = self.shelf.get(Paper, entry.id)
        assert paper is not None
        return (fact["version"], fact["value"]) in {
            (one.version, str(one.submitted)) for one in paper.arxiv_versions or ()
        }

    def form(self, entry: Entry, fact: Fact) -> bool:
        """Whether form factor and link together say every word of it."""
        said = " ".join(str(v) for _, v in _preferred(entry, ["form_factor", "interconnect"]))
        have = words(said) + " " + re.sub(r"pcie ([0-9])\.0", r"pcie\1", words(said))
        return set(words(fact["value"]).split()) <= set(have.split())

    def _claims(self, fact: Fact) -> bool:
        """Whether all numbers that the record has for this place and conditions are this one."""
        place = f"Table {fact['table']}" if fact["table"].isdigit() else fact["table"]
        found = {
            number.value
            for number in self._numbers[fact["about"]]
            if _stands_at(place, number.locator)
            and number.metric in _METRICS.get(fact["metric"], (fact["metric"],))
            and all(_has(number.conditions, key, word) for key, word in _conditions(fact))
        }
        return found == {fact["value"]}

    @cached_property
    def _numbers(self) -> dict[str, list[Number]]:
        """The numbers of each paper by arXiv id, and those of Spec-Bench's leaderboard."""
        found: dict[str, list[Number]] = {"Spec-Bench": []}
        for paper in self.index.by_kind["paper"].values():
            arxiv = dict(_preferred(paper, ["arxiv_id"])).get("arxiv_id", "")
            record = self.shelf.get(Claims, paper.id)
            found[arxiv] = list(_numbers_of(record)) if record else []
            found["Spec-Bench"] += [n for n in found[arxiv] if "Leaderboard" in n.locator]
        return found


_OWN_RULES: dict[str, Callable[[Shipped, Entry, Fact], bool]] = {
    "author": Shipped.author,
    "author_count": lambda _, entry, fact: _author_count(entry) == fact["value"],
    "family_name": lambda _, entry, fact: _family(entry, fact) == fact["value"],
    "affiliation": Shipped.affiliation,
    "related_title": Shipped.related,
    "arxiv_version": Shipped.arxiv_version,
    "form_factor": Shipped.form,
}
"""Facts that are less than a tracked field, or more than one."""


def _preferred(entry: Entry, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    for name in names:
        held = entry.fact(name)
        if held is not None and held.preferred is not None:
            yield name, held.preferred.value


def _author_count(entry: Entry) -> int:
    return len(dict(_preferred(entry, ["authors"]))["authors"])


def _family(entry: Entry, fact: Fact) -> str:
    line = dict(_preferred(entry, ["authors"]))["authors"]
    return str(line[fact["author_position"] - 1].get("family"))


def _field_names(fact: Fact) -> Iterator[str]:
    """The field, or the peak rates that the fact may be about."""
    if fact["field"] != "peak":
        yield fact["field"]
        return
    accumulators = [f"-acc-{fact['accumulate']}"] if "accumulate" in fact else ["", "-acc-fp32"]
    for precision, accumulator in product(fact["precision"].split(" or "), accumulators):
        yield f"peaks.{precision}-{fact['sparsity']}-{fact['path']}{accumulator}"


def _same_amount(fact: Fact, amount: Mapping[str, Any]) -> bool:
    """Whether it is that amount, rounded at most to the decimals that the fact is given with."""
    last = Decimal(1).scaleb(int(Decimal(str(fact["value"])).as_tuple().exponent))
    off = abs(Decimal(str(amount["value"])) - Decimal(str(fact["value"])))
    scope = amount.get("scope", "package")
    # A value that is not to be used may be kept with the scope that explains it.
    meant = fact.get("scope", scope if fact["expect"] == "rival" else "package")
    return off <= last / 2 and (amount["unit"], scope) == (fact["unit"], meant)


def _numbers_of(record: Claims) -> Iterator[Number]:
    for table in record.tables or ():
        for cell in cells_of(table):
            yield Number(table.locator, cell.metric, cell.value, cell.conditions)
    for claim in record.claims:
        conditions = claim.conditions.model_dump(exclude_none=True) if claim.conditions else {}
        if claim.range is None and claim.derivation is None and claim.value is not None:
            yield Number(claim.locator, claim.metric, claim.value, conditions)


def _stands_at(place: str, locator: str) -> bool:
    if place == "leaderboard":
        return locator == "Leaderboard.md, all columns"
    parts = locator.replace(",", ";").casefold().split("; ")
    return place.casefold() in parts


def _conditions(fact: Fact) -> Iterator[tuple[str, Any]]:
    known = {"kind", "about", "table", "metric", "value", "expect", "basis"}
    return ((key, word) for key, word in fact.items() if key not in known)


def _has(conditions: Mapping[str, Any], key: str, word: Any) -> bool:
    if key == "model":
        return conditions.get("model") in _MODELS[word]
    if not isinstance(word, str) or key in ("precision", "drafting"):
        return bool(conditions.get(key) == word)
    meant = _MEANT.get((key, word), {key: word.casefold()})
    other = " | ".join(conditions.get("other", ()))
    hardware = conditions.get("hardware", {}).get("text", "")
    for name, wanted in meant.items():
        if name in ("other", "without", "hardware"):
            said = wanted in (hardware if name == "hardware" else other)
            kept = not said if name == "without" else said
        else:
            kept = conditions.get(name, "") == wanted
        if not kept:
            return False
    return True


def _spoiled(fact: Fact) -> dict[str, Any]:
    """The same fact with another value."""
    other, value = deepcopy(dict(fact)), fact["value"]
    if isinstance(value, list):
        other["value"] = [*value[1:], value[0]]
    elif fact["field" if fact["kind"] != "claim" else "metric"] in ("venue", "venue_track"):
        other["value"] = {"venue": "COLT", "venue_track": "workshop"}[fact["field"]]
    elif isinstance(value, str) and value[-1].isdigit():
        other["value"] = value[:-1] + str((int(value[-1]) + 5) % 10)
    elif isinstance(value, str):
        other["value"] = f"{value}quux"
    else:
        other["value"] = value + (0.01 if isinstance(value, float) and value < 100 else 3)
    return other


@pytest.fixture(scope="module")
def registry() -> Shipped:
    return Shipped(Path(__file__).resolve().parents[2])


def test_the_sample_is_large_and_covers_every_paper_and_accelerator() -> None:
    about = {kind: {f["about"] for f in FACTS if f["kind"] == kind} for kind in ("paper", "claim")}
    assert len(SEEN) >= 120
    assert len(FACTS) >= 160
    assert len(about["paper"]) == 25
    assert {f["about"] for f in FACTS if f["kind"] == "accelerator"} == RECORDS.keys()
    assert about["claim"] == {
        "2401.15077",
        "2406.16858",
        "2503.01840",
        "2401.10774",
        "Spec-Bench",
    }
    assert len({yaml.safe_dump(fact) for fact in FACTS}) == len(FACTS)


def test_the_records_hold_what_was_transcribed(registry: Shipped) -> None:
    missed = [fact for fact in FACTS if not registry.holds(fact)]
    seen = [fact for fact in missed if fact["basis"] == "seen"]
    shown = "\n".join(" ".join(f"{k}={v}" for k, v in fact.items()) for fact in missed)
    assert len(seen) <= 0.05 * len(SEEN), f"{len(seen)} of {len(SEEN)} seen facts differ\n{shown}"


def test_no_other_value_passes_for_what_was_transcribed(registry: Shipped) -> None:
    passed = Counter(
        f"{fact['kind']} {fact.get('field') or fact['metric']}"
        for fact in FACTS
        if registry.holds(_spoiled(fact))
    )
    assert not passed
