from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.equality.venues import VenueNames, compare_venue
from registry.verify import load

PMLR = "Proceedings of Machine Learning Research"
ICML = "International Conference on Machine Learning"


@pytest.mark.parametrize(
    ("text", "venue", "year"),
    [
        ("International Conference on Machine Learning", "icml", None),
        ("Proceedings of the 41st International Conference on Machine Learning", "icml", 2024),
        ("Forty-First International Conference on Machine Learning", "icml", 2024),
        ("forty first international conference on machine learning", "icml", 2024),
        (
            "Forty-first International Conference on Machine Learning, {ICML} 2024, Vienna, "
            "Austria, July 21-27, 2024",
            "icml",
            2024,
        ),
        ("International Conference on Machine Learning (ICML 2024)", "icml", 2024),
        ("ICML'24", "icml", 2024),
        ("ICML ’98", "icml", 1998),
        ("In ICML 2023", "icml", 2023),
        ("ICML2024", "icml", 2024),
        ("Proc. of the 40th Int. Conf. on Machine Learning", "icml", 2023),
        ("Int'l Conf. on Machine Learning", "icml", None),
        ("The Twelfth International Conference on Learning Representations", "iclr", None),
        ("ICLR (Poster)", "iclr", None),
        ("ICLR 2025 Spotlight", "iclr", 2025),
        ("NeurIPS 2022 Datasets and Benchmarks", "neurips", 2022),
        ("Advances in Neural Information Processing Systems 37", "neurips", None),
        (
            "Advances in Neural Information Processing Systems 31: Annual Conference on Neural "
            "Information Processing Systems 2018, NeurIPS 2018, December 3-8, 2018",
            "neurips",
            2018,
        ),
        (
            "Thirty-Eighth Annual Conference on Neural Information Processing Systems",
            "neurips",
            None,
        ),
        (
            "Proceedings of the 62nd Annual Meeting of the Association for Computational "
            "Linguistics (Volume 1: Long Papers)",
            "acl",
            None,
        ),
        (
            "Proceedings of the 2024 Conference on Empirical Methods in Natural Language "
            "Processing, EMNLP 2024, Miami, FL, USA",
            "emnlp",
            2024,
        ),
        ("Findings of the Association for Computational Linguistics: EMNLP 2024", "emnlp", 2024),
        ("Findings of the Association for Computational Linguistics ACL 2024", "acl", 2024),
        ("First Conference on Language Modeling", "colm", None),
        ("Journal of Machine Learning Research", "jmlr", None),
        ("ICLR.cc/2025/Conference", "iclr", 2025),
        ("NeurIPS.cc/2024/Track/Datasets_and_Benchmarks", "neurips", 2024),
        ("dblp.org/conf/ICML/2020", "icml", 2020),
    ],
)
def test_forms_of_a_conference_s_name(
    names: VenueNames, text: str, venue: str, year: int | None
) -> None:
    found = names.resolve(text)
    assert (found.venue, found.year) == (venue, year)


@pytest.mark.parametrize(
    ("recorded", "year", "text", "volume", "outcome", "kind"),
    [
        ("icml", 2024, f"Proceedings of the 41st {ICML}", "235", "same", ""),
        ("icml", 2024, ICML, "", "same", ""),
        ("icml", 2024, PMLR, "235", "same", ""),
        ("icml", 2024, PMLR, "v235", "same", ""),
        ("icml", 2024, PMLR, "", "cannot-tell", "series"),
        ("icml", 2024, PMLR, "999", "different", "volume of another venue"),
        ("icml", 2022, PMLR, "999", "cannot-tell", "series"),
        ("icml", None, PMLR, "999", "cannot-tell", "series"),
        ("neurips", 2024, PMLR, "999", "cannot-tell", "series"),
        ("icml", 2024, "PMLR", "238", "different", "volume of another venue"),
        ("aistats", 2024, "PMLR", "238", "same", ""),
        ("icml", 2024, ICML, "202", "different", "venue year"),
        ("icml", 2024, f"Proceedings of the 40th {ICML}", "", "different", "venue year"),
        ("icml", 2024, f"Proceedings of the 39th {ICML}", "", "different", "venue year"),
        ("icml", 2024, ICML, "238", "different", "volume of another venue"),
        ("icml", 2024, "ICML 2023", "", "different", "venue year"),
        ("icml", None, "ICML 2023", "", "same", ""),
        ("icml", 2024, "Machine Learning", "", "different", "venue"),
        ("icml", 2024, "ICLR 2024", "", "different", "venue"),
        ("icml", 2024, "Lecture Notes in Computer Science", "14000", "cannot-tell", "series"),
        ("icml", 2024, "ICML 2024 Extras for Children", "", "cannot-tell", "unknown venue name"),
        ("icml", 2024, "Submitted to ICML 2024", "", "cannot-tell", "submission"),
        ("icml", 2024, "", "", "cannot-tell", "not given"),
        ("nowhere", 2024, "ICML 2024", "", "cannot-tell", "unknown venue record"),
        (
            "acl",
            2024,
            "Findings of the Association for Computational Linguistics",
            "",
            "cannot-tell",
            "series",
        ),
    ],
)
def test_the_volume_decides_and_the_series_does_not(
    names: VenueNames,
    recorded: str,
    year: int | None,
    text: str,
    volume: str,
    outcome: str,
    kind: str,
) -> None:
    result = compare_venue(recorded, year, text, volume=volume, names=names)
    assert (result.outcome, result.kind) == (outcome, kind)


def test_of_a_year_with_a_listed_volume_no_other_volume_is(names: VenueNames) -> None:
    def judged(recorded_year: int | None, year: int | None, **more: bool) -> str:
        return compare_venue(
            "icml", recorded_year, "PMLR", volume="999", names=names, year=year, **more
        ).outcome

    assert (judged(None, 2024), judged(None, 2022)) == ("different", "cannot-tell")
    assert judged(2022, 2024) == "cannot-tell"
    assert judged(2024, None, workshop=True) == "cannot-tell"


@pytest.mark.parametrize(
    ("text", "volume", "outcome"),
    [
        ("PMLR", "238", "different"),
        ("PMLR", "235", "same"),
        ("PMLR", "", "cannot-tell"),
        ("Lecture Notes in Computer Science", "14000", "cannot-tell"),
        ("LNCS", "", "cannot-tell"),
        ("Lecture Notes in Artificial Intelligence", "", "cannot-tell"),
        ("Lecture Notes of a Summer School", "", "different"),
    ],
)
def test_the_series_that_ship_name_no_conference(
    shipped: Path, text: str, volume: str, outcome: str
) -> None:
    venues = load(shipped, use_cache=False).index.by_kind["venue"].values()
    names = VenueNames([venue.extra for venue in venues])
    assert compare_venue("icml", 2024, text, volume=volume, names=names).outcome == outcome


def test_a_series_beside_the_conference_gives_the_year(names: VenueNames) -> None:
    same = compare_venue("icml", 2024, ICML, series=PMLR, volume="235", names=names)
    other_year = compare_venue("icml", 2023, ICML, series=PMLR, volume="235", names=names)
    only_series = compare_venue("icml", 2024, "", series=PMLR, volume="235", names=names)
    assert (same.outcome, other_year.kind, only_series.outcome) == ("same", "venue year", "same")


def test_a_year_beside_the_venue_fills_a_gap(names: VenueNames) -> None:
    assert names.resolve("ICML", year=2021).year == 2021
    assert names.resolve("ICML 2022", year=2021).year == 2022


PREPRINTS = [
    "arXiv preprint arXiv:1902.00044",
    "arXiv preprint arXiv: 1902.00044",
    "CoRR",
    "CoRR abs/1902.00044",
    "arXiv:1902.00044",
    r"\href{https://arxiv.org/abs/1902.00044}{arXiv:1902.00044}",
    "arXiv preprint",
    "arXiv:1902.00044 [cs.LG]",
    "arXiv (Cornell University)",
    "ArXiv.org",
    "CoRR2018",
    "dblp.org/journals/CORR/2012",
    "Computing Research Repository",
    "arXiv e-prints, page arXiv:1902.00044, February 2019",
    "arXiv preprint arXiv:hep-ph/9803017, under review",
]


@pytest.mark.parametrize("text", PREPRINTS)
def test_naming_the_preprint_server_denies_no_venue(names: VenueNames, text: str) -> None:
    result = compare_venue("icml", 2024, text, volume="abs/1902.00044", names=names)
    assert (result.outcome, result.kind) == ("cannot-tell", "preprint server")
    assert compare_venue("arxiv-preprint", 2019, text, names=names).outcome == "same"


def test_another_preprint_server(names: VenueNames) -> None:
    assert compare_venue("arxiv-preprint", 2019, "bioRxiv", names=names).outcome == "different"
    assert compare_venue("icml", 2019, "bioRxiv", names=names).outcome == "cannot-tell"
    assert compare_venue("biorxiv", 2019, "Preprint.", names=names).outcome == "cannot-tell"


@pytest.mark.parametrize("text", ["ICML 2024", "PMLR", "Some Unheard-of Meeting"])
def test_a_published_version_of_a_recorded_preprint(names: VenueNames, text: str) -> None:
    result = compare_venue("arxiv-preprint", 2024, text, names=names)
    assert (result.outcome, result.kind) == ("different", "published version exists")
    assert text in result.note


@pytest.mark.parametrize(
    "text",
    [
        "Proceedings of the Second Workshop on Invented Examples (at ACL 2019)",
        "ACL 2019, Workshop on Invented Examples",
        "ACL 2019 Workshop IE Poster",
        "ACL.cc/2019/Workshop/IE",
        "Workshop on Invented Examples, ACL 2019, Florence",
    ],
)
def test_a_workshop_is_not_the_conference_it_is_held_at(names: VenueNames, text: str) -> None:
    assert names.resolve(text).workshop
    result = compare_venue("acl", 2019, text, names=names)
    assert (result.outcome, result.kind) == ("different", "workshop")


def test_an_event_with_an_at_sign_is_not_the_conference(names: VenueNames) -> None:
    assert names.resolve("Symposium on Invented Examples, SIE@ICML 2024").venue is None
    assert names.resolve("NeurIPS 2023 InventedTopic Poster").venue is None


def test_a_series_may_have_workshop_in_its_name(names: VenueNames) -> None:
    found = names.resolve("JMLR Workshop and Conference Proceedings")
    assert (found.kind, found.workshop) == ("series", False)


def test_a_name_of_two_venues_is_not_guessed() -> None:
    twins = [
        {"id": "abc-bees", "name": "A Bee Conference", "short_name": "ABC", "type": "conference"},
        {"id": "abc-bots", "name": "A Bot Conference", "short_name": "ABC", "type": "conference"},
    ]
    names = VenueNames(twins)
    result = compare_venue("abc-bees", 2024, "ABC 2024", names=names)
    assert (result.outcome, result.kind) == ("cannot-tell", "unknown venue name")
    assert "abc-bees and abc-bots" in result.note
    assert names.resolve("A Bee Conference").venue == "abc-bees"


@given(
    edition=st.sampled_from(["", "7th ", "Seventh ", "Twenty-First ", "101st "]),
    year=st.sampled_from(["", " 2019", " (ICLR 2019)", " 2019, Oslo, Norway, May 1-3, 2019"]),
    opening=st.sampled_from(["", "In ", "Proceedings of the ", "In Proc. of the ", "The "]),
)
def test_what_stands_around_a_name_never_counts(
    names: VenueNames, edition: str, year: str, opening: str
) -> None:
    text = f"{opening}{edition}International Conference on Learning Representations{year}"
    found = names.resolve(text)
    assert found.venue == "iclr"
    assert found.year == (2019 if year else None)


@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=6))
def test_no_text_breaks_the_resolution(
    names: VenueNames, text: str, series: str, volume: str
) -> None:
    compare_venue("icml", 2024, text, series=series, volume=volume, names=names)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("ICLR 2025 Conference Withdrawn Submission", "different"),
        ("Submitted to ICLR 2025", "cannot-tell"),
        ("ICLR 2025 Poster", "same"),
    ],
)
def test_a_refusal_by_the_recorded_venue_contradicts_it(
    names: VenueNames, text: str, outcome: str
) -> None:
    assert compare_venue("iclr", 2025, text, names=names).outcome == outcome
