"""Asks git about the past, in a few calls however many records there are.

No file is opened by git one by one: one call names what a commit holds, one hands out the contents.
Git is never asked what lies on the disk, since its index may be told to look away (files that are
assumed unchanged, skipped or ignored; filters; the case of names). Nothing is run that a repository
or a user may have set up (hooks, file monitors, external diffs, text converters), no setting
changes what is answered, and nothing is written, not even a refreshed index.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from registry.errors import HistoryError, NoRepositoryError

_SAFE = (
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.quotePath=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "log.showRoot=true"),
    *("-c", "diff.relative=false"),
    *("-c", f"diff.orderFile={os.devnull}"),
    *("-c", "color.ui=false"),
)
"""Settings that would change what is answered, and have no option or more than one."""
_RAW = ("--raw", "-z", "--no-abbrev", "-M", "-l1000", "--no-relative", "--no-color")
_QUIET = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS", "GIT_EXEC_PATH")
"""Beginnings of what git may be told by the environment; inside a hook that is another index."""

DEEPEN = "fetch the history: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout"
"""How to get the history that a shallow clone lacks."""
LINK = "120000"
"""Mode of a symbolic link."""
_SAID = ("--encoding=UTF-8", "--no-notes", "--format=%x01%H%x00%aI%x00%an%x00%s")
MODULE = "160000"
"""Mode of a submodule."""


@dataclass(frozen=True, slots=True)
class Held:
    """A file that a commit holds."""

    path: str
    """Path from the top of the repository, with forward slashes."""
    blob: str
    """Object id of its content."""
    link: bool
    """Whether it is a symbolic link."""


@dataclass(frozen=True, slots=True)
class Differs:
    """What a commit did to a file. A side without the file has an empty path."""

    old_path: str
    new_path: str
    """Paths from the top of the repository, with forward slashes."""
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    """Object ids; all zeros where there is no file."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, and what it did to the file that was asked about."""

    id: str
    when: str
    """Author date in ISO 8601."""
    author: str
    subject: str
    differs: Differs | None
    """None for a commit that took the file over as it was, and for a merge."""


class Repository:
    """The repository that a folder of records lies in."""

    def __init__(self, folder: Path) -> None:
        """Find the repository around ``folder``.

        Raises:
            HistoryError: there is no git, no repository, or one that git refuses to read.
        """
        self._folder = folder
        done = self._run("rev-parse", "--is-shallow-repository", "--show-toplevel")
        if done.returncode:
            raise _no_repository(folder, _line(done.stderr))
        shallow, _, top = os.fsdecode(done.stdout).partition("\n")
        self.shallow = shallow == "true"
        """Whether the history is cut off."""
        self.top = Path(top.removesuffix("\n")).resolve()
        """The top of the working tree."""
        if not folder.resolve().is_relative_to(self.top):
            hint = "take out the setting `core.worktree`"
            raise HistoryError(f"git takes {self.top} for the working tree of {folder}", hint)
        self.prefix = f"{folder.resolve().relative_to(self.top).as_posix()}/".removeprefix("./")
        """Path of the folder from the top of the repository, empty or ending in a slash."""

    def commit(self, ref: str) -> str:
        """The id of the commit that ``ref`` names.

        Raises:
            HistoryError: there is no such commit.
        """
        name = f"{ref}^{{commit}}"
        if not ref or ref.startswith("-") or not ref.isprintable():
            raise HistoryError(f"{ref!r} cannot be the name of a commit", "name a branch or commit")
        done = self._run("rev-parse", "--verify", "--quiet", name)
        if done.returncode:
            hint = "name a branch, a tag or a commit that `git log` knows"
            if ref.startswith("origin/"):
                branch = ref.removeprefix("origin/")
                hint = f"`git fetch origin {branch}`, or `fetch-depth: 0` for actions/checkout"
            if self.shallow:
                hint = DEEPEN
            raise HistoryError(f"git knows no commit called {ref!r} here", hint)
        return _line(done.stdout)

    def merge_bases(self, one: str, other: str) -> list[str]:
        """The ids of the last commits that two commits have in common.

        There is more than one where branches were merged into each other both ways.

        Raises:
            HistoryError: they have none, or it is not in this clone.
        """
        first, second = self.commit(one), self.commit(other)
        done = self._run("merge-base", "--all", first, second)
        if done.returncode == 0:
            return os.fsdecode(done.stdout).split()
        if self.shallow:
            raise HistoryError(f"this clone is shallow and does not reach back to {one}", DEEPEN)
        hint = "name the branch that the work began from"
        raise HistoryError(f"{one} and {other} have no commit in common", hint)

    def default_base(self) -> str:
        """The branch that the work here is for: the upstream, else the default branch, else HEAD.

        A default branch is only looked for by its usual names.
        """
        for ref in ("@{upstream}", "origin/HEAD", "origin/main", "origin/master", "main", "master"):
            if self._run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").returncode == 0:
                return ref
        return "HEAD"

    def files(self, commit: str) -> list[Held]:
        """Every file that a commit holds, submodules aside."""
        output = self._checked("ls-tree", "-r", "-z", "--full-tree", commit)
        return [
            Held(os.fsdecode(path), fields[2].decode(), fields[0].decode() == LINK)
            for head, _, path in (line.partition(b"\t") for line in output.split(b"\0") if line)
            if (fields := head.split(b" "))[1] == b"blob"
        ]

    def contents(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """What the blobs hold, by their ids.

        Raises:
            HistoryError: one is not in this clone.
        """
        wanted = list(dict.fromkeys(blobs))
        if not wanted:
            return {}
        given = "".join(f"{blob}\n" for blob in wanted).encode()
        output = self._checked("cat-file", "--batch", given=given)
        found: dict[str, bytes] = {}
        place = 0
        for blob in wanted:
            end = output.index(b"\n", place)
            head = output[place:end].split(b" ")
            if len(head) != 3:
                hint = "run `git fetch`, and `git fsck` if that does not help"
                raise HistoryError(f"git has lost the content {blob[:12]}", hint)
            place = end + 1 + int(head[2])
            found[blob] = output[end + 1 : place]
            place += 1
        return found

    def log(self, path: PurePath) -> list[Commit]:
        """The commits, merges aside, that touched a file, through renames, the latest first.

        Args:
            path: The file, from the folder of the repository that was asked for.
        """
        if not self.has_commits():
            return []
        options = ("--follow", "--no-merges", *_SAID)
        # --follow takes one path, and takes it as it is.
        output = self._checked("log", *_RAW, *_QUIET, *options, "--", str(path))
        return [_commit(part) for part in output.split(b"\x01")[1:]]

    def has_commits(self) -> bool:
        """Whether anything was committed yet."""
        return self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").returncode == 0

    def parents(self) -> dict[str, tuple[str, ...]]:
        """Every commit of HEAD's history with its parents, each before its parents."""
        output = self._checked("rev-list", "--topo-order", "--parents", "HEAD")
        lines = (line.split() for line in os.fsdecode(output).splitlines())
        return {commit: tuple(parents) for commit, *parents in lines}

    def blobs(self, commits: Iterable[str], path: str) -> dict[str, str]:
        """The object id of a file in each of the commits that hold it.

        Args:
            commits: Ids of commits.
            path: Path from the top of the repository.
        """
        asked = list(commits)
        if "\n" in path or not asked:
            return {}
        given = b"".join(f"{one}:".encode() + os.fsencode(path) + b"\n" for one in asked)
        # One line is answered to each, whatever is in the path.
        form = "--batch-check=%(objectname) %(objecttype)"
        lines = self._checked("cat-file", form, given=given).split(b"\n")
        pairs = ((one, line.split(b" ")) for one, line in zip(asked, lines, strict=False))
        return {one: words[0].decode() for one, words in pairs if words[-1] == b"blob"}

    def told(self, commits: Iterable[str]) -> list[Commit]:
        """When, by whom and with which subject commits were made."""
        asked = list(commits)
        options = ("--no-walk=unsorted", "--no-patch", "-z", *_SAID)
        output = self._checked("log", *options, *asked) if asked else b""
        return [_commit(part) for part in output.split(b"\x01")[1:]]

    def _checked(self, *words: str, given: bytes = b"") -> bytes:
        done = self._run(*words, given=given)
        if done.returncode:
            raise HistoryError(f"git {words[0]} failed: {_line(done.stderr)}", "run `git fsck`")
        return done.stdout

    def _run(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        kept = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith("GIT_") or name.startswith(_KEPT)
        }
        fixed = {
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_GRAFT_FILE": os.devnull,
            "GIT_LITERAL_PATHSPECS": "1" if words[0] == "log" else "0",
            "LC_ALL": "C",
        }
        command = ["git", "-C", str(self._folder), *_SAFE, *words]
        try:
            return subprocess.run(
                command, input=given, capture_output=True, env=kept | fixed, check=False
            )
        except FileNotFoundError:
            hint = "install git, or leave the past alone (`registry verify --no-base`)"
            raise HistoryError("there is no git to ask about the past", hint) from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise HistoryError(
                f"git cannot be run: {reason.lower()}", "mend the installation"
            ) from (error)


def _no_repository(folder: Path, said: str) -> HistoryError:
    if "dubious ownership" in said:
        hint = f"if you trust it: git config --global --add safe.directory {folder}"
        return HistoryError("git refuses the repository, which belongs to another user", hint)
    if "not a git repository" in said:
        hint = "make one with `git init`, or clone the one that has the records"
        return NoRepositoryError(f"{folder} is in no git repository", hint)
    return HistoryError(f"git cannot read the repository: {said}", "run `git status` there")


def _line(text: bytes) -> str:
    """The first line of what git says, or its first complaint."""
    lines = os.fsdecode(text).strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else ""


def _differences(fields: Iterator[bytes]) -> Iterator[Differs]:
    for head in fields:
        if not head.strip():
            continue
        old_mode, new_mode, old, new, kind = os.fsdecode(head).strip().lstrip(":").split(" ")
        path = os.fsdecode(next(fields))
        moved = os.fsdecode(next(fields)) if kind[0] in "RC" else path
        if MODULE not in (old_mode, new_mode) and kind[0] != "U":
            # A conflict is listed twice; the other entry has what the file was.
            before, after = ("" if kind == "A" else path), ("" if kind == "D" else moved)
            yield Differs(before, after, old_mode, new_mode, old, new)


def _commit(part: bytes) -> Commit:
    fields = part.split(b"\0")
    name, when, author, subject = (field.decode("utf-8", "replace") for field in fields[:4])
    differs = next(_differences(iter(fields[4:])), None)
    return Commit(name, when, author, subject, differs)
