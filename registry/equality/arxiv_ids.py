"""arXiv identifiers, in every form that people and sources write them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

import msgspec

_ARCHIVE_NAMES = (
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas "
    "cond-mat cs dg-ga funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin "
    "nucl-ex nucl-th patt-sol physics plasm-ph q-alg q-bio quant-ph solv-int supr-con"
)
_OLD_ARCHIVES = frozenset(_ARCHIVE_NAMES.split())
"""Archives that gave out identifiers before April 2007."""

_FIRST_OLD, _LAST_OLD = 9107, 703
_FIRST_NEW, _FIRST_FIVE_DIGITS = 704, 1501

_WRAPPER = re.compile(
    r"(?:https?://)?(?:(?:www|export|[a-z]{2})\.)?arxiv\.org/"
    r"(?:abs|pdf|html|ps|format|src|e-print)/"
    r"|(?:https?://)?(?:dx\.|www\.)?doi\.org/10\.48550/arxiv\."
    r"|(?:doi:\s*)?10\.48550/arxiv\."
    r"|(?:corr\s+)?abs/",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"arxiv:\s*", re.IGNORECASE)
_CATEGORY = re.compile(r"\s*\[[A-Za-z.\-]+\]$")
_VERSION = re.compile(r"v([0-9]+)$")
_NEW = re.compile(r"(?:[a-z-]+(?:\.[A-Za-z-]+)?/)?([0-9]{4})\.([0-9]{4,5})")
_OLD = re.compile(r"([a-z-]+)(?:\.[A-Za-z-]+)?/([0-9]{4})([0-9]{3})")
_OLD_NUMBER = re.compile(r"[0-9]{7}")


class ArxivId(msgspec.Struct, frozen=True):
    """What a text says as an arXiv identifier."""

    id: str = ""
    """The identifier without version and subject class; empty if the text is not one."""
    version: str = ""
    """``v1``, ``v2`` and so on, where the text has one."""
    fault: Literal["", "invalid", "ambiguous"] = ""
    """Why there is no identifier: ``ambiguous`` is an old number without its archive."""
    reason: str = ""
    """The fault in words."""


@lru_cache(maxsize=1 << 14)
def parse_arxiv_id(text: str) -> ArxivId:
    """Read an arXiv identifier with any prefix, address, category or version around it."""
    rest = text.strip()
    wrapper = _WRAPPER.match(rest)
    if wrapper:
        rest = re.split(r"[?#]", rest[wrapper.end() :], maxsplit=1)[0].removesuffix(".pdf")
    else:
        rest = _PREFIX.sub("", rest, count=1) if _PREFIX.match(rest) else rest
        rest = _CATEGORY.sub("", rest)
    version = ""
    if found := _VERSION.search(rest):
        if int(found[1]) == 0:
            return _invalid("versions count from v1")
        version, rest = found[0], rest[: found.start()]
    if new := _NEW.fullmatch(rest):
        fault = _fault_of_new(new[1], new[2])
        return _invalid(fault) if fault else ArxivId(f"{new[1]}.{new[2]}", version)
    if old := _OLD.fullmatch(rest):
        fault = _fault_of_old(old[1], old[2])
        return _invalid(fault) if fault else ArxivId(f"{old[1]}/{old[2]}{old[3]}", version)
    if _OLD_NUMBER.fullmatch(rest):
        return ArxivId(
            fault="ambiguous", reason="an old number needs its archive, as in hep-th/9901001"
        )
    return _invalid("not the form of an arXiv id")


def _invalid(reason: str) -> ArxivId:
    return ArxivId(fault="invalid", reason=reason)


def _fault_of_new(month: str, number: str) -> str:
    if not _is_month(month):
        return f"there is no month {month[2:]}"
    if int(month) < _FIRST_NEW:
        return "ids of this form begin with 0704"
    wanted = 5 if int(month) >= _FIRST_FIVE_DIGITS else 4
    if len(number) != wanted:
        return f"the number of an id from {month} has {wanted} digits"
    return "" if int(number) else "numbers count from 1"


def _fault_of_old(archive: str, month: str) -> str:
    if archive not in _OLD_ARCHIVES:
        return f"no archive is called {archive}"
    if not _is_month(month):
        return f"there is no month {month[2:]}"
    if _LAST_OLD < int(month) < _FIRST_OLD:
        return "ids of this form run from 9107 to 0703"
    return ""


def _is_month(year_and_month: str) -> bool:
    return 1 <= int(year_and_month[2:]) <= 12
