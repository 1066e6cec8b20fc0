"""Plays the proceedings of MLSys, which are made with the templates of NeurIPS."""

from __future__ import annotations

from plays.neurips import Site

SITE = Site(
    "proceedings.mlsys.org",
    "mlsys",
    "Proceedings of Machine Learning and Systems",
    "MLSys",
    2018,
)
HOSTS = (SITE.host,)
answer = SITE.answer
