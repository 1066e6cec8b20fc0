"""What was measured, as text of at most 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from eagle_impl.bench import figures
from eagle_impl.bench.categories import Judged
from eagle_impl.bench.figures import Difference, Run
from eagle_impl.bench.forwards import typical
from eagle_impl.bench.huggingface import TRANSFORMERS
from eagle_impl.bench.measured import Measured
from eagle_impl.bench.methods import PLAIN, Method
from eagle_impl.bench.verdict import doubts

WIDTH = 100
_NAME = 24


def render(measured: Measured) -> str:
    """The whole report."""
    parts = [_header(measured.header)]
    for temperature in measured.temperatures:
        at = measured.at(temperature)
        told = [_speed(at), _drafts(at), _time(at), _roofline(at), _loops(at)]
        parts += [f"TEMPERATURE {temperature:g}\n", *told]
    parts += [_passes(measured), _batches(measured), _memory(measured), _checks(measured)]
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


def _speed(measured: Measured) -> str:
    plain, other = measured.runs(PLAIN), measured.runs(TRANSFORMERS)
    found = measured.differing()
    rows = [
        f"{'':{_NAME}}{'tokens/s':>8}{'quartiles':>17}{'total s':>9}{'x plain':>14}"
        f"{'x transformers' if other else '':>17}{'outputs':>10}",
        f"{'':{_NAME}}{'median':>8}{'':17}{'':9}{'median total':>14}"
        f"{'median total' if other else '':>17}{'differ':>10}",
    ]
    for method in measured.methods:
        if not (runs := measured.runs(method.key)):
            continue
        rate = figures.quartiles([run.rate for run in runs])
        spread = f"{rate.low:.1f} to {rate.high:.1f}"
        prompts = len({run.question for run in runs})
        rows.append(
            f"{method.title:{_NAME}}{rate.median:8.1f}{spread:>17}"
            f"{sum(run.seconds for run in runs):9.1f}{_ratio(runs, plain):>14}"
            f"{_ratio(runs, other) if other else '':>17}"
            f"{f'{len(found[method.key])} of {prompts}':>10}"
        )
    rows += [
        "A run is one prompt decoded once, its reading included, without tokenising. Ratios are of",
        "medians of tokens/s, and of total times, by repeat: their median; on runs that both did.",
        *(
            f"{method.title}: {method.engine.timed}."
            for method in measured.methods
            if method.engine.timed and measured.runs(method.key)
        ),
    ]
    return _lines(rows)


def _drafts(measured: Measured) -> str:
    loops = measured.loops()
    rows = [f"{'':{_NAME}}{'tau':>8}{'without loops':>17}   acceptance by depth, given all above"]
    for method in measured.methods:
        told = [(run.question, run.statistics) for run in measured.runs(method.key)]
        if method.drafter:
            every = [one for _, one in told if one]
            straight = [one for question, one in told if one and question not in loops]
            without = f"{figures.tau(straight):.2f}" if straight else "-"
            rows.append(
                f"{method.title:{_NAME}}{figures.tau(every):8.2f}{without:>17}"
                f"   {_rates(figures.acceptance(every))}"
            )
    return _lines(rows)


def _time(measured: Measured) -> str:
    rows = [
        f"{'% of the time':{_NAME}}"
        + "".join(f"{part:>9}" for part in ("prefill", "draft", "verify", "accept", "other"))
    ]
    for method in measured.methods:
        if method.own:
            spent = figures.split(measured.runs(method.key))
            parts = spent.parts.values()
            shares = "".join(f"{100 * part / sum(parts):9.1f}" for part in parts)
            rows.append(f"{method.title:{_NAME}}{shares}")
    return _lines(rows)


def _roofline(measured: Measured) -> str:
    drafting = [method for method in measured.methods if method.drafter]
    if not drafting:
        return ""
    rows = [
        f"{f'roofline at {measured.middle} tokens':{_NAME}}{'T_verify/T_1':>14}{'steps':>7}"
        f"{'T_draft/T_1':>13}{'roofline':>10}{'reached':>9}{'share':>8}"
    ]
    for method in drafting:
        one = measured.roofline(method)
        rows.append(
            f"{method.title:{_NAME}}{one.verify:14.2f}{one.steps:7}{one.step:13.3f}"
            f"{one.best:10.2f}{one.reached:9.2f}{one.share:8.0%}"
        )
    rows += [
        "Roofline: tau / (T_verify/T_1 + steps x T_draft/T_1), with single forward passes measured",
        "between the runs. Reached: times per token without reading the prompts, plain / method.",
    ]
    return _lines(rows)


def _passes(measured: Measured) -> str:
    """Single forward passes, which know no temperature."""
    drafting = [method for method in measured.methods if method.drafter]
    if not drafting:
        return ""
    sizes = measured.lengths
    rows = [
        f"{'ms, by tokens in cache':{_NAME}}" + "".join(f"{size:>24}" for size in sizes),
        f"{'':{_NAME}}" + f"{'T_1':>7}{'T_verify':>9}{'T_draft':>8}" * len(sizes),
    ]
    for method in drafting:
        ones = [typical(measured.forwards, method.key, size) for size in sizes]
        rows.append(
            f"{method.title:{_NAME}}"
            + "".join(
                f"{1e3 * one.one:7.2f}{1e3 * one.verify:9.2f}{1e3 * one.step:8.2f}" for one in ones
            )
        )
    return _lines(rows)


def _batches(measured: Measured) -> str:
    sizes = sorted({one.size for one in measured.batches})
    if not sizes:
        return ""
    rows = [f"{'plain, by batch size':{_NAME}}{'tokens/s':>8}{'quartiles':>20}"]
    for size in sizes:
        found = [one.tokens / one.seconds for one in measured.batches if one.size == size]
        rate = figures.quartiles(found)
        rows.append(f"{size:>{_NAME}}{rate.median:8.1f}{f'{rate.low:.1f} to {rate.high:.1f}':>20}")
    return _lines(
        [*rows, "Without reading the prompts. With drafts, one sequence is decoded alone."]
    )


def _memory(measured: Measured) -> str:
    told = ", ".join(
        f"{method.title} {measured.memory[method.key] / 2**30:.2f}"
        for method in measured.methods
        if method.key in measured.memory
    )
    return _lines(textwrap.wrap(f"Peak memory while warming up, in GiB: {told}.", WIDTH))


def _checks(measured: Measured) -> str:
    rows = []
    found = measured.changed()
    for method, temperature, one in found:
        rows += _places(f"{method.title}, temperature {temperature:g}: other ids", [one])
    if not found:
        rows += textwrap.wrap(
            f"All {measured.compared()} outputs that must have the ids of plain decoding do so.",
            WIDTH,
        )
    if any(
        method.own and not method.same_ids(temperature)
        for method in measured.methods
        for temperature in measured.temperatures
    ):
        rows += textwrap.wrap(
            "EAGLE-1 draws its drafts above temperature 0: its outputs have the same law, not the "
            "same ids (eagle_impl lossless tests that).",
            WIDTH,
        )
    rows += [
        f"The parts of the time add up to all of it within {measured.unaccounted:.3%}; reading the "
        f"clock took {measured.clock_share:.4%}.",
        *doubts(measured),
    ]
    for what, why in measured.missing.items():
        rows += textwrap.wrap(f"Not measured: {what}, since {why}.", WIDTH)
    if len(measured.sessions) > 1:
        began = ", ".join(session.began for session in measured.sessions)
        rows += textwrap.wrap(f"Measured in parts, begun {began}.", WIDTH)
    return _lines(rows)


def _loops(measured: Measured) -> str:
    rows = ["No output of plain decoding ends in a loop."]
    if loops := measured.loops():
        ends = ", ".join(f"{question} (last {length})" for question, length in loops.items())
        rows = textwrap.wrap(
            f"Outputs that end in a loop, in which drafts always hold: {len(loops)}: questions "
            f"{ends}.",
            WIDTH,
        )
    others = [
        line
        for method in measured.methods
        if not method.own
        for line in _places(
            f"{method.title}: not the output of plain decoding", measured.differing()[method.key]
        )
    ]
    return _lines([*rows, *others])


def _places(what: str, found: Iterable[Difference]) -> list[str]:
    told = ", ".join(f"{one.question} (from token {one.place})" for one in found)
    return textwrap.wrap(f"{what}: questions {told}.", WIDTH) if told else []


def _ratio(runs: Sequence[Run], base: Sequence[Run]) -> str:
    ratios, speedup = figures.ratios(runs, base), figures.speedup(runs, base)
    return f"{ratios.medians:.2f}  {speedup:.2f}" if ratios and speedup else "-"


def _rates(rates: Iterable[float]) -> str:
    return " ".join(f"{rate:.2f}" for rate in rates)


def _lines(rows: Iterable[str] | Iterator[str]) -> str:
    return "".join(f"{row.rstrip()}\n" for row in rows)
