"""Reads the versions of a paper out of arXiv's OAI-PMH interface (format ``arXivRaw``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from registry.equality.identifiers import parse_arxiv_id
from registry.sources.answers import NoReply
from registry.sources.shapes import UnexpectedShapeError, one_line

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_RAW = "{http://arxiv.org/OAI/arXivRaw/}"
_VERSION = re.compile(r"v([1-9][0-9]{0,3})")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a paper."""

    version: str
    """``v1`` and so on."""
    submitted: date
    """The day, in UTC, on which it was submitted."""


def read_history(root: Element, arxiv_id: str) -> tuple[Version, ...] | NoReply:
    """The versions from the first to the last, none if arXiv knows no such paper, or a fault.

    Args:
        root: The answer.
        arxiv_id: The id without version that was asked for.
    """
    if root.tag != f"{_OAI}OAI-PMH":
        return NoReply("broken answer", "it is no OAI-PMH document")
    fault = root.find(f"{_OAI}error")
    if fault is not None:
        code = fault.get("code", "")
        if code == "idDoesNotExist":
            return ()
        return NoReply("refused", one_line(f"{code} {''.join(fault.itertext())}"))
    raw = root.find(f"{_OAI}GetRecord/{_OAI}record/{_OAI}metadata/{_RAW}arXivRaw")
    if raw is None or parse_arxiv_id(raw.findtext(f"{_RAW}id") or "").id != arxiv_id:
        return NoReply("broken answer", f"it holds no record of {arxiv_id}")
    try:
        found = dict(_version(element) for element in raw.findall(f"{_RAW}version"))
    except UnexpectedShapeError as error:
        return NoReply("broken answer", str(error))
    # Versions are never taken back, so a gap is a loss on the way.
    if not found or sorted(found) != list(range(1, len(found) + 1)):
        return NoReply("broken answer", "its versions do not run from v1 without a gap")
    return tuple(Version(f"v{number}", found[number]) for number in sorted(found))


def _version(element: Element) -> tuple[int, date]:
    name = _VERSION.fullmatch(element.get("version", ""))
    day = _day(one_line(element.findtext(f"{_RAW}date") or ""))
    if name is None or day is None:
        raise UnexpectedShapeError("a version has no name or no day")
    return int(name[1]), day


def _day(written: str) -> date | None:
    try:
        moment = parsedate_to_datetime(written)
        return (moment.astimezone(UTC) if moment.tzinfo else moment).date()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
