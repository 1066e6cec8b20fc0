"""``make bench-eagle``, which is ``python -m eagle_impl.bench``."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from eagle_impl.errors import EagleError

_QUICK = {"prompts": 8, "tokens": 64, "repeats": 1, "transformers": 3}
_WHOLE = {"prompts": 20, "tokens": 128, "repeats": 3, "transformers": 20}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a report on stdout, and return the exit code.

    Exit codes: 0 done; 1 drafts changed an output of the own engine; 2 wrong usage or input.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    asked = _parser().parse_args(words)
    for name, value in (_QUICK if asked.quick else _WHOLE).items():
        if getattr(asked, name) is None:
            setattr(asked, name, value)
    if not os.environ.keys() & {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"}:
        _say(
            "GOMP_SPINCOUNT is not set: on a machine with few cores, threads of OpenMP stall each "
            "other, in transformers above all; `make bench-eagle` sets it"
        )
    # Not before the usage is known to be right: torch takes seconds to load.
    from eagle_impl.bench.command import bench

    command = shlex.join(["python", "-m", "eagle_impl.bench", *words])
    try:
        return bench(asked, command, _say)
    except EagleError as error:
        hint = f" ({error.hint})" if error.hint else ""
        _say(f"{error.message}{hint}")
        return 2
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("eagle_impl"):
            raise
        _say(f"{error.name} is not installed (pip install 'claims-registry[eagle]')")
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m eagle_impl.bench",
        description="Decode a workload plainly and with drafts, in turn, and compare. Batch 1, "
        "float32, greedy, on a CPU. Exit code 1: drafts changed an output.",
    )
    add = parser.add_argument
    add(
        "--workload",
        type=Path,
        metavar="FILE",
        help="a question.jsonl as Spec-Bench has; default: the own one",
    )
    add("--prompts", type=_positive, metavar="N", help="questions to take, the first ones (20)")
    add("--tokens", type=_positive, metavar="N", help="tokens to generate for each at most (128)")
    add(
        "--repeats",
        type=_positive,
        metavar="N",
        help="times that each is decoded by each method (3)",
    )
    add(
        "--transformers",
        type=_count,
        metavar="N",
        help="questions that transformers decodes as well (20)",
    )
    add("--quick", action="store_true", help="8 questions, 64 tokens, once; transformers 3")
    add(
        "--categories",
        type=_positive,
        metavar="MOST",
        help="instead: tau and acceptance for every category, of so many questions each at most",
    )
    add("--target", default="smollm2-135m-instruct", help="a folder or a known model")
    add(
        "--head",
        type=Path,
        metavar="FOLDER",
        help="folder of an EAGLE-1/2 head; default: the shipped one",
    )
    add(
        "--threads", type=_positive, metavar="N", help="threads of every engine; default: all cores"
    )
    add(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="decides in which order methods take turns (0)",
    )
    add("--json", type=Path, metavar="FILE", help="write all that was measured there, too")
    return parser


def _count(word: str) -> int:
    number = int(word)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is less than 0")
    return number


def _positive(word: str) -> int:
    number = int(word)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def _say(what: str) -> None:
    sys.stderr.write(f"bench: {what}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
