"""``maypole.pyz attach RUN_DIR``: standard input and output become a run's attach dialogue (protocol.py).

A run whose supervisor died gets a new one first, which adopts it. A run that is over is replayed from
its files, without a supervisor.
"""

from __future__ import annotations

import argparse
import os
import selectors
import socket
import sys
from pathlib import Path
from typing import Any, BinaryIO, Dict, List, Optional

from .events import RunOver, Stage
from .journal import read_records
from .launching import NotStarted, living_socket, start_supervisor, status
from .launchspec import SpecError, to_json
from .protocol import MAX_LINE, ProtocolError, decode, encode
from .rundir import RunDir
from .supervisor.control import Hello, connect, history, welcome

_CHUNK = 1 << 16
_OVER = ("finished", "failed", "stopped")
_ALL = 1 << 62


def main(argv: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="maypole.pyz attach", description=__doc__)
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR")
    # As `start` names it: supervisors and workers are recognised by this path in their command lines.
    run = RunDir(Path(os.path.realpath(parser.parse_args(argv).run_dir)))
    try:
        run.read_spec()
        link = _reach(run)
    except (OSError, SpecError, NotStarted) as error:
        return _refuse("This run cannot be attached to: %s" % error)
    try:
        if link is not None:
            _pump(link)
        else:
            replay(run, sys.stdin.buffer, sys.stdout.buffer)
    except (BrokenPipeError, ConnectionResetError):
        pass  # one of the two ends went away: so do we
    except ProtocolError as error:
        return _refuse(str(error))
    return 0


def _refuse(text: str) -> int:
    sys.stdout.buffer.write(encode({"type": "error", "text": text}))
    sys.stdout.buffer.flush()
    return 1


def _reach(run: RunDir) -> Optional[socket.socket]:
    """The supervisor's socket; None for a run that is over. Raises NotStarted or OSError."""
    for _ in range(3):
        path = living_socket(run)
        if path is not None:
            try:
                connection, file = connect(path)
            except OSError:
                pass  # it died, or ended, just now
            else:
                file.close()
                return connection
        if is_over(run):
            return None
        start_supervisor(run)
    raise NotStarted("its supervisor does not answer.")


def is_over(run: RunDir) -> bool:
    """By the journal: a supervisor that was killed at the very end may not have noted it."""
    if status(run).get("state") in _OVER:
        return True
    return any(isinstance(record.event, RunOver) for record in read_records_of(run))


def read_records_of(run: RunDir) -> Any:
    return read_records(run.journal) if run.journal.exists() else []


# ---- a run that goes on -------------------------------------------------------------------------


def _pump(link: socket.socket) -> None:
    """Until the supervisor closes, or nobody listens to us any more."""
    out = sys.stdout.fileno()
    with link, selectors.DefaultSelector() as selector:
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        selector.register(link, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is link:
                    data = link.recv(_CHUNK)
                    if not data:
                        return
                    _write_all(out, data)
                else:
                    data = os.read(sys.stdin.fileno(), _CHUNK)
                    if not data:
                        return
                    link.sendall(data)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


# ---- a run that is over -------------------------------------------------------------------------


def replay(run: RunDir, commands: BinaryIO, out: BinaryIO) -> None:
    hello = Hello(commands.readline(MAX_LINE + 1))
    last, finals = 0, ""
    for record in read_records_of(run):
        last = record.seq
        finals = _ready_export(record.event, finals)
    out.write(welcome(to_json(run.read_spec()), last))
    for line in history(run.journal, run.log_journal, hello, last, _ALL):
        out.write(line)
    out.write(encode({"type": "live"}))
    out.write(encode({"type": "ended"}))
    out.flush()
    while True:
        line = commands.readline(MAX_LINE + 1)
        if not line.endswith(b"\n"):
            return
        out.write(encode(_reply(decode(line), finals)))
        out.flush()


def _ready_export(event: Any, before: str) -> str:
    """The newest export that can be taken home; the final one wins."""
    if getattr(event, "stage", None) is not Stage.READY or before == "final":
        return before
    return str(event.request)


def _reply(wire: Dict[str, Any], export: str) -> Dict[str, Any]:
    name = wire.get("name")
    answer = {"type": "reply", "id": str(wire.get("id", "")), "ok": True, "error": "", "value": {}}
    if name == "ping":
        return answer
    if name == "export" and export:
        return dict(answer, value={"request": export})
    text = "The run is over."
    if name == "export":
        text = "The run is over, and no SavedModel was left by it: rank 0 did not reach its end or a commit."
    return dict(answer, ok=False, error=text)
