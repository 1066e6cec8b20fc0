"""What a check found, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from eagle_impl.losslessness.checking import Answered, Counted, Found
from eagle_impl.losslessness.chi_square import Fit, adjusted
from eagle_impl.losslessness.comparing import UP_TO_TIES, Difference
from eagle_impl.text import Text
from eagle_impl.workloads import Question
from registry.reports.wording import counted

SIGNIFICANCE = 1e-3
"""How often a check of drafts without fault may find one, all its tests together."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, and under which circumstances."""

    method: str
    dtype: str
    temperature: float
    kernels: str
    """What computed it, see ``eagle_impl.computing``."""
    exact: bool
    """Whether logits are known not to depend on how many tokens are computed together."""
    found: Found
    equal: bool
    verdict: str
    """On one line."""


def judge(
    found: Found, *, method: str, dtype: str, temperature: float, kernels: str, exact: bool
) -> Report:
    """Sum up."""
    answered = [one for one in found if isinstance(one, Answered)]
    counted = [one for one in found if isinstance(one, Counted)]
    if counted:
        equal, verdict = _judge_counts(counted)
    else:
        equal, verdict = _judge_ids(answered, dtype, exact)
    return Report(method, dtype, temperature, kernels, exact, found, equal, verdict)


def lines(report: Report, text: Text) -> list[str]:
    """For people: what was checked, a line or more for each answer or test, and the verdict."""
    chosen = f"temperature {report.temperature:g}" if report.temperature else "greedy"
    written = [f"{report.method} against plain decoding, {chosen}, {report.dtype}"]
    worth = adjusted([one.counts.fit.p for one in report.found if isinstance(one, Counted)])
    for number, one in enumerate(report.found):
        if isinstance(one, Counted):
            written.append(_name(one.question) + _fit(one, worth[number]))
        else:
            written.append(_name(one.question, one.turn) + _same(one))
            if one.pair.difference is not None:
                written += [" " * 8 + line for line in _where(one.pair.difference, text)]
    if report.dtype != "fp32" and not worth:
        written.append(UP_TO_TIES)
    return [*written, f"verdict: {report.verdict}"]


def as_document(report: Report, text: Text) -> str:
    """As JSON."""
    document: dict[str, object] = {
        "method": report.method,
        "dtype": report.dtype,
        "temperature": report.temperature,
        "kernels": report.kernels,
        "exact": report.exact,
        "equal": report.equal,
        "verdict": report.verdict,
    }
    answered = [one for one in report.found if isinstance(one, Answered)]
    counted = [one for one in report.found if isinstance(one, Counted)]
    if counted:
        worth = adjusted([one.counts.fit.p for one in counted])
        document["significance"] = SIGNIFICANCE
        document["tests"] = [
            _about(one.question)
            | asdict(one.counts.fit)
            | {"adjusted_p": p, "drafts_tried": one.counts.tried, "drafts_held": one.counts.held}
            for one, p in zip(counted, worth, strict=True)
        ]
    else:
        document["answers"] = [
            _about(one.question)
            | {
                "turn": one.turn,
                "tokens": len(one.pair.drafted),
                "cycles": one.pair.cycles,
                "equal": one.pair.difference is None,
                "first_difference": _described(one.pair.difference, text),
            }
            for one in answered
        ]
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def _judge_ids(answered: Sequence[Answered], dtype: str, exact: bool) -> tuple[bool, str]:
    found = [one.pair.difference for one in answered if one.pair.difference is not None]
    if not found:
        tokens = sum(len(one.pair.drafted) for one in answered)
        cycles = sum(one.pair.cycles for one in answered)
        tau = (tokens - len(answered)) / cycles if cycles else 1.0
        return True, (
            f"equal, {len(answered)} answers have the ids of plain decoding"
            f" ({tokens:,} tokens, tau {tau:.2f})"
        )
    many = f"DIFFERENT, {len(found)} of {len(answered)} answers"
    far = sum(not one.near for one in found)
    if far:
        return False, f"{many}, {far} of them far from a tie: a fault"
    if exact:
        return False, f"{many}, at near-ties; but results are exact here, so that it is a fault"
    return False, (
        f"{many}, all at near-ties: {dtype} results depend here on how many tokens are computed"
        " together"
    )


def _judge_counts(counted: Sequence[Counted]) -> tuple[bool, str]:
    worth = adjusted([one.counts.fit.p for one in counted])
    bad = sum(p < SIGNIFICANCE for p in worth)
    telling = [one.counts.fit for one in counted if _tells(one.counts.fit)]
    samples = sum(fit.samples for fit in telling)
    tested = f"{len(telling)} tests, {samples:,} samples, significance {SIGNIFICANCE:g} over all"
    if bad:
        return False, f"DIFFERENT, {bad} of {len(telling)} distributions ({tested})"
    return True, f"equal, as far as can be seen: no distribution differs ({tested})"


def _name(question: Question, turn: int = 1) -> str:
    later = f", turn {turn}" if turn > 1 else ""
    return f"{question.id} {question.category}{later}: "


def _same(one: Answered) -> str:
    pair = one.pair
    tau = (len(pair.drafted) - 1) / pair.cycles if pair.cycles else 1.0
    if pair.difference is None:
        return f"equal, {counted(len(pair.drafted), 'token')}, tau {tau:.2f}"
    return f"DIFFERENT after {counted(pair.difference.place, 'equal token')}"


def _where(one: Difference, text: Text) -> list[str]:
    """What stands at the place, and how near it was."""
    first, second = (
        f"{_shown(token, text)} {logit:.5f}"
        for token, logit in zip(one.leaders, one.logits, strict=True)
    )
    how = "no near-tie: one of them goes on where the other ends"
    if one.distance is not None:
        kind = "a near-tie" if one.near else "no near-tie"
        how = f"{kind}: {one.distance:.2g} decides between them"
    return [
        f"plain {_shown(one.plain, text)}, with drafts {_shown(one.drafted, text)}",
        f"the target's likeliest there: {first}, {second}, gap {one.gap:.2g}",
        how,
    ]


def _shown(token: int | None, text: Text) -> str:
    return "nothing" if token is None else f"{token} {_letters(token, text)!r}"


def _letters(token: int, text: Text) -> str:
    return text.tokenizer.decode([token], skip_special_tokens=False)


def _fit(one: Counted, worth: float) -> str:
    fit, tried = one.counts.fit, one.counts.tried
    share = f"{one.counts.held / tried:.0%}" if tried else "none"
    said = "DIFFERENT" if worth < SIGNIFICANCE else "no difference"
    if not _tells(fit):
        said = "too few samples to tell anything"
    impossible = f", {fit.excluded} that cannot occur" if fit.excluded else ""
    return (
        f"{said}, {fit.samples} samples{impossible}, chi-square {fit.statistic:.2f} with"
        f" {fit.freedom} degrees of freedom, p {fit.p:.2g} ({worth:.2g} for so many tests),"
        f" {share} of first drafts held"
    )


def _tells(fit: Fit) -> bool:
    """Whether there was anything to find."""
    return fit.freedom > 0 or fit.excluded > 0


def _about(question: Question) -> dict[str, object]:
    return {"question_id": question.id, "category": question.category}


def _described(one: Difference | None, text: Text) -> dict[str, object] | None:
    if one is None:
        return None
    shown = {
        f"{who}_text": None if token is None else _letters(token, text)
        for who, token in (("plain", one.plain), ("drafted", one.drafted))
    }
    leaders = [_letters(token, text) for token in one.leaders]
    return asdict(one) | shown | {"leader_texts": leaders, "gap": one.gap}
