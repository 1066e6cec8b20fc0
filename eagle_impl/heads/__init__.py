"""Heads that come with the project, each in a folder named after its target.

Beside a head lie ``training.json``, which says how it was made and how good it is, and
``log.jsonl``, the losses as they fell. ``eagle_impl train`` wrote all of them.
"""

from __future__ import annotations

from pathlib import Path


def shipped_head(target: str) -> Path | None:
    """The folder of the head for a target, named as on the command line; None if there is none."""
    folder = Path(__file__).parent / target
    # What is written with a slash is a folder of somebody else's.
    known = target == folder.name and (folder / "config.json").is_file()
    return folder if known else None
