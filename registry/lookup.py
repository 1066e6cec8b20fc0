"""Finds the record that somebody means: by id, by identifier, by the beginning of an id."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import PurePath

from registry.equality.identifiers import parse_arxiv_id, parse_doi
from registry.errors import UnknownRecordError
from registry.records import FOLDERS, KINDS, KindName
from registry.store.nearest import did_you_mean
from registry.verify import Registry

_KINDS = {name: kind for kind, folder in FOLDERS.items() for name in (kind, folder)}
_FIRST = list(KINDS)
"""Of several kinds with the same id, the earlier kind is the one that is meant."""
_ABOUT_OTHERS = ("source", "evidence")
"""Kinds whose ids begin with those of the records that they speak about. The beginning of an id
means one of theirs only where no other kind has an id that begins so."""


def resolve(name: str, registry: Registry, kinds: Collection[KindName] = ()) -> str:
    """The ``kind/id`` that ``name`` means.

    Args:
        name: an id, ``kind/id`` (or the kind's folder before the id), an arXiv id or DOI in any
            form, the beginning of exactly one id, or the path of a record's file.
        registry: where to look.
        kinds: the kinds that can be meant; all if empty.

    Raises:
        UnknownRecordError: nothing or more than one thing is meant; the hint names near ids.
    """
    found = matches(name, registry, kinds)
    if found:
        return found[0]
    raise _unknown(name, registry, kinds)


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


def matches(name: str, registry: Registry, kinds: Collection[KindName] = ()) -> list[str]:
    """All keys that ``name`` means, the most likely first; empty if there is none."""
    found = exact(name, registry, kinds)
    if found:
        return found
    begun = _begun(name, registry, kinds)
    return sorted(begun, key=_rank) if len({_id(key) for key in begun}) == 1 else []


def exact(name: str, registry: Registry, kinds: Collection[KindName] = ()) -> list[str]:
    """All keys that ``name`` means as a whole, the most likely first; empty if there is none."""
    found = _exact(name.strip(), registry)
    return [key for key in found if not kinds or _kind(key) in kinds]


def _exact(name: str, registry: Registry) -> list[str]:
    keys, wanted = _of_kind(name, registry)
    same_id = [key for key in keys if _id(key) == wanted]
    if same_id:
        return sorted(same_id, key=_rank)
    by_path = _by_path(name, registry)
    if by_path:
        return by_path
    return _by_identifier(name, registry)


def _begun(name: str, registry: Registry, kinds: Collection[KindName]) -> list[str]:
    """The keys whose ids begin with ``name``, those of what is spoken about before all others."""
    keys, wanted = _of_kind(name.strip(), registry, kinds)
    begun = [key for key in keys if wanted and _id(key).startswith(wanted)]
    return [key for key in begun if _kind(key) not in _ABOUT_OTHERS] or begun


def _of_kind(
    name: str, registry: Registry, kinds: Collection[KindName] = ()
) -> tuple[list[str], str]:
    """The keys that ``name`` can mean, only those of a kind it names, and the id in it."""
    before, _, after = name.partition("/")
    kind = _KINDS.get(before.lower())
    keys = [key for key in registry.files if not kinds or _kind(key) in kinds]
    if kind is None:
        # Ids are lower-case, so a capital in one can only be how somebody writes it.
        return keys, name.lower()
    return [key for key in keys if _kind(key) == kind], after.lower()


def _kind(key: str) -> str:
    return key.partition("/")[0]


def _id(key: str) -> str:
    return key.partition("/")[2]


def _rank(key: str) -> int:
    return _FIRST.index(_kind(key))  # type: ignore[arg-type]


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


def _unknown(name: str, registry: Registry, kinds: Collection[KindName] = ()) -> UnknownRecordError:
    begun = sorted({_id(key) for key in _begun(name, registry, kinds)})
    if len(begun) > 1:
        some = ", ".join(begun[:6]) + (", ..." if len(begun) > 6 else "")
        return UnknownRecordError(f"{name!r} is the beginning of several ids", some)
    keys, wanted = _of_kind(name.strip(), registry, kinds)
    listed = f" {FOLDERS[next(iter(kinds))]}" if len(kinds) == 1 else ""
    shown = f"`registry list{listed}` shows all{listed or ' records'}"
    hint = did_you_mean(wanted, set(map(_id, keys))) or shown
    what = " or ".join(kinds) or "record"
    return UnknownRecordError(f"no {what} is called {name!r}", hint)
