"""What happens at a commit (or, without Horovod, after a batch): a wanted export, then a wanted stop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..events import WorkerExported
from .script import TrainingStopped
from .session import Session

FINAL = "final"
"""Request and folder name of the export that a run's end leaves."""
NO_MODEL = "There is no Keras model to export: the script has neither called model.fit nor made a KerasState."


def serve_exports(session: Session) -> None:
    for wish in session.wishes.take_exports():
        export(session, wish.request, wish.path)


def serve_alone(session: Session) -> None:
    """At the end of a batch of a training with one process: no other rank has to be told."""
    serve_exports(session)
    if session.wishes.stop:
        export_last(session)
        raise TrainingStopped()


def export_last(session: Session) -> None:
    """What a run leaves by itself. Nobody asked for it, so no model is nothing that went wrong."""
    if model_of(session) is not None:
        export(session, FINAL)
    elif session.home is not None:
        session.say("no SavedModel is left. %s" % NO_MODEL)


def export(session: Session, request: str, path: str = "") -> None:
    """Tells where the SavedModel lies, or why there is none. Never raises."""
    error, target = "", path or _folder(session, request)
    if not target:
        return  # no run directory and no place named: nobody asked for it
    try:
        _write(session, Path(target))
    except Exception as problem:  # noqa: BLE001  a failed export is told and must not stop a training
        error = str(problem) or type(problem).__name__
    done = WorkerExported(session.worker, request, target, session.ledger.step, error)
    session.tell(done)
    if error:
        session.say("the export failed: %s" % error)
    else:
        session.say("the model of step %d is in %s" % (done.step, target))


def _write(session: Session, target: Path) -> None:
    from ..exporting import ExportError, Facts, export_model

    model = model_of(session)
    if model is None:
        raise ExportError(NO_MODEL)
    inputs = session.data.inputs() if session.data is not None else None
    facts = Facts(
        session.run, session.worker, session.ledger.step, _epoch(session), session.metrics
    )
    export_model(model, target, inputs, facts)


def model_of(session: Session) -> Any:
    of_state = getattr(session.state, "model", None)
    return of_state if of_state is not None else session.model


def _epoch(session: Session) -> int:
    epoch = getattr(session.state, "epoch", None)
    return int(epoch) if isinstance(epoch, int) else session.ledger.epochs


def _folder(session: Session, request: str) -> str:
    if session.home is None:
        return ""
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in request) or "unnamed"
    return str(session.home / "export" / name)
