"""Files that a person opens and saves: profiles, the log, the curves."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Slot

from core.errors import MaypoleError
from gui.mainwindow import MainWindow
from gui.profilestore import ProfileStore
from gui.prompter import Prompter
from gui.settings import Settings
from gui.tasks import Tasks
from gui.toasts import Note, error_note


class Filing(QObject):
    def __init__(
        self, window: MainWindow, store: ProfileStore, tasks: Tasks, prompter: Prompter,
        settings: Settings, parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._window, self._store, self._tasks = window, store, tasks
        self._prompter, self._settings = prompter, settings
        acts = window.actions_
        acts.open.triggered.connect(self.choose_profile)
        acts.save.triggered.connect(self.save_profile)
        acts.save_as.triggered.connect(self.save_profile_as)
        acts.rehearsal.triggered.connect(self.open_rehearsal)
        acts.save_curves.triggered.connect(self.save_curves)
        window.board.rehearsal_wanted.connect(self.open_rehearsal)
        window.log.save_wanted.connect(self.save_log)

    @Slot()
    def open_rehearsal(self) -> None:
        self.open_profile("rehearsal")

    def open_profile(self, text: str) -> None:
        self._store.open(text, lambda: self._remember(self._store.path), self._tell_error)

    def _remember(self, path: Path | None) -> None:
        self._settings.profile = str(path or "")

    @Slot()
    def choose_profile(self) -> None:
        title, pattern = self.tr("Open a profile"), self.tr("Profiles (*.toml)")
        start = str(self._store.path or self._store.folder)
        self._prompter.choose_file(title, start, pattern, self.open_profile)

    @Slot()
    def save_profile(self) -> None:
        if self._store.path is None:
            self.save_profile_as()
        else:
            self._save_to(str(self._store.path))

    @Slot()
    def save_profile_as(self) -> None:
        title, pattern = self.tr("Save the profile"), self.tr("Profiles (*.toml)")
        start = str(self._store.path or self._store.folder / f"{self._store.profile.name}.toml")
        self._prompter.choose_new_file(title, start, pattern, self._save_to)

    def _save_to(self, text: str) -> None:
        path = Path(text if text.endswith(".toml") else f"{text}.toml")

        def done(aside: Path | None) -> None:
            self._remember(path)
            said = self.tr("Saved as {0}.").format(path)
            if aside is not None:
                said += " " + self.tr(
                    "The file that was there could not be read; it is now {0}."
                ).format(aside)
            self._prompter.tell(Note(said))

        self._store.save(path, done, self._tell_error)

    @Slot()
    def save_log(self) -> None:
        text = self._window.log.text()

        def write(path: str) -> None:
            self._tasks.run(
                "save log", lambda _p, _c: Path(path).write_text(text + "\n", encoding="utf-8"),
                lambda _: self._prompter.tell(Note(self.tr("Saved as {0}.").format(path))),
                self._tell_error,
            )  # fmt: skip

        start = str(Path.home() / "maypole.log")
        self._prompter.choose_new_file(
            self.tr("Save the log"), start, self.tr("Text (*.log *.txt)"), write
        )

    @Slot()
    def save_curves(self) -> None:
        start = str(Path.home() / "curves.png")
        pattern = self.tr("Picture (*.png);;Drawing (*.svg);;Table of all points (*.csv)")
        self._prompter.choose_new_file(
            self.tr("Save the curves"), start, pattern, self._write_curves
        )

    def _write_curves(self, text: str) -> None:
        path = Path(text)
        curves = self._window.curves
        save = {".svg": curves.save_svg, ".csv": curves.save_csv}.get(path.suffix, curves.save_png)
        try:
            save(path)
        except (OSError, MaypoleError) as error:
            self._prompter.tell(Note(self.tr("Cannot write {0}: {1}").format(path, error), "error"))
        else:
            self._prompter.tell(Note(self.tr("Saved as {0}.").format(path)))

    def _tell_error(self, error: MaypoleError) -> None:
        self._prompter.tell(error_note(error.text))
