"""The plug point for drafters.

A drafter never decides what is emitted. Whatever it drafts, the output keeps the target's
distribution; a good drafter only makes it come faster.
"""

from __future__ import annotations

from typing import Protocol

from torch import Generator, Tensor

from eagle_impl.trees import DraftTree


class Drafter(Protocol):
    """Drafts a tree after the last certain token."""

    @property
    def max_positions(self) -> int:
        """Longest context that it can draft in; beyond it the loop decodes plainly."""
        ...

    @property
    def depth(self) -> int:
        """Levels of drafted nodes at most."""
        ...

    @property
    def widest(self) -> int:
        """Nodes of a tree at most, its root included."""
        ...

    def begin(self, capacity: int) -> None:
        """Forget everything and make room for ``capacity`` tokens."""
        ...

    def observe(self, ids: Tensor, features: Tensor) -> None:
        """Take in tokens that have become certain.

        Args:
            ids: The tokens that follow each of the features: ``ids[i]`` is the token after the one
                that ``features[i]`` belongs to. [tokens]
            features: The target's features. [tokens, hidden]
        """
        ...

    def draft(self, root: int, generator: Generator | None) -> DraftTree:
        """A tree whose root is ``root``, the last certain token (also the last id observed).

        Args:
            root: Token id.
            generator: Source of randomness for a drafter that samples.
        """
        ...
