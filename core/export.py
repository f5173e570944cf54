"""Taking a finished export home: the SavedModel with its papers, verified."""

from __future__ import annotations

from pathlib import Path

from .errors import ExportError
from .events import Stage
from .machine import Cancelled, FetchedFolder, Machine, Progress
from .runview import ExportView, RunView

FINAL = "final"
"""The request of the export that a run writes by itself at its end."""
_MODEL = "saved_model.pb"


def fetch_export(
    machine: Machine,
    export: ExportView,
    destination: Path,
    progress: Progress,
    cancelled: Cancelled,
) -> FetchedFolder:
    """Copies a READY export to the new folder ``destination``. Raises ExportError or MachineError."""
    if export.stage is not Stage.READY or not export.path:
        raise ExportError(
            f"The export is not ready ({export.stage.value}{': ' * bool(export.text)}{export.text}). "
            "Wait for it, or export again."
        )
    fetched = machine.fetch(export.path, destination, progress, cancelled)
    if not any(fetched.path.rglob(_MODEL)):
        raise ExportError(
            f"{destination} was fetched but holds no {_MODEL}, so it is no SavedModel. Export again."
        )
    return fetched


def free_destination(folder: Path, name: str) -> Path:
    """``folder`` itself when it is new or empty, else a name in it that is not taken."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return folder
    base, number = folder / name, 2
    destination = base
    while destination.exists():
        destination = base.with_name(f"{name}-{number}")
        number += 1
    return destination


def final_export(view: RunView) -> ExportView | None:
    """The newest READY export of a run that is over: nothing newer can come."""
    ready = [export for export in view.exports if export.stage is Stage.READY]
    if view.over is None or not ready:
        return None
    return view.export(FINAL) if view.export(FINAL) in ready else ready[-1]
