from __future__ import annotations

import pytest

from registry.equality.withdrawal import read_standing


@pytest.mark.parametrize(
    ("comment", "status", "successor"),
    [
        (
            "This paper has been withdrawn by the authors because of a gap in Lemma 2",
            "withdrawn",
            "",
        ),
        ("This submission is withdrawn", "withdrawn", ""),
        ("14 pages. Paper withdrawn.", "withdrawn", ""),
        ("Withdrawn by arXiv administrators", "withdrawn", ""),
        ("Withdrawn", "withdrawn", ""),
        ("Withdrawn; superseded by arXiv:1905.00321v2", "withdrawn", "1905.00321"),
        ("Withdrawn, merged into https://arxiv.org/abs/1905.00321", "withdrawn", "1905.00321"),
        ("This article was withdrawn. See math/0412008", "withdrawn", "math/0412008"),
        ("9 pages. We study withdrawn medicines", "active", ""),
        ("Withdrawn medicines in rats, 5 figures", "active", ""),
        ("This paper has not been withdrawn", "active", ""),
        ("Accepted at ABC 2024", "active", ""),
        (None, "active", ""),
        ("", "active", ""),
    ],
)
def test_the_comment_tells(comment: str | None, status: str, successor: str) -> None:
    standing = read_standing(comment=comment)
    assert (standing.status, standing.successor) == (status, successor)


@pytest.mark.parametrize(
    ("title", "status"),
    [
        ("Retraction: Growing Mice", "retraction notice"),
        ("Retraction Note to: Growing Mice", "retraction notice"),
        ("RETRACTED ARTICLE: Growing Mice", "retracted"),
        ("WITHDRAWN: Growing Mice", "withdrawn"),
        ("Retraction Maps on Spheres", "active"),
        ("Growing Mice", "active"),
    ],
)
def test_the_title_tells(title: str, status: str) -> None:
    assert read_standing(title=title).status == status


@pytest.mark.parametrize(
    ("relations", "status", "note"),
    [
        (["erratum"], "active", "erratum"),
        (["Correction"], "active", "erratum"),
        (["expression_of_concern"], "active", "concern"),
        (["expression-of-concern", "corrigendum"], "active", "concern, erratum"),
        (["retraction"], "retracted", ""),
        (["withdrawal"], "withdrawn", ""),
        (["is-preprint-of"], "active", ""),
        ([], "active", ""),
    ],
)
def test_an_erratum_is_no_retraction(relations: list[str], status: str, note: str) -> None:
    standing = read_standing(relations=relations)
    assert (standing.status, standing.note) == (status, note)


def test_an_index_s_flag_asks_for_a_second_source() -> None:
    standing = read_standing(is_retracted=True)
    assert (standing.status, standing.note) == ("retracted", "confirm with a second source")
    assert read_standing(is_retracted=False).status == "active"


@pytest.mark.parametrize(
    ("comment", "status"),
    [
        ("The authors have withdrawn this paper", "withdrawn"),
        ("I withdraw this paper: Lemma 2 is wrong", "withdrawn"),
        ("Retracted by the authors", "retracted"),
        ("withdrawn from CVPR 2024, now at ECCV", "active"),
        ("We study withdrawn drugs and retracted papers", "active"),
    ],
)
def test_further_wordings(comment: str, status: str) -> None:
    assert read_standing(comment=comment).status == status
