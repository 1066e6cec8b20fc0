"""How records of measurements are laid out in their files."""

from __future__ import annotations

from typing import Any

from registry.store import style


def filled(data: Any) -> Any:
    """Data without keys that say nothing; False says nothing, 0 does."""
    if isinstance(data, dict):
        inner = ((key, filled(value)) for key, value in data.items())
        return {key: value for key, value in inner if not _says_nothing(value)}
    return [filled(item) for item in data] if isinstance(data, list) else data


def _says_nothing(value: Any) -> bool:
    return value is None or value is False or value in ("", [])


def as_file(data: dict[str, Any]) -> bytes:
    """A record's file."""
    lines = [style.heading(data["kind"]), *style.body(data, 0)]
    return "".join(f"{line}\n" for line in lines).encode()
