"""The log: levels, streams, search, follow, and a hundred thousand lines."""

from __future__ import annotations

import pytest
from helpers.qtwindow import Desk, profile
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.events import LogRecord
from gui.colors import LIGHT
from gui.loglines import Level, LogFilter, level_of
from gui.logmodel import LogModel
from gui.logpanel import LogPanel


def record(n: int, text: str = "", slot: int = 0, rank: int = 0) -> LogRecord:
    return LogRecord(n, float(n), f"h{n % 3}", slot, rank, "stdout", text or f"line {n}")


@pytest.fixture
def panel(qtbot: QtBot) -> LogPanel:
    made = LogPanel(LIGHT)
    qtbot.addWidget(made)
    made.resize(800, 300)
    made.show()
    return made


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Epoch 1/3", Level.INFO),
        ("loss: 0.31 error_rate: 0.2", Level.INFO),
        ("2026-10-02 21:14:02.1: W tensorflow/core/x.cc:1] slow", Level.WARNING),
        ("W0000 00:00:01 cpu.cc] x", Level.WARNING),
        ("UserWarning: deprecated", Level.WARNING),
        ("2026-10-02 21:14:02.1: E tensorflow/core/x.cc:1] bad", Level.ERROR),
        ("Traceback (most recent call last):", Level.ERROR),
        ("ValueError: no", Level.ERROR),
        ("[ERROR] cannot open", Level.ERROR),
        ("DEBUG: x", Level.DEBUG),
    ],
)
def test_that_levels_are_read_from_the_text(text: str, level: Level) -> None:
    assert level_of(text) is level


def test_that_the_model_keeps_qts_rules(qtmodeltester: object) -> None:
    model = LogModel(limit=50)
    qtmodeltester.check(model)  # type: ignore[attr-defined]
    for start in range(0, 120, 30):
        model.append([record(n) for n in range(start, start + 30)])
        qtmodeltester.check(model)  # type: ignore[attr-defined]
    model.set_filter(LogFilter("h1[0]"))
    qtmodeltester.check(model)  # type: ignore[attr-defined]
    model.append([record(n) for n in range(120, 180)])
    qtmodeltester.check(model)  # type: ignore[attr-defined]
    model.clear()
    qtmodeltester.check(model)  # type: ignore[attr-defined]


@pytest.mark.parametrize("wanted", [LogFilter(), LogFilter("h1[0]"), LogFilter(words=("7",))])
def test_that_a_full_log_lets_the_oldest_lines_go_and_stays_consistent(wanted: LogFilter) -> None:
    model = LogModel(limit=100)
    model.set_filter(wanted)
    for n in range(1000):
        model.append([record(n)])
    kept = range(model.dropped, 1000)
    assert 90 <= model.total <= 100
    assert model.total == len(kept)
    expected = [n for n in kept if (wanted.source or f"h{n % 3}[0]") == f"h{n % 3}[0]"]
    expected = [n for n in expected if not wanted.words or "7" in str(n)]
    shown = [model.data(model.index(row)) for row in range(model.rowCount())]
    assert shown == [f"line {n}" for n in expected]


def test_that_streams_levels_and_words_filter_together(panel: LogPanel, qtbot: QtBot) -> None:
    panel.append([record(0), record(1, "ERROR: disk full"), record(2), record(4, "ERROR: no net")])
    panel.append([LogRecord(9, 9.0, "", -1, -1, "stderr", "launching")])
    assert [panel.stream.itemText(n) for n in range(panel.stream.count())] == [
        "All streams", "driver", "h0[0]", "h1[0]", "h2[0]",
    ]  # fmt: skip
    panel.stream.setCurrentIndex(panel.stream.findData("h1[0]"))
    assert panel.model.rowCount() == 2
    panel.level.setCurrentIndex(3)
    qtbot.keyClicks(panel.search, "DISK")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    assert panel._count.text() == "1 / 5 lines"
    panel.append([record(7, "ERROR: disk gone"), record(10, "fine")])
    assert panel.model.rowCount() == 2


def test_that_the_newest_line_stays_in_sight_until_one_scrolls_up(
    panel: LogPanel, qtbot: QtBot
) -> None:
    bar = panel.view.verticalScrollBar()
    panel.append([record(n) for n in range(500)])
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.triggerAction(bar.SliderAction.SliderToMinimum)
    qtbot.waitUntil(lambda: not panel.follow.isChecked())
    panel.append([record(n) for n in range(500, 600)])
    assert bar.value() == 0
    panel.follow.click()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_that_lines_are_copied_with_their_origin(panel: LogPanel, qtbot: QtBot) -> None:
    panel.append([record(1, "hello", rank=3)])
    panel.view.selectAll()
    qtbot.keyClick(panel.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().endswith("h1[0] rank 3: hello")


def test_that_a_hundred_thousand_lines_are_filtered_and_drawn(
    panel: LogPanel, qtbot: QtBot
) -> None:
    for start in range(0, 100_000, 5_000):
        panel.append([record(n) for n in range(start, start + 5_000)])
    assert panel.model.rowCount() == 100_000
    panel.search.setText("99999")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    panel.search.clear()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 100_000)
    assert not panel.view.grab().isNull()


def test_that_the_runs_output_reaches_the_log_and_another_run_starts_empty(desk: Desk) -> None:
    desk.use(profile())
    client = desk.train().client
    client.print("one", "two", host="demo-1", slot=0, rank=0)
    log = desk.application.window.log
    desk.until(lambda: log.model.rowCount() == 2)
    desk.application.session.attach(client.run_dir)
    assert log.model.rowCount() == 0
