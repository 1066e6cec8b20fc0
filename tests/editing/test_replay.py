"""The history of a venue, entered again by command, from its first state to the shipped one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from editing.desk import cited

from registry.cli import main

FIRST = """\
venue:
  status: asserted
  assertions:
    - value: arxiv-preprint
      rank: preferred
      recorded: 2026-10-03
      by: registry editors
      basis: inferred
      inferred_from: >-
        Semantic Scholar gave no venue, and the comment field on arXiv names none.
      evidence: [eagle-semantic-scholar-2026-10-03, eagle-arxiv-2026-10-03]
"""
"""What the record said on its first day."""

VENUE = [
    *("correct", "eagle", "venue", "icml", "--date", "2026-10-04", "--by", "registry editors"),
    *cited(
        "eagle-pmlr-contents-2026-10-04",
        "eagle-semantic-scholar-2026-10-04",
        "eagle-pmlr-post",
        "eagle-dblp",
        "eagle-repository-readme",
    ),
    "--because",
    "The contents of PMLR v235, the volume of ICML 2024, hold the title verbatim, and Semantic "
    "Scholar names the conference independently. OpenReview was throttled and does not reach far "
    "enough back, so the static indexes of the proceedings were read: PMLR for ICML, "
    "proceedings.mlsys.org for MLSys.",
    "--deprecated-because",
    "Superseded: the silence of two indexes was taken for the absence of a venue. The day on which "
    "it was entered is not known; the one given is the last it can have been.",
    "--contested-because",
    "To call a preprint an ICML paper changes a peer-reviewed attribution, which no single editor "
    "closes. Nor do the sources speak with one voice: PMLR, DBLP and Semantic Scholar name ICML, "
    "the comment on arXiv is empty, OpenReview could not be asked, and a paper that cites EAGLE "
    "names the preprint beside PMLR v235.",
]
TRACK = [
    *("correct", "eagle", "venue_track", "main", "--date", "2026-10-04"),
    *("--by", "registry editors"),
    *cited("eagle-pmlr-contents-2026-10-04", "eagle-pmlr-post"),
    "--because",
    "Entered with the correction of the venue; before, no track was recorded.",
    "--inferred-from",
    "The paper stands in the volume of the conference itself, with the page numbers of that "
    "volume, and its title does not call it a position paper.",
    "--contested-because",
    "It came with the contested change of venue, and no source that could be asked names a track. "
    "OpenReview, which would, could not be read.",
]


@pytest.fixture
def copied(shipped: Path, tmp_path: Path) -> Path:
    """A copy of the shipped registry, without what git or a package has beside it."""
    shutil.copytree(shipped / "data", tmp_path / "copy" / "data")
    return tmp_path / "copy"


def run(root: Path, *words: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main([*words, "--root", str(root), "--today", "2026-12-01"])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_the_venue_of_eagle_from_its_first_state_to_the_shipped_record(copied: Path) -> None:
    path = copied / "data/papers/eagle.yaml"
    shipped = path.read_text(encoding="utf-8")
    start, end = shipped.index("\nvenue:\n") + 1, shipped.index("\nyear:\n") + 1
    path.write_text(shipped[:start] + FIRST + shipped[end:], encoding="utf-8")
    assert run(copied, *VENUE) == 0
    assert run(copied, *TRACK) == 0
    assert path.read_text(encoding="utf-8") == shipped


DIFF = """\
--- a/data/papers/eagle.yaml
+++ b/data/papers/eagle.yaml
@@ -182,7 +182,8 @@
         The year of the proceedings. Before, the record held 2024 as the year of arXiv v1: the
         number stayed, its meaning changed.
 volume:
-  status: asserted
+  status: contested
+  contested_because: The spine of the volume has another number. (mira, 2026-12-01)
   assertions:
     - value: "235"
       rank: preferred
@@ -190,6 +191,14 @@
       by: registry editors
       basis: stated
       evidence: [eagle-pmlr-contents-2026-10-04, eagle-pmlr-index-2026-10-10, eagle-pmlr-post]
+    - value: "253"
+      rank: normal
+      recorded: 2026-12-01
+      by: mira
+      basis: inferred
+      inferred_from: A photograph of the spine.
+      evidence: [eagle-paper-list]
+      because: The spine of the volume has another number.
 pages:
   status: corroborated
   assertions:
"""


def test_an_edit_of_one_field_changes_no_line_that_does_not_belong_to_it(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copied / "data/papers/eagle.yaml"
    before = path.read_text(encoding="utf-8").splitlines()
    words = ["contest", "eagle", "volume", "--value", "253", *cited("eagle-paper-list")]
    words += ["--because", "The spine of the volume has another number.", "--by", "mira"]
    words += ["--inferred-from", "A photograph of the spine."]
    capsys.readouterr()
    assert run(copied, *words) == 0
    assert capsys.readouterr().out == DIFF
    after = path.read_text(encoding="utf-8").splitlines()
    added = [line[1:] for line in DIFF.splitlines()[3:] if line.startswith("+")]
    taken = [line[1:] for line in DIFF.splitlines()[3:] if line.startswith("-")]
    assert len(after) == len(before) + len(added) - len(taken)
    assert before[:184] == after[:184]
    assert before[185:192] == after[186:193]
    assert before[192:] == after[201:]
    assert (before[184:185], after[184:186] + after[193:201]) == (taken, added)
