"""Where a registry lies, and which files belong to it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from registry.errors import NoRegistryError
from registry.findings import START, Finding, Rule
from registry.records import FOLDERS, KindName

MISPLACED = Rule(
    "FIL001",
    "error",
    "a file that no kind reads",
    "Records are files data/<kind>/<id>.yaml. A file elsewhere under data/, or with another "
    "ending, is never checked. The one exception are the single runs of a benchmark, <id>.jsonl "
    "beside its record.",
    "Move or rename the file, or take it out of data/.",
)
OUTSIDE = Rule(
    "FIL002",
    "error",
    "a link out of the registry",
    "A symbolic link leads out of the registry's root. Nothing outside is read.",
    "Put the file itself in the place of the link.",
)
UNREADABLE = Rule(
    "FIL003",
    "error",
    "a file that cannot be read",
    "The operating system refuses to read the file.",
    "Mend the permissions or the file system.",
)
RAW = ".jsonl"
"""Ending of the file with the single runs of a benchmark, which bears the id of its record."""
LIMIT = 1 << 19
"""Bytes that a record may have. Nothing a person maintains is near it."""

RULES = (MISPLACED, OUTSIDE, UNREADABLE)

_PACKAGE = Path(__file__).resolve().parent.parent
_LEADS_OUT = "this link leads out of the registry, or nowhere"
_KIND_OF_FOLDER: dict[str, KindName] = {folder: kind for kind, folder in FOLDERS.items()}


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A file that should hold a record."""

    path: str
    """Where it is on disk."""
    file: str
    """Path from the root, with forward slashes."""
    kind: KindName
    id: str
    stamp: tuple[int, ...]
    """Size, times of modification and change, and number of the file. Where the system keeps the
    time of change, as POSIX does, no edit leaves all of them as they were."""


def find_root(given: Path | None = None) -> Path:
    """The registry to read: the given one, the nearest parent that is one, the shipped one.

    Raises:
        NoRegistryError: ``given`` has no folder ``data``, or nothing was found at all.
    """
    return own_root(given) or shipped_root()


def find_own_root(given: Path | None = None) -> Path:
    """The registry to write to: never the shipped one, which is nobody's own.

    Raises:
        NoRegistryError: ``given`` has no folder ``data``, or no parent folder is a registry.
    """
    root = own_root(given)
    if root is not None and root.resolve() == _PACKAGE / "_shipped":
        hint = "make one of your own with `registry init`"
        raise NoRegistryError("the registry that comes with the package is not to be changed", hint)
    if root is None:
        hint = "name its folder with --root, or make one with `registry init`"
        raise NoRegistryError(f"there is no registry at or above this folder{_within()}", hint)
    return root


def own_root(given: Path | None = None) -> Path | None:
    """The given registry, or the nearest parent folder that is one; None if none is.

    The top of a git repository is the last folder that is looked at: what lies outside is not what
    the repository keeps.

    Raises:
        NoRegistryError: ``given`` has no folder ``data``.
    """
    if given is not None:
        if (given / "data").is_dir():
            return given.resolve()
        hint = "name a folder that has a folder data/ in it, or make one with `registry init`"
        raise NoRegistryError(f"no registry at {given}", hint)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if _is_registry(folder):
            return folder
        if _is_top(folder):
            break
    return None


def in_repository() -> bool:
    """Whether the current folder lies in a git repository."""
    here = Path.cwd()
    return any(map(_is_top, (here, *here.parents)))


def _within() -> str:
    return " in its git repository" if in_repository() else ""


def _is_top(folder: Path) -> bool:
    return (folder / ".git").exists()  # a file, where it is a worktree or a submodule


def _is_registry(folder: Path) -> bool:
    """Whether ``data`` has records, or is laid out for them and for nothing else.

    Many a project has a folder data/, and even data/models or data/datasets among others.
    """
    data = folder / "data"
    try:
        found = {name for name in os.listdir(data) if not name.startswith(".")}
    except OSError:
        return False
    kinds = found & _KIND_OF_FOLDER.keys()
    records = (next((data / name).glob("*.yaml"), None) for name in kinds)
    return bool(kinds) and (kinds == found or any(records))


def shipped_root() -> Path:
    """The registry that comes with the package.

    Raises:
        NoRegistryError: the package was installed without its data.
    """
    for folder in (_PACKAGE / "_shipped", _PACKAGE.parent):
        if (folder / "data" / "papers").is_dir():
            return folder
    raise NoRegistryError("the package holds no registry", "name one with --root")


def record_files(root: Path) -> tuple[list[RecordFile], list[Finding]]:
    """Every record file under ``root/data``, in a fixed order, and files that are none."""
    files: list[RecordFile] = []
    findings: list[Finding] = []
    boundary = str(root.resolve()) + os.sep
    for kind_folder in _listed(str(root / "data"), "data", findings):
        name = kind_folder.name
        if not _stays(kind_folder, boundary):
            findings.append(
                _finding(OUTSIDE, f"data/{name}", "this link leads out of the registry")
            )
        elif name not in _KIND_OF_FOLDER or not kind_folder.is_dir():
            kinds = ", ".join(sorted(_KIND_OF_FOLDER))
            findings.append(
                _finding(MISPLACED, f"data/{name}", f"not a folder of records: {kinds}")
            )
        else:
            for entry in _listed(kind_folder.path, f"data/{name}", findings):
                try:
                    found = _record_file(entry, name, boundary)
                except OSError as error:  # a folder that lists its files and lets nobody in
                    found = unreadable(f"data/{name}/{entry.name}", error)
                if isinstance(found, RecordFile):
                    files.append(found)
                elif found is not None:
                    findings.append(found)
    return files, findings


def _listed(folder: str, shown: str, findings: list[Finding]) -> list[os.DirEntry[str]]:
    """What a folder holds, in order, hidden files aside; what cannot be read becomes a finding."""
    try:
        entries = sorted(os.scandir(folder), key=lambda found: found.name)
    except OSError as error:
        findings.append(unreadable(shown, error))
        return []
    named: list[os.DirEntry[str]] = []
    for entry in entries:
        if not _is_text(entry.name):
            name = os.fsencode(entry.name).decode("utf-8", "backslashreplace")
            findings.append(_finding(MISPLACED, f"{shown}/{name}", "its name is not UTF-8"))
        elif not entry.name.startswith("."):
            named.append(entry)
    return named


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _record_file(
    entry: os.DirEntry[str], folder: str, boundary: str
) -> RecordFile | Finding | None:
    """A record file, a finding on what is none, or None for what belongs to a record.

    Raises:
        OSError: the file cannot be looked at.
    """
    file = f"data/{folder}/{entry.name}"
    if not _stays(entry, boundary):
        return _finding(OUTSIDE, file, _LEADS_OUT)
    if not entry.is_file():
        return _finding(MISPLACED, file, "records are plain files in the folder of their kind")
    if _KIND_OF_FOLDER[folder] == "benchmark" and entry.name.endswith(RAW):
        if os.path.exists(f"{entry.path.removesuffix(RAW)}.yaml"):
            return None  # the record says what it must hold
        return _finding(MISPLACED, file, "the single runs of a benchmark that has no record")
    if not entry.name.endswith(".yaml"):
        return _finding(MISPLACED, file, "a record's file name ends in .yaml")
    status = entry.stat()
    stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return RecordFile(entry.path, file, _KIND_OF_FOLDER[folder], entry.name[:-5], stamp)


def _stays(entry: os.DirEntry[str], boundary: str) -> bool:
    if not entry.is_symlink():
        return True
    target = os.path.realpath(entry.path)
    return target.startswith(boundary) and os.path.exists(target)


def _finding(rule: Rule, file: str, message: str) -> Finding:
    return Finding(
        rule.code, rule.severity, "", "", file, START.line, START.column, message, rule.mend
    )


def is_record(path: Path) -> bool:
    """Whether a file lies where the records of some registry lie, and has the name of one."""
    place = Path(os.path.realpath(path))
    return (
        place.suffix in (".yaml", RAW)
        and place.parent.name in _KIND_OF_FOLDER
        and place.parent.parent.name == "data"
    )


def read_bytes(path: str) -> bytes:
    """The bytes of a record file; of an over-large file, enough to see that it is over-large.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        return file.read(LIMIT + 1)


def is_unread(finding: Finding) -> bool:
    """Whether a finding says that something under ``data/`` was not read, whatever the reason."""
    return finding.code in {rule.code for rule in RULES}


def unreadable(file: str, error: OSError) -> Finding:
    """The finding for a file that the operating system refuses to read."""
    reason = (error.strerror or type(error).__name__).lower()
    return _finding(UNREADABLE, file, f"cannot be read: {reason}")
