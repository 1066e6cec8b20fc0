"""The base branch: what was there must still be there.

These findings need git and a second state of the registry, so they are not in ``CHECKS``; they come
with ``registry verify --base``.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from registry.checks.interface import at
from registry.findings import START, Finding, Rule
from registry.history.breaches import Promise
from registry.history.compare import breaches
from registry.history.former_names import hidings, stand_ins
from registry.history.git import Repository
from registry.history.sides import Pair, Side, pairs
from registry.store.document import Document
from registry.store.reader import read

GONE = Rule(
    "BAS001",
    "error",
    "a record is gone",
    "The record was there at the base. A record that should not exist is withdrawn: it stays where "
    "it is and says why it no longer counts, so that whoever cites it finds out.",
    "Restore the file, and add `withdrawn` with reason, because, by, recorded and the successor.",
)
ASSERTION = Rule(
    "BAS002",
    "error",
    "an assertion or a claim is gone",
    "A value that was asserted at the base, or a claim or table that was there, is not in the "
    "record any more. An assertion is known by its value, its day and who entered it, wherever it "
    "stands in the list.",
    "Restore it; mark a value that turned out wrong deprecated, and say why. Add the right one "
    "below. A claim that was misread keeps its number and gets a remark; the right one is added "
    "under another id.",
)
IN_PLACE = Rule(
    "BAS003",
    "error",
    "changed where it stood",
    "A value, its day, its author, its basis or its evidence is not what it was at the base; or a "
    "number of a claim or table, its conditions, a measurement, a machine, or a withdrawal. "
    "Evidence and conditions may be added, to a measurement nothing.",
    "Restore what was there, and add an assertion (a claim under another id, another benchmark or "
    "machine) that says otherwise, with its evidence.",
)
REASON = Rule(
    "BAS004",
    "error",
    "another rank or status without a reason",
    "A value changed its rank, or a field stopped being contested or settled, and nothing in the "
    "field says why; or a field that is still contested lost its `contested_because`.",
    "Write the reason into `because` of that assertion, add a decision, or add the assertion that "
    "supersedes it with its `because`. The reason of a contest may be reworded, not left out.",
)
DECISION = Rule(
    "BAS005",
    "error",
    "a decision is gone",
    "A decision that was recorded at the base is gone or says something else. One that no longer "
    "holds is kept in `past_decisions`.",
    "Restore the decision as it was, among the past ones if it no longer holds.",
)
EVIDENCE = Rule(
    "BAS006",
    "error",
    "evidence was edited",
    "What a source said on a day stays what it said. Only a loss of support may be entered: "
    "`confirmed: false` with its reason, a standing of withdrawn or retracted, or a withdrawal.",
    "Restore the evidence. What was read later, or read better, is another file with another day.",
)
IDENTITY = Rule(
    "BAS007",
    "error",
    "an id changed",
    "A record has another id or kind than at the base. Ids are cited from outside; they are never "
    "changed, and never given to something else.",
    "Restore the old id. If the new one must be, withdraw the old record with the new one as its "
    "successor.",
)
UNREADABLE_BEFORE = Rule(
    "BAS008",
    "warning",
    "a file of the base cannot be compared",
    "The file of the base is no record that can be read, or a link. Whether the change keeps what "
    "it held was not judged.",
    "Compare by eye: `git diff BASE -- FILE`.",
)
UNREADABLE_NOW = Rule(
    "BAS009",
    "error",
    "a record can no longer be compared",
    "The record could be read at the base; now it cannot, or it is a symbolic link, and what a "
    "link points at can change without the record.",
    "Mend the file, or put the file itself in the place of the link.",
)
STATEMENT = Rule(
    "BAS010",
    "warning",
    "a statement without a rank changed",
    "A statement outside of the tracked fields (a paper's hardware, a version of its preprint, a "
    "related work) cites evidence, but has no rank that could say that it no longer counts. It was "
    "changed or replaced.",
    "If it was right, restore it. If it was wrong, this is the only way to correct it; say so in "
    "the message of the commit.",
)

HIDDEN = Rule(
    "BAS011",
    "info",
    "a name was hidden",
    "A former name of an author was replaced by a stand-in, which is the one change that may take "
    "something out of a record. Everything else in the record stayed.",
    "Make sure that the author asked for it (CONTRIBUTING.md, Former names).",
)
CITED = Rule(
    "BAS012",
    "error",
    "a statement is gone",
    "A paper's hardware, a version of its preprint or a related work was there at the base, and no "
    "other stands in its place.",
    "Restore it, or put the right statement in its place, with its evidence.",
)

RULES = (
    GONE,
    ASSERTION,
    IN_PLACE,
    REASON,
    DECISION,
    EVIDENCE,
    IDENTITY,
    UNREADABLE_BEFORE,
    UNREADABLE_NOW,
    STATEMENT,
    HIDDEN,
    CITED,
)

_RULE_OF: dict[Promise, Rule] = {
    "record": GONE,
    "assertion": ASSERTION,
    "in-place": IN_PLACE,
    "reason": REASON,
    "decision": DECISION,
    "evidence": EVIDENCE,
    "id": IDENTITY,
    "statement": STATEMENT,
    "cited": CITED,
}


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcome of a comparison with a base."""

    base: str
    """The base in words: the ref, and the commit that both sides come from."""
    findings: tuple[Finding, ...]


def against(root: Path, ref: str) -> Compared:
    """Compare the records on the disk with those at the merge base of ``ref`` and HEAD.

    Where there are several merge bases, nothing that one of them held may be lost.

    Raises:
        HistoryError: git cannot tell what was there.
    """
    repository = Repository(root / "data")
    commits = repository.merge_bases(ref, "HEAD")
    found = (one for commit in commits for one in judge(pairs(repository, root, commit), commit))
    at_which = ", ".join(commit[:10] for commit in commits)
    return Compared(f"{ref} (at {at_which})", tuple(dict.fromkeys(found)))


def judge(changed: Iterable[Pair], commit: str = "BASE") -> Iterator[Finding]:
    """Everything that changed records promised and do not keep.

    Args:
        changed: The records on both sides.
        commit: Id of the commit that they are compared with.
    """
    for pair in changed:
        if pair.before is None:
            if pair.after is not None and pair.after.link:
                yield _whole(UNREADABLE_NOW, pair.after, "this new record is a symbolic link")
        elif pair.after is None:
            command = f"git checkout {commit[:10]} -- {shlex.quote(pair.before.file)}"
            hint = GONE.mend.replace("Restore the file", f"Restore the file (`{command}`)")
            message = f"{pair.before.key} was there at the base and is gone"
            yield _whole(GONE, pair.before, message, hint)
        else:
            yield from _compared(pair.before, pair.after)


def _compared(before: Side, after: Side) -> Iterator[Finding]:
    old, new = _document(before), _document(after)
    if before.key != after.key:
        message = f"{before.key} was renamed to {after.key}; ids are never changed"
        yield _whole(IDENTITY, after, message)
    if old is None or old.data is None:
        why = "was a symbolic link" if before.link else "could not be read as a record"
        yield _whole(UNREADABLE_BEFORE, after, f"{before.file} {why} at the base")
    elif new is None or new.data is None:
        why = "is a link" if after.link else "cannot be read"
        yield _whole(
            UNREADABLE_NOW, after, f"{before.key} {why}, and was a readable record at the base"
        )
    else:
        for message in hidings(stand_ins(old.data), stand_ins(new.data)):
            yield _whole(HIDDEN, after, message)
        renamed = before.key != after.key
        for breach in breaches(old.data, new.data):
            if breach.promise == "id" and renamed:
                continue  # said already
            rule = _RULE_OF[breach.promise]
            yield at(rule, after.key, new, breach.path, breach.message, rule.mend)


def _document(side: Side) -> Document | None:
    return None if side.raw is None or side.link else read(side.raw, side.file)


def _whole(rule: Rule, side: Side, message: str, hint: str = "") -> Finding:
    """A finding about a file as a whole."""
    line, column, hint = START.line, START.column, hint or rule.mend
    return Finding(rule.code, rule.severity, side.key, "", side.file, line, column, message, hint)
