"""Authors in BibTeX's grammar, so that every reader takes them apart where the record does.

A name is ``von Family, Jr., Given``. Braces go around what the grammar would take apart otherwise,
and around a group as a whole. An author line is always whole: nothing is left to ``and others``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from registry.bibliography.tex import encode
from registry.records.names import Author, Group, Person

_TORN = re.compile(r",|(?<!\S)(?:and|others)(?!\S)", re.IGNORECASE)
"""What parts an author line or a name, wherever it stands outside of braces."""


def author_field(authors: Sequence[Author]) -> str:
    """The authors in their order."""
    return " and ".join(map(_name, authors))


def _name(author: Author) -> str:
    if isinstance(author, Group):
        return _whole(author.literal)
    given, suffix = author.given or "", author.suffix or ""
    if given:
        return ", ".join(filter(None, (_last(author), _part(suffix), _part(given))))
    everything = " ".join(filter(None, (author.particle, author.family, suffix)))
    alone = not suffix and len(author.family.split()) == 1
    # Without given names the grammar knows a family name of one word, with particles before it.
    return _last(author) if alone else _whole(everything)


def _last(person: Person) -> str:
    """The particle and the family name, such that the first is read as one and the second is not.

    The small words at the front are the particle, up to the last one that has another word behind.
    """
    particle, words = (person.particle or "").split(), person.family.split()
    if not all(map(_is_small, particle)) or any(map(_TORN.search, particle)):
        return _whole(" ".join((*particle, *words)))
    family = _part(person.family)
    if len(words) > 1 and any(map(_is_small, words)):
        family = _whole(person.family)
    return " ".join(filter(None, (*map(encode, particle), family)))


def _is_small(word: str) -> bool:
    """Whether BibTeX takes a word for a particle: its first letter is a small one."""
    first = word.lstrip("'")[:1]
    return first.isalpha() and first.islower()


def _part(text: str) -> str:
    text = " ".join(text.split())
    return _whole(text) if _TORN.search(text) else encode(text)


def _whole(text: str) -> str:
    return f"{{{encode(' '.join(text.split()))}}}"
