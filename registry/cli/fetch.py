"""``registry fetch``: what each source says about a paper, whether or not it has a record."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_INTERRUPTED
from registry.cli.common import RootOption
from registry.cli.live import (
    MaxWaitOption,
    SourceOption,
    chosen,
    client_for,
    progress,
    summary,
    with_versions,
)

if TYPE_CHECKING:
    from registry.sources.interface import Query
    from registry.verify import Registry


class Format(StrEnum):
    """Formats of what was said."""

    terminal = "terminal"
    json = "json"


def fetch(
    name: Annotated[
        str,
        typer.Argument(metavar="ID", help="A record, or an arXiv id or DOI that has none."),
    ],
    source: SourceOption = None,
    max_wait: MaxWaitOption = 60.0,
    form: Annotated[Format, typer.Option("--format", help="Format of the answer.")] = (
        Format.terminal
    ),
    root: RootOption = None,
) -> None:
    """Ask the sources about one paper and print what each says. Nothing on disk changes.

    Exit code 0: asked, whatever was answered. 2: wrong usage. 130: interrupted.
    """
    from registry.checks.matrix import Comparer
    from registry.live import hear_in_rounds
    from registry.store.root import find_root
    from registry.verify import load
    from registry.views import answers

    registry = load(find_root(root))
    query = _query(name, registry)
    asked = chosen(source)
    with client_for(asked, max_wait) as client, progress(1) as tell:
        heard = hear_in_rounds(query, asked, client, Comparer(registry.index).venues, tell)
        told = [with_versions(answer, client)[0] for answer in heard.answers]
    render = answers.as_json if form is Format.json else answers.as_text
    sys.stdout.write(render(query, told, [one.name for one in asked]))
    sys.stderr.write(summary(heard, 1, len(asked)))
    raise typer.Exit(EXIT_INTERRUPTED if heard.stopped else EXIT_CLEAN)


def _query(name: str, registry: Registry) -> Query:
    from registry.errors import UnknownRecordError
    from registry.lookup import matches
    from registry.sources.queries import SPEAKABLE, query_from, query_of

    for key in matches(name, registry, SPEAKABLE):
        if entry := registry.index.entries.get(key):
            return query_of(entry, registry.index)
    query = query_from(name)
    if query is None:
        hint = "give an arXiv id such as 2401.15077, a DOI such as 10.18653/v1/..., or a paper's id"
        raise UnknownRecordError(f"{name!r} is neither a paper on record nor an identifier", hint)
    return query
