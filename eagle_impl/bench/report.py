"""What was measured, as text of at most 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eagle_impl.bench import figures
from eagle_impl.bench.categories import Judged
from eagle_impl.bench.figures import Difference, Run
from eagle_impl.bench.forwards import typical
from eagle_impl.bench.huggingface import TRANSFORMERS
from eagle_impl.bench.loops import looping
from eagle_impl.bench.measuring import Measured
from eagle_impl.bench.methods import PLAIN, Method

WIDTH = 100
_NAME = 24


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is reported of a measurement."""

    header: Mapping[str, str]
    methods: Sequence[Method]
    measured: Measured
    missing: str
    """Why transformers was not measured; empty if it was."""

    def runs(self, key: str) -> list[Run]:
        """Those of one method."""
        return [run for run in self.measured.runs if run.method == key]

    def differing(self) -> dict[str, list[Difference]]:
        """By method: prompts whose output is not that of plain decoding."""
        right = self.runs(PLAIN)
        return {
            method.key: figures.differences(self.runs(method.key), right) for method in self.methods
        }

    @property
    def exact(self) -> bool:
        """Whether every method of the own engine gave out what plain decoding did."""
        found = self.differing()
        return not any(found[method.key] for method in self.methods if method.own)

    def loops(self) -> dict[str, int]:
        """By prompt: how many of the last tokens of plain decoding's output are a loop."""
        outputs = {run.question: looping(run.ids) for run in self.runs(PLAIN) if run.repeat == 0}
        return {question: length for question, length in outputs.items() if length}


def render(report: Report) -> str:
    """The whole report."""
    parts = [
        _header(report.header),
        _speed(report),
        _drafts(report),
        _time(report),
        _roofline(report),
        _findings(report),
    ]
    return "\n".join(part for part in parts if part)


def render_categories(header: Mapping[str, str], methods: Sequence[Method], judged: Judged) -> str:
    """What drafts were worth by category."""
    rows = [
        f"{'':18}prompts  tokens  loops  " + "  ".join(f"{one.title:30}" for one in methods),
        f"{'category':18}{'':24}" + "  ".join(f"{'tau   acceptance by depth':30}" for _ in methods),
    ]
    for kind in judged.categories:
        worth = [kind.worth[method.key] for method in methods]
        told = "  ".join(f"{f'{one.tau:4.2f}  {_rates(one.acceptance)}':30}" for one in worth)
        rows.append(f"{kind.name:18}{kind.prompts:7}{kind.tokens:8}{kind.loops:7}  {told}")
    apart = _places("the trees give different outputs", judged.differing)
    rows += ["", *(apart or ["The outputs are the same with every tree."])]
    return _header(header) + "\n" + _lines(row.rstrip() for row in rows)


def _header(header: Mapping[str, str]) -> str:
    wide = max(map(len, header)) + 2
    filled = (
        textwrap.wrap(
            f"{name:{wide}}{fact}",
            WIDTH,
            subsequent_indent=" " * wide,
            break_long_words=True,
            break_on_hyphens=False,
        )
        for name, fact in header.items()
    )
    return _lines(line for lines in filled for line in lines)


def _speed(report: Report) -> str:
    plain, other = report.runs(PLAIN), report.runs(TRANSFORMERS)
    found = report.differing()
    rows = [
        f"{'':{_NAME}}{'tokens/s':>8}{'quartiles':>17}{'total s':>9}{'x plain':>14}"
        f"{'x transformers':>17}{'outputs':>10}",
        f"{'':{_NAME}}{'median':>8}{'':17}{'':9}{'median total':>14}{'median total':>17}"
        f"{'differ':>10}",
    ]
    for method in report.methods:
        runs = report.runs(method.key)
        rate = figures.quartiles([run.rate for run in runs])
        spread = f"{rate.low:.1f} to {rate.high:.1f}"
        prompts = len({run.question for run in runs})
        rows.append(
            f"{method.title:{_NAME}}{rate.median:8.1f}{spread:>17}"
            f"{sum(run.seconds for run in runs):9.1f}{_ratio(runs, plain):>14}"
            f"{_ratio(runs, other):>17}{f'{len(found[method.key])} of {prompts}':>10}"
        )
    rows += [
        "A run is one prompt decoded once, its reading included, without tokenising. Ratios are of",
        "medians of tokens/s and of total times, on the runs that both methods did.",
    ]
    if report.missing:
        rows += textwrap.wrap(f"Not compared with transformers: {report.missing}.", WIDTH)
    return _lines(rows)


def _drafts(report: Report) -> str:
    loops = report.loops()
    rows = [f"{'':{_NAME}}{'tau':>8}{'without loops':>17}   acceptance by depth, given all above"]
    for method in report.methods:
        told = [(run.question, run.statistics) for run in report.runs(method.key)]
        if method.drafter:
            every = [one for _, one in told if one]
            straight = [one for question, one in told if one and question not in loops]
            without = f"{figures.tau(straight):.2f}" if straight else "-"
            rows.append(
                f"{method.title:{_NAME}}{figures.tau(every):8.2f}{without:>17}"
                f"   {_rates(figures.acceptance(every))}"
            )
    return _lines(rows)


def _time(report: Report) -> str:
    rows = [
        f"{'% of the time':{_NAME}}"
        + "".join(f"{part:>9}" for part in ("prefill", "draft", "verify", "accept", "other"))
    ]
    for method in report.methods:
        if method.own:
            spent = figures.split(report.runs(method.key))
            parts = (spent.prefill, spent.draft, spent.verify, spent.accept, spent.other)
            shares = "".join(f"{100 * part / sum(parts):9.1f}" for part in parts)
            rows.append(f"{method.title:{_NAME}}{shares}")
    return _lines(rows)


def _roofline(report: Report) -> str:
    drafting = [method for method in report.methods if method.drafter]
    cycles = report.measured.forwards
    sizes = sorted({cycle.length for cycle in cycles})
    middle = sizes[len(sizes) // 2]
    plain = report.runs(PLAIN)
    rows = [
        f"{f'roofline at {middle} tokens':{_NAME}}{'T_verify/T_1':>14}{'steps':>7}"
        f"{'T_draft/T_1':>13}{'roofline':>10}{'reached':>9}{'share':>8}"
    ]
    for method in drafting:
        runs = report.runs(method.key)
        one = typical(cycles, method.key, middle)
        told = [run.statistics for run in runs if run.statistics]
        best = figures.roofline(
            figures.tau(told), one=one.one, verify=one.verify, steps=one.steps, step=one.step
        )
        reached = figures.decoding_ratio(runs, plain)
        rows.append(
            f"{method.title:{_NAME}}{one.verify / one.one:14.2f}{one.steps:7}"
            f"{one.step / one.one:13.3f}{best:10.2f}{reached:9.2f}{reached / best:8.0%}"
        )
    rows += [
        "Roofline: tau / (T_verify/T_1 + steps x T_draft/T_1), with single forward passes measured",
        "between the runs. Reached: total times without reading the prompts, plain / method.",
        "",
        f"{'ms, by tokens in cache':{_NAME}}" + "".join(f"{size:>24}" for size in sizes),
        f"{'':{_NAME}}" + f"{'T_1':>7}{'T_verify':>9}{'T_draft':>8}" * len(sizes),
    ]
    for method in drafting:
        ones = [typical(cycles, method.key, size) for size in sizes]
        rows.append(
            f"{method.title:{_NAME}}"
            + "".join(
                f"{1e3 * one.one:7.2f}{1e3 * one.verify:9.2f}{1e3 * one.step:8.2f}" for one in ones
            )
        )
    return _lines(rows)


def _findings(report: Report) -> str:
    rows = []
    for method in report.methods:
        rows += _places(
            f"{method.title}: not the output of plain decoding", report.differing()[method.key]
        )
    if report.exact:
        rows.append("Every method of the own engine gave out the same ids as plain decoding.")
    if loops := report.loops():
        ends = ", ".join(f"{question} (last {length})" for question, length in loops.items())
        rows += textwrap.wrap(
            f"Outputs that end in a loop, in which drafts always hold: {len(loops)}: questions "
            f"{ends}.",
            WIDTH,
        )
    else:
        rows.append("No output ends in a loop.")
    return _lines(rows)


def _places(what: str, found: Iterable[Difference]) -> list[str]:
    told = ", ".join(f"{one.question} (from token {one.place})" for one in found)
    return textwrap.wrap(f"{what}: questions {told}.", WIDTH) if told else []


def _ratio(runs: Sequence[Run], base: Sequence[Run]) -> str:
    ratios = figures.ratios(runs, base)
    return f"{ratios.medians:.2f}  {ratios.totals:.2f}" if ratios else "-"


def _rates(rates: Iterable[float]) -> str:
    return " ".join(f"{rate:.2f}" for rate in rates)


def _lines(rows: Iterable[str] | Iterator[str]) -> str:
    return "".join(f"{row.rstrip()}\n" for row in rows)
