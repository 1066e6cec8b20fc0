"""When two author lines are the same line: the same people in the same order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from registry.equality.bibtex_names import (
    AuthorLine,
    Name,
    parse_authors,
    parse_name,
    split_authors,
)
from registry.equality.interface import NOT_GIVEN, SAME, Comparison
from registry.equality.name_matching import Match, family_initial, match_names

__all__ = [
    "AuthorLine",
    "Match",
    "Name",
    "author_in_common",
    "compare_author_lists",
    "match_names",
    "parse_authors",
    "parse_name",
    "recorded_name",
    "split_authors",
]

_SHOWN = 4
"""Names or notes that one message spells out."""


def recorded_name(author: Mapping[str, Any]) -> Name:
    """The name of an author as a record holds it, a person or a group."""
    if "literal" in author:
        return Name(literal=author["literal"])
    return Name(
        author.get("given") or "",
        author.get("particle") or "",
        author.get("family") or "",
        author.get("suffix") or "",
    )


def author_in_common(one: Iterable[Name], other: Iterable[Name]) -> bool:
    """Whether any author of one list can be one of the other. An empty list has none."""
    others = list(other)
    return any(
        match_names(name, candidate).grade != "different" for name in one for candidate in others
    )


def compare_author_lists(
    recorded: Sequence[Mapping[str, Any]], observed: Sequence[str]
) -> Comparison:
    """Compare the author line of a record with the one of a source.

    Args:
        recorded: People and groups as a record holds them.
        observed: Names in BibTeX's grammar, in the source's order; a last entry ``others`` or
            ``et al.`` says that the list goes on.
    """
    return _compare(tuple(map(recorded_name, recorded)), tuple(filter(None, observed)))


@lru_cache(maxsize=1 << 14)
def _compare(record: tuple[Name, ...], observed: tuple[str, ...]) -> Comparison:
    line = parse_authors(observed)
    source = line.names
    if not observed or (not source and (line.truncated or not record)):
        return NOT_GIVEN
    if not record or not source:
        which = "source" if record else "record"
        return Comparison("different", "no authors", f"the list of the {which} names nobody")
    matches = [match_names(*pair) for pair in zip(record, source, strict=False)]
    complete = len(source) <= len(record) if line.truncated else len(source) == len(record)
    if complete and all(match.agrees for match in matches):
        return _same(record, line, matches)
    return _different(record, line)


def _same(record: tuple[Name, ...], line: AuthorLine, matches: list[Match]) -> Comparison:
    forms = [
        f"“{name}” for “{own}” ({match.note})"
        for own, name, match in zip(record, line.names, matches, strict=False)
        if match.note
    ]
    if line.truncated:
        given = f"author list truncated ({len(line.names)} of {len(record)} given)"
        return Comparison("same", "author list truncated", _listed([given, *forms], "; "))
    return Comparison("same", "name form", _listed(forms, "; ")) if forms else SAME


def _different(record: tuple[Name, ...], line: AuthorLine) -> Comparison:
    source = line.names
    partner = _pair(record, source)
    found = set(partner.values())
    missing = [] if line.truncated else [i for i in range(len(record)) if i not in partner]
    added = [j for j in range(len(source)) if j not in found]
    unpaired = {i for i in range(len(record)) if i not in partner}
    if added and all(j in unpaired for j in added) and len(missing) in (0, len(added)):
        return _differing_names(record, source, added, _moved(partner))
    if missing or added:
        notes = [
            f"missing in the source: {_names(record, missing)}" if missing else "",
            f"only in the source: {_names(source, added)}" if added else "",
            "and the others stand in another order" if _out_of_order(partner) else "",
        ]
        kind = "author missing" if missing else "author added"
        return Comparison("different", kind, "; ".join(filter(None, notes)))
    return _differing_order(record, source, _moved(partner))


def _pair(record: tuple[Name, ...], source: tuple[Name, ...]) -> dict[int, int]:
    """Position in the record to position in the source, the surest pairs first.

    Two authors may share a name, and an initial may stand for either of two; the same position
    decides then.
    """
    partner: dict[int, int] = {}
    taken: set[int] = set()
    same_place = [(i, i) for i in range(min(len(record), len(source)))]
    # Some papers have thousands of authors: only names that can agree are held together.
    alike: dict[str, list[int]] = defaultdict(list)
    for j, name in enumerate(source):
        alike[family_initial(name)].append(j)
    everywhere = [(i, j) for i, name in enumerate(record) for j in alike[family_initial(name)]]
    rounds = (
        (("same",), same_place),
        (("same",), everywhere),
        (("compatible",), same_place),
        (("compatible",), everywhere),
    )
    for grades, pairs in rounds:
        for i, j in pairs:
            if i in partner or j in taken:
                continue
            if match_names(record[i], source[j]).grade in grades:
                partner[i] = j
                taken.add(j)
    return partner


def _moved(partner: dict[int, int]) -> list[int]:
    return sorted(i for i, j in partner.items() if i != j)


def _out_of_order(partner: dict[int, int]) -> bool:
    places = [partner[i] for i in sorted(partner)]
    return places != sorted(places)


def _differing_names(
    record: tuple[Name, ...], source: tuple[Name, ...], places: list[int], moved: list[int]
) -> Comparison:
    inverted = all(match_names(record[i], source[i]).grade == "inverted" for i in places)
    notes = [f"position {i + 1}: “{source[i]}” for “{record[i]}”" for i in places]
    if moved:
        notes.append(f"positions {_ranges(moved)} stand in another order")
    kind = "name inverted" if inverted else "name differs"
    return Comparison("different", kind, _listed(notes, "; "))


def _differing_order(
    record: tuple[Name, ...], source: tuple[Name, ...], moved: list[int]
) -> Comparison:
    own = _names(record, moved)
    theirs = _names(source, [i for i in moved if i < len(source)])
    note = f"positions {_ranges(moved)} differ: the record has {own}; the source has {theirs}"
    if _alphabetical(source) and not _alphabetical(record):
        note += " (the source sorts by family name)"
    return Comparison("different", "author order", note)


def _alphabetical(names: tuple[Name, ...]) -> bool:
    families = [(name.family or name.literal).casefold() for name in names]
    return len(families) > 2 and families == sorted(families)


def _names(names: tuple[Name, ...], places: list[int]) -> str:
    return _listed([str(names[i]) for i in places], ", ")


def _listed(texts: list[str], separator: str) -> str:
    rest = len(texts) - _SHOWN
    shown = separator.join(texts[:_SHOWN])
    return f"{shown}{separator}and {rest} more" if rest > 0 else shown


def _ranges(places: list[int]) -> str:
    """Positions counted from 1, runs joined: ``2, 4-6``."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return ", ".join(
        f"{first + 1}-{last + 1}" if last > first else f"{first + 1}" for first, last in runs
    )
