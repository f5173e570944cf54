"""Everything that can be done, as actions: one for menu, tool bar and key."""

from __future__ import annotations

import re

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from gui import icons, names
from gui.icons import IconName
from gui.settings import LanguageChoice, ThemeChoice

_Key = QKeySequence.StandardKey
_MNEMONIC = re.compile(r"\(&\w\)|&|…")
"""Not for tool buttons; Korean texts carry theirs in brackets."""


class Actions(QObject):
    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.start = self._make(names.START_ACTION, IconName.PLAY, "Ctrl+R", on_accent=True)
        self.stop = self._make(names.STOP_ACTION, IconName.STOP, "Ctrl+.")
        self.stop_now = self._make(names.STOP_NOW_ACTION, IconName.STOPPED)
        self.apply = self._make(names.APPLY_ACTION, IconName.APPLY, "Ctrl+Return", on_accent=True)
        self.staging = self._make(names.STAGING_ACTION, checkable=True)
        self.export = self._make(names.EXPORT_ACTION, IconName.EXPORT, "Ctrl+E")
        self.undo = self._make(names.UNDO_ACTION, IconName.UNDO, _Key.Undo)
        self.redo = self._make(names.REDO_ACTION, IconName.REDO, _Key.Redo)
        self.add_hosts = self._make(names.ADD_HOSTS_ACTION, IconName.ADD, "Ctrl+Shift+N")
        self.open = self._make(names.OPEN_PROFILE_ACTION, IconName.FOLDER, _Key.Open)
        self.save = self._make(names.SAVE_PROFILE_ACTION, IconName.SAVE, _Key.Save)
        self.save_as = self._make(names.SAVE_PROFILE_AS_ACTION, None, _Key.SaveAs)
        self.rehearsal = self._make(names.REHEARSAL_ACTION)
        self.search_hosts = self._make("searchHostsAction", IconName.SEARCH, _Key.Find)
        self.search_log = self._make("searchLogAction", None, "Ctrl+L")
        self.show_curves = self._make("showCurvesAction", None, "Ctrl+1")
        self.show_launch = self._make("showLaunchAction", None, "Ctrl+2")
        self.save_curves = self._make("saveCurvesAction")
        self.help = self._make(names.HELP_ACTION, IconName.INFO, _Key.HelpContents)
        self.quit = self._make(names.QUIT_ACTION, None, "Ctrl+Q")
        self.themes = self._choices("theme", list(ThemeChoice))
        self.languages = self._choices("language", list(LanguageChoice))
        self.menus: dict[str, QMenu] = {}
        self._build_menus()

    def _make(
        self, name: str, icon: IconName | None = None, key: _Key | str | None = None,
        checkable: bool = False, on_accent: bool = False,
    ) -> QAction:  # fmt: skip
        action = QAction(self._window)
        action.setObjectName(name)
        action.setCheckable(checkable)
        if icon is not None:
            action.setIcon(icons.icon(icon, on_accent))
        if key is not None:
            action.setShortcut(QKeySequence(key))
        self._window.addAction(action)
        return action

    def _choices(
        self, kind: str, members: list[ThemeChoice] | list[LanguageChoice]
    ) -> QActionGroup:
        group = QActionGroup(self._window)
        for member in members:
            action = self._make(f"{kind}.{member.value}", checkable=True)
            action.setData(member.value)
            group.addAction(action)
        return group

    def _build_menus(self) -> None:
        bar = self._window.menuBar()
        layout: dict[str, list[QAction | None]] = {
            "file": [self.open, self.save, self.save_as, None, self.rehearsal, None, self.quit],
            "edit": [self.undo, self.redo, None, self.add_hosts, None, self.search_hosts, self.search_log],
            "run": [
                self.start, self.stop, self.stop_now, None, self.staging, self.apply, None,
                self.export, self.save_curves,
            ],
            "view": [self.show_curves, self.show_launch, None],
            "help": [self.help],
        }  # fmt: skip
        for name, actions in layout.items():
            menu = QMenu(bar)
            bar.addMenu(menu)
            self.menus[name] = menu
            for action in actions:
                menu.addSeparator() if action is None else menu.addAction(action)
        for name, group in (("theme", self.themes), ("language", self.languages)):
            menu = QMenu(self.menus["view"])
            menu.addActions(group.actions())
            self.menus["view"].addMenu(menu)
            self.menus[name] = menu

    # ---- texts --------------------------------------------------------------------------------

    def retranslate(self) -> None:
        for menu, text in (
            ("file", self.tr("&File")), ("edit", self.tr("&Edit")), ("run", self.tr("&Run")),
            ("view", self.tr("&View")), ("help", self.tr("&Help")), ("theme", self.tr("&Theme")),
            ("language", self.tr("&Language")),
        ):  # fmt: skip
            self.menus[menu].setTitle(text)
        for action, text in (
            (self.start, self.tr("&Start")),
            (self.stop, self.tr("S&top")),
            (self.stop_now, self.tr("Stop at &once…")),
            (self.staging, self.tr("S&tage moves and apply them together")),
            (self.undo, self.tr("&Undo")),
            (self.redo, self.tr("&Redo")),
            (self.add_hosts, self.tr("&Add hosts…")),
            (self.open, self.tr("&Open profile…")),
            (self.save, self.tr("&Save profile")),
            (self.save_as, self.tr("Save profile &as…")),
            (self.rehearsal, self.tr("Try the &rehearsal")),
            (self.search_hosts, self.tr("Search &hosts")),
            (self.search_log, self.tr("Search the &log")),
            (self.show_curves, self.tr("&Curves")),
            (self.show_launch, self.tr("&Launch")),
            (self.save_curves, self.tr("Save the &curves…")),
            (self.help, self.tr("&Keys and help")),
            (self.quit, self.tr("&Quit")),
        ):
            action.setText(text)
            action.setIconText(_MNEMONIC.sub("", text))
        self.stop.setToolTip(self.tr("Stop at the next commit: nothing that was learned is lost"))
        self._name_choices()

    def _name_choices(self) -> None:
        texts = (self.tr("As the &system"), self.tr("&Light"), self.tr("&Dark"))
        for action, text in zip(self.themes.actions(), texts, strict=True):
            action.setText(text)
        # Each language in its own words, so that who is lost finds the way back.
        for action, text in zip(
            self.languages.actions(), (self.tr("As the &system"), "English", "한국어"), strict=True
        ):
            action.setText(text)
