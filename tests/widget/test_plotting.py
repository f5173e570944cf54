"""The curves panel: what is applied is drawn, what the user chose stays, nothing is drawn unseen."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from helpers.points import batch, epoch_end, falling, records, resize, topology
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from core.errors import ExportError
from core.series import LEARNING_RATE, Axis, Key, Kind, SeriesStore
from core.smoothing import smooth
from gui.plotting import DARK, LIGHT, CurvesPanel
from gui.plotting.strip import ACCURACY, LOSS, RATE, WORLD, WorldStrip, family
from trainer.events import Event, Record, RunState, RunStateChanged

TRAIN = Key(Kind.BATCH, "loss")
VAL = Key(Kind.EPOCH, "val_loss")


@pytest.fixture
def panel(qtbot: QtBot) -> CurvesPanel:
    made = CurvesPanel()
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    qtbot.waitExposed(made)
    return made


def feed(panel: CurvesPanel, events: Iterable[Event]) -> None:
    for record in records(events, panel.store.last_seq + 1):
        panel.apply(record)


def drawn(panel: CurvesPanel, qtbot: QtBot) -> None:
    """Until the newest record is on the screen."""
    qtbot.waitUntil(lambda: panel.last_drawn_seq == panel.store.last_seq, timeout=5000)


def story() -> list[Event]:
    """A run with a resize, a rollback, validation and a NaN."""
    return [
        topology(0, 2), *falling(100), epoch_end(100, val_loss=1.5, val_accuracy=0.4),
        *[batch(s, size=3, loss=1.0, accuracy=0.5) for s in range(101, 151)],
        topology(1, 3), resize(101, 2, 3, joined="demo-3"),
        *[batch(s, size=3, loss=0.9, accuracy=0.6) for s in range(120, 200)],
        batch(200, size=3, loss=math.nan, accuracy=0.7), epoch_end(200, val_loss=0.8, val_accuracy=0.7),
    ]  # fmt: skip


def raw(panel: CurvesPanel, plot: str = LOSS, key: Key = TRAIN) -> tuple[list[float], list[float]]:
    x, y = panel.canvas.strip(plot).curves[key].drawn_points()
    return x.tolist(), y.tolist()


def seen(panel: CurvesPanel, plot: str = LOSS) -> tuple[list[float], list[float]]:
    x, y = panel.canvas.strip(plot).box.viewRange()
    return x, y


def colors_in(image: QImage) -> set[str]:
    pixels = np.frombuffer(image.convertToFormat(QImage.Format.Format_RGB32).constBits(), np.uint32)
    return {f"#{value & 0xFFFFFF:06x}" for value in np.unique(pixels).tolist()}


# ---- drawing -------------------------------------------------------------------------------------


def test_that_applied_points_are_drawn(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(200))
    drawn(panel, qtbot)
    x, y = raw(panel)
    assert x == list(range(1, 201))
    assert y == [event.metrics["loss"] for event in falling(200)]


def test_that_the_picture_has_the_colours_of_the_curves(panel: CurvesPanel, qtbot: QtBot) -> None:
    panel.set_smoothing(0.0)
    feed(panel, story())
    drawn(panel, qtbot)
    shown = colors_in(panel.canvas.grab().toImage())
    assert {LIGHT.background, LIGHT.world_size_fill, LIGHT.validation} <= shown


def test_that_only_a_painted_record_counts_as_drawn(panel: CurvesPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.frame_painted, check_params_cb=lambda seq: seq == 5):
        feed(panel, falling(5))
        assert panel.last_drawn_seq < 5


def test_that_nothing_new_makes_no_frame(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(20))
    drawn(panel, qtbot)
    frames = panel.frames
    with qtbot.assertNotEmitted(panel.frame_painted, wait=350):
        pass
    assert panel.frames == frames


def test_that_ten_thousand_points_cost_few_frames(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(20))
    drawn(panel, qtbot)
    frames = panel.frames
    feed(panel, falling(10_000, start=21))
    drawn(panel, qtbot)
    assert panel.frames - frames <= 3


def test_that_a_hidden_panel_draws_nothing_until_it_is_shown(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, falling(10))
    drawn(panel, qtbot)
    panel.hide()
    frames = panel.frames
    feed(panel, falling(10, start=11))
    with qtbot.assertNotEmitted(panel.frame_painted, wait=350):
        pass
    assert panel.frames == frames
    panel.show()
    drawn(panel, qtbot)
    assert raw(panel)[0] == list(range(1, 21))


def test_that_the_line_between_min_and_max_of_many_points_keeps_the_spike(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, [batch(s, loss=500.0 if s == 31_234 else 1.0) for s in range(1, 60_001)])
    drawn(panel, qtbot)
    x, y = raw(panel)
    assert len(x) < 4000
    assert (31_234, 500.0) in zip(x, y, strict=True)


def test_that_smoothing_leaves_the_raw_line_behind(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(300))
    panel.set_smoothing(0.9)
    drawn(panel, qtbot)
    qtbot.waitUntil(lambda: panel.canvas.strip(LOSS).curves[TRAIN]._smooth.isVisible())
    losses = np.array([event.metrics["loss"] for event in falling(300)])
    _, shown = panel.canvas.strip(LOSS).curves[TRAIN]._smooth.getData()
    np.testing.assert_allclose(shown, smooth(losses, 0.9))
    assert raw(panel)[1] == losses.tolist()


def test_that_validation_lies_in_the_plot_of_its_metric(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    assert raw(panel, LOSS, VAL) == ([100, 200], [1.5, 0.8])
    pen = panel.canvas.strip(LOSS).curves[VAL]._strong
    assert pen.style() != Qt.PenStyle.SolidLine
    assert pen.width() == 1
    assert pen.isCosmetic()


def test_that_a_rollback_stays_faint_behind(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    x, _ = panel.canvas.strip(LOSS).curves[TRAIN]._superseded.getData()
    assert x[np.isfinite(x)].tolist() == list(range(120, 151))
    live = raw(panel)[0]
    assert live == list(range(1, 201))


def test_that_the_world_size_is_a_staircase(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    strip = panel.canvas.strip(WORLD)
    assert isinstance(strip, WorldStrip)
    x, y = strip.drawn_points()
    assert list(zip(x.tolist(), y.tolist(), strict=True)) == [
        (1, 2),
        (101, 2),
        (101, 3),
        (200, 3),
        (200, 3),
    ]


def test_that_resizes_are_marked_in_every_plot(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    marks = [
        [(mark.x, mark.label) for mark in strip.overlay.marks] for strip in panel.canvas.strips
    ]
    assert marks == [[(101, "+demo-3")]] * 4
    assert [strip.overlay.labelled for strip in panel.canvas.strips] == [True, False, False, False]


def test_that_a_nan_is_marked_where_it_is(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    assert panel.canvas.strip(LOSS).overlay.odd == ((200.0, 0.9),)


def test_that_every_metric_has_a_plot(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, [batch(s, loss=1.0, accuracy=0.5, mae=0.1, perplexity=9.0) for s in (1, 2, 3)])
    drawn(panel, qtbot)
    names = [strip.name for strip in panel.canvas.strips]
    assert names == [LOSS, ACCURACY, "mae", "perplexity", RATE, WORLD]


def test_that_a_run_without_accuracy_has_no_empty_plot(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, [batch(s, lr=None, loss=1.0) for s in (1, 2, 3)])
    drawn(panel, qtbot)
    assert [strip.name for strip in panel.canvas.strips] == [LOSS, WORLD]


@pytest.mark.parametrize(
    ("name", "plot"),
    [
        ("loss", LOSS), ("val_loss", LOSS), ("dense_1_loss", LOSS), ("acc", ACCURACY),
        ("val_sparse_categorical_accuracy", ACCURACY), ("mae", "mae"), ("val_mae", "mae"),
    ],
)  # fmt: skip
def test_that_metrics_of_one_kind_share_a_plot(name: str, plot: str) -> None:
    assert family(Key(Kind.BATCH, name)) == plot
    assert family(LEARNING_RATE) == RATE


def test_that_left_axes_are_equally_wide_and_hold_their_labels(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, [batch(s, loss=1e6 + s, accuracy=0.5, lr=1.25e-5 * s) for s in range(1, 50)])
    drawn(panel, qtbot)
    axes = [strip.left for strip in panel.canvas.strips]
    qtbot.waitUntil(lambda: all(axis.needed + 8 <= axis.width() for axis in axes))
    assert len({axis.width() for axis in axes}) == 1


# ---- the empty panel -----------------------------------------------------------------------------


def test_that_an_empty_panel_says_when_curves_appear(panel: CurvesPanel, qtbot: QtBot) -> None:
    label = panel.findChild(QLabel, "curves-empty")
    assert label is not None
    assert label.isVisible()
    assert label.text() == "Curves appear here when training starts"
    feed(panel, falling(3))
    qtbot.waitUntil(lambda: not label.isVisible())


def test_that_a_run_that_failed_without_a_point_says_so(panel: CurvesPanel, qtbot: QtBot) -> None:
    label = panel.findChild(QLabel, "curves-empty")
    assert label is not None
    feed(panel, [RunStateChanged(RunState.FAILED)])
    qtbot.waitUntil(lambda: "log says why" in label.text())


def test_that_one_single_point_can_be_seen(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, [batch(1, loss=1.0)])
    drawn(panel, qtbot)
    assert len(panel.canvas.strip(LOSS).curves[TRAIN]._markers.data) == 1
    (x0, x1), (y0, y1) = seen(panel)
    assert x0 < 1 < x1
    assert y0 < 1 < y1


def test_that_clear_and_another_store_forget_the_run(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, [batch(s, loss=1.0, mae=0.1) for s in (1, 2, 3)])
    drawn(panel, qtbot)
    panel.clear()
    assert panel.last_drawn_seq == 0
    feed(panel, falling(5))
    drawn(panel, qtbot)
    assert raw(panel)[0] == [1, 2, 3, 4, 5]
    assert "mae" not in [strip.name for strip in panel.canvas.strips]
    store = SeriesStore()
    store.apply(Record(9, 1.0, batch(77, loss=1.0)))
    panel.set_store(store)
    drawn(panel, qtbot)
    assert raw(panel)[0] == [77]


# ---- what the user chose -------------------------------------------------------------------------


def test_that_the_view_follows_all_data_at_first(panel: CurvesPanel, qtbot: QtBot) -> None:
    for start in (1, 101):
        feed(panel, falling(100, start))
        drawn(panel, qtbot)
        x, _ = seen(panel)
        assert x[0] < 1
        assert start + 99 < x[1] < (start + 99) * 1.1


def test_that_a_zoom_survives_live_data(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(200))
    drawn(panel, qtbot)
    panel.canvas.strip(LOSS).box.chosen.emit((50.0, 80.0), (0.5, 1.5))
    qtbot.waitUntil(lambda: seen(panel) == ([50, 80], [0.5, 1.5]))
    feed(panel, falling(200, start=201))
    drawn(panel, qtbot)
    assert seen(panel) == ([50, 80], [0.5, 1.5])
    assert seen(panel, WORLD)[0] == [50, 80]
    assert not panel.tools.follow.isChecked()
    assert raw(panel)[0][0] <= 50
    assert raw(panel)[0][-1] >= 80


def test_that_y_fits_what_is_seen_where_the_user_zoomed_only_x(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, [batch(s, loss=float(s)) for s in range(1, 201)])
    drawn(panel, qtbot)
    panel.canvas.strip(LOSS).box.chosen.emit((50.0, 80.0), None)
    qtbot.waitUntil(lambda: seen(panel)[0] == [50, 80])
    low, high = seen(panel)[1]
    assert 45 < low < 50
    assert 80 < high < 85


def test_that_follow_keeps_the_width_and_moves_with_the_newest_point(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, falling(200))
    drawn(panel, qtbot)
    panel.canvas.strip(LOSS).box.chosen.emit((50.0, 80.0), None)
    qtbot.mouseClick(panel.tools.follow, Qt.MouseButton.LeftButton)
    feed(panel, falling(100, start=201))
    drawn(panel, qtbot)
    low, high = seen(panel)[0]
    assert high - low == pytest.approx(30)
    assert 300 < high < 302


def test_that_a_double_click_fits(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(200))
    drawn(panel, qtbot)
    panel.canvas.strip(LOSS).box.chosen.emit((50.0, 80.0), (0.1, 0.2))
    qtbot.waitUntil(lambda: seen(panel)[0] == [50, 80])
    view, place, left = panel.canvas.viewport(), middle(panel), Qt.MouseButton.LeftButton
    QTest.mouseClick(view, left, pos=place)
    QTest.mouseDClick(view, left, pos=place)  # sends the second press alone
    QTest.mouseRelease(view, left, pos=place)
    qtbot.waitUntil(lambda: seen(panel)[0][1] > 200)
    assert panel.tools.follow.isChecked()


def middle(panel: CurvesPanel, plot: str = LOSS, x: float = 0.5, y: float = 0.5) -> QPoint:
    area = panel.canvas.strip(plot).box.sceneBoundingRect()
    place = QPointF(area.left() + x * area.width(), area.top() + y * area.height())
    return panel.canvas.mapFromScene(place)


def drag(panel: CurvesPanel, start: QPoint, end: QPoint) -> None:
    view = panel.canvas.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for part in range(1, 11):
        QTest.mouseMove(view, start + (end - start) * (part / 10))
        QTest.qWait(20)  # pyqtgraph drops moves that come faster than its rate limit


def test_that_a_dragged_box_zooms_and_live_data_waits_meanwhile(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, falling(200))
    drawn(panel, qtbot)
    start, end = middle(panel, x=0.25, y=0.2), middle(panel, x=0.5, y=0.8)
    drag(panel, start, end)
    assert panel.canvas.dragging
    frames = panel.frames
    feed(panel, falling(10, start=201))
    with qtbot.assertNotEmitted(panel.frame_painted, wait=250):
        pass
    assert panel.frames == frames
    QTest.mouseRelease(panel.canvas.viewport(), Qt.MouseButton.LeftButton, pos=end)
    drawn(panel, qtbot)
    (x0, x1), _ = seen(panel)
    assert 40 < x0 < 60
    assert 90 < x1 < 110
    assert panel.viewport.y.keys() == {LOSS}


def test_that_the_wheel_zooms_x_about_the_mouse(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(200))
    drawn(panel, qtbot)
    before = seen(panel)[0]
    place = QPointF(middle(panel, x=0.25))
    wheel = QWheelEvent(
        place, panel.canvas.viewport().mapToGlobal(place), QPoint(), QPoint(0, 240),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(panel.canvas.viewport(), wheel)
    qtbot.waitUntil(lambda: seen(panel)[0] != before)
    after = seen(panel)[0]
    assert after[1] - after[0] < before[1] - before[0]
    share = (before[0] + 0.25 * (before[1] - before[0]) - after[0]) / (after[1] - after[0])
    assert share == pytest.approx(0.25, abs=0.01)
    assert not panel.viewport.y


def test_that_keys_move_zoom_fit_and_go_back(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(200))
    drawn(panel, qtbot)
    whole = seen(panel)[0]
    qtbot.keyClick(panel, Qt.Key.Key_Plus)
    qtbot.waitUntil(lambda: seen(panel)[0][1] < whole[1])
    zoomed = seen(panel)[0]
    qtbot.keyClick(panel, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: seen(panel)[0][0] > zoomed[0])
    qtbot.keyClick(panel, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: seen(panel)[0] == zoomed)
    qtbot.keyClick(panel, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: seen(panel)[0][0] > zoomed[0])
    qtbot.keyClick(panel, Qt.Key.Key_0)
    qtbot.waitUntil(lambda: seen(panel)[0] == whole)
    qtbot.keyClick(panel, Qt.Key.Key_F)
    assert not panel.viewport.follow
    qtbot.keyClick(panel, Qt.Key.Key_L)
    assert panel.tools.log.isChecked()


def test_that_a_slash_filters_the_plots_and_escape_ends_it(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, falling(20))
    drawn(panel, qtbot)
    qtbot.keyClick(panel, Qt.Key.Key_Slash)
    qtbot.keyClicks(panel.tools.filter, "acc")
    qtbot.waitUntil(lambda: [s.name for s in panel.canvas.strips] == [ACCURACY, WORLD])
    qtbot.keyClick(panel, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(panel.canvas.strips) == 4)


@pytest.mark.parametrize("axis", list(Axis))
def test_that_every_x_axis_can_be_picked(panel: CurvesPanel, qtbot: QtBot, axis: Axis) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    panel.tools.axis.setCurrentIndex(panel.tools.axis.findData(axis))
    qtbot.waitUntil(lambda: raw(panel)[0] == panel.store.curve(TRAIN, axis).x.tolist())
    assert panel.axis is axis
    panel.canvas.grab()


def test_that_log_y_draws_powers_and_says_what_it_cannot_show(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, [batch(s, loss=v) for s, v in enumerate([100.0, 10.0, 0.0, -1.0, 0.1], 1)])
    drawn(panel, qtbot)
    qtbot.mouseClick(panel.tools.log, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: raw(panel)[1][:2] == [2.0, 1.0])
    assert np.isnan(raw(panel)[1][2:4]).all()
    assert panel.canvas.strip(LOSS).header.toolTip() == "2 points at or below 0 are not shown"
    assert seen(panel, WORLD)[1][0] == 0


def test_that_a_click_on_a_name_hides_its_curve_and_two_isolate_it(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    strip = panel.canvas.strip(LOSS)
    place = strip.header.entry_center("val_loss")
    assert place is not None
    qtbot.mouseClick(
        panel.canvas.viewport(), Qt.MouseButton.LeftButton, pos=panel.canvas.mapFromScene(place)
    )
    assert not strip.curves[VAL].visible
    strip.isolate("val_loss")
    assert (strip.curves[VAL].visible, strip.curves[TRAIN].visible) == (True, False)
    strip.isolate("val_loss")
    assert (strip.curves[VAL].visible, strip.curves[TRAIN].visible) == (True, True)


def test_that_the_crosshair_tells_every_curve_with_all_digits(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, [batch(s, loss=1 / 3, accuracy=0.1 + 0.2, size=3) for s in range(1, 101)])
    feed(panel, [epoch_end(100, val_loss=2 / 3), resize(51, 2, 3, joined="demo-3")])
    drawn(panel, qtbot)
    panel._hovered(51.3, QPointF(300, 100))
    card = panel.findChild(QLabel, "curves-hover")
    assert card is not None
    assert card.isVisible()
    for text in ("step 51", "world size 3", "0.3333333333333333", "0.30000000000000004",
                 "0.6666666666666666", "+demo-3", "3.5 s from request"):  # fmt: skip
        assert text in card.text()
    assert all(strip.overlay._line.isVisible() for strip in panel.canvas.strips)
    assert panel.canvas.rect().contains(card.geometry())
    QApplication.sendEvent(panel.canvas, QEvent(QEvent.Type.Leave))
    assert not card.isVisible()


# ---- looks ---------------------------------------------------------------------------------------


def test_that_the_theme_can_change_while_a_run_is_shown(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    panel.set_theme(DARK)
    qtbot.waitUntil(lambda: DARK.validation in colors_in(panel.canvas.grab().toImage()))
    shown = colors_in(panel.canvas.grab().toImage())
    assert LIGHT.background not in shown
    assert panel.canvas.strip(LOSS).curves[TRAIN]._strong.color() == QColor(DARK.loss)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_that_text_and_lines_stand_out_from_the_background(theme: object) -> None:
    def contrast(color: str) -> float:
        pair = sorted((luminance(color), luminance(theme.background)))  # type: ignore[attr-defined]
        return (pair[1] + 0.05) / (pair[0] + 0.05)

    for name in ("foreground", "muted", "problem"):
        assert contrast(getattr(theme, name)) >= 4.5, name
    lines = ["loss", "accuracy", "validation", "learning_rate", "world_size", "accent"]
    for color in [getattr(theme, name) for name in lines] + list(theme.series):  # type: ignore[attr-defined]
        assert contrast(color) >= 3, color


def test_that_the_panel_is_usable_when_narrow(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, story())
    panel.resize(600, 400)
    drawn(panel, qtbot)
    assert panel.width() == 600
    tools = panel.tools
    for widget in (tools.axis, tools.slider, tools.log, tools.follow, tools.fit, tools.more):
        assert widget.isVisible()
        assert tools.rect().contains(widget.geometry())


def test_that_the_plots_are_told_in_words(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, [batch(1, loss=0.5, accuracy=0.25, size=4), epoch_end(1, val_loss=0.75)])
    drawn(panel, qtbot)
    text = panel.canvas.accessibleDescription()
    assert text == panel.summary()
    for part in (
        "loss: training 0.5, validation 0.75",
        "accuracy: training 0.25",
        "world size: 4",
        "step 1",
    ):
        assert part in text


def test_that_every_control_has_a_name(panel: CurvesPanel) -> None:
    tools = panel.tools
    for widget in (
        tools.axis,
        tools.slider,
        tools.log,
        tools.follow,
        tools.fit,
        tools.filter,
        tools.more,
    ):
        assert widget.accessibleName()
        assert widget.toolTip()


# ---- files ---------------------------------------------------------------------------------------


def test_that_the_png_is_twice_as_large(panel: CurvesPanel, qtbot: QtBot, tmp_path: Path) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    panel.save_png(tmp_path / "curves.png")
    image = QImage(str(tmp_path / "curves.png"))
    assert image.size() == panel.canvas.size() * 2
    assert LIGHT.world_size_fill in colors_in(image)


def test_that_text_in_the_svg_is_text(panel: CurvesPanel, qtbot: QtBot, tmp_path: Path) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    panel.save_svg(tmp_path / "curves.svg")
    svg = (tmp_path / "curves.svg").read_text(encoding="utf-8")
    texts = [text.strip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]
    assert {
        "loss",
        "accuracy",
        "learning rate",
        "world size",
        "validation",
        "+demo-3",
        "step",
    } <= set(texts)
    assert svg.count("<polyline") + svg.count("<path") > 10


def test_that_the_csv_has_every_point_whatever_is_seen(
    panel: CurvesPanel, qtbot: QtBot, tmp_path: Path
) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    panel.canvas.strip(LOSS).box.chosen.emit((50.0, 80.0), None)
    panel.save_csv(tmp_path / "curves.csv")
    text = (tmp_path / "curves.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    metrics = [row for row in rows if row["metric"] != "learning_rate"]
    assert len(metrics) == panel.store.points == 2 * (100 + 50 + 81) + 4


def test_that_a_file_that_cannot_be_written_says_what_to_do(
    panel: CurvesPanel, tmp_path: Path
) -> None:
    with pytest.raises(ExportError, match="Choose another folder"):
        panel.save_csv(tmp_path / "missing" / "curves.csv")


def test_that_the_picture_can_be_copied(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, story())
    drawn(panel, qtbot)
    panel.copy()
    assert QGuiApplication.clipboard().image().size() == panel.canvas.size() * 2


def test_that_keys_work_after_a_click_into_the_plots(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(200))
    drawn(panel, qtbot)
    panel.activateWindow()
    panel.tools.slider.setFocus()
    qtbot.mouseClick(panel.canvas.viewport(), Qt.MouseButton.LeftButton, pos=middle(panel))
    assert panel.hasFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_L)
    assert panel.tools.log.isChecked()


def test_that_a_drag_on_the_left_axis_moves_only_its_plot_and_only_in_y(
    panel: CurvesPanel, qtbot: QtBot
) -> None:
    feed(panel, falling(200))
    drawn(panel, qtbot)
    x, y = seen(panel)
    area = panel.canvas.strip(LOSS).left.sceneBoundingRect()
    start = panel.canvas.mapFromScene(QPointF(area.left() + 10, area.center().y()))
    drag(panel, start, start + QPoint(0, 40))
    QTest.mouseRelease(
        panel.canvas.viewport(), Qt.MouseButton.LeftButton, pos=start + QPoint(0, 40)
    )
    qtbot.waitUntil(lambda: seen(panel)[1][0] > y[0])
    assert seen(panel)[0] == x
    assert panel.viewport.y.keys() == {LOSS}


@pytest.mark.qt_log_ignore("This plugin does not support")  # offscreen, for any popup
def test_that_the_menu_offers_every_export(panel: CurvesPanel, qtbot: QtBot) -> None:
    feed(panel, falling(20))
    drawn(panel, qtbot)
    texts = {action.text().replace("&", "") for action in panel.menu.actions()}
    assert {
        "Copy picture",
        "Save as PNG...",
        "Save as SVG...",
        "Save all points as CSV...",
    } <= texts
    QTest.mouseClick(panel.canvas.viewport(), Qt.MouseButton.RightButton, pos=middle(panel))
    qtbot.waitUntil(panel.menu.isVisible)
    panel.menu.close()


def test_that_pictures_can_be_saved_before_the_first_point_and_while_hidden(
    qtbot: QtBot, tmp_path: Path
) -> None:
    panel = CurvesPanel()
    qtbot.addWidget(panel)
    panel.save_png(tmp_path / "empty.png")
    panel.save_svg(tmp_path / "empty.svg")
    feed(panel, story())
    panel.save_svg(tmp_path / "hidden.svg")
    assert not QImage(str(tmp_path / "empty.png")).isNull()
    assert "validation" in (tmp_path / "hidden.svg").read_text(encoding="utf-8")
