from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from papers import Paper, papers
from played import client_for, playing
from plays import mlsys as play
from plays import neurips
from plays.neurips import path, track

from registry.equality.tracks import compare_tracks
from registry.equality.venues import VenueNames, compare_venue
from registry.records.evidence import Observation
from registry.sources.interface import Answer, Query
from registry.sources.mlsys import SOURCE
from registry.store.reader import read

KNOWN = papers(8, venue="mlsys")
IN_2023 = tuple(
    replace(one, year=2023, published=date(2023, 5, 12)) for one in papers(4, 3, venue="mlsys")
)
IN_2020 = tuple(
    replace(one, year=2020, published=date(2020, 3, 15)) for one in papers(4, 4, venue="mlsys")
)


def query_of(paper: Paper, *addresses: str) -> Query:
    return Query(
        f"paper/p{paper.number}",
        title=paper.title,
        authors=paper.names,
        year=paper.year,
        venue="mlsys",
        addresses=addresses,
    )


def ask(known: tuple[Paper, ...], *queries: Query) -> list[Answer]:
    return list(SOURCE.ask(queries, client_for(SOURCE, playing(play, known))))


@pytest.mark.parametrize(
    ("known", "volume", "token"),
    [(KNOWN, "6", "Conference"), (IN_2023, "5", "mlsys2023"), (IN_2020, "2", None)],
)
def test_the_years_of_mlsys(known: tuple[Paper, ...], volume: str, token: str | None) -> None:
    for answer in ask(known, *map(query_of, known)):
        assert answer.outcome == "answered"
        seen = answer.observation
        Observation.model_validate(seen)
        assert seen["venue"] == "Proceedings of Machine Learning and Systems"
        assert (seen["volume"], seen.get("venue_track")) == (volume, token)
        assert ("venue_track" in answer.silent_on) is (token is None)
        # MLSys gives no DOI, so it is not missed either.
        assert "doi" not in answer.silent_on


def test_its_own_addresses_and_no_others() -> None:
    one = KNOWN[0]
    [answer] = ask(KNOWN, query_of(one, f"https://{SOURCE.host}{path(one)}"))
    assert answer.url == f"https://{SOURCE.host}{path(one)}"
    elsewhere = f"https://{neurips.SITE.host}{path(one)}"
    assert not SOURCE.can_ask(Query("paper/a", addresses=(elsewhere,)))
    assert not SOURCE.can_ask(replace(query_of(one), venue="neurips"))


def test_the_record_of_the_venue_knows_how_the_site_spells_it(shipped: Path) -> None:
    venue = read((shipped / "data/venues/mlsys.yaml").read_bytes(), "mlsys.yaml").data
    assert venue is not None
    names = VenueNames([venue])
    for one, year in ((KNOWN[0], 2024), (IN_2023[0], 2023)):
        seen = ask((one,), query_of(one))[0].observation
        found = compare_venue("mlsys", year, seen["venue"], volume=seen["volume"], names=names)
        assert found.outcome == "same"
        tracks = names.tracks_of("mlsys")
        assert compare_tracks("main", track(one), tracks=tracks).outcome == "same"


def test_ping() -> None:
    assert SOURCE.ping(client_for(SOURCE, playing(play, KNOWN))) == ""


def test_the_record_of_the_source_says_the_same(shipped: Path) -> None:
    record = read((shipped / f"data/sources/{SOURCE.name}.yaml").read_bytes(), "source.yaml").data
    assert record is not None
    assert [(speech.fields, speech.trust, speech.because) for speech in SOURCE.speaks] == [
        (tuple(own["fields"]), own["trust"], own["because"]) for own in record["speaks_about"]
    ]
