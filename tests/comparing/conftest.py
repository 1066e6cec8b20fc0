from __future__ import annotations

from pathlib import Path

import pytest
from world import World, small_world

from .worlds import grown


@pytest.fixture
def wood(tmp_path: Path) -> World:
    """The world of two methods, not yet written."""
    return grown(World(small_world(), tmp_path / "wood"))
