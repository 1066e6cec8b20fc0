"""What a benchmark is asked for."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from eagle_impl.errors import OptionError
from registry.reports.wording import visible


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of ``eagle_impl bench``; what is absent here is filled in by a preset."""

    target: str = "smollm2-135m-instruct"
    head: Path | None = None
    workload: Path | None = None
    dataset: str = ""
    """Id of the workload's record, if it has one."""
    prompts: int = 60
    tokens: int = 128
    repeats: int = 3
    methods: tuple[str, ...] = ()
    """Keys of the methods besides plain decoding; all if empty."""
    temperature: tuple[float, ...] = (0.0, 1.0)
    batch: tuple[int, ...] = (1, 2, 4, 8)
    """Batch sizes at which plain decoding is measured."""
    transformers: int = 60
    """Prompts that transformers decodes, too, at temperature 0."""
    gguf: Path | None = None
    """The model as a file of llama.cpp's, which llama-server decodes, too, at temperature 0."""
    llama_server: str = ""
    """Another program than the ``llama-server`` on the PATH."""
    categories: int | None = None
    dtype: str = "fp32"
    device: str = "cpu"
    threads: int | None = None
    seed: int = 0
    json: Path | None = None
    raw: Path | None = None
    record: bool = False
    root: Path | None = None
    id: str = ""
    model: str = ""

    def check(self) -> None:
        """Refuse what does not go together, before anything is read.

        Raises:
            OptionError: An option would be left unread, or has an impossible value.
        """
        if self.categories and (given := self._given(_NOT_BY_CATEGORY)):
            raise OptionError(f"--categories knows no {given[0]}", "leave one of them out")
        if not self.record and (given := self._given(_OF_RECORDS)):
            raise OptionError(f"{given[0]} is of a record", "give --record as well")
        for one in self.temperature:
            if not 0 <= one <= _HOTTEST:
                raise OptionError(f"temperature {one:g} is not between 0 and {_HOTTEST}")

    def _given(self, names: Sequence[str]) -> list[str]:
        """Options of these that are not as by default."""
        differ = (one.name for one in fields(self) if getattr(self, one.name) != one.default)
        return [f"--{name.replace('_', '-')}" for name in differ if name in names]

    @property
    def command(self) -> str:
        """A command line that measures the same; whatever is as by default is left out."""
        words = ["eagle_impl", "bench"]
        for one in fields(self):
            value = getattr(self, one.name)
            if value == one.default or one.name in _PLACES:
                continue
            name = f"--{one.name.replace('_', '-')}"
            for item in value if isinstance(value, tuple) else (value,):
                words += [name] if value is True else [name, _word(item)]
        return shlex.join(words)


_PLACES = ("json", "raw", "record", "root", "id", "model")
"""Where it goes, which changes nothing of it."""
_OF_RECORDS = ("root", "id", "model", "dataset")
_NOT_BY_CATEGORY = ("record", "raw", "gguf", "methods", "temperature")
_HOTTEST = 1000


def _word(value: object) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:g}" if whole else visible(str(value))


QUICK: dict[str, int] = {"prompts": 8, "tokens": 64, "repeats": 1, "transformers": 3}
"""What ``--quick`` asks for: minutes."""
