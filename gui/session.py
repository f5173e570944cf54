"""The run that the window shows: its client, its view, and what comes of it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal, Slot

from core.errors import MaypoleError, RunError
from core.events import (
    CommandReply,
    LinkChanged,
    LinkState,
    LogRecord,
    Record,
    RunInfo,
)
from core.runview import Change, RunView
from gui.engine import Client, Engine
from gui.eventbridge import EventBridge, Parcel
from gui.tasks import Tasks


class Session(QObject):
    """At most one run at a time. Events of a run that was left are dropped.

    Signals:
        attaching(run_dir), attached(RunInfo), detached(), failed(MaypoleError),
        changed(Change), records(tuple of Record), logs(tuple of LogRecord),
        link_changed(LinkChanged), replied(CommandReply).
    """

    attaching = Signal(str)
    attached = Signal(object)
    detached = Signal()
    failed = Signal(object)
    changed = Signal(object)
    records = Signal(object)
    logs = Signal(object)
    link_changed = Signal(object)
    replied = Signal(object)

    def __init__(
        self, engine: Engine, bridge: EventBridge, tasks: Tasks, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._engine, self._bridge, self._tasks = engine, bridge, tasks
        self._numbers = itertools.count(1)
        self._source = ""
        self._task = ""
        self._client: Client | None = None
        self._left: list[Client] = []
        self.run_dir = ""
        self.info: RunInfo | None = None
        self.view: RunView | None = None
        self.link: LinkChanged | None = None
        self.caught_up = False
        """Whether all that was on disk when this window attached has arrived."""
        bridge.received.connect(self._receive)

    # ---- which run ----------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """A run is attached to and, as far as is known, not over."""
        return self.view is not None and self.view.over is None

    @property
    def commanding(self) -> bool:
        return self.running and self._client is not None

    def attach(self, run_dir: str) -> None:
        self.leave()
        self._left = [client for client in self._left if not client.stop(0)]
        source = f"run-{next(self._numbers)}"
        self._source, self.run_dir = source, run_dir
        listener = self._bridge.listener(source)
        self.attaching.emit(run_dir)
        self._task = self._tasks.run(
            "attach",
            lambda _p, _c: self._engine.attach(run_dir, listener),
            self._follow,
            self._fail,
        )

    def leave(self) -> None:
        """Stops following; the run goes on."""
        had = bool(self._source)
        self._tasks.cancel(self._task)
        if self._client is not None:
            self._client.request_stop()
            self._left.append(self._client)
        if had:
            self._bridge.discard(self._source)
        self._client = self.info = self.view = self.link = None
        self._source, self.run_dir, self.caught_up = "", "", False
        if had:
            self.detached.emit()

    def stop(self, timeout: float) -> bool:
        """Ends the clients' threads; whether they did within ``timeout`` seconds. The run goes on."""
        self.leave()
        deadline = time.monotonic() + timeout
        ended = [client.stop(max(0.0, deadline - time.monotonic())) for client in self._left]
        return all(ended)

    def _follow(self, client: Client) -> None:
        self._client = client
        client.start()

    def _fail(self, error: MaypoleError) -> None:
        self.leave()
        self.failed.emit(error)

    # ---- commands -----------------------------------------------------------------------------

    def set_hosts(self, hosts: Mapping[str, int], confirmed: bool = False) -> str:
        """The command's id. Raises RunError, as all commands here."""
        return self._commanded().set_hosts(hosts, confirmed)

    def stop_run(self, now: bool = False) -> str:
        return self._commanded().stop_run(now)

    def export(self) -> str:
        return self._commanded().export()

    def _commanded(self) -> Client:
        if self._client is None or self.view is None:
            raise RunError(self.tr("There is no link to a run yet. Wait until it is attached."))
        return self._client

    # ---- events -------------------------------------------------------------------------------

    @Slot(object)
    def _receive(self, parcel: Parcel) -> None:
        if parcel.source != self._source:
            return
        change = Change.NOTHING
        records: list[Record] = []
        logs: list[LogRecord] = []
        for event in parcel.events:
            match event:
                case Record():
                    records.append(event)
                    change |= self._apply(event)
                case LogRecord():
                    logs.append(event)
                case _:
                    # What came before is shown first: a reply or a link's end follows its records.
                    self._tell(change, records, logs)
                    change, records, logs = Change.NOTHING, [], []
                    self._other(event)
        self._tell(change, records, logs)

    def _apply(self, record: Record) -> Change:
        """The welcome comes first (trainer/protocol.py); without it there is nothing to apply to."""
        return self.view.apply(record) if self.view is not None else Change.NOTHING

    def _tell(self, change: Change, records: list[Record], logs: list[LogRecord]) -> None:
        if records:
            self.records.emit(tuple(records))
        if logs:
            self.logs.emit(tuple(logs))
        if change:
            self.changed.emit(change)

    def _other(self, event: RunInfo | LinkChanged | CommandReply) -> None:
        match event:
            case RunInfo():
                self._attached(event)
            case LinkChanged(state):
                self.link = event
                if state in (LinkState.LIVE, LinkState.ENDED):
                    self.caught_up = True
                self.link_changed.emit(event)
            case CommandReply():
                self.replied.emit(event)

    def _attached(self, info: RunInfo) -> None:
        """Said at every attachment; the view is kept, as what was delivered is not sent again."""
        first = self.info is None
        self.info = info
        if first:
            self.view = RunView(info.spec)
            self.attached.emit(info)
