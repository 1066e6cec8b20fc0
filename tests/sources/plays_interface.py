"""How a source is played: one module in ``plays/`` for each, with ``HOSTS`` and ``answer``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from papers import Paper


@dataclass(frozen=True)
class Asked:
    """One request, as the host that is played would see it."""

    method: str
    host: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = b""


@dataclass(frozen=True)
class Played:
    """What the host answers."""

    body: bytes
    status: int = 200
    kind: str = "application/json"
    """Content type."""
    headers: Mapping[str, str] = field(default_factory=dict)


class Play(Protocol):
    """A module in ``plays/``."""

    HOSTS: tuple[str, ...]

    def answer(self, asked: Asked, known: Sequence[Paper]) -> Played:
        """What the real host would answer if it knew the papers ``known`` and no other."""
        ...
