"""Measures ``registry verify`` on synthetic registries and prints ratios taken in one run.

Every figure is a ratio of two things measured in turn on the same machine, since the absolute
times of a shared machine mean little.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from registry._version import __version__
from registry.bench.measure import Run, run, time_start
from registry.bench.synthetic import write

_LOAD = """
import sys, time, yaml
from pathlib import Path
files = sorted(Path(sys.argv[1], "data").rglob("*.yaml"))
began = time.perf_counter()
for file in files:
    yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
print(time.perf_counter() - began)
"""


def main() -> None:
    """Generate registries, measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m registry.bench", description=__doc__)
    parser.add_argument("--records", type=int, default=10_000, help="size of the large registry")
    parser.add_argument("--repeats", type=int, default=3, help="repeats; the median is reported")
    parser.add_argument("--seed", type=int, default=0, help="seed of the synthetic records")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="registry-bench-") as folder:
        _measure(Path(folder), arguments.records, arguments.repeats, arguments.seed)


def _measure(folder: Path, size: int, repeats: int, seed: int) -> None:
    large, small = folder / "large", folder / "small"
    counts = {
        root: write(root, count, seed) for root, count in ((large, size), (small, size // 10))
    }
    total = sum(file.stat().st_size for file in (large / "data").rglob("*.yaml"))
    _say(
        f"registry {__version__}, Python {platform.python_version()}, {platform.machine()}, "
        f"{os.cpu_count()} cores, {_processor()}"
    )
    _say(f"{counts[large]} records of {total / counts[large]:.0f} bytes, seed {seed}")
    loads: list[float] = []
    colds: list[Run] = []
    smalls: list[Run] = []
    warms: list[Run] = []
    for number in range(repeats):
        # Interleaved, so that a slow minute of the machine meets all of them.
        loads.append(_load(large))
        cache = folder / f"cache-{number}"
        colds.append(_verify(large, cache))
        _touch(large, number)
        warms.append(_verify(large, cache))
        smalls.append(_verify(small, cache))
    load, cold = statistics.median(loads), _median(colds)
    warm, tenth = _median(warms), _median(smalls)
    memory = max(one.peak for one in colds)
    plain, compared = _against_base(large, folder / "cache-base", repeats)
    extra = _median(compared) - _median(plain)
    versions, imports = time_start(repeats=5 * repeats)
    growth = cold / tenth / (counts[large] / counts[small])
    _say(f"{'CSafeLoader alone':34}{load:8.2f} s   {_spread(loads)}")
    _row("cold verify / CSafeLoader", cold / load, 1.2, f"{cold:.2f} s", colds)
    _row("one file changed / cold", warm / cold, 0.15, f"{warm:.2f} s", warms)
    _row("ten changed since the base / cold", extra / cold, 0.3, f"{extra:.2f} s more", compared)
    _say(f"{'peak memory, all processes':34}{memory / 2**20:8.0f} MB  goal <= 600")
    _say(f"{'time per record, large / small':34}{growth:8.2f}     1.00 is linear growth")
    ratio = versions / imports
    _say(f"{'--version / import typer':34}{ratio:8.2f}     goal <= 1.50  ({versions * 1e3:.0f} ms)")


def _load(root: Path) -> float:
    return float(run([sys.executable, "-c", _LOAD, str(root)]).output)


def _verify(root: Path, cache: Path, *more: str) -> Run:
    command = [sys.executable, "-m", "registry", "verify", "--root", str(root), "--format", "json"]
    return run([*command, *more], cache=cache)


def _against_base(root: Path, cache: Path, repeats: int) -> tuple[list[Run], list[Run]]:
    """Runs without a base and with one that ten records have changed since, taken in turn."""
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    begin = ("commit", "--quiet", "--no-gpg-sign", "--no-verify", "-m", "Begin")
    for words in (("init", "--quiet"), ("add", "data"), (*identity, *begin)):
        subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True)
    for number in range(10):
        _touch(root, 10 + number)
    _verify(root, cache)
    plain: list[Run] = []
    compared: list[Run] = []
    for _ in range(repeats):
        plain.append(_verify(root, cache))
        compared.append(_verify(root, cache, "--base", "HEAD"))
    return plain, compared


def _touch(root: Path, number: int) -> None:
    """Change one file in meaning."""
    file = sorted((root / "data" / "methods").iterdir())[number]
    file.write_text(file.read_text(encoding="utf-8") + f"note: changed {number}\n", "utf-8")


def _median(runs: list[Run]) -> float:
    return statistics.median(one.seconds for one in runs)


def _spread(seconds: list[float]) -> str:
    return f"{min(seconds):.2f} to {max(seconds):.2f} s in {len(seconds)} runs"


def _row(name: str, ratio: float, goal: float, time: str, runs: list[Run]) -> None:
    spread = _spread([one.seconds for one in runs])
    _say(f"{name:34}{ratio:8.2f}     goal <= {goal:.2f}  ({time}; {spread})")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if "model name" in line), "unknown")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
