"""What sources say about papers that have no record yet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from shelve import shelve
from typing import Any

import httpx
from clock import FakeClock
from papers import Paper
from played import answered
from plays_interface import Asked, Played
from server import plays

from registry.adding.addition import Addition, Wish, plan
from registry.checks.matrix import Comparer
from registry.live import hear_in_rounds
from registry.sources import source, sources
from registry.sources.arxiv_history import Version
from registry.sources.interface import Answer
from registry.sources.queries import query_from
from registry.sources.transport import Client
from registry.store.reader import read
from registry.trial import Trial, judge_changes
from registry.verify import Registry, load

TODAY = date(2026, 6, 1)
ARXIV_ID = "2401.20001"
TITLE = "CROW: Counting Rows Of Wheat"
AUTHORS = ["Ada Abel", "Bo van Berg"]


def shelf(root: Path) -> Registry:
    """The shipped sources and some venues, and no paper."""
    return load(shelve(root, []), use_cache=False)


def answer(name: str, **observed: Any) -> Answer:
    """What a source says about the invented paper; a value of None is not said."""
    said = {"title": TITLE, "authors": AUTHORS, "arxiv_id": ARXIV_ID} | observed
    said = {key: value for key, value in said.items() if value is not None}
    speaks = {one for speech in source(name).speaks for one in speech.fields}
    silent = tuple(sorted(one for one in speaks if one not in said))
    return Answer("asked", name, "answered", observation=said, silent_on=silent)


def arxiv(**observed: Any) -> Answer:
    return answer("arxiv", **({"venue": "arXiv", "year": 2024} | observed))


def pmlr(**observed: Any) -> Answer:
    usual = {
        "venue": "Proceedings of the 41st International Conference on Machine Learning",
        "series": "Proceedings of Machine Learning Research",
        "year": 2024,
        "volume": "235",
        "pages": "10--19",
        "arxiv_id": None,
    }
    return answer("pmlr", **(usual | observed))


def planned(
    registry: Registry,
    *answers: Answer,
    asked: str = ARXIV_ID,
    slug: str = "",
    versions: Sequence[Version] = (),
    day: date = TODAY,
) -> Addition:
    query = query_from(asked)
    assert query is not None
    return plan(registry, Wish(query, slug, "mira", day), answers, versions)


def judged(registry: Registry, addition: Addition) -> Trial:
    return judge_changes(registry, addition.files, TODAY)


def record(registry: Registry, *answers: Answer, **options: Any) -> dict[str, Any]:
    """The plain data of the paper that is made, which must bring neither errors nor warnings."""
    addition = planned(registry, *answers, **options)
    assert judged(registry, addition).new == ()
    data = read(addition.files[addition.key], "").data
    assert data is not None
    return data


def values(field: dict[str, Any]) -> list[tuple[Any, str]]:
    return [(one["value"], one["rank"]) for one in field["assertions"]]


def everybody(paper: Paper, known: Sequence[Paper], registry: Registry) -> list[Answer]:
    """What all sources, as they are played, say about a paper, without a socket."""
    stages = plays()

    def script(asked: Asked) -> Played:
        return stages[asked.host].answer(asked, known)

    asked = sources()
    client = Client(
        (policy for one in asked for policy in one.policies),
        budget=100_000.0,
        clock=FakeClock(),
        transport=httpx.MockTransport(lambda request: answered(request, script)),
    )
    query = query_from(paper.arxiv_id)
    assert query is not None
    return hear_in_rounds(query, asked, client, Comparer(registry.index).venues).answers
