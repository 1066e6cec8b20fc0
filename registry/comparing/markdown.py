"""A comparison as a Markdown document."""

from __future__ import annotations

from registry.comparing.comparison import Comparison
from registry.comparing.page import page_of
from registry.views.markdown import render_page


def render(comparison: Comparison) -> str:
    """The comparison; text from records is escaped."""
    return render_page(page_of(comparison))
