"""Reading a screen as a person does: words under headings, wherever the lines end."""

from __future__ import annotations

from typing import Protocol


class Show(Protocol):
    """Writes the world and shows one record of it."""

    def __call__(
        self, key: str = ..., form: str = ..., *, history: bool = ..., width: int = ...
    ) -> str: ...


def flowing(text: str) -> str:
    """The words of a text without the lines and frames that they stand in."""
    return " ".join(text.replace("┃", " ").split())


def section(text: str, heading: str) -> str:
    """The words under the heading that begins so."""
    _, found, after = text.partition(f"── {heading}")
    assert found, f"no heading {heading!r} in\n{text}"
    return flowing(after.partition("\n")[2].partition("\n── ")[0])


def frame(text: str, title: str) -> str:
    """The words in the frame whose title begins so."""
    _, found, after = text.partition(f"┏━ {title}")
    assert found, f"no frame {title!r} in\n{text}"
    return flowing(after.partition("\n")[2].partition("┗")[0])
