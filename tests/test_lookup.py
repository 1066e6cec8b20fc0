from __future__ import annotations

from pathlib import Path

import pytest
from library import library
from world import World, small_world

from registry.errors import UnknownRecordError
from registry.lookup import resolve, resolve_all
from registry.verify import Registry, load


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return load(library(tmp_path_factory.mktemp("library")).write(), use_cache=False)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("osprey", "paper/osprey"),
        (" Osprey ", "paper/osprey"),
        ("method/osprey", "method/osprey"),
        ("methods/Osprey", "method/osprey"),
        ("evidence/osprey-lost", "evidence/osprey-lost"),
        ("claims/o", "claims/osprey"),
        ("proceedings-t", "evidence/proceedings-trees"),
        ("kestrel-48", "accelerator/kestrel-48gb"),
        ("2501.01234", "paper/osprey"),
        ("https://arxiv.org/pdf/2501.01234v1", "paper/osprey"),
        ("doi:10.5555/osprey.1", "paper/osprey"),
        ("data/methods/osprey.yaml", "method/osprey"),
        ("/some/where/data/methods/osprey.yaml", "method/osprey"),
    ],
)
def test_a_name_means_a_record(registry: Registry, name: str, key: str) -> None:
    assert resolve(name, registry) == key


def test_an_id_means_the_records_of_all_kinds_where_all_are_wanted(registry: Registry) -> None:
    assert resolve_all(["osprey"], registry) == ("paper/osprey", "method/osprey", "claims/osprey")
    assert resolve_all(["method/osprey", "osprey"], registry)[0] == "method/osprey"


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("ospray", "no record is called 'ospray'", "osprey"),
        ("osprey-", "'osprey-' is the beginning of several ids", "osprey-here, osprey-two"),
        (
            "evidence/osprey-",
            "'evidence/osprey-' is the beginning of several ids",
            "osprey-archive",
        ),
        ("method/ospray", "no record is called 'method/ospray'", "osprey or osprey-two"),
        ("venue/osprey", "no record is called 'venue/osprey'", "`registry list`"),
        ("2509.99999", "no record is called '2509.99999'", "`registry list`"),
        ("", "no record is called ''", "`registry list`"),
        ("paper/", "no record is called 'paper/'", "`registry list`"),
    ],
)
def test_a_name_that_means_nothing_gets_a_hint(
    registry: Registry, name: str, message: str, hint: str
) -> None:
    with pytest.raises(UnknownRecordError) as caught:
        resolve(name, registry)
    assert caught.value.message == message
    assert hint in caught.value.hint


def test_the_beginning_of_an_id_means_what_is_spoken_about_before_what_speaks(
    tmp_path: Path,
) -> None:
    world = World(small_world(), tmp_path)
    world.records["source/trees-repository"] = world["source/index"] | {"id": "trees-repository"}
    world.records["evidence/trees-in-index"] = world["evidence/index-trees"] | {
        "id": "trees-in-index"
    }
    registry = load(world.write(), use_cache=False)
    assert resolve("tree", registry) == "paper/trees"
    assert resolve_all(["tree"], registry) == ("paper/trees", "method/trees")
    assert resolve("trees-r", registry) == "source/trees-repository"


def test_of_kinds_that_are_asked_for_no_other_is_meant_or_proposed(registry: Registry) -> None:
    assert resolve("ospre", registry, ("paper",)) == "paper/osprey"
    assert resolve("osprey-t", registry, ("method",)) == "method/osprey-two"
    with pytest.raises(UnknownRecordError) as caught:
        resolve("osprey-t", registry, ("paper",))
    assert caught.value.message == "no paper is called 'osprey-t'"
    assert "osprey-two" not in caught.value.hint
    with pytest.raises(UnknownRecordError) as caught:
        resolve("kestrel-48gb", registry, ("paper",))
    assert caught.value.hint == "`registry list papers` shows all papers"


def test_a_record_whose_file_is_broken_is_found_too(tmp_path: Path) -> None:
    books = library(tmp_path)
    books["paper/osprey"]["year"]["status"] = "guessed"
    assert resolve("osprey", load(books.write(), use_cache=False)) == "paper/osprey"
