"""The plug point for the formats of ``registry export``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from registry.bibliography.manifestation import Manifestation


class Writer(Protocol):
    """Turns works into text. Each module listed in ``WRITERS`` is one."""

    def render(self, works: Sequence[Manifestation]) -> str:
        """The works in their order, as the text of one file that ends with a line end.

        Raises:
            ExportError: the format cannot hold them.
        """
        ...
