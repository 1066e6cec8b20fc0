"""A new record as the text of its file, in the style of the house."""

from __future__ import annotations

from registry.adding.fields import Gap
from registry.adding.scaffold import Scaffold
from registry.adding.values import one_line
from registry.editing.gap_notes import gap_note
from registry.errors import EditError
from registry.records.outline import keys_at
from registry.store.edit import same
from registry.store.reader import read
from registry.store.style import entry, heading


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


def _gap(record_id: str, gap: Gap) -> list[str]:
    end = f"--evidence {gap.evidence} --because WHY --by WHO"
    # What a source wrote must not end the comment.
    words = one_line(gap.words)
    if gap.name == "venue":
        text = (
            f"{words}. No venue on record fits. Add the one that is meant as "
            "data/venues/VENUE.yaml, and then:"
        )
        return gap_note("venue", text, f"registry correct {record_id} venue VENUE {end}")
    text = f"{words}. The record cannot hold this as it stands. To enter a value:"
    return gap_note(gap.name, text, f"registry correct {record_id} {gap.name} VALUE {end}")


def _affiliations(record_id: str) -> list[str]:
    text = (
        "to be read from the first page of the paper, since only what is printed there counts. To "
        "cite it:"
    )
    command = (
        f"registry cite-evidence FILE --about paper/{record_id} --source SOURCE "
        "--locator 'first page' --field 'affiliations=[{author: 1, printed: ...}]'"
    )
    return gap_note("affiliations", text, command)
