"""What a registry holds already of a paper that is to be added."""

from __future__ import annotations

from registry.adding.panel import observes
from registry.checks.values import READ
from registry.errors import EditError, OccupiedError
from registry.sources.interface import Query
from registry.store.entry import IDENTIFIERS, Entry
from registry.verify import Registry


def refuse_twin(registry: Registry, identifiers: dict[str, str]) -> None:
    """Refuse a paper that has an identifier of one on record.

    Args:
        registry: Where the paper is to be added.
        identifiers: Field to value.

    Raises:
        OccupiedError: a record has one of them.
    """
    wanted = {name: READ[name](value) for name, value in identifiers.items()}
    for entry in registry.index.by_kind.get("paper", {}).values():
        for fact in entry.facts:
            for held in fact.held if fact.name in wanted else ():
                if wanted[fact.name] and READ[fact.name](held.value) == wanted[fact.name]:
                    what = f"{fact.name} {held.value}"
                    raise OccupiedError(f"{what} is on record: {_described(entry)}", _hint(entry))


def asked_identifier(asked: Query) -> dict[str, str]:
    """Field and value of the identifier that a paper is asked for by."""
    return {name: getattr(asked, name) for name in IDENTIFIERS if getattr(asked, name)}


def begun(registry: Registry, asked: Query, slug: str) -> str:
    """The id of a paper that has evidence but no record, such as an adding that was cut short.

    Args:
        registry: Where to look.
        asked: The identifier; evidence must hold it.
        slug: The id that somebody chose for the paper, or nothing.

    Returns:
        The id, or an empty text if nothing was begun.

    Raises:
        EditError: evidence stands under several ids, or under another than the chosen one.
    """
    keys = sorted(
        key
        for key, items in registry.index.evidence_about.items()
        if key.startswith("paper/") and key not in registry.files
        if any(one.heard is not None and observes(one.heard.observed, asked) for one in items)
    )
    ids = [key.partition("/")[2] for key in keys]
    if not ids or slug in ids:
        return slug if slug in ids else ""
    if slug:
        what = f"evidence of this paper is recorded about paper/{ids[0]}"
        raise EditError(what, f"leave out --id, or write --id {ids[0]}")
    if len(ids) > 1:
        raise EditError(f"evidence of this paper is recorded about {', '.join(keys)}", "say --id")
    return ids[0]


def is_taken(registry: Registry, slug: str) -> bool:
    """Whether an id must not be given to a new paper; that of a withdrawn one never again."""
    key = f"paper/{slug}"
    return key in registry.files or bool(registry.index.evidence_about.get(key))


def _described(entry: Entry) -> str:
    return f"{entry.key}, “{entry.label}”" + (", withdrawn" if entry.withdrawn else "")


def _hint(entry: Entry) -> str:
    return f"`registry verify {entry.id} --live` asks the sources about it"
