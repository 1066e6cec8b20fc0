"""What a benchmark is asked for."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields
from pathlib import Path


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

    @property
    def command(self) -> str:
        """A command line that measures the same; whatever is as by default is left out."""
        words = ["eagle_impl", "bench"]
        for one in fields(self):
            value = getattr(self, one.name)
            if value == one.default or one.name in _PLACES:
                continue
            name = f"--{one.name}"
            for item in value if isinstance(value, tuple) else (value,):
                words += [name] if value is True else [name, _word(item)]
        return shlex.join(words)


_PLACES = ("json", "raw", "record", "root", "id", "model")
"""Where it goes, which changes nothing of it."""


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


QUICK: dict[str, int] = {"prompts": 8, "tokens": 64, "repeats": 1, "transformers": 3}
"""What ``--quick`` asks for: minutes."""
