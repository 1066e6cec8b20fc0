"""A repository to be compared with its own past."""

from __future__ import annotations

import os

import pytest
from past import Past
from world import World


@pytest.fixture(autouse=True)
def _plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def past(world: World) -> Past:
    """The small world on main, and a branch ``work`` that has begun there."""
    begun = Past.begin(world)
    begun.git("switch", "--quiet", "--create", "work")
    return begun
