"""Numbers and their notes in words that all formats share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from registry.comparing.blocks import Block
from registry.comparing.comparison import Comparison
from registry.comparing.conditions import Difference
from registry.comparing.number import KEYS, Condition, Key, Number
from registry.reports.wording import counted
from registry.views.claim_lines import amount

_HEDGES = {"up-to": "up to ", "at-least": "at least ", "about": "about "}
_ATTACHED = ("x", "percent")


def number_text(number: Number) -> str:
    """A number with its hedge and unit; a range with both ends."""
    return _text(number, number.unit)


def bare_text(number: Number) -> str:
    """A number where its unit stands in the heading; a unit that is part of it stays."""
    return _text(number, number.unit if number.unit in _ATTACHED else None)


def _text(number: Number, unit: str | None) -> str:
    hedge = _HEDGES.get(number.bound, "")
    if number.value is not None:
        return hedge + amount(number.value, unit, number.decimals)
    if number.low is None or number.high is None:
        return ""
    low = amount(number.low, unit if unit in _ATTACHED else None, number.decimals)
    return f"{hedge}{low}-{amount(number.high, unit, number.decimals)}"


def source_text(number: Number) -> str:
    """Where a number stands: version and place."""
    return f"{number.source.version}, {number.source.locator}"


def who(number: Number) -> str:
    """Who says it of whom."""
    if number.origin == "here":
        return f"measured here on {number.source.part}"
    if number.origin == "third-party":
        return "measured by a third party"
    whose = "its own method" if number.own else "a method of another paper"
    return f"paper/{number.source.paper} about {whose}"


def missing(number: Number, spared: Collection[Key] = ()) -> str:
    """Which conditions are not stated, or only in words that may mean several things."""
    asked = (one for one in number.conditions if one.key not in spared)
    unknown = [KEYS[one.key] for one in asked if one.state == "unknown"]
    vague = [KEYS[one.key] for one in number.conditions if one.state == "uncertain"]
    told = (
        f"{', '.join(unknown)} not stated" if unknown else "",
        f"{', '.join(vague)} known in words only" if vague else "",
    )
    return "; ".join(filter(None, told))


def note(number: Number, block: Block) -> str:
    """Everything that a number must not be read without and that its row does not say."""
    spared: tuple[Key, ...] = ("dataset",) if block.spares_dataset(number) else ()
    told = (
        f"{who(number)}: {source_text(number)} [{number.source.record}]",
        _made(number),
        f"draft {number.drafting}" if number.drafting else "",
        missing(number, spared),
        number.remark,
    )
    return "; ".join(filter(None, told))


def _made(number: Number) -> str:
    """How a number was made of others."""
    if number.repeats == 1:
        return f"one value over {number.over}" if number.over else "one value"
    if number.repeats and number.low is not None and number.high is not None:
        low = amount(number.low, None, number.decimals)
        high = amount(number.high, number.unit, number.decimals)
        values = f"{number.repeats} {number.over}".rstrip()
        middle = ""
        if number.middle is not None:
            ends = (amount(one, None, number.decimals) for one in number.middle)
            middle = f"quartiles {' and '.join(ends)}, "
        return f"{number.rule} of {values}, {middle}{low} to {high}"
    return f"{number.rule} over {number.over}" if number.over else number.rule


class Notes:
    """Notes by the letters that stand for them, in the order in which they are met."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def mark(self, number: Number, block: Block) -> str:
        """The letter of the note on a number of a block."""
        return self._letters.setdefault(note(number, block), letters(len(self._letters)))

    def of(self, block: Block) -> Iterator[tuple[str, str]]:
        """Letter and note for each that the numbers of a block have."""
        for text in dict.fromkeys(note(number, block) for number in block.numbers):
            yield self._letters[text], text


def letters(place: int) -> str:
    """a, b, ... z, aa, ab, ... for places from 0."""
    text = ""
    place += 1
    while place:
        place, digit = divmod(place - 1, 26)
        text = chr(ord("a") + digit) + text
    return text


def difference_text(one: Difference) -> str:
    """What keeps two numbers apart, with both sides."""
    if one.here.state == one.there.state == "unknown":
        return f"{KEYS[one.key]} unknown"
    return f"{KEYS[one.key]} {side(one.here)} against {side(one.there)}"


def side(condition: Condition) -> str:
    """A condition beside one that it differs from."""
    return condition.text or ("unknown" if condition.state == "unknown" else "none")


def why(differences: Sequence[Difference], kind: str) -> str:
    """The names of the conditions that are apart in one way."""
    return ", ".join(KEYS[one.key] for one in differences if one.kind == kind)


def nothing(comparison: Comparison) -> str:
    """Why nothing can be compared, and what is recorded, on one line."""
    question = comparison.question
    lacking = " and ".join(question.name(method) for method in comparison.missing)
    what = " with ".join(
        filter(None, (question.metric or "number", ", ".join(question.conditions)))
    )
    known = "; ".join(
        f"{question.name(method)}: {_metrics(metrics)}" for method, metrics in comparison.recorded
    )
    return f"nothing to compare: no {what} of {lacking} is recorded; recorded are {known}"


def _metrics(metrics: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{counted(number, metric, metric)}" for metric, number in metrics) or "none"
