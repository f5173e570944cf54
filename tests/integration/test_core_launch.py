"""Starting a run and reading runs' folders, with a fake Python that answers as `start` would."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.bundle import build
from core.errors import InvalidInput, LaunchError, MachineError, RunError
from core.events import RunState
from core.home import Home
from core.launch import StartedRun, launch
from core.localmachine import LocalMachine
from core.runs import find_run, list_runs
from trainer.launchspec import LaunchSpec, from_json
from trainer.rundir import RunDir

HERE, BUNDLE = LocalMachine(), build()


def fake_python(folder: Path, answer: str) -> LaunchSpec:
    """A program that notes what it got and runs ``answer`` in a shell."""
    program = folder / "python"
    program.write_text(
        f'#!/bin/sh\ncat > "{folder}/stdin"\necho "$MAYPOLE_HOME" "$@" > "{folder}/argv"\n{answer}\n'
    )
    program.chmod(0o755)
    return LaunchSpec(
        name="n", python=str(program), workdir=str(folder), script="x.py", hosts={"a": 1}
    )


def test_that_the_bundle_is_put_there_and_started_with_the_settings(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    spec = fake_python(tmp_path, 'echo \'{"run_dir": "/srv/runs/r1"}\'')
    assert launch(HERE, spec, home, BUNDLE) == StartedRun("r1", "/srv/runs/r1")
    assert (tmp_path / "argv").read_text() == f"{home.root} {BUNDLE.path(home)} start\n"
    assert from_json((tmp_path / "stdin").read_text()) == spec
    assert Path(BUNDLE.path(home)).read_bytes() == BUNDLE.data


def test_that_the_working_directory_of_built_in_scripts_is_made(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    spec = fake_python(tmp_path, 'echo \'{"run_dir": "/srv/runs/r1"}\'')
    launch(HERE, replace(spec, workdir=home.work), home, BUNDLE)
    assert Path(home.work).is_dir()


def refusal(field: str, text: str) -> str:
    return f"echo '{json.dumps({'error': {'field': field, 'text': text}})}'; exit 2"


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (refusal("script", "No such script."), InvalidInput, "No such script."),
        (refusal("", "No room."), LaunchError, "No room."),
        ("echo 'ImportError: no json' >&2; exit 1", LaunchError, "status 1.*ImportError: no json"),
        ("exit 0", LaunchError, "nothing was said"),
        ("echo '[]'; exit 0", LaunchError, "could not be started"),
        ("echo '{\"run_dir\": \"relative\"}'", LaunchError, "could not be started"),
        ("exit 127", InvalidInput, "Choose another Python"),
    ],
)  # fmt: skip
def test_that_a_refusal_is_told_as_it_was_meant(
    answer: str, kind: type[Exception], said: str, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=said):
        launch(HERE, fake_python(tmp_path, answer), Home(str(tmp_path / "home")), BUNDLE)


def test_that_words_of_the_python_before_the_answer_do_no_harm(tmp_path: Path) -> None:
    spec = fake_python(tmp_path, 'echo warning: old; echo \'{"run_dir": "/srv/runs/r1"}\'')
    assert launch(HERE, spec, Home(str(tmp_path / "home")), BUNDLE).run_id == "r1"


def test_that_a_python_that_is_not_there_is_said_beside_its_field(tmp_path: Path) -> None:
    spec = replace(fake_python(tmp_path, ""), python=str(tmp_path / "no" / "python"))
    with pytest.raises(InvalidInput) as refused:
        launch(HERE, spec, Home(str(tmp_path / "home")), BUNDLE)
    assert refused.value.field == "python"


def test_that_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError, match=r"Cannot write .*bundles"):
        launch(HERE, fake_python(tmp_path, ""), Home(str(tmp_path / "file")), BUNDLE)


def make(home: Home, run_id: str, created: float, status: str = "") -> None:
    folder = RunDir(Path(home.runs, run_id))
    folder.root.mkdir(parents=True)
    spec = LaunchSpec(
        name="n", python="/p", workdir="/w", script="s.py", hosts={"a": 1}, created=created
    )
    folder.write_spec(spec)
    if status:
        folder.status.write_text(status)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(str(tmp_path))
    make(home, "20260101-aa", 100.0, json.dumps({"state": "finished", "updated": 150.0}))
    make(home, "20260102-ab", 200.0, json.dumps({"state": "training", "updated": 250}))
    make(home, "20260103-b", 300.0, "{torn")
    Path(home.runs, "junk").mkdir()
    Path(home.runs, "broken").mkdir()
    Path(home.runs, "broken", "run.json").write_text("{")
    return home


def test_that_runs_are_listed_newest_first_and_junk_is_passed_over(home: Home) -> None:
    found = list_runs(HERE, home)
    assert [(run.run_id, run.state, run.updated, run.over) for run in found] == [
        ("20260103-b", RunState.PREPARING, 300.0, False),
        ("20260102-ab", RunState.TRAINING, 250.0, False),
        ("20260101-aa", RunState.FINISHED, 150.0, True),
    ]


@pytest.mark.parametrize("name", ["20260102-ab", "20260102", "{runs}/20260102-ab/"])
def test_that_a_run_is_found_by_id_prefix_and_folder(home: Home, name: str) -> None:
    assert find_run(HERE, home, name.format(runs=home.runs)).run_id == "20260102-ab"


def test_that_last_is_the_newest_run(home: Home, tmp_path: Path) -> None:
    assert find_run(HERE, home, "last").run_id == "20260103-b"
    with pytest.raises(RunError, match="maypole run rehearsal"):
        find_run(HERE, Home(str(tmp_path / "empty")), "last")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("2026", "could be any of 20260101-aa, 20260102-ab"),
        ("x", "maypole runs"),
        ("", "There is no run"),
        ("..", "There is no run"),
        ("/nowhere", "is not a run"),
        ("junk", "is not a run"),
    ],
)
def test_that_a_run_that_cannot_be_found_is_told(home: Home, name: str, said: str) -> None:
    with pytest.raises(RunError, match=said):
        find_run(HERE, home, name)
