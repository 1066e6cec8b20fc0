"""What merges did to a record of their own, beside what they brought together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from registry.errors import HistoryError
from registry.history.git import Commit, Repository
from registry.history.meaning import Data, FieldChange, field_changes


class MergedPast:
    """The commits before HEAD, and what a record's file was in those that merged others."""

    def __init__(self, repository: Repository, paths: Sequence[str]) -> None:
        """Find the merges after which the file was not what it had been on each side.

        Args:
            repository: Git.
            paths: Names that the file has had, from the top of the repository, the latest first.
        """
        self._repository = repository
        self.parents = repository.parents()
        """Every commit with its parents, the latest first."""
        head = next(iter(self.parents))
        merges = {one: sides for one, sides in self.parents.items() if len(sides) > 1}
        asked = dict.fromkeys(
            (head, *merges, *(side for sides in merges.values() for side in sides))
        )
        self._held = self._find(asked, paths)
        self.head_blob = self._held.get(head, "")
        """Object id of what HEAD holds; empty if it has no such file."""
        self._merges: dict[str, tuple[str, ...]] = {}
        self._bases: dict[str, str] = {}
        for merge, sides in merges.items():
            if any(self._held.get(side) != self._held.get(merge) for side in sides):
                self._merges[merge] = sides
                self._bases[merge] = self._base(sides)
        self._held |= self._find(dict.fromkeys(filter(None, self._bases.values())), paths)

    def blobs(self) -> set[str]:
        """The contents that have to be known to tell what the merges did."""
        asked = {*self._merges, *self._bases.values()}
        asked |= {side for sides in self._merges.values() for side in sides}
        return {self._held[one] for one in asked if one in self._held} | {self.head_blob} - {""}

    def own_changes(
        self, states: Mapping[str, Data]
    ) -> Iterator[tuple[Commit, tuple[FieldChange, ...]]]:
        """Each merge that is no mere union of its sides, and what it changed.

        That is a field which is as on no side, or one that a side had changed and that is not as on
        that side: the change was dropped, or two changes of one field were brought together.

        Args:
            states: What the record said, by object id.
        """
        found: dict[str, tuple[FieldChange, ...]] = {}
        for merge, sides in self._merges.items():
            after = self._state(merge, states)
            base = self._state(self._bases[merge], states) if self._bases[merge] else None
            moves = [_by_field(self._state(side, states), after) for side in sides]
            changes = dict.fromkeys(name for move in moves for name in move)
            done = [
                {} if base is None else _by_field(base, self._state(side, states)) for side in sides
            ]
            own = [
                next(move[name] for move in moves if name in move)
                for name in changes
                if all(name in move for move in moves)
                or any(name in move and name in by for move, by in zip(moves, done, strict=True))
            ]
            if own:
                found[merge] = tuple(own)
        for commit in self._repository.told(found):
            yield commit, found[commit.id]

    def _state(self, commit: str, states: Mapping[str, Data]) -> Data:
        return states.get(self._held.get(commit, ""), {})

    def _find(self, commits: Iterable[str], paths: Sequence[str]) -> dict[str, str]:
        left = list(commits)
        found: dict[str, str] = {}
        for path in paths:
            found |= self._repository.blobs([one for one in left if one not in found], path)
        return found

    def _base(self, sides: tuple[str, ...]) -> str:
        """Where the sides began to differ; empty if git cannot tell."""
        try:
            return self._repository.merge_bases(sides[0], sides[1])[0]
        except HistoryError:
            return ""


def _by_field(old: Data, new: Data) -> dict[str, FieldChange]:
    return {one.field: one for one in field_changes(old, new)}
