"""Measures asking: requests against what batching allows, time against what the hosts allow.

Run with ``python tests/sources/bench_live.py``. All hosts are played on this machine, at the pace
that the real ones want. Prints ratios taken in one run.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import sys
import time
import tracemalloc
from collections import Counter

import faults
from papers import papers
from plays import pmlr as pmlr_play
from plays_interface import Asked
from server import Server

from registry.live import hear
from registry.sources import sources
from registry.sources.pmlr_pages import read_index
from registry.sources.transport import Client

BATCHED = {"export.arxiv.org": 2, "api.semanticscholar.org": 1, "api.openalex.org": 2}
"""Requests that these hosts need for 100 papers at most; all others one a paper."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=100)
    parser.add_argument("--index", type=int, default=3000, help="papers of one PMLR index page")
    arguments = parser.parse_args()
    say(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    measure_asking(arguments.papers)
    measure_index(arguments.index)


def measure_asking(count: int) -> None:
    """All sources about ``count`` papers, at the real pace."""
    known = papers(count)
    asked = sources()
    queries = [faults.question(paper) for paper in known]
    policies = {policy.host: policy for source in asked for policy in source.policies}
    with Server(known) as server:
        client = Client(policies.values(), budget=600, via=server.address)
        began = time.perf_counter()
        heard = hear(queries, asked, client)
        seconds = time.perf_counter() - began
        client.close()
        requests = Counter(seen.asked.host for seen in server.seen)
        twice = Counter(
            (s.asked.method, s.asked.host, s.asked.path, str(s.asked.query), s.asked.body)
            for s in server.seen
        )
    say(f"\n{count} papers, {len(asked)} sources: {len(heard.answers)} answers")
    say(f"{'host':28}{'requests':>9}{'allowed':>9}{'its own pace':>14}")
    slowest = 0.0
    for host, number in sorted(requests.items()):
        pace = (number - 1) * policies[host].interval
        slowest = max(slowest, pace)
        allowed = math.ceil(BATCHED[host] * count / 100) if host in BATCHED else count
        say(f"{host:28}{number:>9}{allowed:>9}{pace:>12.1f} s")
    outcomes = Counter(answer.outcome for answer in heard.answers)
    say(f"outcomes: {dict(outcomes)}")
    say(f"asked twice: {sum(number - 1 for number in twice.values())}")
    say(f"time / slowest host's pace: {seconds / slowest:.2f} ({seconds:.1f} s), goal <= 1.10")


def measure_index(count: int) -> None:
    """Reading one index page of PMLR with ``count`` papers."""
    known = papers(count, venue="icml")
    page = Asked("GET", "proceedings.mlr.press", "/v235/", {}, {})
    body = pmlr_play.answer(page, known).body
    text = body.decode()
    began = time.perf_counter()
    read_index(text, "235")
    seconds = time.perf_counter() - began
    tracemalloc.start()
    kept = read_index(text, "235")
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept
    say(
        f"\nPMLR index of {count} papers, {len(body) / 2**20:.1f} MiB: read in {seconds:.2f} s, "
        f"goal < 1; keeps {after / 2**20:.1f} MiB, {peak / 2**20:.1f} MiB at most"
    )


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
