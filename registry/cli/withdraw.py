"""``registry withdraw``: say that a record no longer counts."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from registry.cli.editing import (
    BecauseOption,
    ByOption,
    DateOption,
    DryRunOption,
    OwnRootOption,
    RecordArgument,
    TodayOption,
    carry_out,
)

if TYPE_CHECKING:
    from registry.editing.plan import Edit, Target


class Reason(StrEnum):
    """Reason codes of a withdrawal."""

    duplicate = "duplicate"
    not_a_paper = "not-a-paper"
    wrong_identity = "wrong-identity"
    retracted = "retracted"
    superseded = "superseded"
    entered_in_error = "entered-in-error"


def withdraw(
    name: RecordArgument,
    reason: Annotated[Reason, typer.Option("--reason", help="Reason code.")],
    because: BecauseOption,
    by: ByOption,
    successor: Annotated[
        str,
        typer.Option("--successor", help="The record to use instead.", show_default=False),
    ] = "",
    day: DateOption = None,
    dry_run: DryRunOption = False,
    today: TodayOption = None,
    root: OwnRootOption = None,
) -> None:
    """Withdraw a record. It stays where it is, with the reason, and its id goes to no other.

    Exit code 0: changed. 1: the edit would bring errors, and nothing was written. 2: wrong usage.
    """

    def plan(what: Target, entered: date) -> Edit:
        from registry.editing.plan import signed
        from registry.editing.withdraw import withdraw

        return withdraw(what, reason.value, signed(because, by, entered), successor)

    carry_out(name, plan, root=root, day=day, today=today, dry_run=dry_run)
