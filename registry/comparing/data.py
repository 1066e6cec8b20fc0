"""A comparison as plain data, for JSON and for tables of text."""

from __future__ import annotations

from typing import Any

from registry._version import __version__
from registry.comparing.comparison import Comparison, LeftOut, Row
from registry.comparing.conditions import Difference
from registry.comparing.number import Number
from registry.comparing.wording import side

SCHEMA_VERSION = 1


def data_of(comparison: Comparison) -> dict[str, Any]:
    """Everything that was found; :mod:`registry.comparing.json` tells what the keys mean."""
    question = comparison.question
    return {
        "schema_version": SCHEMA_VERSION,
        "program": __version__,
        "methods": [{"id": method, "name": name} for method, name in question.names],
        "asked": {
            "metric": question.metric,
            "model": question.model,
            "dataset": question.dataset,
            "temperature": question.temperature,
        },
        "refused": comparison.refused,
        "not_interchangeable": [
            {
                "methods": [pair.one, pair.other],
                "declared_of": list(pair.between),
                "because": [
                    {"record": reason.record, "text": reason.text} for reason in pair.because
                ],
            }
            for pair in comparison.apart
        ],
        "rows": [_row(row) for row in comparison.rows],
        "left_out": [_left_out(one) for one in comparison.left_out],
        "unstated": comparison.unstated,
        "recorded": {method: dict(metrics) for method, metrics in comparison.recorded},
        "unreadable": list(comparison.unreadable),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "metric": row.metric,
        "unit": row.unit,
        "conditions": conditions(row.numbers[0]),
        "cells": {method: [_number(one) for one in numbers] for method, numbers in row.cells},
    }


def conditions(number: Number) -> dict[str, Any]:
    """Condition to what is stated of it; null where it is unknown."""
    return {
        one.key: None if one.state == "unknown" else {"text": one.text, "state": one.state}
        for one in number.conditions
    }


def _number(number: Number) -> dict[str, Any]:
    source = number.source
    return {
        "method": number.method,
        "metric": number.metric,
        "unit": number.unit,
        "value": number.value,
        "low": number.low,
        "high": number.high,
        "quartiles": list(number.middle) if number.middle is not None else None,
        "decimals": number.decimals,
        "bound": number.bound,
        "repeats": number.repeats,
        "rule": number.rule,
        "over": number.over,
        "origin": number.origin,
        "own": number.own,
        "drafting": number.drafting,
        "conditions": conditions(number),
        "source": {
            "record": source.record,
            "part": source.part,
            "cell": source.cell,
            "paper": source.paper,
            "version": source.version,
            "locator": source.locator,
        },
        "remark": number.remark,
    }


def _left_out(one: LeftOut) -> dict[str, Any]:
    return {
        "number": _number(one.number),
        "nearest": _number(one.nearest) if one.nearest else None,
        "differences": [_difference(part) for part in one.differences],
    }


def _difference(part: Difference) -> dict[str, str]:
    return {"key": part.key, "kind": part.kind, "here": side(part.here), "there": side(part.there)}
