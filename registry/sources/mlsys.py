"""MLSys: its own proceedings."""

from __future__ import annotations

from registry.sources.interface import Speech
from registry.sources.proceedings import Proceedings

SOURCE = Proceedings(
    name="mlsys",
    host="proceedings.mlsys.org",
    title="Proceedings of Machine Learning and Systems",
    speaks=(
        Speech(
            ("title", "authors", "venue", "venue_track", "year", "volume", "pages"),
            "authoritative",
            "The publisher. The track is part of a page's address.",
        ),
        Speech(("published",), "reliable", "Newer pages give a day, older ones the year alone."),
    ),
)
