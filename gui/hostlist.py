"""One column of cards: drag out, drop in, keys, context menu, double click."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QVBoxLayout, QWidget

from gui import icons
from gui.colors import Colors
from gui.hostcard import HostCard
from gui.hostmodel import HostModel, hosts_from_mime
from gui.icons import IconName


class HostList(QListView):
    """Signals: move_wanted(names) to the other column, forget_wanted(names), copied."""

    move_wanted = Signal(list)
    forget_wanted = Signal(list)

    def __init__(self, in_job: bool, colors: Colors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._in_job = in_job
        self.hosts = HostModel(self)
        self.card = HostCard(self.hosts, colors, self)
        self.setModel(self.hosts)
        self.setItemDelegate(self.card)
        self.setProperty("hosts", True)
        self._set_behaviour()
        self._hint_column = QVBoxLayout(self.viewport())
        self._hint_column.setContentsMargins(8, 0, 8, 0)
        self.doubleClicked.connect(self._double_clicked)

    def _set_behaviour(self) -> None:
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMouseTracking(True)

    def set_colors(self, colors: Colors) -> None:
        self.card.colors = colors
        self.viewport().update()

    def set_hint(self, hint: QWidget) -> None:
        """Shown while the column is empty."""
        self._hint_column.addWidget(hint, 0, Qt.AlignmentFlag.AlignVCenter)

    @property
    def selected_names(self) -> list[str]:
        places = sorted(index.row() for index in self.selectedIndexes())
        return [self.hosts.host_rows[place].name for place in places]

    def _wanted_names(self) -> list[str]:
        current = self.currentIndex()
        return self.selected_names or ([current.data()] if current.isValid() else [])

    def select(self, names: list[str]) -> None:
        self.clearSelection()
        flags = self.selectionModel().SelectionFlag.Select
        for name in names:
            place = self.hosts.row_of(name)
            if place >= 0:
                self.selectionModel().select(self.hosts.index(place), flags)

    # ---- keys and menu ------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() == QAbstractItemView.State.EditingState
        names = [] if editing else self._wanted_names()
        if names and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.move_wanted.emit(names)
        elif names and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            (self.move_wanted if self._in_job else self.forget_wanted).emit(names)
        else:
            super().keyPressEvent(event)

    def _double_clicked(self, index: QModelIndex) -> None:
        self.move_wanted.emit([index.data()])

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(event.pos())
        else:
            index = self.currentIndex()
        if index.isValid():
            if not self.selectionModel().isSelected(index):
                self.setCurrentIndex(index)
            menu = self.make_menu()
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self._menu_place(event, index))

    def _menu_place(self, event: QContextMenuEvent, index: QModelIndex) -> QPoint:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            return event.globalPos()
        return self.viewport().mapToGlobal(self.visualRect(index).center())

    def make_menu(self) -> QMenu:
        """What can be done with the selected hosts."""
        names = self._wanted_names()
        menu = QMenu(self)
        if self._in_job:
            move = menu.addAction(
                icons.icon(IconName.FROM_JOB), self.tr("Remove from the job\tDel")
            )
        else:
            move = menu.addAction(icons.icon(IconName.TO_JOB), self.tr("Add to the job\tEnter"))
        move.triggered.connect(lambda: self.move_wanted.emit(names))
        edit = menu.addAction(icons.icon(IconName.EDIT), self.tr("Change slots\tF2"))
        edit.triggered.connect(lambda: self.edit(self.currentIndex()))
        if not self._in_job:
            menu.addSeparator()
            forget = menu.addAction(icons.icon(IconName.REMOVE), self.tr("Take off the list\tDel"))
            forget.triggered.connect(lambda: self.forget_wanted.emit(names))
        return menu

    # ---- drops --------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        super().dragEnterEvent(event)
        names = hosts_from_mime(event.mimeData())
        self._show_target(any(self.hosts.row_of(name) < 0 for name in names))

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._show_target(False)

    def dropEvent(self, event: QDropEvent) -> None:
        super().dropEvent(event)
        self._show_target(False)

    def _show_target(self, on: bool) -> None:
        if bool(self.property("target")) != on:
            self.setProperty("target", on)
            self.style().unpolish(self)
            self.style().polish(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.scheduleDelayedItemsLayout()
