"""The loop of a run: evidence comes in, conclusions and orders go out.

Three kinds of threads feed it: the link's (workers), the clients' (commands) and verifications. They
journal or post; only the loop reads the model. It looks at the driver's files every TICK and wakes at once
for a command.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
from typing import Any, Callable, Dict, List, Optional, Set

from .. import corrections, processes
from ..events import Adopted, Event, Problem, Record, RunState, WorkerJoined
from ..journal import Journal, LogJournal, Trouble
from ..launchspec import to_json
from ..link.server import LinkServer
from ..rundir import RunDir, read_json, write_atomically
from ..travelling import bundle_path
from . import ending
from .control import ControlServer, Reply, forget_socket
from .driver import Driver
from .exports import FINAL, Exports
from .intake import Intake
from .membership import Membership, Refused
from .model import Model, is_sign_of_driver
from .network import address_of
from .outputs import Outputs
from .status import Status
from .stopping import Stopping

TICK = 0.025
"""Seconds between two looks at the driver's files."""
LINGER = 10.0
"""Seconds that clients get to read the end."""
AT_ONCE = 2000
"""Calls of other threads taken between two looks at everything else."""
MAX_HOSTS = 1000


def _not_evidence(*_: str) -> None:
    """A worker's connection comes and goes with the network; what it says is the evidence."""


class Supervisor:
    def __init__(self, run: RunDir) -> None:
        """Raises OSError or SpecError when the run directory cannot be used."""
        self.run = run
        self.spec = run.read_spec()
        self.bundle = bundle_path()
        self.journal = Journal.open(run.journal, self._trouble)
        self.log = LogJournal.open(run.log_journal)
        self.model = Model(self.spec)
        self.driver = Driver(run)
        self._calls: queue.Queue[Callable[[], None]] = queue.Queue()
        self._sessions: Set[processes.Session] = set()
        self._status = Status(run)
        self._driver_events = 0
        self._requests = 0
        self.intake = Intake(self.journal, self._apply, lambda: self._calls.put(self.intake.take))
        self.link = self._make_link()
        verify = [self.spec.python, self.bundle, "verify"]
        self.exports = Exports(run, self.model, verify, self.tell, self._send, self._calls.put)
        self.membership = Membership(run, self.model, self.tell)
        self.stopping = Stopping(self.model, self.driver, self._send)
        self.control = ControlServer(to_json(self.spec), self.journal, self.log, self._command)
        self.outputs: Optional[Outputs] = None
        self.leaving = False
        """Set by a signal: leave the run to the next supervisor, and nothing of this one behind."""

    # ---- journalling: one door --------------------------------------------------------------

    def tell(self, event: Event, time: Optional[float] = None) -> None:
        """Journals what the loop concludes, and takes it in."""
        self.intake.tell(event, time)

    def _apply(self, record: Record) -> None:
        self.model.apply(record)
        if isinstance(record.event, WorkerJoined):
            self._learn_session(record.event)

    def conclude(self) -> None:
        for _ in range(8):  # a conclusion may bring another one, but not without end
            found = self.model.conclude()
            if not found:
                break
            for event in found:
                self.tell(event)
        self.note_status()

    def note_status(self) -> None:
        over = self.model.over
        state: RunState = over.outcome if over is not None else self.model.state().state
        self._status.note(state, self.journal.last)

    def _learn_session(self, event: WorkerJoined) -> None:
        """A local worker's session: what its script starts belongs to the run, and ends with it."""
        if processes.is_worker_of(processes.arguments(event.pid), str(self.run.root)):
            session = processes.session(event.pid)
            if session is not None:
                self._sessions.add(session)

    def living(self) -> List[processes.Process]:
        """All of this run that live on this machine, without the supervisor itself."""
        driver = self.driver.session
        sessions = [*self._sessions, driver] if driver is not None else list(self._sessions)
        return processes.of_run(str(self.run.root), sessions)

    # ---- beginning --------------------------------------------------------------------------

    def begin(self) -> None:
        """Starts the driver, or adopts the one that runs already. Raises OSError, NoAddress."""
        adopted = self._replay()
        self._listen()
        forget_socket((read_json(self.run.status) or {}).get("socket"))
        self._status.socket = self.control.start()
        if adopted:
            self.tell(Adopted(os.getpid()))
            self.membership.adopt()
        else:
            self.membership.begin()
        stock = self.spec.driver == "stock"
        self.outputs = Outputs(
            self.run, self.log, stock, self._driver_events, self.tell, self.model.world.rank_of
        )
        if not adopted:
            soft = corrections.SOFT_INIT in corrections.installed()
            self.driver.start(self.spec, self.bundle, soft)
        elif self.model.stopping:
            self.stopping.request(now=False)
        self.conclude()

    def _replay(self) -> bool:
        """Whether there was a driver before us."""
        for record in self.journal.read(0):
            self._apply(record)
            self._driver_events += is_sign_of_driver(record.event)
        return self.driver.adopt()

    def _make_link(self) -> LinkServer:
        noted = read_json(self.run.link) or {}
        port = noted.get("port")
        return self._server(port if isinstance(port, int) else 0)

    def _server(self, port: int) -> LinkServer:
        host = address_of(self.spec.network_interface, self.spec.rehearsal)
        token = self.run.token.read_text(encoding="ascii").strip()
        self._link_host = host
        return LinkServer(
            token,
            self.journal.last_of,
            self.intake.from_worker,
            _not_evidence,
            _not_evidence,
            self._refused,
            host,
            port,
        )

    def _listen(self) -> None:
        """On the port that the workers know, if it is free; else they read the new one from link.json."""
        try:
            self.link.start()
        except OSError:
            self.link = self._server(0)
            self.link.start()
        text = json.dumps({"host": self._link_host, "port": self.link.port})
        write_atomically(self.run.link, text + "\n")

    def _send(self, worker: str, message: Dict[str, Any]) -> bool:
        return self.link.send(worker, message)

    # ---- called by other threads ------------------------------------------------------------

    def _refused(self, why: str) -> None:
        text = "Somebody was turned away from the worker link: %s" % why
        action = "The training is not disturbed. If this goes on, see who reaches that port."
        problem = Problem("link-refused", "warning", text[:1000], action)
        self._calls.put(lambda: self.tell(problem))

    def _trouble(self, trouble: Trouble) -> None:
        sys.stderr.write(trouble.text + "\n")

    def _command(self, name: str, args: Dict[str, Any], reply: Reply) -> None:
        self._calls.put(lambda: self._obey(name, args, reply))

    # ---- the loop ---------------------------------------------------------------------------

    def loop(self) -> None:
        while not self.driver.ended:
            self._turn()
            if self.leaving:
                return
        ending.finish(self)

    def _turn(self) -> None:
        assert self.outputs is not None
        self.outputs.read()
        self.serve(TICK)
        self.conclude()
        self.membership.tick()
        self.exports.tick()
        self.stopping.tick()
        self.journal.retry()
        self.log.retry()

    def serve(self, patience: float) -> None:
        """What other threads want; waits up to ``patience`` seconds for the first of it."""
        with contextlib.suppress(queue.Empty):
            self._calls.get(timeout=patience)()
            for _ in range(AT_ONCE):
                self._calls.get_nowait()()

    def drain(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._calls.get_nowait()()

    # ---- commands ---------------------------------------------------------------------------

    def _obey(self, name: str, args: Dict[str, Any], reply: Reply) -> None:
        try:
            value = self._do(name, args)
        except Refused as refusal:
            reply(False, str(refusal), {})
        except OSError as error:
            reply(False, "The run's folder cannot be written: %s" % error, {})
        else:
            reply(True, "", value)

    def _do(self, name: str, args: Dict[str, Any]) -> Dict[str, Any]:
        if name == "ping":
            return {"seq": self.journal.last}
        if self.model.over is not None:
            raise Refused("The run is over.")
        if name == "set_hosts":
            return self._set_hosts(args)
        if name == "stop":
            self.stopping.request(args.get("now") is True)
            return {}
        if name == "export":
            # A run that is ending exports its last state by itself, if it has one.
            return {"request": FINAL if self.model.ending else self.exports.request()}
        raise Refused("%.40r is not a command that this version knows." % name)

    def _set_hosts(self, args: Dict[str, Any]) -> Dict[str, Any]:
        hosts = args.get("hosts")
        if not isinstance(hosts, dict) or not all(type(n) is int for n in hosts.values()):
            raise Refused("set_hosts needs hosts as name: slots.")
        if len(hosts) > MAX_HOSTS:
            raise Refused("A job takes at most %d hosts." % MAX_HOSTS)
        if self.model.ending:
            raise Refused("The run is ending: its hosts cannot be changed any more.")
        self._requests += 1
        request = str(args.get("request") or "hosts-%d-%d" % (os.getpid(), self._requests))[:80]
        wanted = {str(name): slots for name, slots in hosts.items()}
        self.membership.request(wanted, request, args.get("confirmed") is True)
        return {"request": request}

    # ---- the end ----------------------------------------------------------------------------

    def close(self) -> None:
        if self.model.over is not None:
            self.control.end(LINGER)
        self.exports.close()
        self.link.close(2.0)
        self.control.close()
        if self.outputs is not None:
            self.outputs.close()
        self.journal.close()
        self.log.close()
