"""Compiles every export with LaTeX, by BibTeX and by biber, and accepts no warning of either.

Run by `make latex`. It is no part of the tests, since few machines have LaTeX; on Debian it comes
with the packages in ``PACKAGES``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from registry.bibliography.bibtex import render
from registry.bibliography.exporting import export, papers
from registry.bibliography.manifestation import Manifestation, Preference
from registry.records.names import Author, Group, Person
from registry.verify import load

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("pdflatex", "bibtex", "biber")
PACKAGES = (
    "texlive-latex-base texlive-latex-recommended texlive-bibtex-extra biber "
    "texlive-fonts-recommended lmodern"
)
WANTED: tuple[Preference, ...] = ("published", "preprint")

HARD_AUTHORS: tuple[Author, ...] = (
    Person(given="Ludwig", particle="van der", family="Müller", suffix="Jr."),
    Person(given="Ána Łucja", family="García y Vega"),
    Person(given="Đặng", family="Nguyễn"),
    Person(family="Aristea"),
    Group(literal="The Birds & Bees Consortium"),
    Group(literal="others"),
)
HARD = Manifestation(
    id="hard",
    form="proceedings",
    title=r"MT-bench: 50% of “R&D” at $5 – a_b #1 {x} ~ ^ \ <y> | `z` -- α ≤ β for Łódź and Iași",
    authors=HARD_AUTHORS,
    year=2025,
    container="Proceedings of R&D_#1",
    series="Annals 100%",
    volume="1",
    pages="7-9",
    doi="10.5555/a_b%c#d&e~f",
)

CLASSIC = r"""
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
\begin{document}
\nocite{*}
\bibliographystyle{STYLE}
\bibliography{refs}
\end{document}
"""
MODERN = r"""
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
\usepackage[backend=biber, style=STYLE]{biblatex}
\addbibresource{refs.bib}
\begin{document}
\nocite{*}
\printbibliography
\end{document}
"""
RUNS = (
    ("bibtex", CLASSIC, "plain"),
    ("bibtex", CLASSIC, "alpha"),
    ("biber --validate-datamodel", MODERN, "numeric"),
    ("biber --validate-datamodel", MODERN, "authoryear"),
)

COMPLAINT = re.compile(r"warn|error|^!|undefined", re.IGNORECASE)
HARMLESS = re.compile(r"infwarerr|^\(There were 0 errors|0 warnings", re.IGNORECASE)


def complaints(text: str) -> list[str]:
    """The lines that complain."""
    return [
        line for line in text.splitlines() if COMPLAINT.search(line) and not HARMLESS.search(line)
    ]


def run(command: str, folder: Path) -> str:
    """Run a program to its end, and return what it says."""
    done = subprocess.run(
        command.split(),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace")
    return text if done.returncode == 0 else f"{text}\nerror: exit code {done.returncode}"


def compiled(entries: str, document: str, program: str) -> tuple[list[str], int]:
    """What LaTeX and the program complain of, and how many entries were printed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "refs.bib").write_text(entries, encoding="utf-8")
        (folder / "paper.tex").write_text(document, encoding="utf-8")
        latex = "pdflatex -interaction=nonstopmode paper"
        run(latex, folder)  # complains of what the next programs mend
        said = run(f"{program} paper", folder)
        run(latex, folder)
        said += run(latex, folder)
        said += (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
        made = (folder / "paper.bbl").read_text(encoding="utf-8", errors="replace")
        return complaints(said), len(re.findall(r"^ *\\(?:bibitem|entry)\b", made, re.MULTILINE))


def main() -> int:
    """Compile everything; 0 if nobody complains, 2 if LaTeX is missing."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        hint = f"on Debian: apt install --no-install-recommends {PACKAGES}"
        sys.stderr.write(f"latex: no {', '.join(missing)} here ({hint})\n")
        return 2
    registry = load(ROOT)
    failed = False
    for prefer in WANTED:
        works = (*export(papers([], registry), registry, prefer).works, HARD)
        for program, document, style in RUNS:
            found, printed = compiled(render(works), document.replace("STYLE", style), program)
            wrong = bool(found) or printed != len(works)
            failed = failed or wrong
            sys.stdout.write(
                f"{prefer}, {program.split()[0]}, {style}: "
                f"{printed} of {len(works)} entries, {len(found)} complaints\n"
            )
            sys.stdout.writelines(f"  {line}\n" for line in found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
