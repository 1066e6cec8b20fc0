"""Prompts to evaluate with, in the format of Spec-Bench's ``question.jsonl``.

One JSON object a line: ``question_id``, ``category`` and ``turns``, what a user says turn by turn.
Whatever else an object holds is ignored.

The prompts that come with the package are of six kinds in turn, so that the first of them are of
all kinds. None can be composed by the rules that training makes its requests from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from eagle_impl.errors import PromptError
from eagle_impl.formats.files import one_line, read_utf8

_MOST = 2**30
"""Bytes that are read of a file: nobody has so many questions, and a device may have no end."""
PROMPTS = Path(__file__).parent / "prompts.jsonl"
"""The prompts that come with the package."""


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt, or several in one conversation."""

    id: str
    category: str
    turns: tuple[str, ...]
    """What the user says; at least once."""


class _Line(msgspec.Struct):
    question_id: int | str
    category: str
    turns: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


def read_workload(path: Path = PROMPTS) -> tuple[Question, ...]:
    """The questions of a file, in its order.

    Raises:
        CheckpointError: The file cannot be read, or is empty.
        PromptError: A line is no question, or there is none.
    """
    questions = tuple(_questions(path))
    if not questions:
        raise PromptError(f"{path}: there are no questions")
    return questions


def _questions(path: Path) -> Iterator[Question]:
    # Not by splitlines(): JSON may hold U+2028 as it is.
    for number, line in enumerate(read_utf8(path, _MOST, piped=True).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            read = msgspec.json.decode(line, type=_Line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise PromptError(
                f"{path}:{number}: {one_line(error)}",
                "a line is a JSON object with question_id, category and turns, a list of texts",
            ) from None
        if not all(map(str.strip, read.turns)):
            raise PromptError(f"{path}:{number}: a turn is empty")
        yield Question(str(read.question_id), read.category, read.turns)
