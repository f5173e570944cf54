"""``maypole.pyz work --home RUN_DIR -- script.py args...``: be a worker of a run.

Without ``--home`` the script runs the same way, and nobody is told.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from pathlib import Path
from typing import List, Tuple

from .. import corrections, processes
from ..events import WorkerFinished, WorkerJoined
from ..protocol import ProtocolError
from . import (
    commits,
    elastic_fixes,
    fit_hook,
    generated_code,
    identity,
    iterators,
    legacy_keras,
    parent_watch,
    script,
)
from .import_hooks import ImportHooks
from .session import Session, set_current

FLUSH = 10.0
"""Seconds that the last events may take to be acknowledged; what has none stays in the spool."""
ORPHAN_FLUSH = CHILDREN = 2.0
_OTHER_HOROVOD = (
    "maypole: Horovod %s is not the one that Maypole knows (%s): its corrections are off"
)


def main(argv: List[str]) -> int:
    options = _options(argv)
    worker = identity.new_worker_id(os.environ)
    _write_every_line_at_once()
    print(identity.BANNER % (worker, os.getpid()), flush=True)
    try:
        found = script.find(options.command[0])
    except script.ScriptMissing as error:
        sys.stderr.write("maypole: %s\n" % error)
        return 2
    _no_core_dumps()
    session = Session(worker, options.home, options.home.name if options.home else "")
    words = legacy_keras.choose(os.environ)
    if words:
        session.say(words)
    _connect(session)
    _watch_parent(session)
    _prepare(session)
    end = script.run(found, options.command[1:])
    return conclude(session, end)


def _options(argv: List[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="maypole.pyz work", description=__doc__)
    parser.add_argument("--home", type=Path, metavar="RUN_DIR", help="the run's directory")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- script.py args...")
    options = parser.parse_args(argv)
    if options.command[:1] == ["--"]:
        del options.command[0]
    if not options.command:
        parser.error("give the training script after --")
    if options.home is not None:
        options.home = options.home.absolute()
    return options


def _write_every_line_at_once() -> None:
    """Into a pipe Python writes in blocks, and a live log would come in bursts."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True)


def _no_core_dumps() -> None:
    """A worker removed by a stock Horovod ends by SIGABRT (C++ std::terminate), with gigabytes of core."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _connect(session: Session) -> None:
    if session.home is None:
        return
    from ..link.client import LinkClient

    try:
        link = LinkClient(session.home, session.worker, session.wishes.on_command)
        link.start()
    except (OSError, ProtocolError) as error:
        session.complain("no link to the supervisor, the training goes on without it", error)
        return
    session.link = link
    session.tell(_joined(session.worker))


def _joined(worker: str) -> WorkerJoined:
    return WorkerJoined(
        worker,
        os.getpid(),
        "%d.%d.%d" % sys.version_info[:3],
        legacy_keras.tensorflow_version(),
        legacy_keras.keras_version(os.environ),
        legacy_keras.installed_version("horovod") or "",
        sorted(corrections.installed()),
    )


def _watch_parent(session: Session) -> None:
    """Only for a worker that horovodrun started: a script run by hand may outlive its terminal."""
    if "HOROVOD_GLOO_RENDEZVOUS_ADDR" not in os.environ:
        return

    def leave() -> None:
        why = WorkerFinished(session.worker, "error", session.world.rank, "the driver is gone")
        try:
            session.tell(why)
            session.link.close(ORPHAN_FLUSH)
            # Nothing that runs at exit will: the processes of a data pipeline would stay for ever.
            processes.end(lambda: processes.descendants(os.getpid()), CHILDREN, CHILDREN)
        finally:
            os._exit(parent_watch.ORPHANED)

    parent_watch.start(leave)


def _prepare(session: Session) -> None:
    set_current(session)
    _be_importable()
    hooks = ImportHooks(session.complain)
    horovod = legacy_keras.installed_version("horovod")
    if horovod:
        elastic_fixes.install(session, hooks, horovod)
        if horovod != elastic_fixes.KNOWN:
            session.say(_OTHER_HOROVOD % (horovod, elastic_fixes.KNOWN))
    fit_hook.install(session, hooks)
    iterators.install(session, hooks)
    generated_code.install(hooks)
    hooks.install()


def _be_importable() -> None:
    """``import maypole`` works in the script: in the zip this package has that name, elsewhere it gets it."""
    package = script.PACKAGE.partition(".")[0]
    sys.modules.setdefault("maypole", sys.modules[package])
    if package == "maypole" and sys.path[0] not in sys.path[1:]:
        sys.path.append(sys.path[0])  # script.py gives the first place to the script's folder


def conclude(session: Session, end: script.End) -> int:
    """The last words, once the script is done. Gives the exit status.

    Rank 0 exports before it ends. The others do not wait for it: the driver counts a worker's exit 0
    only when all workers of the rendezvous have been recorded (registration.py:103,112 wait at a barrier
    of all; driver.stop() is in that barrier's action), so it kills nobody in the middle of an export.
    """
    if session.pid != os.getpid():
        return end.status  # a child that the script forked: the last words are its parent's
    outcome, text = outcome_of(end)
    rank = session.world.rank
    if outcome == "completed" and rank == 0:
        commits.serve_exports(session)
        commits.export_last(session)
    session.tell(WorkerFinished(session.worker, outcome, rank, text))
    session.link.close(FLUSH)
    return end.status


def outcome_of(end: script.End) -> Tuple[str, str]:
    if end.status == corrections.REMOVED_EXIT_CODE and corrections.was_removed():
        return "removed", "removed from the job"
    if end.stopped:
        return "stopped", ""
    if end.status == 0:
        return "completed", ""
    return "error", end.error or "the script ended with status %d" % end.status
