from __future__ import annotations

import json

import pytest
from eagle.tiny_text import byte_level

from eagle_impl.losslessness.checking import Answered, Counted, Found
from eagle_impl.losslessness.chi_square import Fit
from eagle_impl.losslessness.comparing import Difference, Pair
from eagle_impl.losslessness.frequencies import Counts
from eagle_impl.losslessness.report import Report, as_document, judge, lines
from eagle_impl.text import Text
from eagle_impl.workloads import Question

ASKED = Question("4", "code", ("Hi!",))
TEXT = Text(byte_level())


def judged(found: Found, *, exact: bool = True) -> Report:
    return judge(found, method="eagle", dtype="bf16", temperature=0.0, kernels="torch", exact=exact)


def answered(near: bool) -> Answered:
    distance = 0.125 if near else 4.0
    found = Difference(2, 97, 98, (97, 98), (9.125, 9.0), distance, near)
    return Answered(ASKED, 1, Pair((1, 2, 97), (1, 2, 98), 2, found))


def counted(p: float, freedom: int = 9, excluded: int = 0) -> Counted:
    return Counted(ASKED, Counts(Fit(100, excluded, 3.0, freedom, p), 150, 60))


def test_a_difference_is_shown_so_that_it_can_be_judged() -> None:
    assert lines(judged((answered(near=True),), exact=False), TEXT) == [
        "eagle against plain decoding, greedy, bf16",
        "4 code: DIFFERENT after 2 equal tokens",
        "        plain 97 'a', with drafts 98 'b'",
        "        the target's likeliest there: 97 'a' 9.12500, 98 'b' 9.00000, gap 0.12",
        "        a near-tie: 0.12 decides between them",
        "in bf16 and fp16, ids equal those of plain decoding only up to near-ties; fp32 is exact",
        "verdict: DIFFERENT, 1 of 1 answers, all at near-ties: bf16 results depend here on how"
        " many tokens are computed together",
    ]


def test_a_document_says_what_computed() -> None:
    document = json.loads(as_document(judged((answered(near=True),)), TEXT))
    assert (document["kernels"], document["dtype"]) == ("torch", "bf16")


@pytest.mark.parametrize(
    ("near", "exact", "end"),
    [
        ((True, True), True, "results are exact here, so that it is a fault"),
        ((True, False), False, "1 of them far from a tie: a fault"),
        ((False, False), True, "2 of them far from a tie: a fault"),
    ],
)
def test_what_is_a_fault_is_called_one(near: tuple[bool, ...], exact: bool, end: str) -> None:
    report = judged(tuple(map(answered, near)), exact=exact)
    assert not report.equal
    assert report.verdict.endswith(end)


@pytest.mark.parametrize(
    ("chances", "equal"),
    [
        ((0.0015, 0.5), True),  # not to be wondered at, of two
        ((0.0004, 0.5), False),  # even twice as likely it would be less than 0.001
        ((0.0006, 0.5), True),
        ((0.0006,), False),
    ],
)
def test_several_tests_are_one(chances: tuple[float, ...], equal: bool) -> None:
    assert judged(tuple(map(counted, chances))).equal == equal


def test_a_test_that_tells_nothing_is_not_counted() -> None:
    report = judged((counted(0.3), counted(1.0, freedom=0)))
    assert report.verdict.endswith("(1 tests, 100 samples, significance 0.001 over all)")
    assert ": too few samples to tell anything, " in lines(report, TEXT)[2]
    impossible = judged((counted(0.0, freedom=0, excluded=1),))
    assert not impossible.equal
    assert "DIFFERENT, 100 samples, 1 that cannot occur, " in lines(impossible, TEXT)[1]
