from __future__ import annotations

import json
from pathlib import Path

import pytest

from eagle_impl.bench.document import check_places, write
from eagle_impl.errors import OptionError


def test_a_document_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")
    with pytest.raises(TypeError):
        write(path, {"runs": [1, object()]})
    assert path.read_text() == "old"
    check_places([path], [])
    write(path, {"runs": [1, 2]})
    assert json.loads(path.read_text()) == {"format": 1, "runs": [1, 2]}
    assert [*tmp_path.iterdir()] == [path]


def test_places_where_nothing_can_be_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="it is a folder"):
        check_places([tmp_path], [])
    with pytest.raises(OptionError, match="cannot be written"):
        check_places([tmp_path / "none" / "out.json"], [])
    with pytest.raises(OptionError, match="No such file"):
        write(tmp_path / "none" / "out.json", {})


def test_what_is_read_or_written_as_well_is_no_place(tmp_path: Path) -> None:
    head, workload = tmp_path / "head", tmp_path / "questions.jsonl"
    head.mkdir()
    workload.write_text("")
    (tmp_path / "link.json").symlink_to(workload)
    (tmp_path / "folder").symlink_to(head)
    read = [head, workload]
    for taken in ("questions.jsonl", "link.json", "head/out.json", "folder/model.safetensors"):
        with pytest.raises(OptionError, match="would take the place of"):
            check_places([tmp_path / taken], read)
    with pytest.raises(OptionError, match="would take the place of"):
        check_places([tmp_path / "out.json", tmp_path / "head" / ".." / "out.json"], read)
    check_places([tmp_path / "out.json", tmp_path / "heads.json"], read)


def test_a_document_follows_a_link_and_goes_into_a_pipe(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept.json", tmp_path / "link.json"
    kept.write_text("old")
    link.symlink_to(kept)
    write(link, {"runs": []})
    assert link.is_symlink()
    assert json.loads(kept.read_text()) == {"format": 1, "runs": []}
    write(Path("/dev/null"), {})
    assert not Path("/dev/null").is_file()
