"""Text as a source writes it to text as a person reads it: entities, tags and TeX resolved."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

import msgspec

from registry.equality.tex import to_unicode

_MARKED = re.compile(r"[\\{}$<&]")
_TEX = re.compile(r"[\\{}$]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>(?:[A-Za-z]+:)?[A-Za-z][A-Za-z0-9]*(?:-[a-z]+)*)"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))*\s*(?P<empty>/?)>"
)
_ELEMENT_NAMES = (
    "a abbr b bold br cite code disp-formula div em fixed-case font i inf inline-formula "
    "italic math monospace named-content overline p pre q roman s sans-serif sc scp small span "
    "strike strong styled-content sub sup tex-math title tt u underline var xref "
    "annotation annotation-xml maction menclose mfenced mfrac mi mmultiscripts mn mo mover "
    "mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable "
    "mtd mtext mtr munder munderover none semantics"
)
_ELEMENTS = frozenset(_ELEMENT_NAMES.split())
"""Elements of HTML, JATS and MathML that stand in titles. Anything else between angle brackets is
taken for text."""

_PREFIXES = frozenset({"mml", "m", "jats", "html", "xhtml"})
_FORMULAE = frozenset({"math", "inline-formula", "disp-formula", "tex-math"})
_BLOCKS = frozenset({"br", "div", "p", "title"})
_SECOND_READING = frozenset({"annotation", "annotation-xml"})
"""Elements that say again, for machines, what the formula beside them says."""

_EDGE = "\ue001"
_EDGE_BETWEEN_WORDS = re.compile(rf"(?<=\w){_EDGE}+(?=\w)")


class Reading(msgspec.Struct, frozen=True):
    """A text without its mark-up."""

    text: str
    """The text on one line."""
    formula: bool = False
    """Whether it held a formula as an element. Sources lose the space beside one."""


def display_text(text: str) -> str:
    """The text as a person reads it, on one line, without tags, entities or TeX."""
    if _MARKED.search(text) is None:
        return " ".join(text.split())
    return read_markup(text).text


@lru_cache(maxsize=1 << 14)
def read_markup(text: str) -> Reading:
    """Resolve entities, tags and TeX, in that order and then once more.

    TeX can spell the brackets of a tag, and a tag can hold TeX.
    """
    if _MARKED.search(text) is None:
        return Reading(" ".join(text.split()))
    text, formula = _without_tags(_decoded(text))
    if _TEX.search(text):
        text, second = _without_tags(_decoded(to_unicode(text)))
        formula = formula or second
    text = _EDGE_BETWEEN_WORDS.sub(" ", text).replace(_EDGE, "")
    return Reading(" ".join(text.split()), formula)


def _decoded(text: str) -> str:
    """Decode entities until nothing changes: sources escape text that was escaped before."""
    while "&" in text:
        decoded = _ENTITY.sub(_character, text)
        if decoded == text:
            break
        text = decoded
    return text


def _character(match: re.Match[str]) -> str:
    found = unescape(match[0])
    # Title case was put on some entities: &Amp;
    return found if found != match[0] else unescape(match[0].lower())


def _without_tags(text: str) -> tuple[str, bool]:
    tags = [tag for tag in _TAG.finditer(text) if _is_element(tag["name"])] if "<" in text else []
    if not tags:
        return text, False
    dropped = _paired(tags)
    pieces: list[str] = []
    end, silent, formula = 0, 0, False
    for position, tag in enumerate(tags):
        if position not in dropped:
            continue
        if not silent:
            pieces.append(text[end : tag.start()])
        end = tag.end()
        name = _local(tag["name"])
        if name in _SECOND_READING and not tag["empty"]:
            silent = max(0, silent + (-1 if tag["close"] else 1))
        elif name in _FORMULAE:
            pieces.append(_EDGE)
            formula = True
        elif name in _BLOCKS:
            pieces.append(" ")
    pieces.append(text[end:])
    return "".join(pieces), formula


def _paired(tags: list[re.Match[str]]) -> set[int]:
    """Positions of the tags to drop. ``a<b>c`` without ``</b>`` is a comparison and no tag."""
    dropped: set[int] = set()
    opened: list[int] = []
    for position, tag in enumerate(tags):
        if tag["empty"] or _local(tag["name"]) == "br" or ":" in tag["name"]:
            dropped.add(position)
        if not tag["close"]:
            opened.append(position)
            continue
        for start in reversed(opened):
            if tags[start]["name"] == tag["name"]:
                dropped.update((start, position))
                del opened[opened.index(start) :]
                break
    return dropped


def _is_element(name: str) -> bool:
    prefix, colon, _ = name.partition(":")
    return (prefix.lower() in _PREFIXES) if colon else name.lower() in _ELEMENTS


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()
