"""What the evidence in the journal says about a run. Pure: fed with records, answers with new conclusions.

The same records give the same conclusions, so a supervisor that adopts a run replays the journal: what it
finds told already is not told again.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Set

from ..events import (
    Batch,
    DriverAssigned,
    DriverBlacklisted,
    DriverDiscovered,
    DriverPollFailed,
    DriverReady,
    DriverStopping,
    DriverWaiting,
    DriverWhitelisted,
    DriverWorkerExited,
    DriverWorkerReady,
    DriverWorkerStarted,
    Event,
    ExportProgress,
    HostsRequested,
    HostState,
    HostStateChanged,
    Problem,
    Record,
    Resize,
    RunOver,
    RunState,
    RunStateChanged,
    ScriptWritten,
    Topology,
    WorkerExported,
    WorkerFinished,
    WorkerGone,
    WorkerJoined,
    WorkerPhase,
    WorkerRanked,
)
from ..launchspec import LaunchSpec
from . import board
from .resizes import Resizes
from .world import World

REMOVED = (79, 134, 255)
"""Exit statuses of a removed worker: corrected build, stock (SIGABRT), stock through ssh."""
_DRIVER_SIGNS = (DriverReady, DriverWaiting, DriverDiscovered, DriverAssigned, DriverWorkerStarted)


class Model:
    def __init__(self, spec: LaunchSpec) -> None:
        self.spec = spec
        self.world = World()
        self.wanted: Dict[str, int] = dict(spec.hosts)
        self.written: Dict[str, int] = {}
        self.discovered: Optional[Dict[str, int]] = None
        self.blacklisted: Dict[str, Optional[float]] = {}
        self.completed = False
        """Rank 0 said that the script has come to its end."""
        self.stopped = False
        """A worker said that it stopped because it was asked to."""
        self.stopping = False
        self.over: Optional[RunOver] = None
        self.last_words = ""
        """The driver's reason for ending, or the first failing worker's, since training last went on."""
        self.failed_worker = ""
        """The worker that the last words are about, if they are about one."""
        self.exports: Dict[str, ExportProgress] = {}
        self.exported: Dict[str, WorkerExported] = {}
        self._resizes = Resizes()
        self._driver_seen = False
        self._waiting: Optional[DriverWaiting] = None
        self._resetting = False
        self._told_state: Optional[RunStateChanged] = None
        self._told_hosts: Dict[str, HostStateChanged] = {}
        self._told_topology = -1
        self._told_resizes: Set[int] = set()
        self._told_gone: Set[str] = set()
        self._told_problems: Set[str] = set()
        self._new: List[Event] = []

    # ---- evidence ---------------------------------------------------------------------------

    def apply(self, record: Record) -> None:
        event, time = record.event, record.time
        if isinstance(event, _DRIVER_SIGNS):
            self._driver_seen = True
        if isinstance(event, Batch):
            self._batch(event)
        elif isinstance(event, (HostsRequested, ScriptWritten)):
            self._hosts(event, time)
        elif isinstance(event, (WorkerJoined, WorkerRanked, WorkerPhase)):
            self._worker(event)
        elif isinstance(event, (WorkerFinished, WorkerExported)):
            self._worker_ends(event)
        elif isinstance(
            event,
            (DriverWorkerStarted, DriverWorkerExited, DriverBlacklisted, DriverWhitelisted),
        ):
            self._trouble(event)
        elif isinstance(
            event,
            (DriverAssigned, DriverWaiting, DriverDiscovered, DriverPollFailed, DriverStopping),
        ):
            self._driver(event, time)
        else:
            self._told(event)

    def _hosts(self, event: Event, time: float) -> None:
        if isinstance(event, HostsRequested):
            self.wanted = dict(event.hosts)
            if event.origin != "start":
                self._resizes.requested(time)
        elif isinstance(event, ScriptWritten):
            self.written = dict(event.hosts)

    def _worker(self, event: Event) -> None:
        if isinstance(event, WorkerJoined):
            self.world.joined(event)
        elif isinstance(event, WorkerRanked):
            self.world.ranked(event)
        elif isinstance(event, WorkerPhase):
            self._resizes.phase(event)
            if event.phase in ("interrupted", "failed", "shutdown"):
                self._resetting = True

    def _worker_ends(self, event: Event) -> None:
        if isinstance(event, WorkerExported):
            self.exported[event.request] = event
        elif isinstance(event, WorkerFinished):
            self.completed |= event.outcome == "completed" and event.rank == 0
            self.stopped |= event.outcome == "stopped"
            if event.outcome == "error" and not self.last_words:
                self.last_words = "%s: %s" % (event.worker.partition(".")[0], event.text)
                self.failed_worker = event.worker

    def _batch(self, event: Batch) -> None:
        old = self.world.previous
        if self.world.batch(event.worker, event.size, event.wall):
            self._resetting = False
            self.last_words = self.failed_worker = ""  # whatever it was, the job got over it
            generation = self.world.generation
            assert generation is not None
            resize = self._resizes.first_step(event, old, generation)
            if resize is not None:
                self._new.append(resize)
        self._resizes.batch(event)

    def _driver(self, event: Event, time: float) -> None:
        if isinstance(event, DriverAssigned):
            self.world.assigned(event, time)
            self._waiting = None
            for member in event.members:
                self.blacklisted.pop(member.host, None)
        elif isinstance(event, DriverWaiting):
            self._waiting = event
        elif isinstance(event, DriverDiscovered):
            self.discovered = dict(event.hosts)
            self._resizes.discovered(time)
        elif isinstance(event, DriverPollFailed):
            self._problem(
                "poll", "warning", "horovodrun could not read the discovery script: %s" % event.text,
                "The hosts stay as they were. Look at discover_hosts.sh in the run's folder.",
            )  # fmt: skip
        elif isinstance(event, DriverStopping) and not self.last_words:
            self.last_words = event.reason

    def _trouble(self, event: Event) -> None:
        if isinstance(event, DriverBlacklisted):
            self.blacklisted[event.host] = event.until
        elif isinstance(event, (DriverWhitelisted, DriverWorkerStarted)):
            # Stock does not say that a cooldown is over: a new worker there shows it.
            self.blacklisted.pop(event.host, None)
        elif isinstance(event, DriverWorkerExited):
            self._exited(event)

    def _exited(self, event: DriverWorkerExited) -> None:
        worker = self.world.exited(event)
        expected = not event.assigned or event.exit_code in (0, 79) or self.ending
        if worker is not None:
            text = "removed from the job" if not event.assigned else ""
            self._new.append(WorkerGone(worker.name, event.exit_code, expected, text))
        if expected:
            return
        self._resizes.worker_failed()
        name = "%s[%d]" % (event.host, event.slot)
        text = "The worker %s ended with status %d." % (name, event.exit_code)
        if not self.last_words:
            self.last_words, self.failed_worker = text, worker.name if worker else ""
        self._problem(
            "worker-exit/%s" % (worker.name if worker else name), "error", text,
            "Its log has the reason. Horovod keeps the host out of the job for the blacklist cooldown.",
            event.host,
        )  # fmt: skip

    def _told(self, event: Event) -> None:
        """Conclusions that are in the journal: they are not told again."""
        if isinstance(event, RunStateChanged):
            self._told_state = event
            self.stopping |= event.state is RunState.STOPPING  # also for who adopts the run
        elif isinstance(event, HostStateChanged):
            self._told_hosts[event.host] = event
        elif isinstance(event, Topology):
            self._told_topology = event.generation
        elif isinstance(event, Resize):
            self._told_resizes.add(event.generation)
        elif isinstance(event, WorkerGone):
            self._told_gone.add(event.worker)
        elif isinstance(event, Problem):
            self._told_problems.add(event.code)
        elif isinstance(event, ExportProgress):
            self.exports[event.request] = event
        elif isinstance(event, RunOver):
            self.over = event

    def _problem(self, code: str, severity: str, text: str, action: str, host: str = "") -> None:
        self._new.append(Problem(code, severity, text, action, host))

    # ---- conclusions ------------------------------------------------------------------------

    @property
    def ending(self) -> bool:
        return self.completed or self.stopping or self.over is not None

    @property
    def trains(self) -> bool:
        return self.world.trains and not self._resetting

    @property
    def waits(self) -> bool:
        """For slots: nothing trains, and no worker reaches a commit."""
        if self._waiting is None or self._waiting.have >= self._waiting.need:
            return False
        return self._waiting.have >= 0 or self.world.generation is not None

    @property
    def settled(self) -> bool:
        """Nothing is under way that another change of hosts could disturb."""
        return self.trains or self.world.generation is None or self._waiting is not None

    def expected_size(self) -> int:
        """The world size that the written hosts should give."""
        slots = sum(n for host, n in self.written.items() if host not in self.blacklisted)
        return slots if self.spec.max_np is None else min(slots, self.spec.max_np)

    def as_wanted(self) -> bool:
        """Whether the world that trains is the one that the script asks for."""
        generation = self.world.generation
        if generation is None or not self.trains:
            return False
        if generation.size != self.expected_size():
            return False
        return all(member.host in self.written for member in generation.members)

    def conclude(self) -> List[Event]:
        """What is new. The caller journals it, and applies the records in turn."""
        found = [event for event in self._new if not self._is_told(event)]
        self._new = []
        members = self.world.completed()
        generation = self.world.generation
        if (
            members is not None
            and generation is not None
            and generation.number > self._told_topology
        ):
            found.append(Topology(generation.number, generation.size, members))
        if self.over is None:
            found += self._new_states()
        return found

    def _is_told(self, event: Event) -> bool:
        if isinstance(event, Resize):
            return event.generation in self._told_resizes
        if isinstance(event, WorkerGone):
            return event.worker in self._told_gone
        return isinstance(event, Problem) and event.code in self._told_problems

    def _new_states(self) -> List[Event]:
        found: List[Event] = []
        state = self.state()
        if state != self._told_state:
            found.append(state)
        for told in board.states(self._facts(), list(self._told_hosts)):
            before = self._told_hosts.get(told.host)
            if told != before and (before is not None or told.state is not HostState.AVAILABLE):
                found.append(told)
        return found

    def _facts(self, over: bool = False) -> board.Facts:
        generation = self.world.generation
        full = (
            generation is not None
            and self.spec.max_np is not None
            and generation.size >= self.spec.max_np
        )
        return board.Facts(
            self.wanted,
            self.written,
            self.world.hosts(),
            self.world.trains,
            full,
            over,
            self.blacklisted,
        )

    def hosts_when_over(self) -> List[Event]:
        return [
            told
            for told in board.states(self._facts(over=True), list(self._told_hosts))
            if told != self._told_hosts.get(told.host)
        ]

    def state(self) -> RunStateChanged:
        generation = self.world.generation
        need = self.spec.np if generation is None else self.spec.min_np
        if self.stopping:
            return RunStateChanged(RunState.STOPPING)
        if not self._driver_seen:
            return RunStateChanged(RunState.PREPARING)
        if self._waiting is not None and self.waits:
            return RunStateChanged(
                RunState.WAITING,
                "not enough slots",
                max(self._waiting.have, 0),
                self._waiting.need,
                self._waiting.deadline,
            )
        if generation is None:
            return RunStateChanged(RunState.STARTING, "", 0, need)
        if self.trains:
            return RunStateChanged(RunState.TRAINING, "", generation.size, self.expected_size())
        first = self.world.previous is None and not self.world.trains
        reason = "workers start" if first else ""
        state = RunState.STARTING if first else RunState.RESIZING
        return RunStateChanged(state, reason, generation.size, self.expected_size())

    def outcome(self, exit_code: Optional[int]) -> RunOver:
        """Only rank 0's own word is success: horovodrun's exit status lies both ways (HOROVOD C.6)."""
        if self.completed:
            return RunOver(RunState.FINISHED, "", exit_code)
        if self.stopped or self.stopping:
            return RunOver(RunState.STOPPED, "", exit_code)
        return RunOver(RunState.FAILED, self.reason(exit_code), exit_code)

    def reason(self, exit_code: Optional[int]) -> str:
        if exit_code in (None, 128 + 9):
            return "horovodrun was killed, or this machine was restarted."
        if self.last_words:
            return self.last_words
        if exit_code == 0:
            return "horovodrun ended, but rank 0 never said that the script was done. See the log."
        return "horovodrun ended with status %d. See the log's last lines." % exit_code


def is_sign_of_driver(event: Event) -> bool:
    """Events that come from drive.ndjson (or, stock, from horovodrun's log)."""
    return isinstance(
        event,
        (
            *_DRIVER_SIGNS,
            DriverWorkerReady,
            DriverWorkerExited,
            DriverBlacklisted,
            DriverWhitelisted,
            DriverPollFailed,
            DriverStopping,
        ),
    ) or type(event).__name__.startswith("Driver")


__all__ = ["REMOVED", "Model", "is_sign_of_driver"]
