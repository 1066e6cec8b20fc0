from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from eagle_impl.errors import MismatchError, OptionError
from eagle_impl.fingerprint import TrainedFor
from eagle_impl.training.claim import Origin, claimed
from eagle_impl.training.recipe import Recipe

pytest.importorskip("fcntl")

ORIGIN = Origin(Recipe(1500, 3), 0, TrainedFor("tiny", (0.5, -0.25)))

HOLDER = """
import sys, time
from pathlib import Path
from eagle.training.test_claim import ORIGIN
from eagle_impl.training.claim import claimed
with claimed(Path(sys.argv[1]), ORIGIN, resume=False):
    print("claimed", flush=True)
    sys.stdin.read()
"""


def test_two_trainings_do_not_share_a_folder(tmp_path: Path) -> None:
    output = tmp_path / "head"
    with claimed(output, ORIGIN, resume=False) as work:
        assert work.is_dir()
        with (
            pytest.raises(OptionError, match=f"another training is at work in {output}"),
            claimed(output, ORIGIN, resume=True),
        ):
            pass
        with claimed(tmp_path / "other", ORIGIN, resume=False):
            pass
    with claimed(output, ORIGIN, resume=True) as again:
        assert again == work


def test_a_run_is_begun_once_and_gone_on_with_as_the_same(tmp_path: Path) -> None:
    with claimed(tmp_path, ORIGIN, resume=False):
        pass
    with pytest.raises(OptionError, match="holds a run"), claimed(tmp_path, ORIGIN, resume=False):
        pass
    other = Origin(ORIGIN.recipe, 1, ORIGIN.trained_for)
    with pytest.raises(MismatchError), claimed(tmp_path, other, resume=True):
        pass


def test_what_was_killed_before_it_had_begun_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "lock").touch()
    with claimed(tmp_path, ORIGIN, resume=False) as work:
        assert work == tmp_path / "work"


def test_what_a_killed_training_leaves_does_not_keep_others_out(tmp_path: Path) -> None:
    paths = ":".join(str(folder) for folder in (Path(__file__).parents[2], *map(Path, sys.path)))
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": paths},
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "claimed\n"
        with pytest.raises(OptionError, match="another"), claimed(tmp_path, ORIGIN, resume=True):
            pass
        holder.kill()
        holder.wait()
    assert (tmp_path / "work" / "lock").exists()
    with claimed(tmp_path, ORIGIN, resume=True):
        pass
