"""What to ask, and how the host that is asked wants to be treated."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from registry.sources.answers import Kind


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """How a host wants to be treated."""

    host: str
    interval: float = 1.0
    """Seconds between the starts of two requests."""
    concurrency: int = 1
    """Requests under way at once."""
    largest: int = 8 << 20
    """Bytes that an answer may have."""
    patience: float = 30.0
    """Seconds that one request may take in all."""
    throttles: frozenset[int] = frozenset({429})
    """Statuses that mean: ask later."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to ask. Credentials stand apart, so that ``url`` can be shown and stored."""

    url: str
    expect: Kind
    accept: frozenset[int] = frozenset({200})
    """Statuses whose answer the source wants to judge itself, such as 404."""
    secret_parameters: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, object] | None = None
    """Sent as JSON with POST, if given."""
    secret_body: Mapping[str, str] | None = field(default=None, repr=False)
    """Credentials that are sent as JSON with POST in place of ``body``."""
    wait_hint: Callable[[bytes], float | None] | None = None
    """Reads out of a refusal how many seconds to wait, where the host says it in the body."""

    @property
    def identity(self) -> tuple[str, str]:
        """What makes two requests the same question, without any credential."""
        return self.url, json.dumps(self.body, sort_keys=True)

    @property
    def posts(self) -> bool:
        """Whether a body is sent."""
        return self.body is not None or self.secret_body is not None

    @property
    def secrets(self) -> frozenset[str]:
        """Every text that only the host that is asked may see."""
        whole = [*self.secret_parameters.values(), *(self.secret_body or {}).values()]
        # A header holds a key alone or after a word, as in "Bearer KEY".
        keys = [value.split()[-1] for value in self.secret_headers.values() if value.split()]
        return frozenset(text for text in (*whole, *keys) if text)
