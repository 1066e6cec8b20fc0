"""Decisions: a dispute is closed, and the source whose value lost is named with that value."""

from __future__ import annotations

from collections.abc import Sequence

from registry.checks.matrix import Comparer, Reading
from registry.editing.assertions import in_order
from registry.editing.fields import field_of
from registry.editing.plan import Edit, Signed, Target, finish
from registry.editing.standing import after, end_decision
from registry.errors import EditError
from registry.store.edit import Change, Put
from registry.store.nearest import did_you_mean

_REFUSED = {
    "confirmed": "agrees with",
    "silent": "says nothing about",
    "could-not-ask": "could not be asked about",
}


def settle(what: Target, name: str, sources: Sequence[str], signed: Signed) -> Edit:
    """Decide for the value in use, and overrule the sources that say something else, if any do.

    Raises:
        EditError: a named source says nothing else, or one that does is not named; or there is
            nothing to decide.
    """
    field = field_of(what, name, present=True)
    assert field.data is not None
    in_order(field, signed)
    comparer = Comparer(what.registry.index)
    said = {one.source: one for one in comparer.readings(*after(what, field, []))}
    wanted = [_source(source, what) for source in dict.fromkeys(sources)]
    against = {source for source, one in said.items() if one.verdict == "contradicted"}
    for source in wanted:
        _must_differ(source, said.get(source), field.name, against)
    for source in sorted(against - set(wanted)):
        hint = f"name it with --source {source}{' too' if wanted else ''}"
        also = " as well" if wanted else ""
        raise EditError(f"{source} says `{said[source].text}`{also}", hint)
    if not against and field.data["status"] not in ("contested", "settled"):
        raise EditError(f"{field.name} is not contested, and no source says anything else")
    decision = {
        "decided": signed.day,
        "by": signed.by,
        "because": signed.because,
        "overruled": [{"source": source, "value": said[source].text} for source in wanted],
    }
    standing = field.data.get("decision") or {}
    same = ("by", "because", "overruled")
    if all(standing.get(key) == decision[key] for key in same):
        raise EditError(f"{field.name} is settled so already", "nothing was written")
    changes: list[Change] = [*end_decision(field), Put((*field.path, "decision"), decision)]
    if field.data["status"] != "settled":
        changes.append(Put((*field.path, "status"), "settled"))
    losers = f" against {', '.join(wanted)}" if wanted else ""
    return finish(what, changes, f"{what.entry.key}: {field.name} is settled{losers}")


def _source(name: str, what: Target) -> str:
    known = what.registry.index.by_kind.get("source", {})
    source = name.strip().removeprefix("source/")
    if source not in known:
        raise EditError(f"no source is called {name!r}", did_you_mean(source, known))
    return source


def _must_differ(source: str, reading: Reading | None, field: str, against: set[str]) -> None:
    verdict = reading.verdict if reading else "not-asked"
    if verdict != "contradicted":
        how = _REFUSED.get(verdict, "was never asked about")
        hint = "only a source that says something else can be overruled"
        if not against:
            hint = "no source says anything else, so that none is overruled: leave out --source"
        raise EditError(f"{source} {how} {field}", hint)
