"""Where a paper's methods run, what they must not be confused with, and how to run them here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from registry.records.entities import Adoption
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


LIMIT = 40
"""Characters of each limit of an engine that are shown."""


def adoption(found: Belongings, shelf: Shelf) -> Section:
    """Engine by method with its scope; methods that came later in one line each."""
    rows: list[tuple[Words, ...]] = []
    for method in found.methods:
        for engine, shipped in found.shipped:
            if shipped.method == method.id:
                limits = joined(brief(limit, LIMIT) for limit in shipped.limits or ())
                head = words(strong(f"{method.name} in {engine.name}"), f": {_scope(shipped)}")
                rows.append((head, words("limits: ", limits) if limits else ()))
    if not rows:
        rows.append((words("No engine is recorded as shipping it."),))
    for method in found.later:
        engines = [
            f"{engine.name} (tree drafts {shipped.tree_drafting})"
            for engine, shipped in found.shipped
            if shipped.method == method.id
        ]
        if engines:
            rows.append((words(f"{method.name}, which builds on it, in {', '.join(engines)}"),))
    return Section("Adoption, engine by method", (Bullets(tuple(rows)),))


def _scope(shipped: Adoption) -> str:
    since = f"since {shipped.since}" if shipped.since else "since when is unknown"
    merged = f", merged {shipped.merged}" if shipped.merged else ""
    return (
        f"{since}{merged}; tree drafts {shipped.tree_drafting}, batches {shipped.batching}, "
        f"sampling {shipped.sampling}"
    )


def apart(paper: Paper, found: Belongings, shelf: Shelf) -> tuple[Section, ...]:
    """What the paper and its methods must not be mixed up with; nothing where nothing is named."""
    rows = [*_declared(found, shelf), *_confused(paper, shelf)]
    if not rows:
        return ()
    return (Section("Must not be confused with", (Bullets(tuple(rows)),)),)


def _declared(found: Belongings, shelf: Shelf) -> Iterator[tuple[Words, ...]]:
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
        yield (words(head, because),)


def _naming(own: Iterable[str], shelf: Shelf) -> tuple[Method, ...]:
    keys = (referrer.key for method in own for referrer in shelf.referrers(f"method/{method}"))
    return shelf.all(Method, keys)


def _confused(paper: Paper, shelf: Shelf) -> Iterator[tuple[Words, ...]]:
    for related in paper.related or ():
        if related.relation == "confused-with":
            record = f" [paper/{related.paper}]" if related.paper else ""
            yield (words("taken for it: ", related.text, record),)


def implementation(found: Belongings) -> Section:
    """What each method does with the distribution, and where it can be run from this project."""
    rows: list[tuple[str, Words]] = []
    for method in found.methods:
        rows.append((method.name, words(brief(method.drafts or method.summary))))
        if method.lossless:
            because = f": {brief(method.lossless_because)}" if method.lossless_because else ""
            rows.append(("  lossless", words(strong(method.lossless), because)))
        rows.append(("  runs here", _run(method)))
    if not rows:
        rows.append(("method", words("The record names none.")))
    return Section("Method and its implementation here", (Pairs(tuple(rows)),))


def _run(method: Method) -> Words:
    bundled = method.implementation
    if bundled is None:
        return words("no implementation is bundled")
    if bundled.state == "planned":
        return words(strong("planned"), f": {bundled.path} cannot run it yet")
    commands = joined((strong(command) for command in bundled.run or ()), "; ")
    return words(strong("available"), f" in {bundled.path}", ": " if commands else "", commands)
