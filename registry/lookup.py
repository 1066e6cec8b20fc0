"""Finds the record that somebody means: by id, by identifier, by the beginning of an id."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import PurePath

from registry.equality.identifiers import parse_arxiv_id, parse_doi
from registry.errors import UnknownRecordError
from registry.records import FOLDERS, KINDS
from registry.store.nearest import did_you_mean
from registry.verify import Registry

_KINDS = {name: kind for kind, folder in FOLDERS.items() for name in (kind, folder)}
_FIRST = list(KINDS)
"""Of several kinds with the same id, the earlier kind is the one that is meant."""


def resolve(name: str, registry: Registry) -> str:
    """The ``kind/id`` that ``name`` means.

    Args:
        name: an id, ``kind/id`` (or the kind's folder before the id), an arXiv id or DOI in any
            form, the beginning of exactly one id, or the path of a record's file.
        registry: where to look.

    Raises:
        UnknownRecordError: nothing or more than one thing is meant; the hint names near ids.
    """
    found = matches(name, registry)
    if found:
        return found[0]
    raise _unknown(name, registry)


def resolve_exactly(
    name: str, registry: Registry, fits: Callable[[str], bool] | None = None
) -> str:
    """The ``kind/id`` that ``name`` means without a guess, for whatever is going to be changed.

    Args:
        name: As for ``resolve``, but never the beginning of an id.
        registry: where to look.
        fits: Which of several records can be meant.

    Raises:
        UnknownRecordError: nothing or more than one thing is meant.
    """
    found = exact(name, registry)
    if len(found) > 1 and fits is not None:
        found = list(filter(fits, found)) or found
    if len(found) > 1:
        hint = f"write one of {', '.join(found)}"
        raise UnknownRecordError(f"{name!r} means several records", hint)
    if found:
        return found[0]
    begun = matches(name, registry)
    if begun:
        hint = f"to change a record, write its whole id: {', '.join(begun)}"
        raise UnknownRecordError(f"no record is called {name!r}", hint)
    raise _unknown(name, registry)


def resolve_all(names: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """Every record that one of ``names`` means; an id means the records of all kinds with it.

    Raises:
        UnknownRecordError: a name means nothing.
    """
    keys: dict[str, None] = {}
    for name in names:
        found = matches(name, registry)
        if not found:
            raise _unknown(name, registry)
        keys.update(dict.fromkeys(found))
    return tuple(keys)


def matches(name: str, registry: Registry) -> list[str]:
    """All keys that ``name`` means, the most likely first; empty if there is none."""
    found = exact(name, registry)
    if found:
        return found
    keys, wanted = _of_kind(name.strip(), registry)
    begins = [key for key in keys if key.partition("/")[2].startswith(wanted)]
    ids = {key.partition("/")[2] for key in begins}
    return sorted(begins, key=_rank) if wanted and len(ids) == 1 else []


def exact(name: str, registry: Registry) -> list[str]:
    """All keys that ``name`` means as a whole, the most likely first; empty if there is none."""
    name = name.strip()
    keys, wanted = _of_kind(name, registry)
    same_id = [key for key in keys if key.partition("/")[2] == wanted]
    if same_id:
        return sorted(same_id, key=_rank)
    by_path = _by_path(name, registry)
    if by_path:
        return by_path
    return _by_identifier(name, registry)


def _of_kind(name: str, registry: Registry) -> tuple[list[str], str]:
    """The keys that ``name`` can mean, only those of a kind it names, and the id in it."""
    before, _, after = name.partition("/")
    kind = _KINDS.get(before.lower())
    if kind is None:
        # Ids are lower-case, so a capital in one can only be how somebody writes it.
        return list(registry.files), name.lower()
    return [key for key in registry.files if key.startswith(f"{kind}/")], after.lower()


def _rank(key: str) -> int:
    return _FIRST.index(key.partition("/")[0])  # type: ignore[arg-type]


def _by_path(name: str, registry: Registry) -> list[str]:
    if not name.endswith(".yaml"):
        return []
    wanted = PurePath(name).parts[-3:]
    return [key for key, file in registry.files.items() if PurePath(file).parts[-3:] == wanted]


def _by_identifier(name: str, registry: Registry) -> list[str]:
    arxiv, doi = parse_arxiv_id(name), parse_doi(name)
    found: list[str] = []
    for entry in registry.index.by_kind.get("paper", {}).values():
        for field, wanted in (("arxiv_id", arxiv.id), ("doi", doi)):
            fact = entry.fact(field)
            if wanted and fact and any(held.value.lower() == wanted for held in fact.held):
                found.append(entry.key)
                break
    return found


def _unknown(name: str, registry: Registry) -> UnknownRecordError:
    keys, wanted = _of_kind(name.strip(), registry)
    ids = {key.partition("/")[2] for key in keys}
    begins = sorted(record_id for record_id in ids if wanted and record_id.startswith(wanted))
    if len(begins) > 1:
        some = ", ".join(begins[:6]) + (", ..." if len(begins) > 6 else "")
        return UnknownRecordError(f"{name!r} is the beginning of several ids", some)
    hint = did_you_mean(wanted, ids) or "`registry list` shows all records"
    return UnknownRecordError(f"no record is called {name!r}", hint)
