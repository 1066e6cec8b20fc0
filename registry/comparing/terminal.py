"""A comparison as plain text, a hundred columns wide."""

from __future__ import annotations

from registry.comparing.comparison import Comparison
from registry.comparing.page import page_of
from registry.views.terminal import render_page


def render(comparison: Comparison) -> str:
    """The comparison without colours."""
    return render_page(page_of(comparison))
