"""Every resize of the run with its parts: what it cost, and where the time went."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.events import Resize
from gui import figures, names
from gui.marking import QT_TRANSLATE_NOOP
from gui.retranslated import Retranslated
from gui.tablepanel import Column, Table, ValuesModel

_MISSING = "–"


def between(start: float | None, end: float | None) -> str:
    if start is None or end is None:
        return _MISSING
    return figures.duration(end - start)


def began(resize: Resize) -> float | None:
    """The first moment that is known of it."""
    times = (resize.requested, resize.discovered, resize.committed, resize.rendezvous)
    return next((time for time in times if time is not None), None)


def _size(resize: Resize) -> str:
    return f"{resize.old_size} → {resize.new_size}"


def _who(resize: Resize) -> str:
    joined = [f"+{host}" for host in resize.joined]
    left = [f"−{host}" for host in resize.left]
    return "  ".join([*joined, *left]) or _MISSING


def _time(resize: Resize) -> str:
    start = began(resize)
    return figures.time_of_day(start) if start is not None else _MISSING


_CAUSES = {
    "hosts": QT_TRANSLATE_NOOP("Resizes", "hosts changed"),
    "failure": QT_TRANSLATE_NOOP("Resizes", "a worker failed"),
}


def _cause(resize: Resize) -> str:
    return QCoreApplication.translate("Resizes", _CAUSES.get(resize.cause, resize.cause))


COLUMNS: tuple[Column[Resize], ...] = (
    Column(QT_TRANSLATE_NOOP("Resizes", "Time"), _time),
    Column(QT_TRANSLATE_NOOP("Resizes", "World size"), _size),
    Column(QT_TRANSLATE_NOOP("Resizes", "Hosts"), _who),
    Column(
        QT_TRANSLATE_NOOP("Resizes", "In all"),
        lambda r: between(began(r), r.first_step), True,
    ),
    Column(
        QT_TRANSLATE_NOOP("Resizes", "Discovery"),
        lambda r: between(r.requested, r.discovered), True,
    ),
    Column(
        QT_TRANSLATE_NOOP("Resizes", "Commit"),
        lambda r: between(r.discovered, r.committed), True,
    ),
    Column(
        QT_TRANSLATE_NOOP("Resizes", "Rendezvous"),
        lambda r: between(r.committed, r.rendezvous), True,
    ),
    Column(
        QT_TRANSLATE_NOOP("Resizes", "Sync"), lambda r: between(r.rendezvous, r.synced), True,
    ),
    Column(
        QT_TRANSLATE_NOOP("Resizes", "First step"),
        lambda r: between(r.synced, r.first_step), True,
    ),
    Column(QT_TRANSLATE_NOOP("Resizes", "At step"), lambda r: f"{r.step:,}", True),
    Column(QT_TRANSLATE_NOOP("Resizes", "Repeated"), lambda r: f"{r.repeated_steps:,}", True),
    Column(QT_TRANSLATE_NOOP("Resizes", "Cause"), _cause),
)  # fmt: skip


class ResizesPanel(Retranslated, QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model: ValuesModel[Resize] = ValuesModel(COLUMNS, "Resizes", self)
        self.view = Table(self.model)
        self.view.setObjectName(names.RESIZES_VIEW)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.addWidget(self.view)
        self.retranslate()

    def set_resizes(self, resizes: Sequence[Resize]) -> None:
        self.model.set_values(tuple(reversed(resizes)))

    def retranslate(self) -> None:
        self.view.setAccessibleName(self.tr("Resizes of the run"))
        self.view.hint.setText(self.tr("No resize yet. Move a host while it trains."))
        self.model.retranslate()
