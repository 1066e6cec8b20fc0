from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from world import World

from registry.views import VIEWS, view

from .conftest import Find
from .reading import Show


def document(show: Show, key: str = "paper/osprey", *, history: bool = False) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(show(key, "json", history=history))
    return loaded


def test_json_has_the_record_as_its_file_has_it(books: World, show: Show) -> None:
    found = document(show)
    plain = json.loads(json.dumps(books["paper/osprey"], default=str))
    assert found["record"] == plain
    assert found["key"] == "paper/osprey"
    assert found["file"] == "data/papers/osprey.yaml"
    assert found["findings"] == []


def test_json_keys_are_always_there(show: Show) -> None:
    keys = [
        "schema_version",
        "program",
        "key",
        "file",
        "findings",
        "record",
        "matrix",
        "neighbours",
        "referred_by",
    ]
    assert list(document(show)) == keys
    bare = document(show, "organization/holt")
    assert list(bare) == keys
    assert bare["matrix"] is None


def test_json_has_the_neighbours_of_a_paper(books: World, show: Show) -> None:
    neighbours = document(show)["neighbours"]
    assert neighbours["organization/holt"]["name"] == "Holt University"
    assert neighbours["claims/osprey"]["claims"][0]["id"] == "speedup"
    assert neighbours["engine/mill"]["adoption"][0]["since"] == "0.4"
    assert neighbours["evidence/osprey-lost"]["confirmed"] is False
    assert neighbours["benchmark/osprey-here"]["results"][0]["median"] == 1.5
    assert neighbours["method/osprey-two"]["builds_on"] == ["osprey"]
    assert list(neighbours) == sorted(neighbours)
    del books.records["organization/holt"]
    books.root.joinpath("data/organizations/holt.yaml").unlink()
    assert document(show)["neighbours"]["organization/holt"] is None


def test_json_has_the_matrix(show: Show) -> None:
    matrix = document(show)["matrix"]
    assert matrix["sources"] == ["archive", "forum", "index", "proceedings"]
    assert matrix["statuses"]["venue"] == "contested"
    assert matrix["unconfirmed"] == ["osprey-lost"]
    pages = {cell["source"]: cell for cell in matrix["cells"] if cell["field"] == "pages"}
    assert pages["index"]["verdict"] == "contradicted"
    assert pages["index"]["value"] == "11-20"
    assert pages["forum"]["verdict"] == "could-not-ask"


def test_json_has_what_refers_to_the_record(show: Show) -> None:
    referring = document(show)["referred_by"]
    assert {"record": "claims/osprey", "field": "paper"} in referring
    assert {"record": "benchmark/osprey-here", "field": "papers[0]"} in referring
    assert {"record": "evidence/osprey-pages", "field": "about"} in referring


def test_the_history_is_the_same_in_json_and_yaml(show: Show) -> None:
    found = document(show, history=True)
    assert yaml.safe_load(show(form="yaml", history=True)) == found
    assert "record" not in found
    fields = {field["field"]: field for field in found["fields"]}
    first, second = fields["venue"]["assertions"]
    assert (first["value"], first["rank"], first["recorded"]) == (
        "preprints",
        "deprecated",
        "2026-02-02",
    )
    assert second["supersedes"] == "preprints"
    assert second["evidence"][0]["id"] == "osprey-pages"
    assert second["evidence"][0]["record"]["how"] == "transcribed"
    assert first["supersedes"] is None
    assert fields["venue"]["contested_because"].startswith("Nobody has seen")
    assert fields["pages"]["decision"]["overruled"] == [{"source": "index", "value": "11-20"}]
    assert fields["year"]["decision"] is None
    assert found["withdrawn"] is None


def test_yaml_is_the_file_byte_for_byte(books: World, found: Find) -> None:
    file = books.write() / "data/papers/osprey.yaml"
    written = "# Häufig gefragt\r\n" + file.read_text(encoding="utf-8").rstrip("\n")
    subject = found("paper/osprey")
    file.write_bytes(written.encode())
    from registry.verify import load
    from registry.views.collect import collect

    subject = collect("paper/osprey", load(books.root))
    assert view("yaml").render(subject) == written


@pytest.mark.parametrize("form", list(VIEWS))
@pytest.mark.parametrize("history", [False, True])
def test_a_broken_file_shows_its_findings_in_every_format(
    books: World, show: Show, form: str, history: bool
) -> None:
    books["paper/osprey"]["year"]["status"] = "guessed"
    text = show(form=form, history=history)
    assert "SHP005" in text
    assert "guessed" in text
    assert "Diving Decoders" not in text
    if form in ("json", "yaml"):
        loaded = yaml.safe_load(text)
        assert loaded.get("record") is None
        assert loaded["findings"][0]["record"] == "paper/osprey"


def test_a_file_that_is_no_yaml_shows_its_findings(books: World, show: Show) -> None:
    root = books.write()
    (root / "data/papers/knot.yaml").write_text("kind: paper\nid: [knot\n", encoding="utf-8")
    text = show("paper/knot")
    assert "NO USABLE RECORD" in text
    assert "data/papers/knot.yaml:" in text
