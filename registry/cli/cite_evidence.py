"""``registry cite-evidence``: keep what somebody read, with the place and the day."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS
from registry.cli.common import emit, parse_day
from registry.cli.editing import (
    OwnRootOption,
    TodayOption,
    finding_line,
    tell,
)


class How(StrEnum):
    """How a person came to know."""

    transcribed = "transcribed"
    reported = "reported"


def cite_evidence(
    what: Annotated[
        str, typer.Argument(metavar="FILE|URL", help="The file that was read, or the address.")
    ],
    about: Annotated[str, typer.Option("--about", help="The record that it is about, as kind/id.")],
    source: Annotated[
        str, typer.Option("--source", help="Who says it: the id of a source's record.")
    ],
    locator: Annotated[
        str, typer.Option("--locator", help="Where in it: page, section, table, field.")
    ],
    file: Annotated[
        Path | None,
        typer.Option("--file", help="Beside an address: the copy that was read.", metavar="FILE"),
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--field",
            "-f",
            help="A value that was read, such as `year=2024`; authors in BibTeX's grammar with "
            "`;` or ` and ` between them, lists as YAML. Repeat for more.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    silent_on: Annotated[
        list[str] | None,
        typer.Option("--silent-on", help="A field that was looked for and is not there."),
    ] = None,
    quote: Annotated[
        str, typer.Option("--quote", help="A few words, where the wording matters.")
    ] = "",
    how: Annotated[How | None, typer.Option("--how", help="Default: transcribed.")] = None,
    reported_by: Annotated[
        str, typer.Option("--reported-by", help="Who saw it, if you did not.")
    ] = "",
    retrieved: Annotated[
        str | None,
        typer.Option("--retrieved", help="The day it was read. Default: today.", metavar="DAY"),
    ] = None,
    by: Annotated[str, typer.Option("--by", help="Who took the values.")] = "registry editors",
    version: Annotated[
        str, typer.Option("--version", help="The version of the paper, such as v1.")
    ] = "",
    slug: Annotated[str, typer.Option("--id", help="The id of the evidence.", metavar="SLUG")] = "",
    is_new: Annotated[
        bool,
        typer.Option("--new", help="The paper has no record yet; `registry add` will make it."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the evidence, and write nothing.")
    ] = False,
    today: TodayOption = None,
    root: OwnRootOption = None,
) -> None:
    """Add evidence for something that was read by hand, and say which facts could cite it.

    A file is kept by its hash, an address as it is; nothing is fetched.

    Exit code 0: added. 1: the evidence would be in error, and nothing was written. 2: wrong usage.
    """
    from registry.adding.citation import Reading, advice, cite, hash_of, known_source, subject
    from registry.adding.observing import address, is_address, observation
    from registry.adding.recorded import refuse_twin
    from registry.editing.author_lines import doubts
    from registry.errors import ChangedError, EditError
    from registry.store.entry import IDENTIFIERS
    from registry.store.root import find_own_root
    from registry.store.write import create, unwritable
    from registry.trial import file_of, judge_changes, with_files
    from registry.verify import load

    day = parse_day(today)
    registry = load(find_own_root(root), judge_next=True)
    if not what.strip():
        raise EditError("FILE|URL is empty", "name the file that was read, or the address")
    if file is not None and not is_address(what):
        raise EditError("--file goes with an address", "name the file alone")
    copy = file if is_address(what) else Path(what)
    silent = tuple(silent_on or ())
    observed = observation(field or (), silent)
    reading = Reading(
        locator=locator,
        reader=by,
        day=day if retrieved is None else parse_day(retrieved, "--retrieved"),
        how=how.value if how else "",
        reported_by=reported_by,
        url=address(what) if is_address(what) else "",
        sha256=hash_of(copy) if copy is not None else "",
        version=version,
        quote=quote,
        silent_on=silent,
    )
    key = subject(registry, about, is_new=is_new)
    if is_new:
        refuse_twin(registry, {name: observed[name] for name in IDENTIFIERS if name in observed})
    citation = cite(registry, key, known_source(registry, source), reading, observed, slug)
    for doubt in doubts(observed.get("authors", ())):
        tell(f"warning: {doubt}")
    added = f"evidence/{citation.id}"
    trial = judge_changes(registry, {added: citation.raw}, day)
    own = [
        one for one in trial.new if one.record == added and not (is_new and one.field == "about")
    ]
    for finding in own:
        tell(finding_line(finding))
    if any(finding.severity == "error" for finding in own):
        tell("refused: the evidence would have these errors; nothing was written")
        raise typer.Exit(EXIT_FINDINGS)
    if dry_run:
        emit(citation.raw.decode(), None)
        raise typer.Exit(EXIT_CLEAN)
    path = registry.root / file_of(added)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        create(path, citation.raw)
    except FileExistsError:
        hint = "run the command again; it will choose another id"
        raise ChangedError(f"{added} was added meanwhile by somebody else", hint) from None
    except OSError as error:
        raise unwritable(path, error) from error
    lines = [f"Added {added}: {file_of(added)}"]
    lines += advice(with_files(registry, {added: citation.raw}), citation)
    if is_new:
        named = observed.get("arxiv_id") or observed.get("doi") or "ARXIV-ID|DOI"
        lines.append(f"Next: registry add {named} --offline")
    emit("\n".join(lines) + "\n", None, to_read=True)
    for finding in trial.new:
        if finding.record != added and finding.severity == "error":
            tell(f"until that is done: {finding_line(finding)}")
