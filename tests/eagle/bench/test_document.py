from __future__ import annotations

import json
from pathlib import Path

import pytest

from eagle_impl.bench.document import check_place, write
from eagle_impl.errors import OptionError


def test_a_document_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")
    with pytest.raises(TypeError):
        write(path, {"runs": [1, object()]})
    assert path.read_text() == "old"
    check_place(path)
    write(path, {"runs": [1, 2]})
    assert json.loads(path.read_text()) == {"format": 1, "runs": [1, 2]}
    assert [*tmp_path.iterdir()] == [path]


def test_places_where_nothing_can_be_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="it is a folder"):
        check_place(tmp_path)
    with pytest.raises(OptionError, match="cannot be written"):
        check_place(tmp_path / "none" / "out.json")
    with pytest.raises(OptionError, match="No such file"):
        write(tmp_path / "none" / "out.json", {})
