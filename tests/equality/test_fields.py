from __future__ import annotations

import subprocess
import sys
from typing import Any, get_args

import pytest

from registry.equality.fields import Context, compare
from registry.equality.venues import VenueNames
from registry.records.evidence import FieldName

PEAK = "peaks.fp16-dense-matrix"


def amount(value: float, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit}


@pytest.fixture
def icml(names: VenueNames) -> Context:
    return Context(names, recorded_venue="icml", recorded_year=2024)


@pytest.mark.parametrize("field", get_args(FieldName))
def test_every_field_has_a_rule_and_nothing_observed_decides_nothing(
    icml: Context, field: str
) -> None:
    values: list[Any] = [None, "", [], ()]
    for nothing in [{}, *({field: value} for value in values)]:
        result = compare(field, "icml", nothing, icml)
        assert (result.outcome, result.note) == ("cannot-tell", "")
    assert compare(field, None, {}, icml).outcome == "cannot-tell"


@pytest.mark.parametrize("field", ["title", "authors", "venue", "year", "pages", "code", "power"])
def test_nothing_recorded_decides_nothing(icml: Context, field: str) -> None:
    observed = {"title": "Snow", "authors": ["Una Birke"], "venue": "ICML", "year": 2024}
    observed |= {
        "pages": "1-9",
        "code": "https://example.org/a/b",
        "power": amount(1, "W"),
    }
    assert compare(field, None, observed, icml).outcome == "cannot-tell"


def test_comparing_loads_nothing_heavy() -> None:
    heavy = "{'pydantic', 'rich', 'typer', 'pylatexenc'}"
    code = f"import sys, registry.equality.fields; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_field_is_an_error(icml: Context) -> None:
    with pytest.raises(KeyError):
        compare("colour", "red", {"colour": "blue"}, icml)


@pytest.mark.parametrize(
    ("field", "recorded", "observed"),
    [
        ("title", "{Snow}: A Study", {"title": "Snow: a study."}),
        ("authors", [{"given": "Una", "family": "Birke"}], {"authors": ["Birke, Una"]}),
        (
            "affiliations",
            [{"author": 1, "printed": "Snow University"}],
            {"affiliations": [{"author": 1, "printed": "SNOW  University"}]},
        ),
        ("venue", "icml", {"venue": "Proceedings of Machine Learning Research", "volume": "235"}),
        ("venue_track", "main", {"venue_track": "Conference"}),
        ("year", 2024, {"year": 2024}),
        ("volume", "235", {"volume": "v235"}),
        ("volume", "235", {"volume": "Volume 235"}),
        ("pages", "61-66", {"pages": "61--66"}),
        ("doi", "10.5555/abc", {"doi": "https://doi.org/10.5555/ABC"}),
        ("arxiv_id", "1902.00044", {"arxiv_id": "arXiv:1902.00044v2"}),
        (
            "openreview_id",
            "aB3xx9Kq",
            {"openreview_id": "https://openreview.net/forum?id=aB3xx9Kq"},
        ),
        ("dblp_key", "conf/abc/BirkeM24", {"dblp_key": "DBLP:conf/abc/BirkeM24"}),
        ("code", "https://github.com/a/b", {"code": "http://www.github.com/A/B.git"}),
        ("published", "2024-07-08", {"published": "2024-07-08"}),
        ("memory_size", amount(40, "GB"), {"memory_size": amount(40.0, "GB")}),
        ("memory_type", "HBM2e", {"memory_type": "HBM 2E"}),
        ("form_factor", "SXM4", {"form_factor": "sxm-4"}),
        (PEAK, amount(312, "TFLOP/s"), {PEAK: amount(0.312, "PFLOP/s")}),
    ],
)
def test_two_forms_of_one_fact(
    icml: Context, field: str, recorded: Any, observed: dict[str, Any]
) -> None:
    assert compare(field, recorded, observed, icml).outcome == "same"


@pytest.mark.parametrize(
    ("field", "recorded", "observed"),
    [
        ("title", "Snow in May", {"title": "Snow in June"}),
        ("authors", [{"given": "Una", "family": "Birke"}], {"authors": ["Rolf Fern"]}),
        ("venue", "icml", {"venue": "ICLR 2024"}),
        ("venue_track", "main", {"venue": "Workshop on Snow (ICML 2024)"}),
        ("venue_track", "main", {"venue": "Findings of the Rain Society: ICML 2024"}),
        ("year", 2024, {"year": 2023}),
        ("volume", "235", {"volume": "202"}),
        ("pages", "61-66", {"pages": "61-67"}),
        ("doi", "10.5555/abc", {"doi": "10.5555/abd"}),
        ("arxiv_id", "1902.00044", {"arxiv_id": "1902.00045"}),
        ("published", "2024-07-08", {"published": "2024-07-21"}),
        ("memory_type", "HBM2", {"memory_type": "HBM2e"}),
        ("power", amount(300, "W"), {"power": amount(350, "W")}),
        (PEAK, amount(312, "TFLOP/s"), {PEAK: amount(624.0, "TFLOP/s")}),
    ],
)
def test_two_facts(icml: Context, field: str, recorded: Any, observed: dict[str, Any]) -> None:
    assert compare(field, recorded, observed, icml).outcome == "different"


@pytest.mark.parametrize(
    ("field", "recorded", "value", "kind"),
    [
        ("venue", "icml", "CoRR", "preprint server"),
        ("year", 2024, 2023, "preprint's year"),
        ("volume", "235", "abs/1902.00044", "preprint's volume"),
        ("pages", "61-66", "1-14", "preprint's pages"),
        ("published", "2024-07-08", "2024-01-26", "preprint's day"),
    ],
)
def test_what_a_preprint_has_of_its_own_denies_nothing(
    icml: Context, field: str, recorded: Any, value: Any, kind: str
) -> None:
    observed = {"venue": "arXiv.org", field: value}
    result = compare(field, recorded, observed, icml)
    assert (result.outcome, result.kind) == ("cannot-tell", kind)


def test_a_preprint_server_s_own_answer_needs_no_venue(names: VenueNames, icml: Context) -> None:
    server = Context(names, "icml", 2024, source_type="preprint-server")
    assert compare("year", 2024, {"year": 2023}, server).kind == "preprint's year"
    assert compare("year", 2024, {"year": 2024}, server).outcome == "same"
    assert compare("year", 2024, {"year": 2023}, icml).outcome == "different"


def test_a_recorded_preprint_has_the_preprint_s_year(names: VenueNames) -> None:
    preprint = Context(names, "arxiv-preprint", 2024, source_type="preprint-server")
    assert compare("year", 2024, {"year": 2023}, preprint).outcome == "different"


def test_a_paper_recorded_under_the_workshops_of_a_venue(names: VenueNames) -> None:
    filed = Context(names, "icml", 2024, recorded_track="workshop")
    observed = {"venue": "ICML 2024 Workshop on Snow"}
    assert compare("venue", "icml", observed, filed).outcome == "same"
    assert (
        compare("venue", "icml", {"venue": "ICML 2023 Workshop on Snow"}, filed).kind
        == "venue year"
    )
    assert (
        compare("venue", "icml", {"venue": "ICLR 2024 Workshop on Snow"}, filed).kind == "workshop"
    )


def test_an_index_that_upgraded_a_record_by_half(icml: Context) -> None:
    observed = {"venue": "ICML", "year": 2023, "doi": "10.48550/arXiv.2301.00001"}
    assert compare("year", 2024, observed, icml).kind == "preprint's year"
    assert compare("year", 2022, observed, icml).outcome == "different"


def test_the_preprint_s_doi_beside_no_recorded_doi(icml: Context) -> None:
    result = compare("doi", None, {"doi": "10.48550/arXiv.2301.00001"}, icml)
    assert (result.outcome, result.kind) == ("cannot-tell", "preprint's DOI")


def test_a_year_that_is_none(icml: Context) -> None:
    assert compare("year", 2024, {"year": "in press"}, icml).kind == "unreadable"


def test_the_source_s_rounding_is_heeded(names: VenueNames, icml: Context) -> None:
    coarse = Context(names, significant_digits=1)
    recorded, observed = amount(7700, "GB/s"), amount(8000, "GB/s")
    field = {"memory_bandwidth": observed}
    assert compare("memory_bandwidth", recorded, field, coarse).outcome == "same"
    assert compare("memory_bandwidth", recorded, field, icml).outcome == "different"


def test_a_title_without_identifier_confirms_less(names: VenueNames, icml: Context) -> None:
    unsure = Context(names, same_work=False)
    observed = {"title": "Snow"}
    assert compare("title", "Snow: A Study", observed, icml).outcome == "same"
    assert compare("title", "Snow: A Study", observed, unsure).outcome == "cannot-tell"


def test_a_series_with_workshop_in_its_name_is_no_workshop_paper(icml: Context) -> None:
    observed = {"venue": "JMLR Workshop and Conference Proceedings", "venue_track": "main"}
    assert compare("venue_track", "main", observed, icml).outcome == "same"


def test_the_publisher_s_record_of_the_eagle_paper(icml: Context) -> None:
    front_matter: dict[str, Any] = {
        "title": "{EAGLE}: Speculative Sampling Requires Rethinking Feature Uncertainty",
        "authors": ["Li, Yuhui", "Wei, Fangyun", "Zhang, Chao", "Zhang, Hongyang"],
        "venue": "Proceedings of the 41st International Conference on Machine Learning",
        "series": "Proceedings of Machine Learning Research",
        "volume": "235",
        "pages": "28935-28948",
        "year": 2024,
        "openreview_id": "1NdN7eXyb4",
    }
    people = [name.partition(", ") for name in front_matter["authors"]]
    record = {
        "title": "EAGLE: Speculative Sampling Requires Rethinking Feature Uncertainty",
        "authors": [{"given": given, "family": family} for family, _, given in people],
        "venue": "icml",
        "volume": "235",
        "pages": "28935--28948",
        "year": 2024,
        "openreview_id": "1NdN7eXyb4",
    }
    for field, value in record.items():
        result = compare(field, value, front_matter, icml)
        assert (field, result.outcome, result.note) == (field, "same", "")
