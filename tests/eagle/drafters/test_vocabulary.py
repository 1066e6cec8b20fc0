from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from eagle_impl.drafters.vocabulary import DraftVocabulary
from eagle_impl.errors import CheckpointError


def offsets(*values: int) -> Tensor:
    return torch.tensor(values)


def marks(size: int, *ids: int) -> Tensor:
    return torch.tensor([token in ids for token in range(size)])


def test_tables_worked_by_hand() -> None:
    vocabulary = DraftVocabulary.of([11, 3, 6], vocab_size=12)
    assert vocabulary.ids.tolist() == [3, 6, 11]
    assert vocabulary.d2t.tolist() == [3, 5, 9]
    assert [token for token, kept in enumerate(vocabulary.t2d.tolist()) if kept] == [3, 6, 11]
    assert vocabulary.t2d.shape == (12,)
    assert len(vocabulary) == 3


@given(st.sets(st.integers(0, 49), min_size=1), st.booleans())
def test_tables_read_back_as_they_were(ids: set[int], with_marks: bool) -> None:
    vocabulary = DraftVocabulary.of([*ids], 50)
    first_ids = ids == {*range(len(ids))}
    t2d = vocabulary.t2d if with_marks or first_ids else None
    again = DraftVocabulary.from_tables(vocabulary.d2t, t2d, 50)
    assert again.ids.tolist() == sorted(ids)


def test_narrow_offsets_and_marks_of_0_and_1_are_read() -> None:
    tables = offsets(3, 5, 9).int(), marks(12, 3, 6, 11).to(torch.uint8)
    assert DraftVocabulary.from_tables(*tables, vocab_size=12).ids.tolist() == [3, 6, 11]


def test_the_whole_vocabulary_needs_no_marks() -> None:
    assert DraftVocabulary.from_tables(offsets(0, 0, 0), None, 3).ids.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("d2t", "t2d", "complaint"),
    [
        (offsets(0, 0, 0), None, "all zero"),
        (offsets(0, 0, 0), marks(12, 3, 6, 11), "maps to target id 0, which t2d does not mark"),
        (offsets(3, 5, 10), marks(12, 3, 6, 11), r"target id 12, outside 0\.\.11"),
        (offsets(3, 5), marks(12, 3, 6, 11), "maps 2 draft ids, t2d marks 3"),
        (offsets(3, 5, 9), marks(12, 3, 6), "maps 3 draft ids, t2d marks 2"),
        (offsets(3, 5, 9), marks(12, 3, 6, 10), "target id 11, which t2d does not mark"),
        (offsets(-1, 5, 9), marks(12, 3, 6, 11), r"target id -1, outside 0\.\.11"),
        (offsets(3, 2, 9), None, "target id 3 more than once"),
        # Target ids where offsets belong.
        (offsets(3, 6, 11), marks(12, 3, 6, 11), r"target id 13, outside 0\.\.11"),
        (offsets(3, 5, 9), marks(13, 3, 6, 11), r"t2d is \[13\], but the target has 12"),
        (offsets(3, 5, 9).float(), None, "not a list of offsets"),
        (offsets(3, 5, 9)[None], None, "not a list of offsets"),
        (torch.tensor([], dtype=torch.int64), marks(12), "not a list"),
    ],
)
def test_contradictory_tables_are_refused(d2t: Tensor, t2d: Tensor | None, complaint: str) -> None:
    with pytest.raises(CheckpointError, match=complaint) as caught:
        DraftVocabulary.from_tables(d2t, t2d, vocab_size=12)
    assert "\n" not in caught.value.message
