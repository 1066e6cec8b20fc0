"""JSON for programs. The shape is stable; a change to it raises ``SCHEMA_VERSION``.

::

    schema_version       integer, raised whenever a key is removed or changes its meaning
    program              version of this program
    methods              list of id and name, ordered by id
    asked                metric, model, dataset and temperature that were asked for, or null
    refused              whether there is no table, since methods are not interchangeable
    not_interchangeable  list of: methods (the pair), declared_of (the pair that the records speak
                         of: the same, or methods that they build upon), because (record and text)
    rows                 list of: metric, unit, conditions, cells (method to a list of numbers)
    left_out             list of: number, nearest (the number of another method that fewest
                         conditions keep it from, or null), differences (key, kind, here, there)
    unstated             numbers that do not state a condition which was asked for
    recorded             method to metric to how many numbers there are, whatever was asked for
    unreadable           tables that could not be read

A number has method, metric, unit, value (null for a range), low and high (ends of a range, or of
the repeats), quartiles (both, of the repeats, or null), decimals, bound, repeats, rule and over
(how it was made of others), origin (authors, third-party, here), own (whether the source introduced
the method), drafting, conditions, source and remark. A condition is null where it is unknown,
otherwise text and state: known, or uncertain where the same words may mean something else
elsewhere. All text is ASCII.
"""

from __future__ import annotations

import json

from registry.comparing.comparison import Comparison
from registry.comparing.data import data_of


def render(comparison: Comparison) -> str:
    """The comparison as one JSON object."""
    return json.dumps(data_of(comparison), indent=2) + "\n"
