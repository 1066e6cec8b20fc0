"""Git repositories for tests, made afresh and deaf to the machine's own settings of git."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from world import World

PLAIN = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "2026-03-01T12:00:00+00:00",
    "GIT_COMMITTER_DATE": "2026-03-01T12:00:00+00:00",
}


@dataclass
class Past:
    """A world whose states are commits."""

    world: World
    folder: Path
    """The top of the repository."""

    @classmethod
    def begin(cls, world: World, folder: Path | None = None) -> Past:
        """A repository whose first commit, on ``main``, is the world as it is."""
        top = folder or world.root
        top.mkdir(parents=True, exist_ok=True)
        past = cls(world, top)
        past.git("init", "--quiet", "--initial-branch=main")
        for key, value in (
            ("user.name", "Mira Editor"),
            ("user.email", "mira@example.org"),
            ("commit.gpgsign", "false"),
            ("core.autocrlf", "false"),
        ):
            past.git("config", key, value)
        past.commit("Begin")
        return past

    def git(self, *words: str, day: str = "") -> str:
        """Run git there and return what it prints."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
        days = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{day}T12:00:00+00:00")
        done = subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env=kept | PLAIN | (days if day else {}),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def clone(self, target: Path, *words: str) -> None:
        """A clone elsewhere."""
        command = ["git", "clone", "--quiet", *words, self.folder.as_uri(), str(target)]
        subprocess.run(command, check=True, env=os.environ | PLAIN)

    def commit(self, subject: str, day: str = "") -> str:
        """Write the world, commit everything and return the commit's id."""
        self.world.write()
        return self.commit_files(subject, day)

    def commit_files(self, subject: str, day: str = "") -> str:
        """Commit the files as they are."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", subject, day=day)
        return self.git("rev-parse", "HEAD")

    def file(self, key: str) -> Path:
        """Where a record lies."""
        from registry.records import FOLDERS

        kind, _, record_id = key.partition("/")
        return self.world.root / "data" / FOLDERS[kind] / f"{record_id}.yaml"  # type: ignore[index]

    def edit(self, key: str, old: str, new: str) -> None:
        """Replace a text that stands once in a record's file."""
        file = self.file(key)
        text = file.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        file.write_text(text.replace(old, new), "utf-8")
