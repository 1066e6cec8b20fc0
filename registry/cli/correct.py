"""``registry correct``: enter the right value, and keep the wrong one with the reason."""

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


def correct(
    name: RecordArgument,
    field: FieldArgument,
    value: Annotated[
        str,
        typer.Argument(
            metavar="VALUE",
            help="The value: text, a number, a day, an amount (`300 W`), authors (`Ada Abel; Bo "
            "van Berg`), or YAML.",
        ),
    ],
    evidence: Annotated[
        list[str], typer.Option("--evidence", "-e", help="Evidence for it. Repeat for more.")
    ],
    because: BecauseOption,
    by: ByOption,
    day: DateOption = None,
    inferred_from: Annotated[
        str,
        typer.Option(
            "--inferred-from",
            help="What the value was concluded from, where no evidence states it.",
            show_default=False,
        ),
    ] = "",
    deprecated_because: Annotated[
        str,
        typer.Option(
            "--deprecated-because",
            help="Why the value in use no longer counts. Default: what --because says.",
            show_default=False,
        ),
    ] = "",
    contested_because: Annotated[
        str,
        typer.Option(
            "--contested-because",
            help="Why the field is contested all the same.",
            show_default=False,
        ),
    ] = "",
    dry_run: DryRunOption = False,
    today: TodayOption = None,
    root: OwnRootOption = None,
) -> None:
    """Correct a value: enter the one to use with its evidence, and deprecate the one in use.

    The status follows from the evidence. A value that is in use already gets the evidence.

    Exit code 0: changed. 1: the edit would bring errors, and nothing was written. 2: wrong usage.
    """

    def plan(what: Target, entered: date) -> Edit:
        from registry.editing.correct import Reasons, correct
        from registry.editing.plan import signed

        reasons = Reasons(inferred_from, deprecated_because, contested_because)
        return correct(what, field, value, evidence, signed(because, by, entered), reasons)

    carry_out(name, plan, root=root, day=day, today=today, dry_run=dry_run, field=field)
