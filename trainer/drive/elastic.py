"""Horovod 0.28.1's ElasticDriver with its faults corrected and its state told.

Imported only when that version is installed. Line numbers are those of horovod/runner/elastic/.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, Dict, Hashable, List, Optional, Tuple

from horovod.runner.common.util.timeout import TimeoutException
from horovod.runner.elastic.discovery import HostManager
from horovod.runner.elastic.driver import ElasticDriver
from horovod.runner.elastic.registration import FAILURE, SUCCESS, WorkerStateRegistry
from horovod.runner.elastic.worker import HostUpdateResult

from ..events import (
    DriverAssigned,
    DriverBlacklisted,
    DriverDiscovered,
    DriverPollFailed,
    DriverWaiting,
    DriverWhitelisted,
    DriverWorkerExited,
    DriverWorkerReady,
    DriverWorkerStarted,
    Member,
)
from .context import Drive
from .discovery import PERIOD, Polled, PollFailed
from .notifying import Notifier

_REPEAT_FAILURE = 60.0
"""Seconds until an unchanged failure of the discovery script is told again."""


class Hosts(HostManager):  # type: ignore[misc]
    """Keeps the order of the discovery script's lines, and tells what changes."""

    def __init__(self, drive: Drive, discovery: Any, cooldown_range: Any = None) -> None:
        super().__init__(discovery, cooldown_range)
        self._drive = drive
        self._first = True

    def update_available_hosts(self) -> Any:
        known = list(self._current_hosts.host_assignment_order)
        listed = dict(self._current_hosts.host_slots)
        shut_out = [host for host in listed if self.is_blacklisted(host)]
        result = super().update_available_hosts()
        self._order_newcomers(known)
        slots = dict(self._current_hosts.host_slots)
        if slots != listed or self._first:
            self._first = False
            self._drive.tell(DriverDiscovered(slots))
        for host in shut_out:
            if not self.is_blacklisted(host):
                self._drive.tell(DriverWhitelisted(host))
        return result

    def _order_newcomers(self, known: List[str]) -> None:
        # order_available_hosts walks a set (discovery.py:216-223): with hash randomisation the first
        # hosts, and so rank 0, differ from run to run.
        order = self._current_hosts._host_assignment_order
        lines = list(self._current_hosts.host_slots)
        old = [host for host in order if host in known]
        new = [host for host in order if host not in known]
        self._current_hosts._host_assignment_order = old + sorted(new, key=lines.index)

    def blacklist(self, host: str) -> None:
        before = self.is_blacklisted(host)
        super().blacklist(host)
        if not before:
            end = self._hosts_state[host]._cooldown_period_end_ts
            self._drive.tell(DriverBlacklisted(host, float(end) if end > 0 else None))


class Registry(WorkerStateRegistry):  # type: ignore[misc]
    def __init__(self, drive: Drive, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._drive = drive

    def record_ready(self, host: str, slot: int) -> Any:
        if not self._driver.finished() and not self._host_manager.is_blacklisted(host):
            self._drive.tell(DriverWorkerReady(host, slot))
        return super().record_ready(host, slot)


class Driver(ElasticDriver):  # type: ignore[misc]
    def __init__(
        self, drive: Drive, rendezvous: Any, discovery: Any, *args: Any, **kwargs: Any
    ) -> None:
        # Before super().__init__: that starts the discovery thread (driver.py:96-98).
        self._drive = drive
        self._polled = Polled(discovery)
        # Always "mixed": a bare "removed" makes old workers skip a sync that a newcomer of the same
        # reset waits in for ever (common/elastic.py:95-96, issue 3494; a spare that moves up does it).
        self._notifier = Notifier(drive.tell, HostUpdateResult.mixed)
        self._processes: Dict[Tuple[str, int], Any] = {}
        self._untold = 0
        self._told = threading.Condition()
        self._activating = False
        self._failure: Optional[str] = None
        self._waiting: Optional[Tuple[int, float]] = None
        self._waiting_told: Optional[Tuple[int, int]] = None
        self._poll_failure: Tuple[str, float] = ("", 0.0)
        self.doomed = False
        """A worker of the current rendezvous has failed: its key will never come."""
        super().__init__(rendezvous, self._polled, *args, **kwargs)
        drive.driver = self

    # ---- discovery -------------------------------------------------------------------------

    def _discover_hosts(self) -> None:
        """driver.py:188-206, with the script run before the lock is taken."""
        first = True
        while not self._shutdown.is_set():
            try:
                with self._drive.polling:
                    self._polled.poll(self._drive)
            except (PollFailed, ValueError) as error:
                self._poll_failed(str(error), first)
            else:
                self._apply_poll()
                first = False
            self._shutdown.wait(PERIOD)

    def _apply_poll(self) -> None:
        with self._wait_hosts_cond:
            update = self._host_manager.update_available_hosts()
            self._poll_failure = ("", 0.0)
            if update != HostUpdateResult.no_update:
                self._wait_hosts_cond.notify_all()
            if self._waiting is not None:
                self._tell_waiting(*self._waiting)
            change, client = self._untold_change()
        self._notifier.consider(change, client, time.monotonic())

    def _poll_failed(self, text: str, first: bool) -> None:
        if self._shutdown.is_set():
            return
        if first:
            # As stock: a script that fails at once is a mistake in the settings.
            self._failure = "the discovery script failed at its first run: %s" % text
        last, told = self._poll_failure
        if text != last or time.monotonic() - told >= _REPEAT_FAILURE:
            self._poll_failure = (text, time.monotonic())
            self._drive.tell(DriverPollFailed(text))
            logging.warning(text)
        if first:
            self._drive.tell_stopping(self._failure or text)
            self.abandon()

    def _untold_change(self) -> Tuple[Hashable, Any]:
        """What the workers must be told: None when they are as the hosts ask for."""
        coordinator = self.get_coordinator_info()
        if coordinator is None or self._activating or self._shutdown.is_set():
            return None, None
        hosts = self._host_manager.current_hosts
        wanted: Dict[str, Any] = {}
        if hosts.count_available_slots() >= self._min_num_proc:
            wanted, _ = self._get_host_assignments(hosts)
        if wanted == self.host_assignments:
            return None, None
        places = tuple(
            (slot.hostname, slot.local_rank) for slots in wanted.values() for slot in slots
        )
        return (self._worker_registry.last_rendezvous(), places), self.get_worker_client(
            coordinator
        )

    def _notify_workers_host_changes(self, current_hosts: Any, update_res: Any) -> None:
        """Replaced by the notifier, which looks at every poll and not only at changes."""

    # ---- waiting and assigning --------------------------------------------------------------

    def wait_for_available_slots(self, min_num_proc: int, min_hosts: int = 1) -> Any:
        if min_hosts > 1 and len(self._host_manager.current_hosts.available_hosts) < min_hosts:
            logging.warning("waits for a second host to find a common network interface; "
                            "--network-interface makes that unnecessary")  # fmt: skip
        self._waiting = (min_num_proc, time.time() + self._timeout)
        self._tell_waiting(*self._waiting)
        try:
            return super().wait_for_available_slots(min_num_proc, min_hosts)
        except TimeoutException as error:
            # The stock text has a literal {activity} in it (driver.py:161-162).
            raise TimeoutException(str(error).replace("{activity}", "slots")) from error
        except RuntimeError as error:
            raise RuntimeError(self._failure or str(error)) from error
        finally:
            self._waiting = None

    def _tell_waiting(self, need: int, deadline: float) -> None:
        have = self._host_manager.current_hosts.count_available_slots()
        if (need, have) != self._waiting_told:
            self._waiting_told = (need, have)
            self._drive.tell(DriverWaiting(need, have, deadline))

    def _activate_workers(self, min_num_proc: int) -> None:
        self._activating = True
        try:
            super()._activate_workers(min_num_proc)
        finally:
            self._activating = False

    def resume(self) -> None:
        self._waiting_told = None
        try:
            super().resume()
        except (RuntimeError, ValueError, TimeoutException) as error:
            self._failure = str(error)
            raise

    def _update_host_assignments(self, current_hosts: Any) -> Any:
        self.doomed = False
        pending = super()._update_host_assignments(current_hosts)
        members = [
            Member(rank, slot.hostname, slot.local_rank)
            for rank, slot in sorted(self._rank_assignments.items())
        ]
        self._drive.tell(DriverAssigned(self._world_size, members))
        return pending

    # ---- workers ----------------------------------------------------------------------------

    def _start_worker_process(self, slot_info: Any) -> None:
        self._processes[slot_info.hostname, slot_info.local_rank] = slot_info
        with self._told:
            self._untold += 1
        self._drive.tell(
            DriverWorkerStarted(slot_info.hostname, slot_info.local_rank, slot_info.rank)
        )
        super()._start_worker_process(slot_info)

    def _handle_worker_exit(self, slot_info: Any, exit_code: int, timestamp: float) -> None:
        host, slot = slot_info.hostname, slot_info.local_rank
        # A host that left and came back at once has a new process in the same slot: the old one's
        # end must not be taken for the new one's (driver.py:304-317 looks at the slot only).
        own = self._processes.get((host, slot)) is slot_info
        assigned = own and self.has_rank_assignment(host, slot)
        self._drive.tell(DriverWorkerExited(host, slot, exit_code, assigned))
        with self._told:
            self._untold -= 1
            self._told.notify_all()
        if not assigned:
            return
        if exit_code != 0:
            self.doomed = True
        super()._handle_worker_exit(slot_info, exit_code, timestamp)

    # ---- the end ----------------------------------------------------------------------------

    def stop(self, error_message: Optional[str] = None) -> None:
        self._drive.tell_stopping(error_message or self._why())
        # Stock ends with 0 when a reset found no slots in time: no worker's result was recorded.
        super().stop(error_message or self._failure)

    def _why(self) -> str:
        registry = self._worker_registry
        if self._failure:
            return self._failure
        if registry.count(SUCCESS) > 0:
            return "a worker has ended with success"
        if registry.count(FAILURE) == registry.size():
            return "all workers have failed"
        return "every host of the job is blacklisted"

    def abandon(self) -> None:
        """Nothing is waited for any more, nothing is started any more."""
        self._shutdown.set()
        if self._wait_hosts_cond.acquire(timeout=1.0):
            self._wait_hosts_cond.notify_all()
            self._wait_hosts_cond.release()

    def wait_for_exits_told(self, patience: float) -> bool:
        with self._told:
            return self._told.wait_for(lambda: self._untold == 0, patience)
