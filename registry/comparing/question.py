"""What somebody wants compared, in ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from registry.comparing.number import Key, Number
from registry.errors import ComparisonError, UnknownRecordError
from registry.lookup import exact, matches, resolve
from registry.records import KindName
from registry.records.entities import Dataset, Model
from registry.store.nearest import did_you_mean
from registry.views.shelf import Shelf

_COMPARED: tuple[KindName, ...] = ("method", "paper")
"""Kinds that a name can mean; a paper stands for the methods that it introduces."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which methods, and under which conditions; what is None may be anything."""

    names: tuple[tuple[str, str], ...]
    """Method to its name, ordered by id."""
    metric: str | None = None
    model: str | None = None
    dataset: str | None = None
    temperature: float | None = None
    conditions: tuple[str, ...] = ()
    """The conditions that were asked for, in words."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods."""
        return tuple(method for method, _ in self.names)

    def name(self, method: str) -> str:
        """The name of a method."""
        return dict(self.names)[method]

    def takes(self, number: Number) -> bool:
        """Whether a number is known to be what was asked for."""
        return self.metric in (None, number.metric) and all(
            number.condition(key).same == wanted for key, wanted in self._wanted()
        )

    def may_take(self, number: Number) -> bool:
        """Whether it could be, but for a condition that is not stated."""
        return (
            self.metric in (None, number.metric)
            and not self.takes(number)
            and all(
                number.condition(key).same == wanted or number.condition(key).state == "unknown"
                for key, wanted in self._wanted()
            )
        )

    def _wanted(self) -> list[tuple[Key, str | float]]:
        wanted: list[tuple[Key, str | float | None]] = [
            ("model", self.model),
            ("dataset", self.dataset),
            ("temperature", self.temperature),
        ]
        return [(key, value) for key, value in wanted if value is not None]


def ask(
    names: Iterable[str],
    shelf: Shelf,
    *,
    metric: str | None = None,
    model: str | None = None,
    dataset: str | None = None,
    temperature: float | None = None,
) -> Question:
    """Find out what is meant.

    Args:
        names: Methods, or papers for the methods that they introduce, as ids or otherwise.
        shelf: The records.
        metric: Name of a metric that some claim, table or benchmark has.
        model: Id, name or alias of a target.
        dataset: Id, name or alias of a dataset.
        temperature: Sampling temperature.

    Raises:
        UnknownRecordError: a name means nothing, or several things.
        ComparisonError: there are not two methods to compare.
    """
    found = sorted({method for name in names for method in _methods(name, shelf)})
    if len(found) < 2:
        raise ComparisonError(
            f"{found[0]} alone cannot be compared",
            f"name a second method; `registry show method/{found[0]}` shows one alone",
        )
    target = _entity(model, Model, shelf) if model is not None else None
    prompts = _entity(dataset, Dataset, shelf) if dataset is not None else None
    told = (
        f"model {shelf.label('model', target)}" if target else "",
        f"dataset {shelf.label('dataset', prompts)}" if prompts else "",
        f"temperature {temperature:g}" if temperature is not None else "",
    )
    return Question(
        names=tuple((method, shelf.label("method", method)) for method in found),
        metric=metric,
        model=target,
        dataset=prompts,
        temperature=temperature,
        conditions=tuple(filter(None, told)),
    )


def _methods(name: str, shelf: Shelf) -> Sequence[str]:
    """The method of that name, or those that the paper of that name introduces."""
    registry = shelf.registry
    if not exact(name, registry, _COMPARED) and (others := exact(name, registry)):
        kind, _, record = others[0].partition("/")
        raise ComparisonError(f"{record} is of kind {kind}", "methods and papers can be compared")
    meant = matches(name, registry, _COMPARED) or [resolve(name, registry, _COMPARED)]
    chosen = next((key for key in meant if key.startswith("method/")), meant[0])
    kind, _, record = chosen.partition("/")
    entry = shelf.index.get(kind, record)
    if entry is None:
        raise ComparisonError(f"{chosen} is no usable record", f"`registry verify {chosen}` tells")
    if kind == "method":
        return [record]
    introduced = list(entry.extra["methods"])
    if not introduced:
        raise ComparisonError(f"{chosen} introduces no method", "name a method instead")
    return introduced


def _entity(name: str, kind: type[Model] | type[Dataset], shelf: Shelf) -> str:
    """The id of the model or dataset of that id, name or alias."""
    what = "model" if kind is Model else "dataset"
    entries = shelf.index.by_kind.get(what, {})
    word = name.strip().lower().removeprefix(f"{what}/").removeprefix(f"{what}s/")
    if word in entries:
        return word
    called: dict[str, set[str]] = {}
    for record in shelf.all(kind, (entry.key for entry in entries.values())):
        hub = getattr(record, "hub_id", None)
        for other in (record.id, record.name, *(record.aliases or ()), *([hub] if hub else ())):
            called.setdefault(_squashed(other), set()).add(record.id)
    found = sorted(called.get(_squashed(name), ()))
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownRecordError(f"{name!r} means several {what}s", ", ".join(found))
    hint = did_you_mean(word, entries) or f"`registry list {what}` shows them"
    raise UnknownRecordError(f"no {what} is called {name!r}", hint)


def _squashed(name: str) -> str:
    """A name without what is written in many ways; the dot stays, for 1.3 is not 13."""
    return re.sub(r"[^\w.]+|_+", "", name.casefold())
