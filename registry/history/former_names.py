"""Names that are hidden at the request of who bore them.

The one exception to "nothing is ever lost" (CONTRIBUTING.md, "Former names"). In the records a
stand-in takes the place of the name. It says that a name was hidden and when, and it carries a
salted hash, by which who holds the name (an older commit does) can check that the stand-in stands
for exactly that name. That is how the comparison with a base branch accepts this change and no
other, and how nothing that reads older commits prints the name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from registry.equality.bibtex_names import Name, parse_name

_STAND_IN = re.compile(
    r"name hidden on request ([0-9]{4}-[0-9]{2}-[0-9]{2}) \(([0-9a-f]{16})((?:[0-9a-f]{32})+)\)"
)

_DIGITS = 32


@dataclass(frozen=True, slots=True)
class StandIn:
    """What stands in the place of a hidden name."""

    day: str
    """When it was hidden."""
    salt: str
    digests: str
    """One digest of 32 digits for each spelling that it stands for."""

    @classmethod
    def of(cls, spellings: Iterable[Name], day: str, salt: str) -> StandIn:
        """The stand-in for a name in all its spellings; ``salt`` is 16 random hexadecimal digits.

        It is the same for all of them, so that sources which agreed on a name still agree.
        """
        return cls(day, salt, "".join(sorted({_digest(name, salt) for name in spellings})))

    def __str__(self) -> str:
        """The text that stands in the records."""
        return f"name hidden on request {self.day} ({self.salt}{self.digests})"

    def stands_for(self, name: Name) -> bool:
        """Whether it was made for this name."""
        wanted = _digest(name, self.salt)
        return any(
            self.digests[at : at + _DIGITS] == wanted for at in range(0, len(self.digests), _DIGITS)
        )


def without_stand_ins(text: str) -> str:
    """A text for readers outside of the registry, who can check no hash."""
    return _STAND_IN.sub("name hidden on request", text)


Hiding = Mapping[Name, StandIn]
"""The names to hide, each with what stands in its place."""


def _digest(name: Name, salt: str) -> str:
    plain = " ".join(str(name).casefold().split())
    return hashlib.sha256(f"{salt} {plain}".encode()).hexdigest()[:_DIGITS]


def stand_ins(data: Any) -> set[StandIn]:
    """Every stand-in in plain data."""
    return {StandIn(*found) for text in _texts(data) for found in _STAND_IN.findall(text)}


def hiding(stand_in: Iterable[StandIn], data: Iterable[Any]) -> Hiding:
    """The hidden names, as far as older data still has them among its authors."""
    wanted = list(stand_in)
    names = {name for one in data for name in _names(one)} if wanted else set()
    return {name: one for name in names for one in wanted if one.stands_for(name)}


def hidings(before: Iterable[StandIn], after: Iterable[StandIn]) -> list[str]:
    """That names were hidden, and when."""
    days = sorted({one.day for one in set(after) - set(before)})
    return [f"a name was hidden on request, {day}" for day in days]


def hidden_authors(data: dict[str, Any], names: Hiding) -> dict[str, Any]:
    """A record with the stand-ins where ``registry hide`` puts them, and nowhere else.

    These are the author lines: the values of a paper's ``authors``, what a decision on them
    overruled, and the authors that a source was seen to name.
    """
    seen, field = data.get("observation"), data.get("authors")
    if not names:
        return data
    if data.get("kind") == "evidence" and isinstance(seen, dict):
        return data | {"observation": _entries(seen, ("authors",), lambda one: _line(one, names))}
    if data.get("kind") != "paper" or not isinstance(field, dict):
        return data

    def overruled(word: Any) -> Any:
        return _entries(word, ("value",), lambda value: hidden_in_text(value, names))

    def decision(one: Any) -> Any:
        return _entries(one, ("overruled",), lambda words: _each(words, overruled))

    def assertion(held: Any) -> Any:
        people = ("value", "supersedes")
        return _entries(held, people, lambda line: _each(line, lambda one: _author(one, names)))

    field = _entries(field, ("assertions",), lambda held: _each(held, assertion))
    field = _entries(field, ("decision",), decision)
    field = _entries(field, ("past_decisions",), lambda past: _each(past, decision))
    return data | {"authors": field}


def _entries(data: Any, keys: Iterable[str], change: Callable[[Any], Any]) -> Any:
    if not isinstance(data, dict):
        return data
    return data | {key: change(data[key]) for key in keys if key in data}


def _each(items: Any, change: Callable[[Any], Any]) -> Any:
    return [change(item) for item in items] if isinstance(items, list) else items


def _author(data: Any, names: Hiding) -> Any:
    name = person(data) if isinstance(data, dict) else None
    return {"literal": str(names[name])} if name is not None and name in names else data


def _line(items: Any, names: Hiding) -> Any:
    def hide(item: Any) -> Any:
        name = entry(item)
        return f"{{{names[name]}}}" if name is not None and name in names else item

    return _each(items, hide)


def entry(item: Any) -> Name | None:
    """The author that an entry of an observed author line is."""
    return parse_name(item) if isinstance(item, str) else None


def hidden(data: Any, names: Hiding) -> Any:
    """Plain data with the stand-ins in the places of the names, wherever these stand."""
    if not names:
        return data
    if isinstance(data, dict):
        name = person(data)
        if name is not None and name in names:
            return {"literal": str(names[name])}
        return {key: _listed(inner, names, key) for key, inner in data.items()}
    if isinstance(data, list):
        return [hidden(item, names) for item in data]
    return hidden_in_text(data, names)


def _listed(value: Any, names: Hiding, key: str) -> Any:
    """An author line of an observation, whose entries are names as a whole; or any value."""
    if key != "authors" or not isinstance(value, list):
        return hidden(value, names)
    return [
        f"{{{names[parse_name(item)]}}}"
        if isinstance(item, str) and parse_name(item) in names
        else hidden(item, names)
        for item in value
    ]


def hidden_in_text(text: Any, names: Hiding) -> Any:
    """A text with the stand-ins in the places of the names; anything else as it is."""
    if not isinstance(text, str):
        return text
    for name, stand_in in names.items():
        text = written(name).sub(str(stand_in), text)
    return text


def written(name: Name) -> re.Pattern[str]:
    """The forms in which a name stands in a text, broken over lines or not."""
    family = " ".join(filter(None, (name.particle, name.family)))
    forms = {str(name), ", ".join(filter(None, (family, name.suffix, name.given)))}
    spaced = (r"\s+".join(map(re.escape, form.split())) for form in sorted(forms, key=len))
    return re.compile(rf"(?<!\w)(?:{'|'.join(reversed(list(spaced)))})(?!\w)")


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, (dict, list)):
        for inner in data.values() if isinstance(data, dict) else data:
            yield from _texts(inner)


def _names(data: Any) -> Iterator[Name]:
    if isinstance(data, dict):
        name = person(data)
        if name is not None:
            yield name
        for key, inner in data.items():
            if key == "authors" and isinstance(inner, list):
                yield from (parse_name(item) for item in inner if isinstance(item, str))
            yield from _names(inner)
    elif isinstance(data, list):
        for inner in data:
            yield from _names(inner)


def person(data: dict[str, Any]) -> Name | None:
    """The author that a mapping of plain data is, if it is one."""
    if isinstance(data.get("literal"), str):
        return Name(literal=data["literal"])
    keys = ("given", "particle", "family", "suffix")
    if not isinstance(data.get("family"), str):
        return None
    return Name(*(str(data.get(key, "")) for key in keys))
