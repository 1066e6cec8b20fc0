from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from registry._version import __version__

ROOT = Path(__file__).resolve().parents[1]
WHEEL = f"claims_registry-{__version__}-py3-none-any.whl"
SDIST = f"claims_registry-{__version__}.tar.gz"


def files_below(*folders: str) -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


# The versions that tests and CI run with


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pinned}


def dependencies(project: dict[str, Any]) -> list[str]:
    required: list[str] = project["project"]["dependencies"]
    return required


def closure(requirements: Iterable[str]) -> list[Requirement]:
    """Requirements and all that these require in turn, on this interpreter."""
    found: dict[str, Requirement] = {}
    waiting = [(Requirement(text), "") for text in requirements]
    while waiting:
        wanted, extra = waiting.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        if str(wanted) not in found:
            found[str(wanted)] = wanted
            for text in importlib.metadata.requires(wanted.name) or ():
                waiting += [(Requirement(text), extra) for extra in {"", *wanted.extras}]
    return list(found.values())


def test_everything_that_tests_run_with_is_pinned_and_nothing_else(
    project: dict[str, Any], pins: dict[str, str]
) -> None:
    extras = project["project"]["optional-dependencies"]
    direct = dependencies(project) + project["build-system"]["requires"]
    wanted = [
        requirement
        for requirement in closure(direct + [one for extra in extras.values() for one in extra])
        # Of torch's builds, that for CPUs is pinned; others ask for the libraries of a GPU as well.
        if not requirement.name.startswith(("cuda-", "nvidia-", "triton"))
    ]
    named = {canonicalize_name(requirement.name) for requirement in wanted}
    assert pins.keys() == named
    for requirement in wanted:
        version = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


def imported(package: str) -> set[str]:
    """Distributions that the modules of a package import, by their canonical names."""
    names: set[str] = set()
    for file in files_below(package):
        if file.endswith(".py"):
            for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    names |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names.add(node.module.partition(".")[0])
    distributions = importlib.metadata.packages_distributions()
    return {
        canonicalize_name(distribution)
        for name in names - sys.stdlib_module_names - {"registry", "eagle_impl"}
        for distribution in distributions.get(name, [name])
    }


def test_what_is_imported_is_required_and_what_is_required_is_imported(
    project: dict[str, Any],
) -> None:
    required = {canonicalize_name(Requirement(text).name) for text in dependencies(project)}
    extras = project["project"]["optional-dependencies"]
    extra = extras["eagle"] + extras["huggingface"] + extras["plot"]
    # Pydantic requires exactly one version of its core, so that no range of ours can be right.
    assert imported("registry") - {"pydantic-core"} == required
    assert imported("eagle_impl") <= required | {Requirement(text).name for text in extra}


def test_no_module_of_the_registry_and_no_command_imports_torch() -> None:
    program = """
import importlib, pkgutil, sys
sys.modules["torch"] = None  # importing it fails
registry = importlib.import_module("registry")
for module in pkgutil.walk_packages(registry.__path__, "registry."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
importlib.import_module("eagle_impl.cli")
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, cwd=ROOT)


# What is built


def build(target: str, source: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, the sdist, and the wheel that the sdist builds."""
    folder = tmp_path_factory.mktemp("built")
    build("wheel", ROOT, folder)
    build("sdist", ROOT, folder)
    with tarfile.open(folder / SDIST) as archive:
        archive.extractall(folder, filter="data")
    build("wheel", folder / SDIST.removesuffix(".tar.gz"), folder / "from-sdist")
    return folder


def test_the_wheel_holds_code_records_schemas_and_template(built: Path) -> None:
    with zipfile.ZipFile(built / WHEEL) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
        about = {Path(name).name for name in wheel.namelist() if ".dist-info/" in name}
    shipped = {f"registry/_shipped/{file}" for file in files_below("data", "schemas")}
    assert held == files_below("registry", "eagle_impl") | shipped
    assert "registry/_shipped/data/papers/eagle.yaml" in held
    assert "registry/template/.github/workflows/registry.yml" in held
    assert {"LICENSE", "LICENSE-DATA", "entry_points.txt"} <= about


def test_the_sdist_builds_the_same_wheel(built: Path) -> None:
    with (
        zipfile.ZipFile(built / WHEEL) as wheel,
        zipfile.ZipFile(built / "from-sdist" / WHEEL) as again,
    ):
        assert {info.filename: info.CRC for info in wheel.infolist()} == {
            info.filename: info.CRC for info in again.infolist()
        }


def test_the_sdist_can_run_its_tests(built: Path) -> None:
    unpacked = built / SDIST.removesuffix(".tar.gz")
    for file in ("Makefile", "constraints.txt", ".ci/run", "tests/test_packaging.py"):
        assert (unpacked / file).read_bytes() == (ROOT / file).read_bytes()


# What is installed


@pytest.fixture(scope="module")
def installed(built: Path) -> Path:
    """The folder of the commands in an environment that the wheel was installed into.

    What it needs is lent by the environment that the tests run in, so that no network is asked.
    """
    folder = built / "environment"
    venv.create(folder, symlinks=True)
    commands = folder / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(commands / "python")]
    arguments = ["install", "--quiet", "--no-index", "--no-deps", str(built / WHEEL)]
    subprocess.run([*pip, *arguments], check=True)
    (packages,) = (folder / "lib").glob("python*/site-packages")
    lent = [path for path in sys.path if path.endswith("site-packages")]
    # Paths listed in a .pth file have theirs ignored: the editable install here is not seen there.
    (packages / "lent.pth").write_text("\n".join(lent) + "\n")
    return commands


def command(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    program, *arguments = words
    return subprocess.run(
        [installed / program, *arguments],
        cwd=folder,
        env=kept,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_commands_work_from_any_folder(installed: Path, tmp_path: Path) -> None:
    code = "import registry; print(registry.__file__)"
    where = command(installed, tmp_path, "python", "-c", code).stdout
    assert Path(where.strip()).is_relative_to(installed.parent)
    for words in (["registry", "--version"], ["python", "-m", "registry", "--version"]):
        done = command(installed, tmp_path, *words)
        assert (done.returncode, done.stdout) == (0, f"registry {__version__}\n")
    explained = command(installed, tmp_path, "registry", "explain", "LNK001")
    assert explained.returncode == 0
    assert explained.stdout.startswith("LNK001 (error): ")


def test_the_shipped_records_verify_and_show_from_any_folder(
    installed: Path, tmp_path: Path
) -> None:
    count = sum(name.endswith(".yaml") for name in files_below("data"))
    verified = command(installed, tmp_path, "registry", "verify")
    assert verified.returncode == 0, verified.stdout
    assert f"{count} records checked: 0 errors" in verified.stdout
    shown = command(installed, tmp_path, "registry", "show", "eagle")
    assert shown.returncode == 0
    assert "EAGLE: Speculative Sampling Requires Rethinking Feature Uncertainty" in shown.stdout


def test_an_installed_registry_starts_others(installed: Path, tmp_path: Path) -> None:
    assert command(installed, tmp_path, "registry", "init", "mine").returncode == 0
    verified = command(installed, tmp_path / "mine", "registry", "verify", "--strict")
    assert verified.returncode == 0
    assert "6 records checked" in verified.stdout


def test_eagle_impl_starts_without_torch_and_says_what_is_missing(
    installed: Path, tmp_path: Path
) -> None:
    done = command(installed, tmp_path, "eagle_impl", "--version")
    assert (done.returncode, done.stdout) == (0, f"eagle_impl {__version__}\n")
    done = command(installed, tmp_path, "eagle_impl", "generate", "--help")
    assert done.returncode == 0
    assert "--compare" in done.stdout
    without = "import sys; sys.modules['torch'] = None; from eagle_impl.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", without, "generate", "hello"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (2, "")
    wanted = "eagle_impl: torch is not installed (pip install '.[eagle]' in a clone)\n"
    assert done.stderr == wanted


# What runs the gate elsewhere


def test_the_workflow_runs_the_gate_with_pinned_actions_and_no_right_to_write() -> None:
    text = (ROOT / ".github/workflows/check.yml").read_text()
    *actions, own = re.findall(r"uses: (.+)", text)
    assert len(actions) == 3
    assert own == "./"
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[0-9.]+", action) for action in actions)
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    gate, findings = workflow["jobs"]["gate"], workflow["jobs"]["findings"]
    assert "permissions" not in gate
    assert gate["strategy"]["matrix"] == {"python-version": ["3.11", "3.13"]}
    assert ".ci/run" in [step.get("run") for step in gate["steps"]]
    assert findings["permissions"] == {"contents": "read", "security-events": "write"}
    assert findings["steps"][-1] == {"uses": "./", "with": {"sarif": True}}


def test_the_gate_can_be_run() -> None:
    gate = ROOT / ".ci/run"
    assert os.access(gate, os.X_OK)
    assert "set -euo pipefail" in gate.read_text()


def test_the_hook_checks_the_whole_registry_at_every_commit() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert (hook["id"], hook["language"]) == ("registry-verify", "python")
    assert (hook["entry"], hook["args"]) == ("registry verify", ["--root=."])
    assert hook["pass_filenames"] is False
    # A commit that does nothing but delete a record has no file that a pattern could match.
    assert hook["always_run"] is True
    assert "files" not in hook
