"""Values as a person reads them in a message or a table."""

from __future__ import annotations

from typing import Any


def as_text(value: Any) -> str:
    """One line for any value that a tracked field or an observation can hold.

    Args:
        value: Plain data: text, a number, a name, an amount, an affiliation, or a list of these.
            What does not fit its model is told key by key.
    """
    if isinstance(value, dict):
        return _mapping(value)
    if isinstance(value, (list, tuple)):
        items = [as_text(item) for item in value]
        # Names in the form `Family, Given` would run into each other.
        return ("; " if any(", " in item for item in items) else ", ").join(items)
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return str(value)


def bibtex_name(author: dict[str, Any]) -> str:
    """An author in BibTeX's grammar, which keeps family and given names apart."""
    if "literal" in author:
        return f"{{{author['literal']}}}"
    family = " ".join(filter(None, (author.get("particle"), author["family"])))
    return ", ".join(filter(None, (family, author.get("suffix"), author.get("given"))))


def _mapping(value: dict[str, Any]) -> str:
    if "literal" in value:
        return str(value["literal"])
    if "family" in value:
        keys = ("given", "particle", "family")
        name = " ".join(str(value[key]) for key in keys if value.get(key))
        return f"{name}, {value['suffix']}" if value.get("suffix") else name
    if "printed" in value and "author" in value:
        return f"{value['author']}: {value['printed']}"
    if isinstance(value.get("value"), (int, float)) and isinstance(value.get("unit"), str):
        number = as_text(float(value["value"]))
        unit = value["unit"]
        scope = f" per {value['scope']}" if value.get("scope") else ""
        return (f"{number}{unit}" if unit == "x" else f"{number} {unit}") + scope
    return ", ".join(f"{key} {as_text(inner)}" for key, inner in value.items())
