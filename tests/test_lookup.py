from __future__ import annotations

from pathlib import Path

import pytest
from library import library

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
        ("osprey-", "'osprey-' is the beginning of several ids", "osprey-archive"),
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


def test_a_record_whose_file_is_broken_is_found_too(tmp_path: Path) -> None:
    books = library(tmp_path)
    books["paper/osprey"]["year"]["status"] = "guessed"
    assert resolve("osprey", load(books.write(), use_cache=False)) == "paper/osprey"
