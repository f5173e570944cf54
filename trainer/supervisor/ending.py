"""The end of a run: hear the last words, end what is left, verify what was exported, tell the outcome."""

from __future__ import annotations

import contextlib
import queue
import sys
import time
from typing import TYPE_CHECKING, List

from .. import processes
from ..events import RunOver, RunState
from ..link import spool
from ..protocol import ProtocolError

if TYPE_CHECKING:
    from .supervisor import Supervisor

GRACE, PATIENCE = 5.0, 10.0
"""Seconds for processes after SIGTERM, and after SIGKILL."""
LAST_WORDS = 10.0
"""Seconds for workers on other hosts to notice that their driver is gone, to say so and to leave."""
VERIFY_LIMIT = 300.0
REASON_LIMIT = 1500


def finish(supervisor: Supervisor) -> None:
    """The driver has ended."""
    outputs = supervisor.outputs
    assert outputs is not None
    outputs.read()
    left = processes.end(supervisor.living, GRACE, PATIENCE)
    outputs.finish()
    strangers = _hear_last_words(supervisor)
    _take_in_spools(supervisor)
    supervisor.conclude()
    _verify(supervisor)
    _tell(supervisor, [processes.describe(process) for process in left] + strangers)


def _hear_last_words(supervisor: Supervisor) -> List[str]:
    """Until every worker has hung up: only then its last event has been read. Who does not, is told."""
    deadline = time.monotonic() + LAST_WORDS
    while supervisor.link.workers() and time.monotonic() < deadline:
        supervisor.serve(0.02)
    supervisor.drain()
    return ["%s (still connected)" % worker for worker in sorted(supervisor.link.workers())]


def _take_in_spools(supervisor: Supervisor) -> None:
    """What workers could not send any more; each event exactly once, by its worker and number."""
    if not supervisor.run.spool.is_dir():
        return
    for path in sorted(supervisor.run.spool.iterdir()):
        try:
            worker = spool.worker_of(path)
            for _, n, event in spool.pending(path, supervisor.journal.last_of(worker)):
                supervisor.intake.from_worker(worker, n, event)
            path.unlink()
        except (OSError, ProtocolError) as error:
            sys.stderr.write("the spool %s could not be taken in: %s\n" % (path, error))
    supervisor.intake.take()


def _verify(supervisor: Supervisor) -> None:
    exports = supervisor.exports
    exports.tick()
    deadline = time.monotonic() + VERIFY_LIMIT
    while exports.busy and time.monotonic() < deadline:
        supervisor.serve(0.2)
    exports.give_up("The run ended before rank 0 reached a commit.")


def _tell(supervisor: Supervisor, left: List[str]) -> None:
    model = supervisor.model
    for event in model.hosts_when_over():
        supervisor.tell(event)
    over = model.outcome(supervisor.driver.exit_code())
    reason = _reason(supervisor, over) if over.outcome is RunState.FAILED else over.reason
    supervisor.tell(RunOver(over.outcome, reason, over.exit_code, left))
    supervisor.note_status()
    with contextlib.suppress(queue.Empty):
        supervisor.drain()  # commands that came too late are told so


def _reason(supervisor: Supervisor, over: RunOver) -> str:
    """With the last lines of the worker that failed first, or of the driver."""
    model, outputs = supervisor.model, supervisor.outputs
    assert outputs is not None
    lines = outputs.last_errors(model.failed_worker)
    if not lines and not model.last_words:
        lines = outputs.last_lines[-3:]
    new = [line for line in lines if line.strip() and line.strip() not in over.reason]
    return "\n".join([over.reason, *new])[:REASON_LIMIT]
