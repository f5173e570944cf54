"""Starting, following and leaving a run."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.qtwindow import Desk, open_desk, profile, state
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.errors import InvalidInput, LaunchError, RunError
from core.events import (
    ExportProgress,
    LinkChanged,
    LinkState,
    Problem,
    RunOver,
    RunState,
    RunStateChanged,
    Stage,
)
from core.runs import RunSummary
from core.watch import Watch
from gui import names, words
from gui.app import Application, Options, parse
from gui.mainwindow import CURVES_TAB, LAUNCH_TAB
from trainer.launchspec import LaunchSpec


def test_that_start_launches_the_profile_and_follows_the_run(desk: Desk) -> None:
    desk.use(profile())
    assert desk.pill == "No run"
    story = desk.train()
    assert desk.engine.launched[0].name == "test"
    assert desk.application.window.centre.currentIndex() == CURVES_TAB
    story.train(20)
    desk.until(lambda: desk.label(names.EPOCH_LABEL) == "epoch 1 / 12")
    assert not desk.action(names.START_ACTION).isVisible()
    assert desk.action(names.STOP_ACTION).isEnabled()
    desk.until(lambda: desk.label(names.WORLD_SIZE_LABEL) == "2 / 2")


def test_that_the_window_does_not_wait_for_a_slow_start(desk: Desk) -> None:
    desk.use(profile())
    desk.engine.gate.clear()
    began = time.monotonic()
    desk.action(names.START_ACTION).trigger()
    assert time.monotonic() - began < 2
    desk.until(lambda: desk.pill == "Preparing")
    assert not desk.action(names.START_ACTION).isEnabled()
    desk.engine.gate.set()
    desk.until(lambda: bool(desk.engine.clients))


def test_that_start_says_what_is_missing_and_goes_there(desk: Desk) -> None:
    desk.use(profile(in_job=0, script=""))
    desk.action(names.START_ACTION).trigger()
    assert desk.engine.launched == []
    assert "more field" in desk.prompter.texts[-1]
    assert desk.application.window.centre.currentIndex() == LAUNCH_TAB


def test_that_what_the_driver_machine_refuses_stands_beside_its_field(desk: Desk) -> None:
    desk.use(profile())
    desk.engine.found_by_machine = InvalidInput("python", "This Python has no horovod. Install it.")
    desk.action(names.START_ACTION).trigger()
    desk.until(lambda: "This Python has no horovod. Install it." in desk.prompter.texts)
    field = desk.application.window.launch.fields["python"]
    assert field.error == "This Python has no horovod. Install it."
    assert desk.pill == "No run"


def test_that_a_start_that_fails_says_so_and_can_be_tried_again(desk: Desk) -> None:
    desk.use(profile())
    desk.engine.refusal = LaunchError("The disk is full. Make room.")
    desk.action(names.START_ACTION).trigger()
    desk.until(lambda: "The disk is full. Make room." in desk.prompter.texts)
    desk.engine.refusal = None
    assert desk.action(names.START_ACTION).isEnabled()
    desk.train()


@pytest.mark.parametrize("run_state", list(RunState))
def test_that_the_pill_has_a_word_and_an_icon_for_every_state(
    desk: Desk, run_state: RunState
) -> None:
    desk.use(profile())
    story = desk.train()
    state(story, run_state, "because")
    word = words.of_run(run_state).word
    desk.until(lambda: desk.pill == word)
    pill = desk.application.window.top.pill
    assert word in pill.accessibleName()
    desk.until(lambda: "because" in pill.toolTip())


def test_that_waiting_tells_how_many_slots_are_there(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    story.client.say(RunStateChanged(RunState.WAITING, "too few slots", 1, 2, time.time() + 60))
    desk.until(lambda: desk.pill == "Waiting 1 / 2 slots")


def test_that_stop_asks_the_run_and_stop_now_asks_first(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    desk.action(names.STOP_ACTION).trigger()
    assert story.client.commands[-1].args == {"now": False}
    desk.prompter.say_yes = False
    desk.action(names.STOP_NOW_ACTION).trigger()
    assert len(story.client.commands) == 1
    desk.prompter.say_yes = True
    desk.action(names.STOP_NOW_ACTION).trigger()
    assert story.client.commands[-1].args == {"now": True}


def test_that_the_end_is_told_and_start_comes_back(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    story.client.say(RunOver(RunState.FAILED, "demo-1 ran out of memory.", 1))
    desk.until(lambda: desk.pill == "Failed")
    desk.until(lambda: any("demo-1 ran out of memory." in text for text in desk.prompter.texts))
    assert desk.action(names.START_ACTION).isVisible()
    assert desk.job == ["demo-1", "demo-2"]


def test_that_a_lost_link_is_told_without_stopping_anything(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    story.client.tell(LinkChanged(LinkState.LOST, "The link was lost. Trying again."))
    desk.until(lambda: "The link was lost. Trying again." in desk.prompter.texts)
    assert desk.pill == "Training"


def test_that_events_of_a_run_that_was_left_are_dropped(desk: Desk) -> None:
    desk.use(profile())
    old = desk.train().client
    old.say(RunOver(RunState.STOPPED, "", 0))
    desk.until(lambda: desk.pill == "Stopped")
    new = desk.start()
    assert old.stopped
    new.welcome()
    desk.until(lambda: desk.pill == "Preparing")
    old.say(RunStateChanged(RunState.FAILED, "late"))
    new.say(RunStateChanged(RunState.STARTING))
    desk.until(lambda: desk.pill == "Starting")
    assert desk.application.session.view is not None
    assert desk.application.session.view.last_seq == 1


def test_that_problems_and_resizes_are_counted_and_listed(desk: Desk) -> None:
    desk.use(profile(hosts=4))
    story = desk.train()
    story.client.say(Problem("x", "error", "It broke.", "Mend it.", "demo-1"))
    story.resize(["demo-1", "demo-2", "demo-3"], ["demo-3"], [])
    tabs = desk.application.window.bottom
    desk.until(lambda: tabs.tabText(1) == "Problems 1" and tabs.tabText(2) == "Resizes 1")
    model = desk.application.window.resizes.model
    assert model.data(model.index(0, 1)) == "2 → 3"


def test_that_every_point_reaches_the_curves(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    story.train(300)
    desk.until(lambda: len(desk.application.window.curves.store.batches.lr) == 300)


# ---- closing and coming back --------------------------------------------------------------------


def test_that_closing_the_window_leaves_the_run_going(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    desk.window.close()
    assert story.client.stopped
    assert [command.name for command in story.client.commands] == []


def test_that_it_is_said_once_that_the_window_may_be_closed(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    said = [text for text in desk.prompter.texts if "does not need this window" in text]
    assert len(said) == 1
    story.client.say(RunOver(RunState.STOPPED, "", 0))
    desk.until(lambda: desk.pill == "Stopped")
    desk.train()
    assert len([text for text in desk.prompter.texts if "does not need this window" in text]) == 1


def summary(name: str, run_state: RunState, folder: str = "/runs") -> RunSummary:
    spec = LaunchSpec(
        name, "/usr/bin/python3", "/tmp", "train.py", {"demo-1": 1, "demo-2": 1}, max_np=4
    )
    spec = replace(spec, created=time.time() - 60)
    return RunSummary(f"{name}-1", f"{folder}/{name}-1", spec, run_state, time.time())


def test_that_a_run_that_is_still_going_is_taken_up_again(desk: Desk) -> None:
    desk.engine.listed = [summary("done", RunState.FINISHED), summary("night", RunState.TRAINING)]
    desk.application.begin()
    desk.until(lambda: bool(desk.engine.clients) and desk.engine.client.started)
    assert desk.engine.client.run_dir == "/runs/night-1"
    assert any("still going" in text for text in desk.prompter.texts)
    desk.engine.client.welcome()
    desk.until(lambda: desk.job == ["demo-1", "demo-2"])


@pytest.mark.parametrize(
    ("watch", "word", "story", "note"),
    [
        (Watch.UNWATCHED, "Unwatched", "a new one takes it over", "It is taken over"),
        (Watch.GONE, "Ended unseen", "noted last as: Training", "ended while nobody watched"),
    ],
)
def test_that_a_run_without_supervisor_is_not_called_training(
    desk: Desk, watch: Watch, word: str, story: str, note: str
) -> None:
    desk.engine.listed = [replace(summary("night", RunState.TRAINING), watch=watch)]
    desk.application.begin()
    desk.until(lambda: any(note in text for text in desk.prompter.texts))
    model = desk.application.window.runs.model
    desk.until(lambda: model.rowCount() == 1)
    assert model.index(0, 0).data() == word
    assert story in model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)


def test_that_another_profiles_run_is_only_offered(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    desk = open_desk(qapp, qtbot, tmp_path, Options(profile="rehearsal"))
    desk.engine.listed = [summary("night", RunState.TRAINING)]
    desk.application.begin()
    desk.until(lambda: any("Another run" in text for text in desk.prompter.texts))
    assert desk.engine.clients == []
    note = desk.prompter.notes[-1]
    assert note.on_action is not None
    note.on_action()
    desk.until(lambda: bool(desk.engine.clients))
    desk.put_away()


def test_that_attach_shows_the_named_run(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    desk = open_desk(qapp, qtbot, tmp_path, Options(attach="done-1"))
    desk.engine.listed = [summary("done", RunState.FINISHED)]
    desk.application.begin()
    desk.until(lambda: bool(desk.engine.clients))
    desk.put_away()


def test_that_autostart_starts(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    desk = open_desk(qapp, qtbot, tmp_path, Options(profile="rehearsal", autostart=True))
    desk.application.begin()
    desk.until(lambda: bool(desk.engine.clients))
    assert desk.engine.launched[0].name == "rehearsal"
    desk.put_away()


def test_that_a_missing_profile_is_told(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    desk = open_desk(qapp, qtbot, tmp_path, Options(profile="/nowhere/x.toml"))
    desk.application.begin()
    desk.until(lambda: any("/nowhere/x.toml" in text for text in desk.prompter.texts))
    desk.put_away()


def test_that_a_run_can_be_reopened_from_the_list(desk: Desk) -> None:
    desk.engine.listed = [summary("done", RunState.FINISHED), summary("old", RunState.FAILED)]
    desk.application.wiring.list_runs()
    runs = desk.application.window.runs
    desk.until(lambda: runs.model.rowCount() == 2)
    runs.view.selectRow(1)
    button = runs.findChild(object, names.RUNS_OPEN_BUTTON)
    button.click()  # type: ignore[attr-defined]
    desk.until(lambda: bool(desk.engine.clients))
    assert desk.engine.client.run_dir == "/runs/old-1"


def test_that_a_run_that_cannot_be_attached_to_says_why(desk: Desk) -> None:
    desk.engine.listed = [summary("done", RunState.FINISHED)]
    desk.engine.refusal = RunError("Its folder is gone. Choose another run.")
    desk.application.session.attach("/runs/done-1")
    desk.until(lambda: "Its folder is gone. Choose another run." in desk.prompter.texts)
    assert desk.pill == "No run"


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], Options()),
        (["--profile", "rehearsal"], Options(profile="rehearsal")),
        (["--attach", "last", "--autostart"], Options(attach="last", autostart=True)),
    ],
)
def test_that_the_options_are_read(argv: list[str], expected: Options) -> None:
    assert parse(argv) == expected


# ---- export -------------------------------------------------------------------------------------


def test_that_an_export_is_followed_verified_and_fetched(desk: Desk, tmp_path: Path) -> None:
    desk.use(profile())
    story = desk.train()
    desk.prompter.path = str(tmp_path / "models")
    export = desk.action(names.EXPORT_ACTION)
    export.trigger()
    command = story.client.commands[-1]
    assert (command.name, export.text()) == ("export", "Asking rank 0…")
    story.client.reply(command, request="e1")
    for stage, text in ((Stage.REQUESTED, "Waiting for the commit…"), (Stage.WRITING, "Writing…"),
                        (Stage.VERIFYING, "Verifying…")):  # fmt: skip
        story.client.say(ExportProgress("e1", stage))
        desk.until(lambda text=text: export.text() == text)  # type: ignore[misc]
    ready = ExportProgress(
        "e1", Stage.READY, "", "/runs/export/e1", 120, 1_234_567, 0.0, "x: float32 -> y: float32"
    )
    story.client.say(ready)
    desk.until(lambda: any("SavedModel of step 120" in text for text in desk.prompter.texts))
    text = desk.prompter.texts[-1]
    assert "1.2 MB" in text
    assert "float32" in text
    assert desk.engine.fetched[0][1] == tmp_path / "models"
    assert export.text() == "Export SavedModel"


def test_that_a_failed_export_says_why(desk: Desk, tmp_path: Path) -> None:
    desk.use(profile())
    story = desk.train()
    desk.prompter.path = str(tmp_path / "models")
    desk.action(names.EXPORT_ACTION).trigger()
    story.client.reply(story.client.commands[-1], request="e1")
    story.client.say(
        ExportProgress("e1", Stage.FAILED, "The disk of gpu1 is full. Make room there.")
    )
    desk.until(lambda: "The disk of gpu1 is full. Make room there." in desk.prompter.texts)
    assert not desk.application.wiring.export.busy


def test_that_after_the_end_the_last_state_is_fetched_without_asking(
    desk: Desk, tmp_path: Path
) -> None:
    desk.use(profile())
    story = desk.train()
    story.client.say(
        ExportProgress("final", Stage.READY, "", "/runs/export/final", 500, 1000, 0.0, ""),
        RunOver(RunState.FINISHED, "", 0),
    )
    desk.until(lambda: desk.pill == "Finished")
    desk.prompter.path = str(tmp_path / "models")
    desk.action(names.EXPORT_ACTION).trigger()
    desk.until(lambda: bool(desk.engine.fetched))
    assert story.client.commands == []


def test_that_an_export_can_be_called_off(desk: Desk, tmp_path: Path) -> None:
    desk.use(profile())
    story = desk.train()
    story.client.say(
        ExportProgress("final", Stage.READY, "", "/runs/export/final", 500, 1000, 0.0, ""),
        RunOver(RunState.FINISHED, "", 0),
    )
    desk.until(lambda: desk.pill == "Finished")
    desk.prompter.path = str(tmp_path / "models")
    desk.engine.gate.clear()
    desk.action(names.EXPORT_ACTION).trigger()
    desk.until(lambda: desk.action(names.EXPORT_ACTION).text().startswith("Copying"))
    desk.action(names.EXPORT_ACTION).trigger()
    assert desk.action(names.EXPORT_ACTION).text() == "Export SavedModel"
    desk.engine.gate.set()
    assert threading.active_count() >= 1


def test_that_the_real_prompter_and_toasts_can_be_used(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    desk = open_desk(qapp, qtbot, tmp_path)
    toasts = desk.application.toasts
    from gui.toasts import Note

    done: list[bool] = []
    toasts.show(Note("One."))
    toasts.show(Note("Two.", "error", "Do it", lambda: done.append(True)))
    toasts.show(Note("One."))
    assert [note.text for note in toasts.notes] == ["Two.", "One."]
    toasts._shown[0]._act()
    assert done == [True]
    toasts.clear()
    assert toasts.notes == []
    desk.put_away()


def test_that_the_composition_root_works_with_the_real_engine(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    from core.home import Home
    from gui.settings import Settings

    home = Home(str(tmp_path / "home"))
    application = Application(
        qapp, Options(profile="rehearsal"), home=home, settings=Settings(str(tmp_path / "s.ini"))
    )
    desk = Desk(application, None, None, qtbot, tmp_path)  # type: ignore[arg-type]
    application.window.show()
    application.begin()
    desk.until(lambda: desk.job == ["demo-1", "demo-2"])
    desk.until(lambda: "horovodrun" in application.window.launch._preview.command.toPlainText())
    desk.put_away()
