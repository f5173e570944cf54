"""Taking the SavedModel home: asked of the run, followed until it is verified, fetched, told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices

from core.errors import MaypoleError, RunError
from core.events import CommandReply, Stage
from core.export import final_export, free_destination
from core.machine import FetchedFolder
from core.runview import Change, ExportView
from gui import figures
from gui.engine import Engine
from gui.prompter import Prompter
from gui.session import Session
from gui.settings import Settings
from gui.tasks import Cancelled, Progress, Tasks
from gui.toasts import Note, error_note


@dataclass(slots=True)
class _Wanted:
    """``command``: the id that is not answered yet. ``request``: what the run calls the export."""

    folder: Path
    command: str = ""
    request: str = ""
    fetching: bool = False


class ExportController(QObject):
    """Signals: progress_changed(text), "" when nothing is going on; saved(folder)."""

    progress_changed = Signal(str)
    saved = Signal(str)

    def __init__(
        self, engine: Engine, session: Session, tasks: Tasks, prompter: Prompter,
        settings: Settings, parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._engine, self._session, self._tasks = engine, session, tasks
        self._prompter, self._settings = prompter, settings
        self._wanted: _Wanted | None = None
        self._task = ""
        session.changed.connect(self._run_changed)
        session.replied.connect(self._replied)
        session.detached.connect(self._left)

    @property
    def busy(self) -> bool:
        return self._wanted is not None

    @Slot()
    def export(self) -> None:
        if self._wanted is None and self._session.view is not None:
            start = self._settings.export_folder or str(Path.home())
            title = self.tr("Choose the folder for the SavedModel")
            self._prompter.choose_folder(title, start, self._begin)

    @Slot()
    def cancel(self) -> None:
        self._tasks.cancel(self._task)
        self._end()

    def _begin(self, folder: str) -> None:
        view = self._session.view
        if view is None or self._wanted is not None:
            return
        self._settings.export_folder = folder
        self._wanted = _Wanted(Path(folder))
        final = final_export(view)
        if final is not None:
            self._fetch(final)
            return
        try:
            self._wanted.command = self._session.export()
        except RunError as error:
            self._fail(error)
        else:
            self.progress_changed.emit(self.tr("Asking rank 0…"))

    @Slot(object)
    def _replied(self, reply: CommandReply) -> None:
        wanted = self._wanted
        if wanted is None or not wanted.command or reply.id != wanted.command:
            return
        wanted.command = ""
        wanted.request = str(reply.value.get("request", ""))
        if not reply.ok:
            self._fail(RunError(reply.error))
        elif not wanted.request:
            self._fail(
                RunError(self.tr("The run did not say which export it makes. Export again."))
            )
        else:
            self._look()

    @Slot(object)
    def _run_changed(self, change: Change) -> None:
        if change & (Change.EXPORTS | Change.STATE):
            self._look()

    def _look(self) -> None:
        wanted, view = self._wanted, self._session.view
        if wanted is None or view is None or not wanted.request or wanted.fetching:
            return
        export = view.export(wanted.request)
        if export is None:
            return
        match export.stage:
            case Stage.REQUESTED:
                self.progress_changed.emit(self.tr("Waiting for the commit…"))
            case Stage.WRITING:
                self.progress_changed.emit(self.tr("Writing…"))
            case Stage.VERIFYING:
                self.progress_changed.emit(self.tr("Verifying…"))
            case Stage.READY:
                self._fetch(export)
            case Stage.FAILED:
                self._fail(RunError(export.text or self.tr("The export failed. See the log.")))

    def _fetch(self, export: ExportView) -> None:
        wanted = self._wanted
        assert wanted is not None
        wanted.fetching = True
        name = f"{self._profile_name()}-step{export.step}"
        self.progress_changed.emit(self.tr("Copying…"))
        self._task = self._tasks.run(
            "fetch export", _fetching(self._engine, export, wanted.folder, name),
            lambda fetched: self._done(fetched, export), self._fail, self._copied,
        )  # fmt: skip

    def _profile_name(self) -> str:
        info = self._session.info
        words = info.spec.name if info else ""
        return (
            "".join(c if c.isalnum() or c in "-_." else "-" for c in words).strip(".-") or "model"
        )

    def _copied(self, done: int, total: int) -> None:
        if total:
            self.progress_changed.emit(self.tr("Copying {0} %").format(100 * done // total))

    def _done(self, fetched: FetchedFolder, export: ExportView) -> None:
        self._end()
        text = self.tr("SavedModel of step {0} saved: {1} in {2}.").format(
            f"{export.step:,}", figures.size(fetched.size_bytes), fetched.path
        )
        if export.max_difference is not None:
            text += " " + self.tr(
                "Reloaded without Horovod, its predictions differ by at most {0}."
            ).format(f"{export.max_difference:.2g}")
        if export.signature:
            text += "\n" + export.signature
        self._prompter.tell(Note(text, "info", self.tr("Show"), _reveal(fetched.path)))
        self.saved.emit(str(fetched.path))

    def _fail(self, error: MaypoleError) -> None:
        self._end()
        self._prompter.tell(error_note(error.text))

    @Slot()
    def _left(self) -> None:
        if self._wanted is not None and not self._wanted.fetching:
            self._end()

    def _end(self) -> None:
        self._wanted, self._task = None, ""
        self.progress_changed.emit("")


def _fetching(
    engine: Engine, export: ExportView, folder: Path, name: str
) -> Callable[[Progress, Cancelled], FetchedFolder]:
    def work(progress: Progress, cancelled: Cancelled) -> FetchedFolder:
        return engine.fetch(export, free_destination(folder, name), progress, cancelled)

    return work


def _reveal(path: Path) -> Callable[[], None]:
    return lambda: reveal(path)


def reveal(path: Path) -> None:
    """In the system's file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
