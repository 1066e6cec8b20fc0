"""A registry on disk, and the commands that edit it, as somebody at a desk runs them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from registry.cli import main
from registry.records import FOLDERS
from registry.store.reader import read

TODAY = "2026-06-01"


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str


class Desk:
    """Runs commands on the registry at ``root``, on a day that does not depend on the clock."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def path(self, key: str) -> Path:
        kind, _, record_id = key.partition("/")
        return self.root / "data" / FOLDERS[kind] / f"{record_id}.yaml"  # type: ignore[index]

    def data(self, key: str) -> dict[str, Any]:
        found = read(self.path(key).read_bytes(), key).data
        assert found is not None
        return found

    def run(self, command: str, *arguments: str, day: str = "2026-05-02") -> Outcome:
        words = [command, *arguments, "--root", str(self.root), "--today", TODAY]
        if command not in ("verify", "add", "cite-evidence"):
            words += ["--date", day]
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert isinstance(caught.value.code, int)
        captured = self._capsys.readouterr()
        return Outcome(caught.value.code, captured.out, captured.err)

    def done(self, command: str, *arguments: str, day: str = "2026-05-02") -> Outcome:
        """Run a command that must succeed and leave a registry without errors."""
        outcome = self.run(command, *arguments, day=day)
        assert outcome.code == 0, outcome
        assert self.run("verify").code == 0
        return outcome


SIGNED = ("--because", "It says so.", "--by", "mira")


def cited(*evidence: str) -> list[str]:
    """Options that cite evidence."""
    return [word for one in evidence for word in ("--evidence", one)]


_HUNK = re.compile(r"@@ -[0-9]+(?:,[0-9]+)? \+([0-9]+)(?:,[0-9]+)? @@")
_CUT_OFF = "\n\\ No newline at end of file\n"


def undone(diff: str, after: bytes) -> bytes:
    """What a file held before the change that a unified diff shows."""
    lines = after.decode().splitlines(keepends=True)
    moved = 0
    for hunk in re.split(r"(?m)^(?=@@ )", diff.replace(_CUT_OFF, "\x00\n"))[1:]:
        head, *body = hunk.splitlines(keepends=True)
        found = _HUNK.match(head)
        assert found is not None
        body = [line.removesuffix("\x00\n") for line in body]
        new = [line[1:] for line in body if line[0] in " +"]
        old = [line[1:] for line in body if line[0] in " -"]
        start = int(found[1]) - 1 + moved
        assert lines[start : start + len(new)] == new
        lines[start : start + len(new)] = old
        moved += len(old) - len(new)
    return "".join(lines).encode()
