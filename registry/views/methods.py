"""Where a paper's methods run, what they must not be confused with, and how to run them here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from registry.records.entities import Adoption, Engine
from registry.records.method import Method
from registry.records.paper import Paper
from registry.views.collect import Belongings
from registry.views.page import (
    Bullets,
    Pairs,
    Paragraph,
    Section,
    Words,
    alarm,
    joined,
    strong,
    words,
)
from registry.views.shelf import Shelf
from registry.views.values import brief

LIMIT = 60
"""Characters of the first limit of an engine that are shown."""

TAKEN = 60
"""Characters of what is taken for a paper that are shown."""


def adoption(found: Belongings, shelf: Shelf) -> Section:
    """Engine by method with its scope; methods that came later in one line each."""
    own = {method.id for method in found.methods}
    rows: list[tuple[Words, ...]] = []
    for engine, shipped in found.shipped:
        if shipped.method in own:
            name = f"{shelf.label('method', shipped.method)} in {shelf.label('engine', engine.id)}"
            rows.append((words(strong(name), f": {_scope(shipped)}"), _limits(engine, shipped)))
    if not rows:
        rows.append((words("No engine is recorded as shipping it."),))
    for method in found.later:
        engines = ", ".join(
            f"{shelf.label('engine', engine.id)} (trees {shipped.tree_drafting})"
            for engine, shipped in found.shipped
            if shipped.method == method.id
        )
        if engines:
            rows.append((words(f"{method.name}, built upon it [method/{method.id}]: {engines}"),))
    return Section("Adoption, engine by method", (Bullets(tuple(rows)),))


def _scope(shipped: Adoption) -> str:
    since = f"since {shipped.since}" if shipped.since else "since when is unknown"
    merged = f", merged {shipped.merged}" if shipped.merged else ""
    answers = {
        "trees": shipped.tree_drafting,
        "batches": shipped.batching,
        "sampling": shipped.sampling,
    }
    abilities = ", ".join(f"{name} {answer}" for name, answer in answers.items())
    return f"{since}{merged}; {abilities}"


def _limits(engine: Engine, shipped: Adoption) -> Words:
    if not shipped.limits:
        return words("no limits are recorded")
    first, *rest = shipped.limits
    more = f" ({len(rest)} more in engine/{engine.id})" if rest else ""
    return words(f"limits: {brief(first, LIMIT)}{more}")


def methods(paper: Paper, found: Belongings, shelf: Shelf) -> Section:
    """What each method does with the distribution, what it is not, and where it can be run here."""
    rows = [row for method in found.methods for row in _method(method)]
    apart = [*_declared(found, shelf), *_confused(paper)]
    blocks = (
        Pairs(tuple(rows)) if rows else Paragraph(words("The record names no method.")),
        *((Bullets(tuple((line,) for line in apart)),) if apart else ()),
    )
    return Section("Method, what it is not, and where it runs", blocks)


def _method(method: Method) -> Iterator[tuple[str, Words]]:
    if method.lossless:
        because = f": {brief(method.lossless_because)}" if method.lossless_because else ""
        yield f"{method.name} lossless", words(strong(method.lossless), because)
    yield f"{method.name} here", _run(method)


def _declared(found: Belongings, shelf: Shelf) -> Iterator[Words]:
    """Pairs of methods that are declared not interchangeable, by whichever of the two."""
    own = {method.id for method in found.methods}
    reasons: dict[tuple[str, str], str] = {}
    for method in (*found.methods, *_naming(own, shelf)):
        for other in method.not_interchangeable_with or ():
            if method.id in own:
                reasons[method.id, other.method] = other.because
            elif other.method in own:
                reasons.setdefault((other.method, method.id), other.because)
    for (ours, theirs), because in reasons.items():
        names = f"{shelf.label('method', ours)} and {shelf.label('method', theirs)}"
        head = words(strong(names), " are ", alarm("NOT INTERCHANGEABLE"), f" [method/{theirs}]: ")
        yield words(head, because)


def _naming(own: Iterable[str], shelf: Shelf) -> tuple[Method, ...]:
    keys = (referrer.key for method in own for referrer in shelf.referrers(f"method/{method}"))
    return shelf.all(Method, keys)


def _confused(paper: Paper) -> Iterator[Words]:
    for related in paper.related or ():
        if related.relation == "confused-with":
            record = f" [paper/{related.paper}]" if related.paper else ""
            yield words("taken for it: ", brief(related.text, TAKEN), record)


def _run(method: Method) -> Words:
    bundled = method.implementation
    if bundled is None:
        return words("no implementation is bundled")
    if bundled.state == "planned":
        return words(strong("planned"), f": {bundled.path} cannot run it yet")
    commands = joined((strong(command) for command in bundled.run or ()), "; ")
    return words(strong("available"), f" in {bundled.path}", ": " if commands else "", commands)
