"""Fixtures for all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings
from world import World, small_world

from eagle_impl.cli import SPIN

# Before torch is loaded: threads that spin for each other can stall a small machine for minutes.
os.environ.setdefault("GOMP_SPINCOUNT", SPIN)

# What is started in a shell's background ignores interrupts, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No property may fail because the machine is busy. A gate gives one verdict on one commit; new
# examples are looked for wherever people work.
settings.register_profile("untimed", deadline=None)
settings.register_profile("gate", deadline=None, derandomize=True, database=None)
settings.load_profile("gate" if os.environ.get("CI") else "untimed")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(autouse=True)
def _no_pull_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where CI tests a pull request, the registries that tests make are none of it."""
    for name in ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """The small world, not yet written."""
    return World(small_world(), tmp_path / "world")


@pytest.fixture
def shipped() -> Path:
    """The root of the shipped registry."""
    return Path(__file__).resolve().parent.parent
