"""What the text of a venue says before any record is looked at.

An ordinal, a year, ``Proceedings of the``, an acronym in brackets, a place and a date stand around
the name in endless ways. They are taken off, and what remains are candidates for the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from registry.equality.markup import display_text
from registry.equality.titles import words
from registry.equality.tracks import read_group, read_track

_UNIT_WORDS = "first second third fourth fifth sixth seventh eighth ninth"
_TEEN_WORDS = (
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth "
    "nineteenth"
)
_TEN_STEMS = "twent thirt fort fift sixt sevent eight ninet"
_UNITS, _TENS = _UNIT_WORDS.split(), _TEN_STEMS.split()
_ORDINALS = {
    **{word: number for number, word in enumerate(_UNITS, 1)},
    **{word: number for number, word in enumerate(_TEEN_WORDS.split(), 10)},
    **{f"{ten}ieth": 10 * number for number, ten in enumerate(_TENS, 2)},
    **{
        f"{ten}y {unit}": 10 * number + place
        for number, ten in enumerate(_TENS, 2)
        for place, unit in enumerate(_UNITS, 1)
    },
}
_ORDINAL_WORD = re.compile(rf"\b({'|'.join(sorted(_ORDINALS, key=len, reverse=True))})\b")
_ORDINAL = re.compile(r"\b([0-9]{1,3})(?:st|nd|rd|th)\b")
_YEAR = re.compile(r"(?<![0-9./])((?:19|20)[0-9]{2})(?![0-9])")
_SHORT_YEAR = re.compile(r"(?<=[A-Za-z])\s?['’‘`]([0-9]{2})\b")
_GLUED_YEAR = re.compile(r"(?<=[A-Za-z])((?:19|20)[0-9]{2})\b")

_ABBREVIATIONS = {
    "proc": "proceedings",
    "int": "international",
    "intl": "international",
    "conf": "conference",
    "symp": "symposium",
    "trans": "transactions",
    "adv": "advances",
    "j": "journal",
}
_VOLUME = re.compile(r"\b(?:volume|vol|part)\.?\s+[0-9ivx]+\b", re.IGNORECASE)
_VOLUME_LABEL = re.compile(r"^(?:volume |vol |v(?=[0-9]))")
_LEADING = re.compile(
    r"^(?:(?:published|presented|accepted|to appear) (?:in|at|on) |in |at )?"
    r"(?:(?:the )?(?:conference )?proceedings (?:of )?)?(?:the )?(?:annual )?"
)
_FINDINGS = re.compile(r"^(?:in )?findings of (?:the )?")
_ASSOCIATION = "association for computational linguistics"
_DECISION = re.compile(r"(?: (?:poster|spotlight|oral|posters|orals|notable top [0-9]+%))+$")
_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_BREAK = re.compile(r"\s*(?:[,;:]|\s[-–—]+)\s+")
_ACRONYM_AND_YEAR = re.compile(
    r"(?:In\s+)?(?P<acronym>[A-Za-z][A-Za-z0-9/-]*?)[\s'’-]*(?:(?:19|20)[0-9]{2}|\b[0-9]{2})\b(?P<rest>.*)"
)
_WORDS_OF_TRACKS = (
    "conference main track poster posters spotlight oral orals notable top accept accepted dataset "
    "datasets and benchmark benchmarks position paper papers long short full regular competition "
    "competitions industry demo demos system demonstrations research technical"
)
_TRACK_WORDS = frozenset(_WORDS_OF_TRACKS.split())
"""What may stand behind acronym and year and still mean the conference itself."""

_MAIN_EVENT = re.compile(r"\b(?:conference|meeting|advances|proceedings|transactions|journal)\b")
_SIDE_EVENT = re.compile(r"\b(?:symposium|challenge|shared task|tutorials?|bootcamp)\b")

_ARXIV_ID = re.compile(
    r"(?:arxiv:\s*|abs/|arxiv\.org/(?:abs|pdf)/)"
    r"(?:[a-z-]+(?:\.[a-z-]+)?/[0-9]{7}|[0-9]{4}\.[0-9]{4,5})(?:v[0-9]+)?"
)
_CATEGORY = re.compile(r"\[[a-z.-]+\]")
_PREPRINT_WORDS = frozenset({"arxiv", "corr", "preprint", "preprints", "eprint", "eprints"})
_WORDS_BESIDE = (
    "org com http https www the in on e print prints abs cornell university repository page pages "
    "cs lg cl ai ml stat version under review january february march april may june july august "
    "september october november december"
)
_BESIDE_PREPRINT = frozenset(_WORDS_BESIDE.split())


class VenueText(msgspec.Struct, frozen=True):
    """A venue's text taken apart."""

    candidates: tuple[str, ...] = ()
    """What may be the name, the likeliest first, in the form that names are looked up in."""
    year: int | None = None
    """The year that stands in the text, if there is exactly one."""
    edition: int | None = None
    """The ordinal that stands in the text: 41 for ``41st``."""
    preprint: bool = False
    """Whether the text names a preprint server and nothing else."""
    workshop: bool = False
    """Whether the text names a workshop."""
    findings: bool = False
    """Whether the text names the findings, which several conferences print under one name."""
    accepted: bool = True
    """False where the text says only that the paper was submitted, or that it was refused."""


def name_key(text: str) -> str:
    """The form in which the names of venues are compared: words without what varies by year."""
    flat = " ".join(_ABBREVIATIONS.get(word, word) for word in words(_without_years(text)).split())
    key = " ".join(_ORDINAL.sub(" ", _ORDINAL_WORD.sub(" ", flat)).split())
    while (shorter := _LEADING.sub("", key)) != key and shorter:
        key = shorter
    return key


def volume_number(text: str) -> str:
    """The number of a volume without ``Volume``, ``vol.`` or ``v`` in front of it."""
    return _VOLUME_LABEL.sub("", words(text))


@lru_cache(maxsize=1 << 14)
def read_venue(text: str) -> VenueText:
    """Take the text of a venue apart."""
    group = read_group(text)
    if group is not None:
        text = f"{group.name} {group.year} {group.part}"
    text = display_text(text)
    if _is_preprint(text):
        return VenueText(tuple(_preprint_names(text)), preprint=True)
    return VenueText(
        candidates=tuple(dict.fromkeys(filter(None, _candidates(text)))),
        year=_only_year(text),
        edition=_edition(words(text)),
        workshop=_is_workshop(text),
        findings=_FINDINGS.match(words(text)) is not None,
        accepted=read_track(text).decision == "accepted",
    )


def _candidates(text: str) -> Iterator[str]:
    """Candidates for the name. What a smaller event is held at is none of them."""
    parts = _BREAK.split(_BRACKETS.sub(" ", text))
    pieces = [" ".join(parts[:end]) for end in range(len(parts), 0, -1)] + [text]
    if _is_workshop(text):
        pieces = [piece for piece in pieces if _is_workshop(piece)]
    elif _MAIN_EVENT.search(words(parts[0])) and not _SIDE_EVENT.search(words(text)):
        pieces += [*parts[1:], *_BRACKETS.findall(text)]
    for piece in pieces:
        yield from _forms(piece)
    if named := _ACRONYM_AND_YEAR.fullmatch(text):
        rest = re.findall(r"[^\W\d]+", named["rest"].casefold())
        if _TRACK_WORDS.issuperset(rest):
            yield name_key(named["acronym"])


def _is_workshop(text: str) -> bool:
    return re.search(r"\bworkshops?\b", text, re.IGNORECASE) is not None


def _forms(piece: str) -> Iterator[str]:
    flat = words(piece)
    if findings := _FINDINGS.match(flat):
        # The findings of several conferences share the association's name.
        rest = name_key(flat[findings.end() :])
        yield rest.removeprefix(_ASSOCIATION).strip()
        return
    key = name_key(_VOLUME.sub(" ", piece))
    yield key
    yield _DECISION.sub("", key)
    yield re.sub(r" [0-9]{1,3}$", "", key)


def _without_years(text: str) -> str:
    return _YEAR.sub(" ", _GLUED_YEAR.sub(" ", _SHORT_YEAR.sub(" ", text)))


def _only_year(text: str) -> int | None:
    found = {int(year) for year in _YEAR.findall(text)}
    found |= {int(year) for year in _GLUED_YEAR.findall(text)}
    if not found:
        found = {1900 + y if y >= 70 else 2000 + y for y in map(int, _SHORT_YEAR.findall(text))}
    return found.pop() if len(found) == 1 else None


def _edition(flat: str) -> int | None:
    if number := _ORDINAL.search(flat):
        return int(number[1])
    word = _ORDINAL_WORD.search(flat)
    return _ORDINALS[word[1]] if word else None


def _preprint_tokens(text: str) -> list[str]:
    lower = _CATEGORY.sub(" ", _ARXIV_ID.sub(" arxiv ", text.casefold()))
    return re.findall(r"[^\W\d_]+", lower)


def _is_preprint(text: str) -> bool:
    tokens = set(_preprint_tokens(text))
    return bool(tokens & _PREPRINT_WORDS) and tokens <= _PREPRINT_WORDS | _BESIDE_PREPRINT


def _preprint_names(text: str) -> Iterator[str]:
    tokens = _preprint_tokens(text)
    yield from (name for name in ("arxiv", "corr") if name in tokens)
