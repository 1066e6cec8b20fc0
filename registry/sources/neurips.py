"""NeurIPS: its own proceedings, since 1987."""

from __future__ import annotations

from registry.sources.interface import Speech
from registry.sources.proceedings import Proceedings

SOURCE = Proceedings(
    name="neurips",
    host="proceedings.neurips.cc",
    mirrors=("papers.nips.cc", "papers.neurips.cc"),
    title="Advances in Neural Information Processing Systems",
    speaks=(
        Speech(
            ("title", "authors", "venue", "venue_track", "year", "volume", "pages", "doi"),
            "authoritative",
            "The publisher. The track is part of a page's address.",
        ),
        Speech(("published",), "reliable", "Newer pages give a day, older ones the year alone."),
    ),
)
