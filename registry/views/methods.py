"""Where a paper's methods run, what they must not be confused with, and how to run them here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from registry.records.entities import Adoption, Engine
from registry.records.method import Method
from registry.records.paper import Paper
from registry.views.collect import Belongings
from registry.views.page import (
    Block,
    Bullets,
    Grid,
    Pairs,
    Paragraph,
    Section,
    Words,
    alarm,
    strong,
    words,
)
from registry.views.shelf import Shelf
from registry.views.values import brief

TAKEN = 60
"""Characters of what is taken for a paper that are shown."""

SINCE = 40
"""Characters of since when an engine has a method that are shown."""

_NOWHERE = "No engine is recorded as shipping it."


def adoption(found: Belongings, shelf: Shelf) -> Section:
    """Engine by method with its scope, a line each; methods that came later in one line each."""
    own = {method.id for method in found.methods}
    rows = tuple(
        _scope(engine, shipped, shelf) for engine, shipped in found.shipped if shipped.method in own
    )
    head = ("", "since", "trees", "batches", "sampling", "limits")
    blocks: list[Block] = [Grid(head, rows)] if rows else [Paragraph(words(_NOWHERE))]
    if later := tuple((line,) for line in _later(found, shelf)):
        blocks.append(Bullets(later))
    title = "Adoption, engine by method"
    limited = any(shipped.limits for _, shipped in found.shipped if shipped.method in own)
    return Section(f"{title}; limits: registry show engine/ID" if limited else title, tuple(blocks))


def _scope(engine: Engine, shipped: Adoption, shelf: Shelf) -> tuple[Words, ...]:
    name = f"{shelf.label('method', shipped.method)} in {shelf.label('engine', engine.id)}"
    merged = f", merged {shipped.merged}" if shipped.merged else ""
    return (
        words(strong(name)),
        words(f"{brief(shipped.since or 'unknown', SINCE)}{merged}"),
        words(shipped.tree_drafting),
        words(shipped.batching),
        words(shipped.sampling),
        words(f"{len(shipped.limits)}" if shipped.limits else "none recorded"),
    )


def _later(found: Belongings, shelf: Shelf) -> Iterator[Words]:
    """Methods that build upon the paper's, with the engines by whether they draft trees."""
    for method in found.later:
        engines: dict[str, list[str]] = {}
        for engine, shipped in found.shipped:
            if shipped.method == method.id:
                name = shelf.label("engine", engine.id)
                engines.setdefault(shipped.tree_drafting, []).append(name)
        if engines:
            told = "; ".join(f"trees {answer}: {', '.join(by)}" for answer, by in engines.items())
            yield words(f"{method.name}, built upon it [method/{method.id}]: {told}")


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
    commands = bundled.run or ()
    first = words(": ", strong(commands[0])) if commands else ()
    more = f" ({len(commands) - 1} more in method/{method.id})" if commands[1:] else ""
    return words(strong("available"), f" in {bundled.path}", first, more)
