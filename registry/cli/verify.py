"""``registry verify``: hold the records against themselves and against recorded evidence."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from registry.cli import EXIT_CLEAN, EXIT_FINDINGS
from registry.cli.common import RootOption, emit, file_named, is_terminal, parse_day, was_given
from registry.cli.live import (
    MaxWaitOption,
    SourceOption,
    about,
    ask_sources,
    chosen,
    exit_code,
)

if TYPE_CHECKING:
    from registry.findings import Finding
    from registry.reports.interface import Report


_TARGETS = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
"""Set by GitHub Actions and by GitLab where they check a pull request."""


class Format(StrEnum):
    """Formats of a report."""

    terminal = "terminal"
    json = "json"
    github = "github"
    sarif = "sarif"
    junit = "junit"
    markdown = "markdown"


def verify(
    context: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            help="Records to report on: an id, kind/id, an arXiv id, a DOI, a unique beginning, "
            "or the path of a record's file. Default: all.",
            show_default=False,
        ),
    ] = None,
    root: RootOption = None,
    form: Annotated[Format, typer.Option("--format", help="Format of the report.")] = (
        Format.terminal
    ),
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the report to this file.", show_default=False),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="FORMAT=FILE",
            help="Write the report in this format to this file, too.",
            show_default=False,
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", help="Report only these codes (EVD001, or EVD for all of them)."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Leave these codes out.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail the run too.")] = False,
    today: Annotated[
        str | None,
        typer.Option("--today", help="Judge the age of evidence by this day (YYYY-MM-DD)."),
    ] = None,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Remember which files are unchanged.")
    ] = True,
    live: Annotated[
        bool, typer.Option("--live", help="Ask the sources now, too. Changes nothing on disk.")
    ] = False,
    source: SourceOption = None,
    record: Annotated[
        bool, typer.Option("--record", help="With --live: keep new answers as evidence.")
    ] = False,
    max_wait: MaxWaitOption = 120.0,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="REF",
            help="Compare with the merge base of this branch: nothing may be lost. Default: the "
            "target branch where CI checks a pull request.",
            show_default=False,
        ),
    ] = None,
    no_base: Annotated[bool, typer.Option("--no-base", help="Compare with no branch.")] = False,
) -> None:
    """Check records, references, history and claims, and replay the recorded evidence.

    Exit code 0: clean. 1: errors (or warnings, under --strict). 2: wrong usage. 3: a source could
    not be asked, under --live --strict. 130: interrupted.
    """
    from registry.lookup import resolve_all
    from registry.verify import Options, load, report_on

    if not live and (source or record or was_given(context, "max_wait")):
        raise typer.BadParameter("--source, --record and --max-wait go with --live")
    if live and today is not None:
        raise typer.BadParameter("what is asked today is read today: leave out --today")
    if no_base and base is not None:
        raise typer.BadParameter("either --base or --no-base")
    output = file_named(output)
    further = [_further(text) for text in also or ()]
    _each_once([*([output] if output else []), *(file for _, file in further)])
    folder = _folder(root, ids, record=record)
    codes = {"select": _codes(select, "--select"), "ignore": _codes(ignore, "--ignore")}
    day = parse_day(today)
    compared, broken = ("not compared with a base", ()) if no_base else _compared(folder, base)
    registry = load(folder, use_cache=cache, judge_next=not live)
    options = Options(
        today=day,
        ids=resolve_all(ids or [], registry),
        strict=strict,
        base=compared,
        broken=broken,
        **codes,
    )
    if not live:
        report = report_on(registry, options)
        _show(report, form, output, further)
        raise typer.Exit(EXIT_FINDINGS if report.failed else EXIT_CLEAN)
    from registry.live import with_answers

    asked = chosen(source)
    heard = ask_sources(registry, options.ids, asked, day, record=record, max_wait=max_wait)
    report = report_on(with_answers(registry, heard.answers, day), about(options, heard))
    _show(report, form, output, further)
    raise typer.Exit(exit_code(report, heard))


def _folder(root: Path | None, ids: Sequence[str] | None, *, record: bool) -> Path:
    """The registry to check.

    To check all records of a git repository is to check its own: that they were deleted or moved
    away must not pass because the records that come with the package are in order.

    Raises:
        NoRegistryError: there is none.
    """
    from registry.store.root import find_own_root, in_repository, own_root, shipped_root

    own = own_root(root)
    if record or (own is None and not ids and in_repository()):
        return find_own_root(root)
    if own is None:
        told = "no registry at or above this folder; using the one that comes with the package"
        typer.echo(f"registry: {told}", err=True)
    return own or shipped_root()


def _compared(root: Path, base: str | None) -> tuple[str, tuple[Finding, ...]]:
    """What the records are compared with, in words, and what that finds.

    Raises:
        HistoryError: git cannot tell what was there.
    """
    ref, named_by = (base, "") if base is not None else target_branch(os.environ)
    if base is None and not ref:
        return "", ()
    from registry.checks.base import against
    from registry.errors import NoRepositoryError

    if named_by:
        typer.echo(f"registry: comparing with {ref}, named by {named_by}", err=True)
    try:
        compared = against(root, ref)
    except NoRepositoryError as error:
        if not named_by:
            raise
        # The variable speaks of the repository that CI checks; the records lie elsewhere.
        typer.echo(f"registry: not compared: {error.message}", err=True)
        return "", ()
    return f"compared with {compared.base}", compared.findings


def target_branch(environment: Mapping[str, str]) -> tuple[str, str]:
    """The branch that a pull request is for and the variable that says so; empty outside of CI."""
    for name in _TARGETS:
        if environment.get(name):
            return f"origin/{environment[name]}", name
    return "", ""


def _further(text: str) -> tuple[Format, Path]:
    """A format and a file from ``FORMAT=FILE``.

    Raises:
        typer.BadParameter: it is none.
    """
    name, _, file = text.partition("=")
    if name not in list(Format) or file in ("", "-"):
        formats = ", ".join(Format)
        raise typer.BadParameter(
            f"{text!r} is not FORMAT=FILE, with one of {formats}", param_hint="--also"
        )
    return Format(name), Path(file)


def _each_once(files: Sequence[Path]) -> None:
    """Refuse to write one report over another.

    Raises:
        typer.BadParameter: two reports are to be written to one file.
    """
    places = [os.path.realpath(file) for file in files]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise typer.BadParameter(f"two reports would be written to {files[number]}")


def _show(
    report: Report, form: Format, output: Path | None, further: Sequence[tuple[Format, Path]]
) -> None:
    from registry.reports import reporter

    for other, file in further:
        emit(reporter(other.value).render(report), file)
    if form is Format.terminal and output is None and is_terminal():
        from rich.console import Console

        from registry.reports.terminal import render_to

        render_to(report, Console())
    else:
        text = reporter(form.value).render(report)
        emit(text, output, to_read=form is Format.terminal)


def _codes(given: list[str] | None, option: str) -> tuple[str, ...]:
    """Codes from a repeated or comma-separated option.

    Raises:
        typer.BadParameter: no code begins so.
    """
    from registry.checks import RULES

    found = tuple(code.strip().upper() for text in given or () for code in text.split(","))
    for code in found:
        if not code or not any(known.startswith(code) for known in RULES):
            raise typer.BadParameter(
                f"no code begins with {code!r}; `registry explain` lists them", param_hint=option
            )
    return found
