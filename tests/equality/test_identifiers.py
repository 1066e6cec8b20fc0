from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.equality.identifiers import (
    compare_arxiv_ids,
    compare_dblp_keys,
    compare_dois,
    compare_openreview_ids,
    compare_repositories,
    parse_arxiv_id,
    parse_dblp_key,
    parse_doi,
    parse_openreview_id,
    parse_repository,
)


@pytest.mark.parametrize(
    ("text", "arxiv_id", "version"),
    [
        ("hep-ph/9803017", "hep-ph/9803017", ""),
        ("hep-ph/9803017v2", "hep-ph/9803017", "v2"),
        ("solv-int/9805004v12", "solv-int/9805004", "v12"),
        ("math.AG/0412008", "math/0412008", ""),
        ("cond-mat.str-el/0412008", "cond-mat/0412008", ""),
        ("arXiv:1801.01290v3", "1801.01290", "v3"),
        ("ARXIV: 1801.01290", "1801.01290", ""),
        ("https://arxiv.org/abs/1801.01290v1", "1801.01290", "v1"),
        ("https://arxiv.org/pdf/1801.01290v2.pdf", "1801.01290", "v2"),
        ("https://arxiv.org/html/1801.01290v2#S1", "1801.01290", "v2"),
        ("http://export.arxiv.org/abs/hep-ph/9803017", "hep-ph/9803017", ""),
        ("arxiv.org/abs/1801.01290?context=cs", "1801.01290", ""),
        ("10.48550/arXiv.1801.01290", "1801.01290", ""),
        ("https://doi.org/10.48550/ARXIV.1801.01290", "1801.01290", ""),
        ("arXiv:1801.01290 [cs.AI]", "1801.01290", ""),
        ("CoRR abs/1801.01290", "1801.01290", ""),
        ("0704.0002", "0704.0002", ""),
        ("1412.9999", "1412.9999", ""),
        ("1501.00002", "1501.00002", ""),
        ("cs/1801.01290", "1801.01290", ""),
        ("math/0703999", "math/0703999", ""),
        ("hep-th/9107001", "hep-th/9107001", ""),
    ],
)
def test_every_form_of_an_arxiv_id(text: str, arxiv_id: str, version: str) -> None:
    read = parse_arxiv_id(text)
    assert (read.id, read.version, read.fault) == (arxiv_id, version, "")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("1813.00001", "month"),
        ("1800.00001", "month"),
        ("4321.8765", "month"),
        ("1801.0129", "5 digits"),
        ("1412.01234", "4 digits"),
        ("0703.0001", "0704"),
        ("1801.01290v0", "v1"),
        ("1801.00000", "count from 1"),
        ("hep-ph/9813017", "month"),
        ("hep-ph/0704001", "9107"),
        ("nothing/9803017", "archive"),
        ("1801.01290/login", "form"),
        ("https://arxiv.org/abs/1801.01290/login", "form"),
        ("not-an-id", "form"),
        ("", "form"),
        ("1801.01290 and more", "form"),
    ],
)
def test_what_is_no_arxiv_id_says_why(text: str, word: str) -> None:
    read = parse_arxiv_id(text)
    assert (read.id, read.fault) == ("", "invalid")
    assert word in read.reason


def test_an_old_number_without_archive_is_ambiguous() -> None:
    assert parse_arxiv_id("9803017").fault == "ambiguous"
    assert compare_arxiv_ids("hep-ph/9803017", "9803017").outcome == "cannot-tell"


def test_both_spellings_of_an_old_id_are_one_paper() -> None:
    assert compare_arxiv_ids("math.AG/0412008", "math/0412008v2").outcome == "same"
    assert compare_arxiv_ids("1801.01290", "arXiv:1801.01291").outcome == "different"


@given(
    year=st.integers(15, 40),
    month=st.integers(1, 12),
    number=st.integers(1, 99999),
    version=st.integers(1, 30),
    wrapper=st.sampled_from(["{}", "arXiv:{}", "https://arxiv.org/abs/{}", "arxiv.org/pdf/{}.pdf"]),
)
def test_wrappers_never_change_an_arxiv_id(
    year: int, month: int, number: int, version: int, wrapper: str
) -> None:
    bare = f"{year:02}{month:02}.{number:05}"
    read = parse_arxiv_id(wrapper.format(f"{bare}v{version}"))
    assert (read.id, read.version) == (bare, f"v{version}")


@pytest.mark.parametrize(
    ("one", "other", "outcome"),
    [
        (r"10.5555/978-1-000-11100-1\_7", "10.5555/978-1-000-11100-1_7", "same"),
        (r"10.5555/978-1-000-11100-1{\_}7", "10.5555/978-1-000-11100-1_7", "same"),
        (r"10.5555/978-1-000-11100-1\_7", r"10.5555/978-1-000-11100-1\_71", "different"),
        ("10.5555/Xyz.2", "https://doi.org/10.5555/xyz.2", "same"),
        ("doi:10.5555/XYZ.2", "http://dx.doi.org/10.5555%2Fxyz.2", "same"),
        ("DOI: 10.5555/XYZ.2", "doi.org/10.5555/xyz.2", "same"),
        ("10.5555/T1111(88)00034-5", "10.5555/t1111(88)00034-5", "same"),
        ("10.5555/T1111(88)00034-5", "10.5555/t1111", "different"),
        ("10.5555/xyz", "10.5555/xyz-2", "different"),
        ("10.48550/arXiv.1801.01290", "10.48550/arxiv.1801.01290", "same"),
        ("10.48550/arXiv.1801.01290", "10.48550/arXiv.1801.01291", "different"),
        ("10.5555/xyz", "not a doi", "cannot-tell"),
        ("10.5555/xyz", "", "cannot-tell"),
    ],
)
def test_forms_of_a_doi(one: str, other: str, outcome: str) -> None:
    assert compare_dois(one, other).outcome == outcome


def test_a_full_stop_behind_a_doi_is_noted() -> None:
    result = compare_dois("10.5555/xyz.2.", "10.5555/xyz.2")
    assert (result.outcome, result.kind) == ("same", "full stop")
    assert result.note


@pytest.mark.parametrize("recorded", ["10.5555/xyz", ""])
def test_a_preprint_s_doi_denies_no_publication(recorded: str) -> None:
    result = compare_dois(recorded, "https://doi.org/10.48550/arXiv.1801.01290")
    assert (result.outcome, result.kind) == ("cannot-tell", "preprint's DOI")


def test_a_publisher_s_doi_beside_a_recorded_preprint() -> None:
    result = compare_dois("10.48550/arXiv.1801.01290", "10.5555/xyz")
    assert (result.outcome, result.kind) == ("different", "published version exists")


@given(st.from_regex(r"10\.[0-9]{4}/[a-z0-9().;_-]{1,20}", fullmatch=True))
def test_resolvers_and_case_never_change_a_doi(doi: str) -> None:
    for form in (doi, doi.upper(), f"https://doi.org/{doi}", f"doi:{doi}"):
        assert parse_doi(form) == doi


@pytest.mark.parametrize(
    "text",
    [
        "aB3_x-9Kq",
        "https://openreview.net/forum?id=aB3_x-9Kq",
        "https://openreview.net/forum?id=aB3_x-9Kq&noteId=zzz",
        "https://openreview.net/pdf?id=aB3_x-9Kq",
        "openreview.net/forum?noteId=zzz&id=aB3_x-9Kq",
    ],
)
def test_openreview_addresses(text: str) -> None:
    assert parse_openreview_id(text) == "aB3_x-9Kq"


def test_openreview_ids_keep_their_case() -> None:
    assert compare_openreview_ids("aB3xx9Kq", "ab3xx9kq").outcome == "different"
    assert compare_openreview_ids("aB3xx9Kq", "?").kind == "unreadable"


@pytest.mark.parametrize(
    "text",
    [
        "conf/abc/BirkeM24",
        "DBLP:conf/abc/BirkeM24",
        "https://dblp.org/rec/conf/abc/BirkeM24",
        "https://dblp.org/rec/conf/abc/BirkeM24.html",
        "https://dblp.uni-trier.de/rec/bibtex/conf/abc/BirkeM24",
        "https://dblp.dagstuhl.de/rec/conf/abc/BirkeM24.bib?param=1",
    ],
)
def test_dblp_addresses(text: str) -> None:
    assert parse_dblp_key(text) == "conf/abc/BirkeM24"


def test_a_preprint_s_dblp_key_denies_no_publication() -> None:
    published, preprint = "conf/abc/BirkeM24", "journals/corr/abs-2401-00001"
    assert compare_dblp_keys(published, preprint).kind == "preprint's DBLP key"
    assert compare_dblp_keys(published, preprint).outcome == "cannot-tell"
    assert compare_dblp_keys(preprint, published).kind == "published version exists"
    assert compare_dblp_keys(published, "conf/abc/BirkeMA24").outcome == "different"


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/Weather-Lab/Rain",
        "http://www.github.com/weather-lab/rain/",
        "https://GitHub.com/Weather-Lab/rain.git",
        "git@github.com:Weather-Lab/Rain.git",
        "github.com/Weather-Lab/Rain",
        "git+https://github.com/Weather-Lab/Rain.git#egg=rain",
    ],
)
def test_one_repository_has_many_addresses(text: str) -> None:
    assert parse_repository(text) == ("github.com/weather-lab/rain", "")


def test_repositories_compared() -> None:
    base = "https://github.com/weather-lab/rain"
    inside = compare_repositories(base, f"{base}/tree/main/src")
    assert (inside.outcome, inside.kind) == ("same", "path in repository")
    assert compare_repositories(base, "https://github.com/weather-lab/snow").outcome == "different"
    assert compare_repositories(base, "https://gitlab.com/weather-lab/rain").outcome == "different"
    elsewhere = compare_repositories("https://git.example.org/A/b", "https://git.example.org/a/b")
    assert elsewhere.outcome == "different"
    assert compare_repositories(base, "on request").outcome == "cannot-tell"
