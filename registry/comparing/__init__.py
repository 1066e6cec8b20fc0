"""Puts numbers of several methods side by side, and only those that may stand there.

Two numbers share a row if they count the same thing under the same conditions. A condition that is
not stated is unknown and equals nothing, with one exception: what a table leaves unsaid is the same
for all of its cells. Whatever finds no row is kept, with the conditions that stand in its way.
"""

from __future__ import annotations

from registry.comparing.comparison import Comparison, LeftOut, Row, compare
from registry.comparing.gather import Gathered, gather
from registry.comparing.number import Condition, Number, Source
from registry.comparing.question import Question, ask

__all__ = [
    "Comparison",
    "Condition",
    "Gathered",
    "LeftOut",
    "Number",
    "Question",
    "Row",
    "Source",
    "ask",
    "compare",
    "gather",
]
