"""A new record as the text of its file, in the style of the house."""

from __future__ import annotations

import textwrap

from registry.adding.fields import Gap
from registry.adding.scaffold import Scaffold
from registry.adding.values import one_line
from registry.errors import EditError
from registry.records.outline import keys_at
from registry.store.edit import same
from registry.store.reader import read
from registry.store.style import WIDTH, entry, heading


def as_file(made: Scaffold) -> bytes:
    """The file of a new paper. What could not be filled in stands there as a comment.

    Raises:
        EditError: a value cannot be written so that it is read as what it is.
    """
    record_id = str(made.data["id"])
    notes = {gap.name: _gap(record_id, gap) for gap in made.gaps}
    notes["affiliations"] = _affiliations(record_id)
    lines = [heading("paper")]
    for key in keys_at("paper", ()):
        if key in made.data:
            lines += entry(key, made.data[key], 0)
        if key in notes:
            lines += notes[key]
    raw = ("\n".join(lines) + "\n").encode()
    if not same(read(raw, "").data, made.data):
        raise EditError(
            "a value of the sources cannot be written as YAML", "add the record by hand"
        )
    return raw


def _comment(text: str, command: str) -> list[str]:
    """A comment, and a command on a line of its own, so that it can be copied."""
    # What a source wrote must not end the comment.
    lines = textwrap.wrap(one_line(text), WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in (*lines, f"  {one_line(command)}")]


def _gap(record_id: str, gap: Gap) -> list[str]:
    end = f"--evidence {gap.evidence} --because WHY --by WHO"
    if gap.name == "venue":
        text = (
            f"venue: {gap.words}. No venue on record fits. Add the one that is meant as "
            "data/venues/VENUE.yaml, and then:"
        )
        return _comment(text, f"registry correct {record_id} venue VENUE {end}")
    text = f"{gap.name}: {gap.words}. The record cannot hold this as it stands. To enter a value:"
    return _comment(text, f"registry correct {record_id} {gap.name} VALUE {end}")


def _affiliations(record_id: str) -> list[str]:
    text = (
        "affiliations: to be read from the first page of the paper, since only what is printed "
        "there counts. To cite it:"
    )
    command = (
        f"registry cite-evidence FILE --about paper/{record_id} --source SOURCE "
        "--locator 'first page' --field 'affiliations=[{author: 1, printed: ...}]'"
    )
    return _comment(text, command)
