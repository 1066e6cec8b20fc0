"""``registry settle``: close a dispute by a decision."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from registry.cli.editing import (
    BecauseOption,
    ByOption,
    DateOption,
    DryRunOption,
    FieldArgument,
    OwnRootOption,
    RecordArgument,
    TodayOption,
    carry_out,
)

if TYPE_CHECKING:
    from registry.editing.plan import Edit, Target


def settle(
    name: RecordArgument,
    field: FieldArgument,
    because: BecauseOption,
    by: ByOption,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            "-s",
            help="A source that is overruled. Repeat for more. None, if none says anything else.",
        ),
    ] = None,
    day: DateOption = None,
    dry_run: DryRunOption = False,
    today: TodayOption = None,
    root: OwnRootOption = None,
) -> None:
    """Decide for the value in use, and overrule every source that says something else.

    What each of them says is taken from the recorded evidence. The decision holds until one of
    them says something else again.

    Exit code 0: changed. 1: the edit would bring errors, and nothing was written. 2: wrong usage.
    """

    def plan(what: Target, entered: date) -> Edit:
        from registry.editing.plan import signed
        from registry.editing.settle import settle

        return settle(what, field, source or (), signed(because, by, entered))

    carry_out(name, plan, root=root, day=day, today=today, dry_run=dry_run, field=field)
