"""People and groups as a paper prints them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from registry.records.base import Maybe, OrganizationId, Part, Text, Whole

Orcid = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]$")]
"""An ORCID iD without the address in front of it."""


class Person(Part):
    """A person's name as printed. A mononym is a family name alone."""

    given: Maybe[Text] = None
    """Given names or initials, as printed."""
    particle: Maybe[Text] = None
    """A particle such as ``van der`` that stands before the family name."""
    family: Text
    """Family name, or the only name."""
    suffix: Maybe[Text] = None
    """``Jr.``, ``III`` and the like."""
    orcid: Maybe[Orcid] = None
    """The author's ORCID iD."""


class Group(Part):
    """A consortium or company that signs as one author."""

    literal: Text
    """The group's name as printed; it is never split."""


def _which(value: Any) -> str:
    if isinstance(value, dict):
        return "group" if "literal" in value else "person"
    return "group" if isinstance(value, Group) else "person"


Author = Annotated[
    Annotated[Person, Tag("person")] | Annotated[Group, Tag("group")], Discriminator(_which)
]
"""One entry of an author line."""


class Affiliation(Part):
    """One affiliation of one author, as the paper's own author block prints it.

    It is a fact about that author block, never about where somebody worked.
    """

    author: Whole
    """Position in the author line, counted from 1."""
    printed: Text
    """The affiliation exactly as printed (or as the profile has it)."""
    origin: Maybe[Literal["printed", "profile"]] = None
    """``printed`` on the paper (the default), or taken from an author ``profile``."""
    organization: Maybe[OrganizationId] = None
    """The organization that the printed text was resolved to."""
    resolved_by: Maybe[Text] = None
    """Who resolved it."""
