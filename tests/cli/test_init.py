from __future__ import annotations

import re
import shlex
from datetime import date
from pathlib import Path

import pytest
import yaml
from runner import ACTION

from registry import schema
from registry._version import __version__
from registry.cli import main
from registry.errors import OccupiedError, UnreadableError
from registry.records import FOLDERS
from registry.starter import TEMPLATE, start
from registry.verify import Options, load, report_on

DAY = date(2026, 5, 4)
STAND_INS = ("2000-01-01", "0.0.0")


def contents(folder: Path) -> dict[str, str]:
    """Every path below a folder, with the text of files."""
    return {
        path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else "(no file)"
        for path in folder.rglob("*")
    }


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert isinstance(caught.value.code, int)
    return caught.value.code


# What it makes


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("started") / "my registry"
    start(folder, DAY)
    return folder


def test_what_it_makes_verifies_without_a_single_finding(started: Path) -> None:
    report = report_on(load(started, use_cache=False), Options(today=DAY, strict=True))
    assert report.findings == ()
    assert report.records == {"evidence": 1, "organization": 1, "paper": 1, "source": 1, "venue": 2}


def test_the_example_is_held_against_its_evidence(started: Path) -> None:
    registry = load(started, use_cache=False)
    (matrix,) = report_on(registry, Options(today=DAY, ids=["paper/example-paper"])).matrices
    assert {cell.field: cell.verdict for cell in matrix.cells} == {
        "title": "confirmed",
        "authors": "confirmed",
        "affiliations": "confirmed",
        "venue": "confirmed",
        "venue_track": "silent",
        "year": "confirmed",
    }


def test_a_mistake_in_the_example_is_found(tmp_path: Path) -> None:
    start(tmp_path, DAY)
    paper = tmp_path / "data/papers/example-paper.yaml"
    text = paper.read_text()
    line = 1 + text.splitlines().index("    - value: 1999")
    paper.write_text(text.replace("value: 1999", "value: 1998"))
    report = report_on(load(tmp_path, use_cache=False), Options(today=DAY))
    assert [(found.code, found.line) for found in report.findings] == [("EVD001", line)]


def test_every_kind_has_its_folder_and_its_schema(started: Path) -> None:
    folders = {path.name for path in (started / "data").iterdir()}
    assert folders == set(FOLDERS.values())
    assert all((started / "data" / folder / ".gitkeep").is_file() for folder in folders)
    assert schema.check(started / "schemas") == []


def test_the_example_is_dated_and_the_workflow_names_this_release(started: Path) -> None:
    paper = yaml.safe_load((started / "data/papers/example-paper.yaml").read_text())
    assert {held["recorded"] for held in paper["venue"]["assertions"]} == {DAY}
    assert __version__ in (started / ".github/workflows/registry.yml").read_text()
    assert not any(
        stand_in in text for text in contents(started).values() for stand_in in STAND_INS
    )


def test_the_workflow_runs_the_action_with_the_history_and_no_right_to_write(started: Path) -> None:
    text = (started / ".github/workflows/registry.yml").read_text()
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    checkout, action, schemas = workflow["jobs"]["verify"]["steps"]
    assert re.search(r"uses: actions/checkout@[0-9a-f]{40} # v[0-9.]+\n", text)
    assert checkout["with"] == {"persist-credentials": False, "fetch-depth": 0}
    # Where the program will be published is not known here; whoever starts a registry says it.
    assert action["uses"] == "OWNER/claims-registry@COMMIT"
    assert action["with"].keys() <= ACTION["inputs"].keys()
    assert schemas["run"] == "registry schema --check"


def test_the_hook_runs_the_installed_command_at_every_commit(started: Path) -> None:
    (repo,) = yaml.safe_load((started / ".pre-commit-config.yaml").read_text())["repos"]
    (hook,) = repo["hooks"]
    assert (repo["repo"], hook["language"]) == ("local", "system")
    # With the root named, a registry that was deleted whole is none, and not another one.
    assert hook["entry"] == "registry verify --root ."
    assert (hook["always_run"], hook["pass_filenames"]) == (True, False)


def test_commands_that_the_readme_names_exist(started: Path) -> None:
    from registry.cli.app import app

    named = set(re.findall(r"`?registry ([\w-]+)", (started / "README.md").read_text()))
    commands = {command.name for command in app.registered_commands}
    assert named - {"of"} <= commands


def test_the_template_is_itself_a_registry_that_verifies() -> None:
    report = report_on(load(TEMPLATE, use_cache=False), Options(today=date(2000, 1, 1)))
    assert report.findings == ()
    assert report.records["paper"] == 1


def test_it_says_what_it_made_and_what_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", "it's mine") == 0
    printed, complaint = capsys.readouterr()
    assert complaint == ""
    made, _, following = printed.partition("\nNext:\n")
    top = {path.name for path in (tmp_path / "it's mine").iterdir()}
    named = [line.split()[0].rstrip("/") for line in made.splitlines()[1:]]
    assert set(named) == top
    commands = [shlex.split(line) for line in following.splitlines()]
    assert commands[0] == ["cd", "it's mine"]
    monkeypatch.chdir(commands[0][1])
    for program, *arguments in commands[1:]:
        assert program == "registry"
        assert run(*arguments) == 0
    assert len(commands) == 4


# Where it makes it


@pytest.mark.parametrize("place", ["new", "a/b/c", "with space", "ünïcode", "./x/../new"])
def test_a_folder_that_does_not_exist_is_made_with_those_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    files = start(Path(place), DAY)
    made = tmp_path / "new" if ".." in place else tmp_path / place
    assert sorted(files) == sorted(
        path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()
    )
    assert "data/papers/example-paper.yaml" in files
    assert len(list(tmp_path.iterdir())) == 1


def test_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", ".") == 0
    assert "  cd " not in capsys.readouterr().out
    assert (tmp_path / "data/papers/example-paper.yaml").is_file()


def test_what_is_there_already_stays(tmp_path: Path) -> None:
    (tmp_path / ".github/workflows").mkdir(parents=True)
    (tmp_path / ".github/workflows/tests.yml").write_text("name: tests\n")
    (tmp_path / "LICENSE").write_text("mine\n")
    before = contents(tmp_path)
    start(tmp_path, DAY)
    after = contents(tmp_path)
    assert before.items() <= after.items()
    assert ".github/workflows/registry.yml" in after


# When it refuses


@pytest.mark.parametrize(
    "there",
    ["data/notes.txt", "data", "README.md", ".gitignore", ".pre-commit-config.yaml",
     ".github/workflows/registry.yml", "schemas/paper.schema.json", "schemas", ".github"],
)  # fmt: skip
def test_nothing_is_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], there: str
) -> None:
    (tmp_path / there).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / there).write_text("mine\n")
    before = contents(tmp_path)
    assert run("init", str(tmp_path)) == 2
    printed, complaint = capsys.readouterr()
    assert printed == ""
    assert complaint.count("\n") == 1
    named = there.removesuffix("/notes.txt")
    assert complaint.startswith(f"registry: {tmp_path} already holds {named} (")
    assert contents(tmp_path) == before


def test_no_name_is_not_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", "") == 2
    assert "write `.` for this folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "data").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OccupiedError, match="already holds data"):
        start(folder, DAY)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OccupiedError, match="is not a folder"):
        start(tmp_path / "link", DAY)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link"]
    assert [path.name for path in folder.iterdir()] == ["data"]


@pytest.mark.parametrize("below", [".", "registry", "a/b"])
def test_a_file_is_no_place_for_a_registry(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], below: str
) -> None:
    (tmp_path / "file").write_text("mine\n")
    assert run("init", str(tmp_path / "file" / below)) == 2
    complaint = capsys.readouterr().err
    assert complaint == f"registry: {tmp_path / 'file'} is not a folder (name another one)\n"
    assert contents(tmp_path) == {"file": "mine\n"}


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder nobody can write to")
def test_a_folder_that_cannot_be_written_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("init", "/proc/registry") == 2
    complaint = capsys.readouterr().err
    assert re.fullmatch(r"registry: cannot write to /proc: .+\n", complaint)


@pytest.mark.parametrize("moves", range(5))
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_half_way_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moves: int, failure: BaseException
) -> None:
    (tmp_path / ".github/workflows").mkdir(parents=True)
    (tmp_path / "LICENSE").write_text("mine\n")
    before = contents(tmp_path)
    rename = Path.rename
    done: list[Path] = []

    def fails(self: Path, target: Path) -> Path:
        if len(done) == moves:
            raise failure
        done.append(target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fails)
    expected = UnreadableError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        start(tmp_path, DAY)
    assert len(done) == moves
    assert contents(tmp_path) == before
