"""JUnit XML, which nearly every CI server shows as a table of tests.

A file with findings is a test case, in the suite of its kind. The files without findings of a kind
are one test case together: thousands of passed cases would only be in the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from registry.findings import Finding
from registry.reports.interface import Report
from registry.reports.wording import counted, visible

UNREADABLE = "unreadable"
"""The suite of files that are not records."""


def render(report: Report) -> str:
    """One suite for each kind of record."""
    failing = {"error", "warning"} if report.strict else {"error"}
    suites: dict[str, dict[str, list[Finding]]] = {kind: {} for kind in sorted(report.records)}
    for finding in report.findings:
        kind = finding.record.partition("/")[0] or UNREADABLE
        suites.setdefault(kind, {}).setdefault(finding.file, []).append(finding)
    root = ET.Element("testsuites", name="registry verify")
    for kind, files in suites.items():
        cases = [_case(report, findings, failing) for findings in files.values()]
        if (clean := report.records.get(kind, 0) - len(files)) > 0:
            cases.append(
                ET.Element("testcase", name=f"{counted(clean, 'record')} without findings")
            )
        if cases:
            suite = ET.SubElement(root, "testsuite", name=visible(kind))
            suite.extend(cases)
    _complete(root)
    ET.indent(root)
    # ASCII, with character references: the text stays well-formed whatever encodes it next.
    written: bytes = ET.tostring(root, encoding="us-ascii", xml_declaration=True)
    return written.decode("ascii") + "\n"


def _case(report: Report, findings: list[Finding], failing: set[str]) -> ET.Element:
    path = visible(report.path(findings[0]))
    case = ET.Element("testcase", name=visible(findings[0].record) or path, file=path)
    if failed := [finding for finding in findings if finding.severity in failing]:
        # Most readers show one failure of a case, so all findings share one.
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        failure = ET.SubElement(case, "failure", type=failed[0].code)
        failure.set("message", visible(failed[0].message) + more)
        failure.text = _lines(report, failed)
    if rest := [finding for finding in findings if finding.severity not in failing]:
        ET.SubElement(case, "system-out").text = _lines(report, rest)
    return case


def _lines(report: Report, findings: Iterable[Finding]) -> str:
    lines = []
    for finding in findings:
        place = f"{report.path(finding)}:{finding.line}:{finding.column}"
        lines.append(visible(f"{place}: {finding.code} {finding.severity}: {finding.message}"))
        if finding.hint:
            lines.append(f"    {visible(finding.hint)}")
    return "\n".join(lines)


def _complete(root: ET.Element) -> None:
    """Add what readers of the format insist on: counts, class names, and times."""
    for suite in root:
        for case in suite:
            case.set("classname", f"registry.{suite.get('name')}")
            case.set("time", "0")
    for element in (root, *root):
        element.set("tests", str(len(list(element.iter("testcase")))))
        element.set("failures", str(len(list(element.iter("failure")))))
        element.set("errors", "0")
        element.set("skipped", "0")
        element.set("time", "0")
