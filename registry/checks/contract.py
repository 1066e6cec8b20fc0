"""The contract: no value is lost, and every change explains itself.

This is what can be seen in a record without its past. What needs the past is compared with the
base branch elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from pydantic import BaseModel

from registry.checks.interface import Settings, Spot, at
from registry.findings import FieldPath, Finding, Rule
from registry.records import Record
from registry.records.outline import tracked_fields
from registry.records.tracked import Tracked
from registry.store.document import Document
from registry.store.entry import Entry
from registry.store.index import Index

PREFERRED = Rule(
    "CTR001",
    "error",
    "not exactly one preferred value",
    "A tracked field has one value to use, marked preferred; the others are normal or deprecated.",
    "Mark exactly one assertion as preferred.",
)
DEPRECATED = Rule(
    "CTR002",
    "error",
    "deprecated without a reason",
    "A value that is wrong or superseded stays in the record, and says why it no longer counts.",
    "Add `because` to the deprecated assertion.",
)
CONTESTED = Rule(
    "CTR003",
    "error",
    "contested without a contest",
    "A contested field shows at least two different values, or its editor says why it is contested "
    "in `contested_because`.",
    "Restore the value that was taken out, or give the reason.",
)
SETTLED = Rule(
    "CTR004",
    "error",
    "status and decision do not belong together",
    "A settled field records the decision: who, when, why, and which sources were overruled, if "
    "any. A field of another status has none.",
    "Add the decision, or correct the status.",
)
ORDER = Rule(
    "CTR005",
    "error",
    "dates out of order",
    "Assertions stand in the order in which they entered the record, and a decision is not older "
    "than the assertions it judges.",
    "Put new assertions at the end, and correct the date that is wrong.",
)
CORRECTION = Rule(
    "CTR006",
    "error",
    "a correction without evidence",
    "An assertion that supersedes an earlier value cites the evidence for the new one.",
    "Add `evidence`.",
)
LOST = Rule(
    "CTR007",
    "error",
    "a superseded value is gone",
    "An assertion says that it supersedes a value, but no assertion of the field holds that value "
    "any more. Values are deprecated, never deleted.",
    "Restore the earlier assertion with rank deprecated and its reason.",
)
INFERRED = Rule(
    "CTR008",
    "error",
    "inferred without its ground",
    "A value that no evidence states says what it was concluded from.",
    "Add `inferred_from`, or set the basis to stated if the evidence states it.",
)
GROUNDLESS = Rule(
    "CTR009",
    "error",
    "neither evidence nor a reason",
    "Every assertion cites evidence or says in `because` why there is none.",
    "Add `evidence`, or `because`.",
)
UNDECLARED = Rule(
    "CTR010",
    "error",
    "two values, but no contest declared",
    "Two assertions that are not deprecated hold different values. Then the field is contested, or "
    "settled by a decision.",
    "Set the status to contested, or deprecate one of the values with its reason.",
)
REPEATED = Rule(
    "CTR011",
    "warning",
    "the same value twice",
    "Two assertions that are not deprecated hold the same value. One assertion can cite all of the "
    "evidence.",
    "If the second is new in this change, leave it out, and let the first cite its evidence. Once "
    "both are in the base branch neither may go: deprecate one, say why, and let the other cite "
    "the evidence of both.",
)
FUTURE = Rule(
    "CTR012",
    "error",
    "a date in the future",
    "An assertion cannot have been recorded, nor evidence retrieved, after today.",
    "Correct the date (or the day given with --today).",
)


_DAY = timedelta(days=1)
_LAST = date.max


class Contract:
    """Judges each tracked field on its own."""

    rules = (
        PREFERRED,
        DEPRECATED,
        CONTESTED,
        SETTLED,
        ORDER,
        CORRECTION,
        LOST,
        INFERRED,
        GROUNDLESS,
        UNDECLARED,
        REPEATED,
        FUTURE,
    )

    def each(self, record: Record, document: Document) -> Iterator[Finding]:
        """Everything but dates in the future."""
        assert document.data is not None
        key = f"{record.kind}/{record.id}"
        for path, _ in tracked_fields(record.kind, document.data):
            for rule, place, message in _judge(_value_at(record, path)):
                yield at(rule, key, document, (*path, *place), message, rule.mend)

    def across(self, index: Index, settings: Settings, among: Sequence[Entry]) -> Iterator[Spot]:
        """Dates after the day of the run, or the next, which it may be already elsewhere."""
        today = settings.today.isoformat()
        # The last day of the calendar has none after it.
        latest = (min(settings.today, _LAST - _DAY) + _DAY).isoformat()
        for entry in among:
            for fact in entry.facts:
                for position, held in enumerate(fact.held):
                    if held.recorded > latest:
                        path = (*fact.path, "assertions", position, "recorded")
                        message = f"recorded on {held.recorded}, which is after today ({today})"
                        yield Spot(FUTURE, entry, path, message, FUTURE.mend)
            if entry.heard is not None and entry.heard.retrieved > latest:
                message = f"retrieved on {entry.heard.retrieved}, which is after today ({today})"
                yield Spot(FUTURE, entry, ("retrieved",), message, FUTURE.mend)


def _value_at(record: Record, path: FieldPath) -> Tracked[Any]:
    value: Any = record
    for step in path:
        value = value[step] if isinstance(step, int) else getattr(value, step)
    assert isinstance(value, Tracked)
    return value


def _judge(field: Tracked[Any]) -> Iterator[tuple[Rule, FieldPath, str]]:
    """Each broken rule, the place below the field, and the message."""
    yield from _ranks(field)
    yield from _status(field)
    yield from _dates(field)
    for position, assertion in enumerate(field.assertions):
        place = ("assertions", position)
        if assertion.rank == "deprecated" and assertion.because is None:
            yield DEPRECATED, place, f"`{_short(assertion.value)}` is deprecated, but why?"
        if assertion.basis == "inferred" and assertion.inferred_from is None:
            yield INFERRED, place, f"`{_short(assertion.value)}` is inferred, but from what?"
        if assertion.basis == "stated" and assertion.inferred_from is not None:
            message = f"`{_short(assertion.value)}` is stated, yet says what it was inferred from"
            yield INFERRED, place, message
        if not assertion.evidence and assertion.because is None:
            message = f"`{_short(assertion.value)}` has neither evidence nor a reason"
            yield GROUNDLESS, place, message
        if assertion.supersedes is not None:
            if not assertion.evidence:
                message = f"`{_short(assertion.value)}` corrects the record without evidence"
                yield CORRECTION, place, message
            others = [other for other in field.assertions if other is not assertion]
            if all(other.value != assertion.supersedes for other in others):
                message = f"the superseded value `{_short(assertion.supersedes)}` is gone"
                yield LOST, (*place, "supersedes"), message


def _ranks(field: Tracked[Any]) -> Iterator[tuple[Rule, FieldPath, str]]:
    preferred = [at for at, held in enumerate(field.assertions) if held.rank == "preferred"]
    if len(preferred) != 1:
        place: FieldPath = ("assertions", preferred[1], "rank") if preferred else ("assertions",)
        count = len(preferred) or "no"
        yield PREFERRED, place, f"{count} assertions are preferred; exactly one must be"
    values: list[Any] = []
    for position, held in enumerate(field.assertions):
        if held.rank == "deprecated":
            continue
        if held.value in values:
            message = f"`{_short(held.value)}` is asserted twice"
            yield REPEATED, ("assertions", position, "value"), message
        values.append(held.value)


def _status(field: Tracked[Any]) -> Iterator[tuple[Rule, FieldPath, str]]:
    first = field.assertions[0].value if field.assertions else None
    differs = any(held.value != first for held in field.assertions)
    if field.status == "contested" and not differs and field.contested_because is None:
        yield CONTESTED, ("status",), "contested, but with one value and no reason given"
    if field.status in ("asserted", "corroborated") and field.contested_because is not None:
        yield CONTESTED, ("contested_because",), f"a contest is explained, but it is {field.status}"
    if field.status == "settled" and field.decision is None:
        yield SETTLED, ("status",), "settled, but no decision is recorded"
    if field.status != "settled" and field.decision is not None:
        yield SETTLED, ("status",), f"a decision is recorded, but the status is {field.status}"
    standing = [held.value for held in field.assertions if held.rank != "deprecated"]
    undeclared = any(value != standing[0] for value in standing)
    if undeclared and field.status in ("asserted", "corroborated"):
        yield UNDECLARED, ("status",), f"{field.status}, but two standing values differ"


def _dates(field: Tracked[Any]) -> Iterator[tuple[Rule, FieldPath, str]]:
    for position in range(1, len(field.assertions)):
        before, after = field.assertions[position - 1], field.assertions[position]
        if after.recorded < before.recorded:
            place = ("assertions", position, "recorded")
            yield ORDER, place, f"recorded {after.recorded}, before the one above it"
    last = max((held.recorded for held in field.assertions), default=None)
    if field.decision is not None and last is not None and field.decision.decided < last:
        message = f"decided {field.decision.decided}, before the last assertion ({last})"
        yield ORDER, ("decision", "decided"), message
    rulings = [*(field.past_decisions or ()), *filter(None, (field.decision,))]
    for position, (earlier, later) in enumerate(pairwise(rulings)):
        if later.decided < earlier.decided:
            message = f"decided {earlier.decided}, yet listed before the one of {later.decided}"
            yield ORDER, ("past_decisions", position, "decided"), message


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(_short(item) for item in value[:3]) + (", ..." if len(value) > 3 else "")
    if isinstance(value, BaseModel):
        parts = value.model_dump(exclude_none=True)
        return " ".join(str(part) for part in parts.values())
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
