"""The things that papers and claims point at: models, datasets, engines and organizations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from registry.records.base import (
    Day,
    EvidenceId,
    Items,
    Maybe,
    MethodId,
    ModelId,
    OrganizationId,
    PaperId,
    Part,
    Record,
    Text,
    Url,
)
from registry.records.quantities import Quantity


class Model(Record):
    """A language model that serves as a target."""

    kind: Literal["model"]
    """Always ``model``."""
    name: Text
    """Name in use."""
    organization: Maybe[OrganizationId] = None
    """Who released it."""
    parameters: Maybe[Quantity] = None
    """Number of parameters, as its name or its card states it."""
    architecture: Maybe[Text] = None
    """Architecture family."""
    mixture_of_experts: Maybe[bool] = None
    """Whether only some of the weights take part in each token."""
    hub_id: Maybe[Text] = None
    """Id on a model hub."""
    version: Maybe[Text] = None
    """Version, where several share a name."""
    aliases: Maybe[Items[Text]] = None
    """Other names and abbreviations that papers use."""
    derived_from: Maybe[ModelId] = None
    """The model it was fine-tuned or converted from."""
    license: Maybe[Text] = None
    """Licence of the weights."""
    evidence: Maybe[Items[EvidenceId]] = None
    """Evidence behind the facts above."""


class Dataset(Record):
    """A set of prompts or training conversations."""

    kind: Literal["dataset"]
    """Always ``dataset``."""
    name: Text
    """Name in use."""
    task: Text
    """What it asks of a model."""
    size: Maybe[Text] = None
    """How many items, and which subset where a subset is used."""
    introduced_by: Maybe[PaperId] = None
    """The paper that introduced it, where it has a record."""
    url: Maybe[Url] = None
    """Where it is."""
    aliases: Maybe[Items[Text]] = None
    """Other spellings."""
    evidence: Maybe[Items[EvidenceId]] = None
    """Evidence behind the facts above."""


Ability = Literal["yes", "no", "unknown"]


class Adoption(Part):
    """That an engine ships a method, and how much of it."""

    method: MethodId
    """The method."""
    since: Maybe[Text] = None
    """First version, commit or change that shipped it; unknown when absent."""
    merged: Maybe[Text] = None
    """When it was merged, as precisely as known."""
    tree_drafting: Ability
    """Whether it drafts trees, or only chains."""
    batching: Ability
    """Whether it runs with more than one sequence."""
    sampling: Ability
    """Whether it runs at a temperature above zero without changing the distribution."""
    limits: Maybe[Items[Text]] = None
    """What it cannot do, or does differently from the paper."""
    evidence: Items[EvidenceId]
    """The evidence."""


class Engine(Record):
    """Software that serves or runs models."""

    kind: Literal["engine"]
    """Always ``engine``."""
    name: Text
    """Name in use."""
    url: Maybe[Url] = None
    """Home page or repository."""
    aliases: Maybe[Items[Text]] = None
    """Other spellings."""
    adoption: Maybe[Items[Adoption]] = None
    """Methods that it ships, each with its scope."""


class Organization(Record):
    """A university, company or institute."""

    kind: Literal["organization"]
    """Always ``organization``."""
    name: Text
    """Name in use."""
    aliases: Maybe[Items[Text]] = None
    """Other names, among them those that author blocks print."""
    type: Literal["university", "company", "institute", "community"]
    """What it is."""
    country: Maybe[Annotated[str, Field(pattern=r"^[A-Z]{2}$")]] = None
    """ISO 3166 code of the country, in quotes: an unquoted NO is not text in YAML."""
    ror: Maybe[Annotated[str, Field(pattern=r"^https://ror\.org/0[a-z0-9]{6}[0-9]{2}$")]] = None
    """ROR id as an address."""
    founded: Maybe[Day] = None
    """Day it was founded, where that settles an identity."""
    evidence: Maybe[Items[EvidenceId]] = None
    """Evidence behind the facts above."""
