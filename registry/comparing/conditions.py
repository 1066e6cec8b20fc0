"""The conditions of a number, and where those of two numbers part."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from registry.comparing.number import Condition, Key, Number

Label = Callable[[str, str], str]
"""The name of a record, by kind and id."""

RATIOS = ("x", "percent")
"""Units of numbers that say nothing without what they are a ratio to."""


def stated_conditions(
    stated: Mapping[str, Any], place: Hashable, unit: str, label: Label
) -> Iterator[Condition]:
    """The conditions that a source can state.

    Args:
        stated: What it does state, as a record of claims has it.
        place: Where it stands. What is not stated is the same for all numbers of one place, and
            never the same for numbers of two.
        unit: Unit of the number.
        label: Names of records.
    """

    def known(key: Key, same: Hashable, text: str) -> Condition:
        return Condition(key, text, same, "known")

    linked: tuple[Key, ...] = ("model", "dataset", "engine")
    for key in KEYS_STATED:
        value = stated.get(key)
        if key == "baseline" and unit not in RATIOS:
            yield known(key, None, "")
        elif value is None:
            yield Condition(key, "", ("unknown", place), "unknown")
        elif key in linked:
            yield known(key, value, label(key, value))
        elif key == "hardware":
            yield _hardware(value, place, label)
        elif key in ("temperature", "batch"):
            yield known(key, float(value), f"{value:g}")
        else:
            yield known(key, " ".join(str(value).casefold().split()), str(value))
    others = tuple(str(one) for one in stated.get("other") or ())
    yield known("further", frozenset(one.casefold() for one in others), "; ".join(others))


KEYS_STATED: tuple[Key, ...] = (
    "model",
    "dataset",
    "temperature",
    "batch",
    "precision",
    "baseline",
    "engine",
    "hardware",
)


def _hardware(stated: Mapping[str, Any], place: Hashable, label: Label) -> Condition:
    if "machine" in stated:
        return Condition("hardware", str(stated["text"]), stated["machine"], "known")
    accelerator, count = stated.get("accelerator"), stated.get("count")
    if accelerator is not None and count is not None:
        text = f"{count}x {label('accelerator', accelerator)}"
        return Condition("hardware", text, (accelerator, count), "known")
    # The same words can mean two machines: an A100 is sold in four forms.
    text = f"“{stated['text']}”"
    return Condition("hardware", text, (accelerator, count, stated["text"], place), "uncertain")


@dataclass(frozen=True, slots=True)
class Difference:
    """A condition that keeps two numbers apart."""

    here: Condition
    there: Condition

    @property
    def key(self) -> Key:
        """What differs, or is not known to be the same."""
        return self.here.key

    @property
    def kind(self) -> Literal["differs", "unknown"]:
        """``unknown`` if the two may be the same for all that is known."""
        if self.here.state == self.there.state == "known":
            return "differs"
        return "unknown"


def differences(here: Number, there: Number) -> tuple[Difference, ...]:
    """The conditions that keep two numbers of one metric and unit out of one row."""
    pairs = zip(here.conditions, there.conditions, strict=True)
    return tuple(Difference(one, other) for one, other in pairs if one.same != other.same)
