"""Text while it is being generated: whole characters as soon as they are certain, up to a stop."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from eagle_impl.errors import OptionError

_BROKEN = "\N{REPLACEMENT CHARACTER}"
"""What decoders write for bytes that are no whole character, or not yet."""

_LONGEST_WAIT = 16
"""Tokens after which broken bytes are given up; a character is whole after four at most."""


class Detokenizer:
    """Turns ids into text one by one; time does not grow with what came before.

    A token's text depends on its neighbours: a character may take several tokens, and some
    decoders drop the space of a text's first token. Each token is therefore decoded behind the
    ones of the character before it, whose text is then left out.
    """

    def __init__(self, tokenizer: Tokenizer, special_ids: Collection[int]) -> None:
        self._tokenizer = tokenizer
        self._special_ids = special_ids
        self._window: list[int] = []
        """Ids that are still decoded."""
        self._before = 0
        """How many of these came before the first id whose text may be incomplete."""
        self._shown = 0
        """How many characters of their text were returned."""

    def push(self, id: int) -> str:
        """Take in the next id.

        Returns:
            The text that became certain: none while a character is not whole, and none for a
            special token.
        """
        if id in self._special_ids:
            return ""
        self._window.append(id)
        text = self._decode(self._window)
        certain = text.rstrip(_BROKEN)
        waiting = len(text) - len(certain)
        if not waiting:
            piece = text[self._shown :]
            self._keep(self._window[self._before :], 0)
            return piece
        if len(self._window) - self._before < _LONGEST_WAIT:
            piece = certain[self._shown :]
            self._shown = max(self._shown, len(certain))
            return piece
        last = self._window[-4:]
        # The first of the last ones may be the end of a character that is whole.
        waiting = min(waiting, _trailing(self._decode(last)))
        piece = text[self._shown : len(text) - waiting]
        self._keep(last, waiting)
        return piece

    def finish(self) -> str:
        """The text that was held back, when no more ids follow."""
        piece = self._decode(self._window)[self._shown :]
        self._keep([], 0)
        return piece

    def _decode(self, ids: Sequence[int]) -> str:
        return self._tokenizer.decode(ids, skip_special_tokens=False)

    def _keep(self, ids: list[int], waiting: int) -> None:
        """Go on with these ids, whose text was returned but for the last characters."""
        self._window = ids
        self._before = 0 if waiting else len(ids)
        self._shown = len(self._decode(ids)) - waiting


def _trailing(text: str) -> int:
    return len(text) - len(text.rstrip(_BROKEN))


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a piece of text leads to."""

    text: str
    """Text that can be shown: no stop string begins in it."""
    stop: str | None = None
    """The stop string that was met, if any. Nothing after it counts, nor does it itself."""


class StopScanner:
    """Finds stop strings in text that comes in pieces, wherever the pieces are cut.

    The stop string that ends first wins; of those that end together, the longest.
    """

    def __init__(self, stops: Sequence[str] = ()) -> None:
        if not all(stops):
            raise OptionError("a stop string is empty", "leave it out")
        self._stops = tuple(stops)
        self._held = ""
        """The end of the text so far, where a stop string may have begun."""

    def feed(self, piece: str) -> Scanned:
        """Take in the next piece of text."""
        text = self._held + piece
        ends = [
            (start + len(stop), start, stop)
            for stop in self._stops
            if (start := text.find(stop)) >= 0
        ]
        if ends:
            _, start, stop = min(ends)
            self._held = ""
            return Scanned(text[:start], stop)
        kept = len(text) - self._begun(text)
        self._held = text[kept:]
        return Scanned(text[:kept])

    def finish(self) -> str:
        """The text that was held back, when none follows."""
        text, self._held = self._held, ""
        return text

    def _begun(self, text: str) -> int:
        """Length of the longest end of a text that a stop string begins with."""
        longest = max(map(len, self._stops), default=1) - 1
        return next(
            (
                size
                for size in range(min(longest, len(text)), 0, -1)
                if any(stop.startswith(text[-size:]) for stop in self._stops)
            ),
            0,
        )
