"""The plug point for the formats of ``registry show``."""

from __future__ import annotations

from typing import Protocol

from registry.views.collect import Broken, Subject


class View(Protocol):
    """Turns what was found into text. Each module listed in ``VIEWS`` is one."""

    def render(self, found: Subject | Broken, *, with_history: bool = False) -> str:
        """The record, its history, or what is wrong with its file, as text without colours."""
        ...
