"""Whether a paper still stands, from what a source writes about it.

arXiv has no flag for a withdrawn paper: only the comment tells. An erratum, a correction or an
expression of concern is no retraction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from registry.equality.arxiv_ids import parse_arxiv_id
from registry.equality.markup import display_text

_THIS_PAPER_WITHDRAWN = re.compile(
    r"\b(?:authors?|we|i)\s+(?:have\s+|has\s+)?(?:hereby\s+)?(?:withdrawn|withdrew|withdraw)\s+"
    r"(?:this|the|our|my)\s+(?:paper|article|submission|manuscript|preprint|work)\b"
    r"|\b(?:this|the)\s+(?:paper|article|submission|manuscript|preprint|work|version|note)s?\s+"
    r"(?:(?:has|have)\s+been|is|was|were|had\s+to\s+be)\s+(?:now\s+|temporarily\s+)?withdrawn\b"
    r"|(?:^|[.;:]\s*)(?:(?:paper|article|submission|manuscript|preprint)\s+)?"
    r"(?:has\s+been\s+)?withdrawn(?=\s*(?:$|[.,;:(!–—-])"
    r"|\s+(?:by|due|because|from\s+arxiv|for|as|after|since|pending|in|on|to|until|owing|and)\b)"
    r"|\b(?:paper|article|submission|manuscript|preprint)\s+withdrawn\b",
    re.IGNORECASE,
)
_SUPERSEDED = re.compile(
    r"\b(?:superseded|replaced|subsumed)\s+by\b|\bmerged\s+(?:into|with)\b|\bnew(?:er)? version:?"
    r"|\bsee\b",
    re.IGNORECASE,
)
_ARXIV_ID = re.compile(
    r"(?:arxiv:\s*|arxiv\.org/abs/)?([a-z-]+(?:\.[A-Z]{2})?/[0-9]{7}|[0-9]{4}\.[0-9]{4,5})"
    r"(?:v[0-9]+)?",
    re.IGNORECASE,
)
_NOTICE = re.compile(r"^\s*retraction(?:\s+(?:note|notice))?\s*(?::|to\b)", re.IGNORECASE)
_RETRACTED_COMMENT = re.compile(
    r"(?:^|[.;:]\s*)retracted(?=\s*(?:$|[.,;:!])|\s+(?:by|due|because)\b)"
    r"|\bthis\s+(?:paper|article|preprint)\s+(?:has\s+been|was|is)\s+retracted\b",
    re.IGNORECASE,
)
_RETRACTED = re.compile(r"^\s*\[?retracted(?:\s+(?:article|paper))?\]?\s*[:\]]", re.IGNORECASE)
_WITHDRAWN = re.compile(r"^\s*\[?withdrawn(?:\s+(?:article|paper))?\]?\s*[:\]]", re.IGNORECASE)

_RELATIONS = {
    "erratum": "erratum",
    "corrigendum": "erratum",
    "correction": "erratum",
    "addendum": "addendum",
    "expression-of-concern": "concern",
    "retraction": "retracted",
    "partial-retraction": "partial retraction",
    "withdrawal": "withdrawn",
    "removal": "withdrawn",
}


class Standing(msgspec.Struct, frozen=True):
    """What has become of a paper."""

    status: Literal["active", "withdrawn", "retracted", "retraction notice"] = "active"
    """``retraction notice`` is not the paper itself but what retracts it."""
    successor: str = ""
    """arXiv id of the paper that is to be read instead."""
    note: str = ""
    """``erratum``, ``concern``, or what to do about the status."""


def read_standing(
    *,
    title: str | None = None,
    comment: str | None = None,
    relations: Iterable[str] = (),
    is_retracted: bool | None = None,
) -> Standing:
    """Tell what a source says of a paper's standing. Anything may be absent.

    Args:
        title: The title. A notice's own title begins with ``Retraction:``.
        comment: arXiv's comment.
        relations: What was published about this paper, such as ``erratum`` or ``retraction``.
        is_retracted: An index's flag.
    """
    plain_title = display_text(title or "")
    if _NOTICE.match(plain_title):
        return Standing("retraction notice", note="not the paper itself")
    known = [_RELATIONS.get(_kebab(relation), "") for relation in relations]
    if "retracted" in known or _RETRACTED.match(plain_title):
        return Standing("retracted")
    if _RETRACTED_COMMENT.search(display_text(comment or "")):
        return Standing("retracted", note="confirm with a second source")
    if is_retracted:
        return Standing("retracted", note="confirm with a second source")
    plain_comment = display_text(comment or "")
    successor = _successor(plain_comment)
    withdrawn = _THIS_PAPER_WITHDRAWN.search(plain_comment) or _WITHDRAWN.match(plain_title)
    if withdrawn or "withdrawn" in known:
        return Standing("withdrawn", successor)
    return Standing(note=", ".join(dict.fromkeys(filter(None, known))))


def _kebab(relation: str) -> str:
    return re.sub(r"[\s_]+", "-", relation.strip().lower())


def _successor(comment: str) -> str:
    """The first arXiv id behind words such as ``superseded by``."""
    for hint in _SUPERSEDED.finditer(comment):
        found = _ARXIV_ID.search(comment, hint.end())
        if found and (read := parse_arxiv_id(found[1])).id:
            return read.id
    return ""
