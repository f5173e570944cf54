"""The command line as a user starts it, with a fake supervisor's side."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers.fakeattach import commands, make_run
from helpers.fakepython import make_python
from helpers.linklab import ROOT, wait_until

from core.events import (
    Batch,
    EpochEnd,
    Event,
    ExportProgress,
    HostsRequested,
    HostState,
    HostStateChanged,
    LogRecord,
    Resize,
    RunOver,
    RunState,
    RunStateChanged,
    Stage,
    TrainBegin,
)
from core.profilefile import builtin, save
from trainer.rundir import RunDir

W = "demo-1[0].x"
STORY: list[Event | LogRecord] = [
    HostsRequested({"demo-1": 1, "demo-2": 1}),
    RunStateChanged(RunState.TRAINING),
    HostStateChanged("demo-1", HostState.TRAINING, "", [0]),
    LogRecord(1, 1005.0, "demo-1", 0, 0, "stdout", "hello from the script"),
    TrainBegin(W, 1005.0, 0, 3, 10),
    Batch(W, 1006.0, 1, 0.1, 2, {"loss": 2.25}),
    Batch(W, 1007.0, 2, 0.2, 2, {"loss": float("nan")}),
    Resize(1, "hosts", 2, 3, ["demo-3"], [], 3, requested=1000.0, first_step=1004.5),
    EpochEnd(W, 1008.0, 10, 1, 3, {"loss": 1.5, "val_loss": 1.75}),
]
FINISHED = RunOver(RunState.FINISHED, "rank 0 completed the script", 0)
FAILED = RunOver(RunState.FAILED, "all workers failed", 1)


class Lab:
    """A MAYPOLE_HOME with one run in it, and the command line in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_dir = folder / "home" / "runs" / "r1"
        self.python = make_python(folder, self.run_dir)
        hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_STATE_HOME")
        self.env = {name: value for name, value in os.environ.items() if name not in hidden}
        self.env |= {"MAYPOLE_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}

    def play(
        self,
        lines: Sequence[Event | LogRecord],
        plan: Sequence[Mapping[str, Any]],
        state: str = "training",
    ) -> None:
        make_run(self.run_dir, lines, plan, str(self.python))
        RunDir(self.run_dir).status.write_text(json.dumps({"state": state, "updated": 7.0}))

    def start(self, *words: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "-m", "gui", *words],
            stdout=pipe, stderr=pipe, stdin=subprocess.DEVNULL, text=True, env=self.env, cwd=self.folder,
        )  # fmt: skip

    def maypole(self, *words: str) -> subprocess.CompletedProcess[str]:
        with self.start(*words) as process:
            stdout, stderr = process.communicate(timeout=60)
        return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)

    def profile(self, **changes: Any) -> str:
        from dataclasses import replace

        path = self.folder / "p.toml"
        save(path, replace(builtin("rehearsal"), python=str(self.python), **changes))
        return str(path)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"]])
def test_that_help_and_version_import_nothing_heavy(lab: Lab, words: list[str]) -> None:
    code = (
        "import sys\nfrom gui.__main__ import main\n"
        f"sys.argv[1:] = {words!r}\nstatus = main()\n"
        "heavy = {'PySide6', 'numpy', 'paramiko', 'pyqtgraph', 'tomlkit', 'core', 'trainer'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\nsys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=lab.env, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0
    assert done.stdout.endswith("heavy: []\n")
    assert "maypole" in done.stdout


@pytest.mark.parametrize(
    "words", [["dance"], ["run"], ["attach"], ["run", "p", "--fast"], ["hosts"], ["export", "r1"]]
)
def test_that_words_that_make_no_sense_are_wrong_input(lab: Lab, words: list[str]) -> None:
    done = lab.maypole(*words)
    assert done.returncode == 2
    assert "usage: maypole" in done.stderr


def test_that_a_run_is_started_followed_and_told_in_few_lines(lab: Lab) -> None:
    lab.play([*STORY, FINISHED], [{"then": "ended"}])
    done = lab.maypole("run", lab.profile())
    assert done.returncode == 0, done.stderr
    assert "Run r1 in " in done.stderr
    said = [line[10:] for line in done.stdout.splitlines()]
    assert said == [
        "training",
        "demo-1: training as rank 0",
        "step 1, epoch 0.10/3, 2 workers, loss 2.25",
        "resized 2 -> 3 at step 3: demo-3 joined; 4.5 s from request to first step",
        "step 2, epoch 0.20/3, 2 workers, loss 1.5, val_loss 1.75, about 28 s left",
        "finished: rank 0 completed the script",
    ]
    assert json.loads((lab.folder / "started.json").read_text())["hosts"] == {
        "demo-1": 1,
        "demo-2": 1,
    }


def test_that_json_gives_the_lines_of_the_wire(lab: Lab) -> None:
    lab.play([*STORY, FINISHED], [{"then": "ended"}])
    done = lab.maypole("attach", "r1", "--json", "--log")
    sent = json.loads((lab.run_dir / "lines.json").read_text())
    assert [json.loads(line) for line in done.stdout.splitlines()] == sent
    assert sent[6]["event"]["metrics"]["loss"] == "NaN"
    assert done.returncode == 0


def test_that_output_is_shown_only_when_asked_for(lab: Lab) -> None:
    lab.play([*STORY, FINISHED], [{"then": "ended"}])
    assert "demo-1[0] | hello from the script" in lab.maypole("attach", "r1", "--log").stdout
    assert "hello from the script" not in lab.maypole("attach", "r1").stdout


@pytest.mark.parametrize(
    ("end", "status"),
    [(FINISHED, 0), (FAILED, 1), (RunOver(RunState.STOPPED, "somebody stopped it"), 1)],
)
def test_that_the_exit_status_is_that_of_the_run(lab: Lab, end: RunOver, status: int) -> None:
    lab.play([*STORY, end], [{"then": "ended"}])
    assert lab.maypole("attach", "last").returncode == status


def test_that_a_detached_run_says_how_to_come_back(lab: Lab) -> None:
    done = lab.maypole("run", lab.profile(), "--detach")
    assert done.returncode == 0
    assert "maypole attach r1" in done.stdout
    assert "maypole stop r1" in done.stdout
    done = lab.maypole("run", lab.profile(), "--detach", "--json")
    assert json.loads(done.stdout) == {"run_id": "r1", "run_dir": str(lab.run_dir)}


def test_that_ctrl_c_detaches_and_says_how_to_go_on(lab: Lab) -> None:
    lab.play(STORY, [{"then": "live"}])
    with lab.start("run", lab.profile()) as process:
        assert process.stdout is not None
        wait_until(lambda: "val_loss" in process.stdout.readline(), "no epoch was told")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Detached; the run goes on." in stderr
    assert "maypole attach r1" in stderr
    assert "Traceback" not in stderr


def test_that_a_lost_link_is_told_and_taken_up_again(lab: Lab) -> None:
    lab.play([*STORY, FINISHED], [{"send": 3, "then": "die"}, {"then": "ended"}])
    done = lab.maypole("attach", "r1")
    assert done.returncode == 0
    assert "The link to the run was lost: the supervisor was killed." in done.stderr
    assert done.stdout.count("demo-1: training") == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"script": ""}, "script: Choose the training script."),
        ({"min_np": 3}, "min_np: --min-np (3) is above -np (2)."),
        ({"hosts": ()}, "hosts: No host is in the job."),
        ({"machine": "far"}, "machine: This version starts horovodrun on this computer only"),
    ],
)
def test_that_a_profile_that_cannot_run_says_why(
    lab: Lab, changes: dict[str, Any], said: str
) -> None:
    done = lab.maypole("run", lab.profile(**changes))
    assert done.returncode == 2
    assert said in done.stderr
    assert not (lab.folder / "started.json").exists()


def test_that_a_refusal_of_the_machine_names_its_field(lab: Lab) -> None:
    refusal = json.dumps({"error": {"field": "script", "text": "No train.py there."}})
    make_python(lab.folder, start=f"echo '{refusal}'; exit 2")
    done = lab.maypole("run", lab.profile())
    assert (done.returncode, done.stderr) == (2, "maypole: script: No train.py there.\n")


def test_that_a_broken_profile_names_its_line(lab: Lab) -> None:
    (lab.folder / "p.toml").write_text("format = 1\nnp = 'two'\n")
    done = lab.maypole("run", "p.toml")
    assert done.returncode == 2
    assert "p.toml, line 2: np must be a whole number" in done.stderr
    assert "There is no profile 'nothing'" in lab.maypole("run", "nothing").stderr


def test_that_runs_are_listed(lab: Lab) -> None:
    assert "maypole run rehearsal" in lab.maypole("runs").stdout
    lab.play(STORY, [{"then": "live"}], "waiting")
    assert lab.maypole("runs").stdout.split()[:2] == ["r1", "waiting"]
    (line,) = lab.maypole("runs", "--json").stdout.splitlines()
    assert json.loads(line)["run_dir"] == str(lab.run_dir)


def test_that_a_run_that_is_not_there_is_told(lab: Lab) -> None:
    done = lab.maypole("attach", "nothing")
    assert done.returncode == 1
    assert "See them with: maypole runs" in done.stderr


def test_that_hosts_are_asked_for_and_shown(lab: Lab) -> None:
    lab.play(STORY, [{"then": "live", "reply": "ok"}])
    done = lab.maypole("hosts", "r1", "demo-1:1", "demo-3:2")
    assert (done.returncode, done.stdout) == (0, "Asked for demo-1:1, demo-3:2\n")
    assert commands(lab.run_dir)[0]["args"] == {"hosts": {"demo-1": 1, "demo-3": 2}}
    assert lab.maypole("hosts", "r1").stdout.splitlines() == [
        "demo-1:1  training  rank 0",
        "demo-2:1  available",
    ]


def test_that_a_refused_change_of_hosts_fails(lab: Lab) -> None:
    lab.play(STORY, [{"then": "live", "reply": "no"}])
    done = lab.maypole("hosts", "r1", "demo-1:1")
    assert (done.returncode, done.stderr) == (1, "maypole: min-np is 1. Say --yes.\n")
    lab.play(STORY, [{"then": "live", "reply": "ok"}])
    assert lab.maypole("hosts", "r1", "demo-1:1", "--yes").returncode == 0
    assert commands(lab.run_dir)[-1]["args"] == {"hosts": {"demo-1": 1}, "confirmed": True}


def test_that_hosts_that_cannot_be_are_refused_here(lab: Lab) -> None:
    lab.play(STORY, [{"then": "live"}], "finished")
    assert lab.maypole("hosts", "r1", "demo-1:0").returncode == 2
    done = lab.maypole("hosts", "r1", "demo-1:1")
    assert done.returncode == 1
    assert "is over (finished)" in done.stderr


def test_that_stop_waits_for_the_end_and_tells_only_what_is_new(lab: Lab) -> None:
    lab.play(STORY, [{"then": "live", "reply": "end"}])
    done = lab.maypole("stop", "r1", "--now")
    assert done.returncode == 0, done.stderr
    assert [line[10:] for line in done.stdout.splitlines()] == ["stopped: as asked"]
    assert commands(lab.run_dir)[0]["args"] == {"now": True}
    lab.play(STORY, [{"then": "ended"}], "stopped")
    assert "is over already (stopped)" in lab.maypole("stop", "r1").stdout


@pytest.fixture
def model(lab: Lab) -> Path:
    folder = lab.run_dir / "export" / "r1"
    (folder / "variables").mkdir(parents=True)
    (folder / "saved_model.pb").write_bytes(b"model")
    (folder / "maypole.json").write_text("{}")
    return folder


def ready(request: str, folder: Path) -> ExportProgress:
    return ExportProgress(request, Stage.READY, "", str(folder), 40, 7, 1.5e-8, "x")


def test_that_an_export_is_asked_for_awaited_and_fetched(lab: Lab, model: Path) -> None:
    lab.play(STORY, [{"then": "live", "reply": "export", "path": str(model)}])
    done = lab.maypole("export", "r1", "out/mine")
    assert done.returncode == 0, done.stderr
    assert (lab.folder / "out" / "mine" / "saved_model.pb").read_bytes() == b"model"
    assert "2 files, 7 B, step 40, predictions differ by at most 1.5e-08" in done.stdout


def test_that_the_last_state_of_a_run_that_is_over_is_taken_as_it_is(lab: Lab, model: Path) -> None:
    lab.play([*STORY, ready("final", model), FINISHED], [{"then": "ended"}], "finished")
    (lab.folder / "out").mkdir()
    (lab.folder / "out" / "other").write_text("")
    done = lab.maypole("export", "r1", "out")
    assert done.returncode == 0, done.stderr
    assert (lab.folder / "out" / "r1-step40" / "saved_model.pb").exists()
    assert commands(lab.run_dir) == []


def test_that_a_run_that_is_over_without_an_export_is_asked_for_one(lab: Lab, model: Path) -> None:
    plan = [{"then": "ended"}, {"then": "ended", "reply": "export", "path": str(model)}]
    lab.play([*STORY, FINISHED], plan, "finished")
    done = lab.maypole("export", "r1", "out")
    assert done.returncode == 0, done.stderr
    assert (lab.folder / "out" / "saved_model.pb").exists()


def test_that_an_export_that_fails_says_why(lab: Lab) -> None:
    lab.play(STORY, [{"then": "live", "reply": "export", "path": ""}])
    done = lab.maypole("export", "r1", "out")
    assert (done.returncode, done.stderr) == (1, "maypole: The export failed: no room\n")
    (lab.folder / "file").write_text("")
    assert lab.maypole("export", "r1", "file").returncode == 2


def test_that_a_reader_that_leaves_is_no_error(lab: Lab) -> None:
    lab.play([*STORY, FINISHED], [{"then": "ended"}])
    with lab.start("attach", "r1", "--json") as process:
        assert process.stdout is not None
        process.stdout.close()
        _, stderr = process.communicate(timeout=30)
    assert "Traceback" not in stderr
