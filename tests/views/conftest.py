from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from library import library
from world import World

from registry.verify import load
from registry.views import view
from registry.views.collect import Broken, Subject, collect
from registry.views.pages import page_of
from registry.views.terminal import render_page

from .reading import Show

Find = Callable[[str], Subject | Broken]


@pytest.fixture
def books(tmp_path: Path) -> World:
    """The world with a paper that has everything, not yet written."""
    return library(tmp_path / "library")


@pytest.fixture
def found(books: World) -> Find:
    """Writes the world and collects one record of it."""
    return lambda key: collect(key, load(books.write()))


@pytest.fixture
def show(found: Find) -> Show:
    """Writes the world and shows one record of it."""

    def shown(
        key: str = "paper/osprey", form: str = "terminal", *, history: bool = False, width: int = 0
    ) -> str:
        subject = found(key)
        if width:
            return render_page(page_of(subject, with_history=history), width)
        return view(form).render(subject, with_history=history)

    return shown
