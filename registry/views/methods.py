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


def adoption(found: Belongings, shelf: Shelf) -> Section:
    """Engine by method, each with its scope; methods that came later in one line each."""
    own = {method.id for method in found.methods}
    rows: list[tuple[Words, ...]] = []
    for engine, shipped in found.shipped:
        name = shelf.label("method", shipped.method)
        head = words(strong(f"{engine.name} ships {name}"), ": ", _scope(shipped))
        if shipped.method in own:
            limits = joined(shipped.limits or ())
            rows.append((head, limits) if limits else (head,))
        else:
            count = len(shipped.limits or ())
            rest = f" · limits: {count}, see engine/{engine.id}" if count else ""
            rows.append((words(head, rest),))
    if not rows:
        return Section("Adoption", (Paragraph(words("No engine is recorded as shipping it.")),))
    return Section("Adoption", (Bullets(tuple(rows)),))


def _scope(shipped: Adoption) -> Words:
    abilities = {
        "tree drafts": shipped.tree_drafting,
        "batches": shipped.batching,
        "sampling": shipped.sampling,
    }
    return joined(
        (
            f"since {shipped.since}" if shipped.since else "since when is unknown",
            f"merged {shipped.merged}" if shipped.merged else "",
            *(f"{name} {answer}" for name, answer in abilities.items()),
        )
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
        head = words(strong(names), " are ", alarm("NOT INTERCHANGEABLE"), f" [method/{theirs}]")
        yield (head, words(because))


def _naming(own: Iterable[str], shelf: Shelf) -> tuple[Method, ...]:
    keys = (referrer.key for method in own for referrer in shelf.referrers(f"method/{method}"))
    return shelf.all(Method, keys)


def _confused(paper: Paper, shelf: Shelf) -> Iterator[tuple[Words, ...]]:
    for related in paper.related or ():
        if related.relation == "confused-with":
            name = shelf.label("paper", related.paper) if related.paper else ""
            record = f" [paper/{related.paper}]" if related.paper else ""
            head = words("Taken for the paper: ", strong(name), record)
            yield (head, words(related.text)) if name else (words(related.text),)


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
