"""Takes out of a record what other records are compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from registry.records import Record
from registry.records.outline import Path, references, tracked_fields
from registry.store.document import Document
from registry.store.entry import Entry, Fact, Heard, Held, Link


def entry_of(record: Record, data: dict[str, Any], document: Document) -> Entry:
    """The entry of ``record``, whose plain data is what ``document`` holds."""
    return Entry(
        kind=record.kind,
        id=record.id,
        file=document.file,
        label=_label(data),
        withdrawn=record.withdrawn is not None,
        links=tuple(Link(*reference) for reference in references(record.kind, data)),
        facts=tuple(_fact(path, field, data) for path, field in tracked_fields(record.kind, data)),
        heard=_heard(data, document) if record.kind == "evidence" else None,
        extra=_EXTRA.get(record.kind, _nothing)(data),
    )


def _label(data: dict[str, Any]) -> str:
    if "name" in data:
        return str(data["name"])
    for assertion in data.get("title", {}).get("assertions", ()):
        if assertion["rank"] == "preferred":
            return str(assertion["value"])
    return str(data["id"])


def peak_name(peak: dict[str, Any]) -> str:
    """Name of a peak rate by everything that two comparable rates must share."""
    marks = [peak["precision"], peak["sparsity"], peak["path"]]
    if "accumulate" in peak:
        marks.append(f"acc-{peak['accumulate']}")
    if peak.get("scope", "package") != "package":
        marks.append(peak["scope"])
    return "peaks." + "-".join(marks)


def _fact(path: Path, field: dict[str, Any], data: dict[str, Any]) -> Fact:
    first, *rest = path
    name = peak_name(data["peaks"][rest[0]]) if first == "peaks" else str(first)
    decision = field.get("decision", {})
    return Fact(
        name=name,
        path=path,
        status=field["status"],
        held=tuple(_held(assertion) for assertion in field["assertions"]),
        contested_because=field.get("contested_because", ""),
        decided=str(decision.get("decided", "")),
        overruled=tuple((word["source"], word["value"]) for word in decision.get("overruled", ())),
    )


def _held(assertion: dict[str, Any]) -> Held:
    return Held(
        value=msgspec.to_builtins(assertion["value"]),
        rank=assertion["rank"],
        basis=assertion["basis"],
        recorded=str(assertion["recorded"]),
        evidence=tuple(assertion.get("evidence", ())),
        explained="because" in assertion,
    )


def _heard(data: dict[str, Any], document: Document) -> Heard:
    observed: dict[str, Any] = dict(msgspec.to_builtins(data.get("observation", {})))
    for peak in observed.pop("peaks", ()):
        observed[peak_name(peak)] = peak["value"]
    return Heard(
        about=data["about"],
        source=data["source"],
        retrieved=str(data["retrieved"]),
        how=data["how"],
        outcome=data["outcome"],
        reason=data.get("reason", ""),
        confirmed=data["confirmed"],
        silent_on=tuple(data.get("silent_on", ())),
        observed=observed,
        version=data.get("version", ""),
        url=data.get("url", ""),
        standing=data.get("standing", ""),
        retrieved_at=document.locate(("retrieved",)),
    )


def _nothing(data: dict[str, Any]) -> dict[str, Any]:
    return {}


def _whole(*keys: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def take(data: dict[str, Any]) -> dict[str, Any]:
        return {key: msgspec.to_builtins(data[key]) for key in keys if key in data}

    return take


def _apart(data: dict[str, Any]) -> dict[str, Any]:
    others = data.get("not_interchangeable_with", ())
    apart = [[other["method"], other["because"]] for other in others]
    return {"apart": apart, "introduced_by": data["introduced_by"]}


def _paper(data: dict[str, Any]) -> dict[str, Any]:
    """What a paper says of its accelerators and methods, stated or inferred."""
    hardware = []
    for link in data.get("hardware", ()):
        stated = {key: link["stated"][key] for key in _SAID if key in link["stated"]}
        inferred = {
            one["property"]: one["value"]
            for one in link.get("inferred", ())
            if one["property"] in _SAID
        }
        hardware.append({"accelerator": link["accelerator"], "says": inferred | stated})
    return {"hardware": hardware, "methods": list(data.get("methods", ()))}


def _claims(data: dict[str, Any]) -> dict[str, Any]:
    """Which methods' numbers stand in each table, with the first place of each."""
    mixed = []
    for position, table in enumerate(data.get("tables", ())):
        places: dict[str, list[str | int]] = {}
        parts: list[tuple[list[str | int], dict[str, Any]]] = [(["tables", position], table)]
        for group in ("columns", "rows"):
            for number, part in enumerate(table[group]):
                parts.append((["tables", position, group, number], part))
        for path, part in parts:
            method = part.get("conditions", {}).get("method")
            if method is not None:
                places.setdefault(method, [*path, "conditions", "method"])
        if len(places) > 1:
            mixed.append([table["id"], list(places.items())])
    return {"mixed": mixed} if mixed else {}


def _benchmark(data: dict[str, Any]) -> dict[str, Any]:
    places = {method: ["methods", number] for number, method in enumerate(data["methods"])}
    mixed = {"mixed": [["results", list(places.items())]]} if len(places) > 1 else {}
    return mixed | _whole("machine", "raw")(data)


_SAID = ("memory_size", "memory_type", "form_factor")
_EXTRA = {
    "paper": _paper,
    "machine": _whole("processor", "cores", "memory"),
    "venue": _whole("id", "name", "short_name", "type", "aliases", "tracks", "volumes"),
    "source": _whole("name", "type", "draws_on", "significant_digits", "speaks_about"),
    "method": _apart,
    "claims": _claims,
    "benchmark": _benchmark,
}
