"""A comparison as a page, for terminals and Markdown."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from registry.comparing.apart import Apart
from registry.comparing.blocks import Block, blocks
from registry.comparing.comparison import Comparison, LeftOut, Row
from registry.comparing.number import KEYS, Number
from registry.comparing.wording import (
    Notes,
    bare_text,
    difference_text,
    number_text,
    source_text,
    why,
)
from registry.reports.wording import counted
from registry.views.page import (
    Alarm,
    Bullets,
    Grid,
    Page,
    Pairs,
    Paragraph,
    Section,
    Words,
    joined,
    quiet,
    strong,
    words,
)

FEW = 3
"""Up to so many numbers are shown one by one where they stand beside nothing."""

WHOSE = {
    "authors": "as claimed",
    "third-party": "measured by a third party",
    "here": "measured here",
}
_MARK = " (!)"
"""Stands behind the name of a method whose column must not be read with another one."""


def page_of(comparison: Comparison) -> Page:
    """The table, what stands beside nothing, and what must be known of both."""
    question = comparison.question
    title = f"{', '.join(name for _, name in question.names)}: {question.metric or 'all metrics'}"
    head = ", ".join((title, *question.conditions))
    key = " ".join(question.methods)
    if comparison.refused:
        allow = "With --allow-not-interchangeable they are compared all the same, and marked."
        return Page(head, key, _warnings(comparison), (), words(quiet(allow)))
    notes = Notes()
    found = blocks(comparison.rows, question.methods)
    return Page(
        title=head,
        key=key,
        opening=(*_warnings(comparison), Paragraph(words(_summary(comparison)))),
        sections=(
            *(_block(block, comparison, notes) for block in found),
            *_left_out(comparison),
        ),
        closing=_closing(comparison),
    )


def heading(block: Block) -> str:
    """What a block counts, who measured it, and where it was read."""
    row = block.first
    unit = "" if row.unit == "fraction" else f" ({row.unit})"
    return f"{row.metric}{unit}, {WHOSE[row.origin]}: {_read_in(block)}"


def _read_in(block: Block) -> str:
    numbers = block.numbers
    records = {one.source.paper or one.source.record for one in numbers}
    if block.first.origin == "authors" and len(records) == 1:
        places = dict.fromkeys(source_text(one) for one in numbers)
        return f"paper/{records.pop()}, {'; '.join(places)}"
    if len({one.source.place for one in numbers}) == 1 and numbers[0].source.paper:
        return numbers[0].source.version  # one table, entered under several records
    return ", ".join(sorted({one.source.record for one in numbers}))


def shared(block: Block) -> str:
    """The conditions that all rows of a block share."""
    return ", ".join(f"{KEYS[one.key]} {one.text}" for one in block.shared)


def column(method: str, block: Block, comparison: Comparison) -> str:
    """The name of a method, marked if it must not be compared with another one of the block."""
    beside = set(block.methods)
    marked = any(
        method in (pair.one, pair.other) and beside >= {pair.one, pair.other}
        for pair in comparison.apart
    )
    return comparison.question.name(method) + (_MARK if marked else "")


def warnings(comparison: Comparison) -> Iterator[tuple[str, tuple[tuple[str, str], ...], str]]:
    """What a record keeps apart, the records' reasons, and what else is apart because of that."""
    grouped: dict[frozenset[str], list[Apart]] = defaultdict(list)
    for pair in comparison.apart:
        grouped[frozenset(pair.between)].append(pair)
    for pairs in grouped.values():
        reasons = tuple((f"[{one.record}]", one.text) for one in pairs[0].because)
        heirs = "; ".join(filter(None, (_inherited(pair, comparison) for pair in pairs)))
        head = f"{' and '.join(pairs[0].called)} are not interchangeable"
        yield head, reasons, f"The same holds of {heirs}." if heirs else ""


def _inherited(pair: Apart, comparison: Comparison) -> str:
    """A pair with what it builds upon; nothing if a record speaks of the pair itself."""
    name = comparison.question.name
    upon = " and ".join(
        f"{name(method)} builds upon {called}"
        for method, base, called in zip(
            (pair.one, pair.other), pair.between, pair.called, strict=True
        )
        if method != base
    )
    return f"{name(pair.one)} and {name(pair.other)}, since {upon}" if upon else ""


def _warnings(comparison: Comparison) -> tuple[Alarm, ...]:
    title = "NOT INTERCHANGEABLE" + ("" if comparison.refused else ": READ WITH CARE")
    found: list[Paragraph | Pairs] = []
    for head, reasons, heirs in warnings(comparison):
        rows = tuple((record, words(text)) for record, text in reasons)
        found += [Paragraph(words(strong(head), ":")), Pairs(rows)]
        found += [Paragraph(words(heirs))] if heirs else []
    return (Alarm(title, tuple(found)),) if found else ()


def _summary(comparison: Comparison) -> str:
    if not comparison.rows:
        return "No two of these numbers may stand side by side."
    inside = sum(len(row.numbers) for row in comparison.rows)
    rows = counted(len(comparison.rows), "row")
    outside = len(comparison.left_out)
    verb = "stands" if outside == 1 else "stand"
    return (
        f"{counted(inside, 'number')} may stand side by side, in {rows}; {outside} {verb} beside "
        "no other. What a table leaves unsaid is taken to be the same for its cells. A letter "
        "behind a number leads to what it must not be read without."
    )


def _block(block: Block, comparison: Comparison, notes: Notes) -> Section:
    head = [KEYS[key] for key in block.varying]
    columns = [column(method, block, comparison) for method in block.methods]
    rows = tuple(
        (
            *(words(block.label(row, key)) for key in block.varying),
            *(_cell(row, method, block, notes) for method in block.methods),
        )
        for row in block.rows
    )
    legend = tuple((mark, words(text)) for mark, text in notes.of(block))
    same = shared(block)
    opening = (Paragraph(words(f"all: {same}")),) if same else ()
    return Section(heading(block), (*opening, Grid((*head, *columns), rows), Pairs(legend)))


def _cell(row: Row, method: str, block: Block, notes: Notes) -> Words:
    numbers = dict(row.cells).get(method, ())
    if not numbers:
        return words(quiet("–"))
    shown = (words(strong(bare_text(one)), f" {notes.mark(one, block)}") for one in numbers)
    return joined(shown, ", ")


def _left_out(comparison: Comparison) -> Iterator[Section]:
    if not comparison.left_out:
        return
    grouped: dict[tuple[bool, str, str], list[LeftOut]] = defaultdict(list)
    for one in comparison.left_out:
        differ, unknown = (why(one.differences, kind) for kind in ("differs", "unknown"))
        grouped[one.nearest is None, differ, unknown].append(one)
    # What stands nearest to the table comes first.
    order = sorted(grouped, key=lambda key: (key[0], _size(key[1]), _size(key[2]), key))
    items = tuple((_reason(key), *_places(grouped[key], comparison)) for key in order)
    opening = "What keeps each from the nearest number of another method:"
    yield Section("What stands beside no other", (Paragraph(words(opening)), Bullets(items)))


def _size(listed: str) -> int:
    return len(listed.split(", ")) if listed else 0


def _reason(key: tuple[bool, str, str]) -> Words:
    alone, differ, unknown = key
    if alone:
        return words(strong("no other of these methods has a number of the metric and unit"))
    told = (f"differs: {differ}" if differ else "", f"unknown: {unknown}" if unknown else "")
    return joined(strong(one) for one in told)


def _places(found: Sequence[LeftOut], comparison: Comparison) -> Iterator[Words]:
    """By method, metric and place: how many, and beside what they come nearest to standing."""
    places: dict[tuple[str, ...], list[LeftOut]] = defaultdict(list)
    for one in found:
        number = one.number
        key = (number.metric, number.method, number.source.record, number.source.part)
        places[key].append(one)
    for (metric, method, record, part), group in places.items():
        numbers = [one.number for one in group]
        few = len(numbers) <= FEW
        what = ", ".join(map(number_text, numbers)) if few else counted(len(numbers), "number")
        counts = "" if comparison.question.metric else f", {metric}"
        own = f"{comparison.question.name(method)}{counts}: {what} [{record} {part}]"
        yield words(own, quiet(_beside(group)))


def _beside(group: Sequence[LeftOut]) -> str:
    """What most of a group come nearest to, and in what way they are known to differ from it."""
    near = Counter(_place(one.nearest) for one in group if one.nearest)
    if not near:
        return ""
    differ = {
        "; ".join(difference_text(part) for part in one.differences if part.kind == "differs")
        for one in group
    }
    how = differ.pop() if len(differ) == 1 else ""
    place = min(near, key=lambda place: (-near[place], place))
    return f"; nearest: {place}{f', {how}' if how else ''}"


def _place(number: Number) -> str:
    return f"{number.method} in [{number.source.record} {number.source.part}]"


def _closing(comparison: Comparison) -> Words:
    told: list[str] = []
    if comparison.unstated:
        verb = "does" if comparison.unstated == 1 else "do"
        numbers = counted(comparison.unstated, "more number")
        told.append(f"{numbers} {verb} not state what was asked for, and {verb} not count here")
    told += [f"could not be read: {one}" for one in comparison.unreadable]
    return words(quiet("; ".join(told)))
