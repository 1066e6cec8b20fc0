"""The plots that come with the project are those that its records give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from eagle_impl.bench.plots import PLOTS
from eagle_impl.bench.shown import open_benchmark

ROOT = Path(__file__).parents[3]
DRAWN = sorted((ROOT / "figures").glob("*.svg"))


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_a_plot_is_drawn_from_its_record(path: Path) -> None:
    record, _, name = path.stem.rpartition("-")
    assert path.read_text("utf-8") == PLOTS[name](open_benchmark(record, ROOT))


def test_the_readme_shows_plots_that_are_there() -> None:
    shown = re.findall(r"\]\((figures/[^)]+\.svg)\)", (ROOT / "README.md").read_text("utf-8"))
    assert shown
    assert {ROOT / path for path in shown} <= set(DRAWN)
