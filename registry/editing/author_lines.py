"""Author lines as people type them: names in BibTeX's grammar, with ``;`` or ``and`` between them.

A comma does not part names; it stands behind the family name. Who parts names by commas all the
same would get one author out of several, so that what cannot be one name is refused, and what may
be meant otherwise is told.
"""

from __future__ import annotations

from collections.abc import Sequence

from registry.equality.names import parse_authors, parse_name, split_authors
from registry.errors import EditError

HINT = "write `Given Family; Given Family`, a group as `{Its Name}`"
"""How an author line is written."""


def names_in(text: str) -> list[str]:
    """The names of a line, apart where ``;`` or ``and`` stands outside of braces.

    Raises:
        EditError: something between them is not one name.
    """
    names = [name for part in _parts(text, ";") for name in split_authors(part)]
    wrong = next(filter(None, map(_fault, names)), "") or _mixture(names)
    if wrong:
        raise EditError(f"authors cannot be `{text}`: {wrong}", HINT)
    return names


def doubts(names: Sequence[str]) -> list[str]:
    """What is said of names that may be two, each on one line."""
    return [
        f"`{name}` is read as one author, `{parse_name(name)}`; of two, write `;` between them"
        for name in names
        if _may_be_two(name)
    ]


def _fault(name: str) -> str:
    """Why a text is not one name; empty if it is."""
    words, parts = name.split(), _parts(name, ",")
    if "&" in words or "and" in (words[0].casefold(), words[-1].casefold()):
        return f"`{name}` is not a name"
    if not all(map(str.strip, parts)):
        return f"`{name}` has a comma beside which nothing stands"
    if len(parts) > 3 or (len(parts) == 3 and not any(map(_is_suffix, parts[1:]))):
        return f"`{name}` is not one name, and commas do not part names"
    return ""


def _mixture(names: Sequence[str]) -> str:
    """What is wrong with a line of which commas part some names and others do not."""
    line = parse_authors(names)
    told = names[:-1] if line.truncated else names
    plain = [name for name in told if len(_words(name)) > 1 and len(_parts(name, ",")) == 1]
    double = next(filter(_may_be_two, names), "") if plain else ""
    return f"`{double}` is not one name like `{plain[0]}`" if double else ""


def _may_be_two(name: str) -> bool:
    """Whether ``Family, Given`` may be two names: there are several words on either side."""
    parts = _parts(name, ",")
    is_double = len(parts) == 2 and all(len(_words(part)) > 1 for part in parts)
    return is_double and not parse_name(name).particle


def _is_suffix(text: str) -> bool:
    return bool(parse_name(f"Given Family {text}").suffix)


def _words(text: str) -> list[str]:
    """The words of a text; a group in braces is one."""
    return [word for word in _parts(" ".join(text.split()), " ") if word]


def _parts(text: str, mark: str) -> list[str]:
    """A text, apart where a mark stands outside of braces."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "{") - (char == "}" and depth > 0)
        if char == mark and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts
