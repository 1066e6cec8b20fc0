"""``registry contest``: call a value into question."""

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


def contest(
    name: RecordArgument,
    field: FieldArgument,
    because: BecauseOption,
    by: ByOption,
    value: Annotated[
        str | None,
        typer.Option(
            "--value", help="A rival value, to stand beside the one in use.", show_default=False
        ),
    ] = None,
    evidence: Annotated[
        list[str] | None,
        typer.Option("--evidence", "-e", help="Evidence for the rival. Repeat for more."),
    ] = None,
    inferred_from: Annotated[
        str,
        typer.Option(
            "--inferred-from",
            help="What the rival was concluded from, where no evidence states it.",
            show_default=False,
        ),
    ] = "",
    day: DateOption = None,
    dry_run: DryRunOption = False,
    today: TodayOption = None,
    root: OwnRootOption = None,
) -> None:
    """Call a field contested, and say why. The value in use stays in use.

    Exit code 0: changed. 1: the edit would bring errors, and nothing was written. 2: wrong usage.
    """

    def plan(what: Target, entered: date) -> Edit:
        from registry.editing.contest import contest
        from registry.editing.plan import signed

        reason = signed(because, by, entered)
        cited = evidence or ()
        return contest(
            what, field, reason, value=value, evidence=cited, inferred_from=inferred_from
        )

    carry_out(name, plan, root=root, day=day, today=today, dry_run=dry_run, field=field)
