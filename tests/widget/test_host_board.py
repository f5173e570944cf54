"""Moving hosts as a person does: drops, keys, menus, double clicks."""

from __future__ import annotations

import json

import pytest
from helpers.qtwindow import Desk, asked, drop_mime, leave, profile
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QSpinBox
from pytestqt.qtbot import QtBot

from core.events import HostState, HostStateChanged
from gui import names
from gui.boardrows import HostRow, rows
from gui.hostmodel import MIME, HostModel, hosts_from_mime

AVAILABLE, JOB = names.AVAILABLE_HOSTS, names.JOB_HOSTS


def test_that_a_drop_moves_hosts_both_ways(desk: Desk) -> None:
    desk.use(profile())
    assert desk.drop(["demo-3", "demo-4"], JOB)
    assert (desk.available, desk.job) == ([], ["demo-1", "demo-2", "demo-3", "demo-4"])
    assert desk.drop(["demo-1"], AVAILABLE)
    assert (desk.available, desk.job) == (["demo-1"], ["demo-2", "demo-3", "demo-4"])
    assert [h.in_job for h in desk.application.store.profile.hosts] == [False, True, True, True]


def test_that_a_drop_onto_a_card_counts_like_one_beside_it(desk: Desk) -> None:
    desk.use(profile())
    view = desk.column(JOB)
    model = desk.column(AVAILABLE).hosts
    on_card = view.visualRect(view.hosts.index(0)).center()
    assert drop_mime(view, model.mimeData([model.index(0)]), QPoint(on_card))
    assert desk.job == ["demo-1", "demo-2", "demo-3"]


def test_that_a_drop_back_into_the_same_column_is_refused(desk: Desk) -> None:
    desk.use(profile())
    view = desk.column(JOB)
    assert not drop_mime(view, view.hosts.mimeData([view.hosts.index(0)]))
    assert desk.job == ["demo-1", "demo-2"]


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{", b'{"hosts": 3}', b'{"hosts": [1]}', b"[" * 10_000, b"x" * (2 << 20)],
)
def test_that_foreign_drops_are_refused(desk: Desk, data: bytes) -> None:
    desk.use(profile())
    mime = QMimeData()
    mime.setData(MIME, data)
    mime.setText("demo-3")
    assert hosts_from_mime(mime) == []
    assert not drop_mime(desk.column(JOB), mime)
    assert desk.job == ["demo-1", "demo-2"]


def test_that_a_drop_of_an_unknown_host_moves_nothing(desk: Desk) -> None:
    desk.use(profile())
    mime = QMimeData()
    mime.setData(MIME, json.dumps({"hosts": ["stranger"]}).encode())
    drop_mime(desk.column(JOB), mime)
    assert desk.job == ["demo-1", "demo-2"]


def test_that_enter_adds_and_delete_removes_the_selected_hosts(desk: Desk, qtbot: QtBot) -> None:
    desk.use(profile())
    available, job = desk.column(AVAILABLE), desk.column(JOB)
    available.selectAll()
    qtbot.keyClick(available, Qt.Key.Key_Return)
    assert desk.job == ["demo-1", "demo-2", "demo-3", "demo-4"]
    job.select(["demo-2", "demo-4"])
    qtbot.keyClick(job, Qt.Key.Key_Delete)
    assert desk.available == ["demo-2", "demo-4"]


def test_that_a_double_click_moves_a_host(desk: Desk, qtbot: QtBot) -> None:
    desk.use(profile())
    view = desk.column(AVAILABLE)
    place = view.visualRect(view.hosts.index(1)).center() - QPoint(30, 0)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert desk.job == ["demo-1", "demo-2", "demo-4"]


def test_that_the_context_menu_moves_and_forgets(desk: Desk) -> None:
    desk.use(profile())
    desk.column(AVAILABLE).select(["demo-3"])
    menu = desk.column(AVAILABLE).make_menu()
    menu.actions()[0].trigger()
    menu.deleteLater()
    assert "demo-3" in desk.job
    desk.column(AVAILABLE).select(["demo-4"])
    menu = desk.column(AVAILABLE).make_menu()
    menu.actions()[-1].trigger()
    menu.deleteLater()
    assert desk.available == []
    desk.column(JOB).select(["demo-3"])
    menu = desk.column(JOB).make_menu()
    menu.actions()[0].trigger()
    menu.deleteLater()
    assert desk.available == ["demo-3"]


def test_that_delete_takes_an_available_host_off_the_list_and_undo_brings_it_back(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.use(profile())
    desk.column(AVAILABLE).select(["demo-3"])
    qtbot.keyClick(desk.column(AVAILABLE), Qt.Key.Key_Delete)
    assert desk.available == ["demo-4"]
    desk.action(names.UNDO_ACTION).trigger()
    assert desk.available == ["demo-3", "demo-4"]


def test_that_slots_are_edited_in_place(desk: Desk, qtbot: QtBot) -> None:
    desk.use(profile())
    view = desk.column(JOB)
    view.setCurrentIndex(view.hosts.index(0))
    qtbot.keyClick(view, Qt.Key.Key_F2)
    editor = view.viewport().findChild(QSpinBox)
    assert isinstance(editor, QSpinBox)
    editor.setValue(3)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    desk.until(lambda: desk.application.store.profile.hosts[0].slots == 3)
    assert "3 slots" in view.hosts.data(view.hosts.index(0), Qt.ItemDataRole.AccessibleTextRole)


def test_that_a_click_on_the_slots_opens_their_editor(desk: Desk, qtbot: QtBot) -> None:
    desk.use(profile())
    view = desk.column(JOB)
    area = view.visualRect(view.hosts.index(0))
    place = QPoint(area.right() - 20, area.top() + 14)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.viewport().findChild(QSpinBox) is not None


def test_that_undo_and_redo_follow_moves(desk: Desk) -> None:
    desk.use(profile())
    desk.drop(["demo-3"], JOB)
    undo, redo = desk.action(names.UNDO_ACTION), desk.action(names.REDO_ACTION)
    assert "demo-3" in undo.text()
    undo.trigger()
    assert desk.job == ["demo-1", "demo-2"]
    redo.trigger()
    assert desk.job == ["demo-1", "demo-2", "demo-3"]


def test_that_the_search_finds_names_states_and_all_words(desk: Desk, qtbot: QtBot) -> None:
    desk.use(profile(hosts=12))
    search = desk.window.findChild(QLineEdit, names.HOST_SEARCH)
    assert isinstance(search, QLineEdit)
    qtbot.keyClicks(search, "mo-1 available")
    assert desk.available == ["demo-10", "demo-11", "demo-12"]
    assert desk.job == ["demo-1"]
    search.clear()
    assert len(desk.available) == 10


def test_that_an_empty_board_says_what_to_do_first(desk: Desk) -> None:
    desk.use(profile(hosts=0, in_job=0))
    texts = [w.text() for w in desk.column(AVAILABLE).findChildren(object) if hasattr(w, "text")]
    assert any("rehearsal" in text for text in texts)
    desk.action(names.REHEARSAL_ACTION).trigger()
    desk.until(lambda: desk.job == ["demo-1", "demo-2"])


# ---- while a run is going -----------------------------------------------------------------------


def test_that_a_drop_while_training_asks_the_run_and_shows_its_answer(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    desk.drop(["demo-3"], JOB)
    command = story.client.commands[-1]
    assert command.name == "set_hosts"
    assert command.args["hosts"] == {"demo-1": 1, "demo-2": 1, "demo-3": 1}
    row = desk.column(JOB).hosts.host_rows[2]
    assert (row.name, row.pending) == ("demo-3", True)
    story.client.reply(command)
    desk.until(lambda: not desk.column(JOB).hosts.host_rows[2].pending)
    story.client.say(HostStateChanged("demo-3", HostState.ADMITTING, "2 of 6: same Python"))
    desk.until(lambda: desk.column(JOB).hosts.host_rows[2].state is HostState.ADMITTING)
    desk.until(lambda: desk.label(names.WORLD_SIZE_LABEL) == "2 / 3")


def test_that_a_refused_change_goes_back_and_says_why(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    desk.drop(["demo-3"], JOB)
    story.client.reply(
        story.client.commands[-1], error="demo-3 cannot be reached. Check its network."
    )
    desk.until(lambda: desk.job == ["demo-1", "demo-2"])
    assert "demo-3 cannot be reached. Check its network." in desk.prompter.texts


def test_that_two_quick_changes_do_not_jump_back_when_the_first_is_answered(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    desk.drop(["demo-3"], JOB)
    desk.drop(["demo-4"], JOB)
    first, second = story.client.commands[-2:]
    story.client.reply(first)
    desk.until(lambda: not desk.column(JOB).hosts.host_rows[2].pending)
    assert desk.job == ["demo-1", "demo-2", "demo-3", "demo-4"]
    story.client.reply(second)
    desk.until(lambda: not any(row.pending for row in desk.column(JOB).hosts.host_rows))
    assert desk.job == ["demo-1", "demo-2", "demo-3", "demo-4"]


def test_that_falling_below_min_np_asks_first(desk: Desk) -> None:
    desk.use(profile(min_np=2))
    story = desk.train()
    desk.prompter.say_yes = False
    desk.drop(["demo-2"], AVAILABLE)
    assert (desk.job, story.client.commands) == (["demo-1", "demo-2"], [])
    desk.prompter.say_yes = True
    desk.drop(["demo-2"], AVAILABLE)
    assert story.client.commands[-1].args == {"hosts": {"demo-1": 1}, "confirmed": True}
    assert "--min-np" in desk.prompter.questions[-1].text


def test_that_all_hosts_cannot_be_replaced_at_once(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    desk.drop(["demo-1", "demo-2"], AVAILABLE)
    assert (desk.job, story.client.commands) == (["demo-1", "demo-2"], [])
    assert "Press Stop" in desk.prompter.texts[-1]
    desk.application.wiring.hosts.set_staging(True)
    desk.drop(["demo-3"], JOB)
    desk.drop(["demo-1", "demo-2"], AVAILABLE)
    desk.action(names.APPLY_ACTION).trigger()
    assert story.client.commands == []
    assert "would leave at once" in desk.prompter.texts[-1]


def test_that_removing_rank_0_says_who_follows(desk: Desk) -> None:
    desk.use(profile(in_job=3))
    story = desk.train()
    desk.drop(["demo-1"], AVAILABLE)
    story.client.reply(story.client.commands[-1])
    desk.until(lambda: any("demo-2 follows" in text for text in desk.prompter.texts))
    leave(story, "demo-1")
    desk.until(lambda: desk.column(AVAILABLE).hosts.host_rows[0].state is HostState.LEAVING)


def test_that_a_change_made_elsewhere_moves_the_cards(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    asked(story, {"demo-2": 1, "demo-4": 2, "unheard-of": 1})
    desk.until(lambda: desk.job == ["demo-2", "demo-4", "unheard-of"])
    assert desk.column(JOB).hosts.host_rows[1].slots == 2


def test_that_staged_moves_are_applied_as_one_change(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    desk.action(names.STAGING_ACTION).trigger()
    desk.drop(["demo-3"], JOB)
    desk.drop(["demo-2"], AVAILABLE)
    assert story.client.commands == []
    apply = desk.action(names.APPLY_ACTION)
    assert (apply.isVisible(), apply.isEnabled(), apply.text()) == (True, True, "Apply 2 moves")
    apply.trigger()
    assert [c.args["hosts"] for c in story.client.commands] == [{"demo-1": 1, "demo-3": 1}]
    assert not apply.isEnabled()


def test_that_leaving_staging_takes_staged_moves_back(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    desk.action(names.STAGING_ACTION).trigger()
    desk.drop(["demo-3"], JOB)
    desk.action(names.STAGING_ACTION).trigger()
    assert (desk.job, story.client.commands) == (["demo-1", "demo-2"], [])


def test_that_undo_while_training_is_another_move_and_says_so(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    desk.drop(["demo-3"], JOB)
    story.client.reply(story.client.commands[-1])
    desk.until(lambda: not desk.column(JOB).hosts.host_rows[2].pending)
    undo = desk.action(names.UNDO_ACTION)
    assert "changes the running job" in undo.text()
    undo.trigger()
    assert story.client.commands[-1].args["hosts"] == {"demo-1": 1, "demo-2": 1}


def test_that_too_many_waiting_commands_change_nothing(desk: Desk) -> None:
    desk.use(profile())
    story = desk.train()
    story.client.full = True
    desk.drop(["demo-3"], JOB)
    assert desk.job == ["demo-1", "demo-2"]
    assert "Too many commands" in desk.prompter.texts[-1]


# ---- the model ----------------------------------------------------------------------------------


def test_that_the_model_keeps_qts_rules_through_every_change(qtmodeltester: object) -> None:
    model = HostModel()
    qtmodeltester.check(model)  # type: ignore[attr-defined]
    names_of = [["a", "b", "c"], ["a", "c"], ["d", "a", "c"], ["c", "a", "d"], []]
    for wanted in names_of:
        model.set_rows([HostRow(name, slots=len(wanted)) for name in wanted])
        qtmodeltester.check(model)  # type: ignore[attr-defined]
        assert [row.name for row in model.host_rows] == wanted


def test_that_an_unchanged_board_says_nothing(qtbot: QtBot) -> None:
    model = HostModel()
    model.set_rows([HostRow("a"), HostRow("b")])
    with qtbot.assertNotEmitted(model.dataChanged), qtbot.assertNotEmitted(model.rowsInserted):
        model.set_rows([HostRow("a"), HostRow("b")])


def test_that_the_selection_stays_with_its_host(desk: Desk) -> None:
    desk.use(profile(hosts=6))
    view = desk.column(AVAILABLE)
    view.select(["demo-5"])
    desk.drop(["demo-3"], JOB)
    assert view.selected_names == ["demo-5"]


def test_that_without_a_run_every_host_is_available() -> None:
    assert {row.state for row in rows(profile().hosts)} == {HostState.AVAILABLE}
