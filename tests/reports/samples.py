"""Hand-made reports."""

from __future__ import annotations

from registry.findings import Finding, Rule, Severity
from registry.reports.interface import Report
from registry.verdicts import VERDICTS, Cell, Matrix, Verdict

RULES = {
    rule.code: rule
    for rule in (
        Rule(
            "LNK001",
            "error",
            "dangling reference",
            "A record points at an id that no record has, so what it says cannot be followed.",
            "Correct the id, or add the record that it names.",
        ),
        Rule(
            "FRS001",
            "warning",
            "old evidence",
            "Evidence older than the limit may no longer hold.",
            "Ask the source again and add a new evidence record.",
        ),
        Rule(
            "EVI010",
            "info",
            "contested field",
            "Sources or assertions disagree on a field. Both values stay in the record.",
            "Nothing, unless you can take a decision.",
        ),
    )
}

NASTY = (
    '50% of {A|B}, see [x](y): `rm` <script>alert(1)</script> ]]> & "q" $a$ \U0001f985 ::error::'
)
"""One line that means something to every format."""

HIDDEN = "a\x1b[31mred\x1b[0m\u202eabc\u200bdef\x00\x07\n::error::line two\r\ttab\ufffe"
"""Characters that must not arrive as they are."""


def finding(
    severity: Severity = "error",
    message: str = "there is no record accelerator/kestrel-40gb",
    *,
    code: str = "",
    record: str = "paper/osprey",
    field: str = "hardware[0].accelerator",
    file: str = "data/papers/osprey.yaml",
    line: int = 31,
    column: int = 18,
    hint: str = "",
) -> Finding:
    codes = {"error": "LNK001", "warning": "FRS001", "info": "EVI010"}
    return Finding(
        code or codes[severity], severity, record, field, file, line, column, message, hint
    )


def report(
    *findings: Finding,
    matrices: tuple[Matrix, ...] = (),
    records: dict[str, int] | None = None,
    strict: bool = False,
    root: str = ".",
) -> Report:
    return Report(
        root=root,
        version="1.2.3",
        today="2026-11-30",
        records={"paper": 9, "venue": 3} if records is None else records,
        findings=findings,
        matrices=matrices,
        rules=RULES,
        strict=strict,
    )


def matrix(sources: int = 3) -> Matrix:
    """A record on which sources disagree; each of the five verdicts occurs from 3 sources on."""
    names = (
        "arxiv",
        "pmlr",
        "semantic-scholar",
        "openalex",
        "crossref",
        "dblp",
        "openreview",
        "acl-anthology",
        "paper-lists",
        "osprey-pdf",
    )[:sources]
    values = {
        "title": "Osprey: Diving Decoders for Large Language Models",
        "authors": "Ada Falk, Bram van der Horst, Chidi Okoro, Dana Ruiz, Emil Strand, Fen Wu",
        "venue": "icml",
        "pages": "1204-1221",
        "year": "2024",
    }
    statuses = dict.fromkeys(values, "corroborated") | {"venue": "contested", "pages": "settled"}
    said: dict[tuple[str, str], tuple[Verdict, str, str, str]] = {
        ("venue", "arxiv"): ("contradicted", "arXiv preprint", "", "osprey-arxiv-v1"),
        ("pages", "arxiv"): ("silent", "", "", "osprey-arxiv-v1"),
        ("pages", "semantic-scholar"): ("could-not-ask", "", "throttled (429)", "osprey-s2"),
        ("year", "semantic-scholar"): ("could-not-ask", "", "throttled (429)", "osprey-s2"),
        ("authors", "semantic-scholar"): ("not-asked", "", "", ""),
        ("pages", "pmlr"): ("contradicted", "1204-1222", "overruled on 2026-10-04", "osprey-pmlr"),
    }
    cells = tuple(
        Cell(field, source, *said.get((field, source), ("confirmed", value, "", "osprey-any")))
        for field, value in values.items()
        for source in names
    )
    assert sources < 3 or {cell.verdict for cell in cells} == set(VERDICTS)
    return Matrix("paper/osprey", values, statuses, names, cells, ("osprey-list-2025",))
