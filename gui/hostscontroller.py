"""Moving hosts: into the profile while nothing runs, into the run while one does. Undo is another move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from core.errors import RunError
from core.events import CommandReply
from core.hosts import Host, check_unique, in_job
from core.runview import Change
from gui.boardrows import HostRow, rows
from gui.guards import Answer, judge
from gui.profilestore import ProfileStore
from gui.prompter import Prompter, Question
from gui.session import Session
from gui.toasts import Note, error_note

Hosts = tuple[Host, ...]
_PAUSE = 40
"""Milliseconds: however many hosts change at once, the board is computed once for them."""


@dataclass(frozen=True, slots=True)
class _Sent:
    before: Hosts
    names: frozenset[str]
    note: str


class HostsController(QObject):
    """Signals: rows_changed(list of HostRow), staged_changed(number of hosts that wait for apply)."""

    rows_changed = Signal(list)
    staged_changed = Signal(int)

    def __init__(
        self,
        store: ProfileStore,
        session: Session,
        prompter: Prompter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._session, self._prompter = store, session, prompter
        self._staging = False
        self._sent: dict[str, _Sent] = {}
        self._followed: dict[str, int] | None = None
        self.undo_stack = QUndoStack(self)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_PAUSE)
        self._soon.timeout.connect(self.refresh)
        store.changed.connect(self.refresh)
        store.opened.connect(self._opened)
        session.changed.connect(self._run_changed)
        session.link_changed.connect(self._link_changed)
        session.detached.connect(self._left)
        session.replied.connect(self._replied)

    # ---- what is wanted -----------------------------------------------------------------------

    @Slot(list, bool)
    def move(self, names: list[str], to_job: bool) -> None:
        moved = {host.name for host in self._hosts if host.name in names and host.in_job != to_job}
        after = tuple(
            replace(host, in_job=to_job) if host.name in moved else host for host in self._hosts
        )
        words = self.tr("Add {0} to the job") if to_job else self.tr("Remove {0} from the job")
        if moved:
            self._change(after, words.format(_listed(sorted(moved))))

    @Slot(str, int)
    def set_slots(self, name: str, slots: int) -> None:
        after = tuple(
            replace(host, slots=slots) if host.name == name else host for host in self._hosts
        )
        self._change(after, self.tr("Give {0} {1} slots").format(name, slots))

    @Slot(list)
    def forget(self, names: list[str]) -> None:
        after = tuple(host for host in self._hosts if host.name not in names or host.in_job)
        if after != self._hosts:
            self._change(after, self.tr("Take {0} off the list").format(_listed(names)))

    def add(self, hosts: Sequence[Host]) -> None:
        """Raises InvalidInput when one is there already."""
        after = (*self._hosts, *hosts)
        check_unique(after)
        self._change(after, self.tr("Add {0}").format(_listed([host.name for host in hosts])))

    @property
    def _hosts(self) -> Hosts:
        return self._store.profile.hosts

    # ---- undo ---------------------------------------------------------------------------------

    @Slot()
    def undo(self) -> None:
        command = self.undo_stack.command(self.undo_stack.index() - 1)
        if isinstance(command, _Command):
            self._guard(command.before, lambda confirmed: self._step(command, confirmed, back=True))

    @Slot()
    def redo(self) -> None:
        command = self.undo_stack.command(self.undo_stack.index())
        if isinstance(command, _Command):
            self._guard(command.after, lambda confirmed: self._step(command, confirmed, back=False))

    def _step(self, command: _Command, confirmed: bool, back: bool) -> None:
        command.confirmed = confirmed
        (self.undo_stack.undo if back else self.undo_stack.redo)()

    def _change(self, after: Hosts, text: str) -> None:
        if after != self._hosts:
            command = _Command(text, self._hosts, after, self._perform)
            self._guard(after, lambda confirmed: self._push(command, confirmed))

    def _push(self, command: _Command, confirmed: bool) -> None:
        command.confirmed = confirmed
        self.undo_stack.push(command)

    def _guard(self, after: Hosts, go_on: Callable[[bool], None]) -> None:
        """Calls ``go_on(confirmed)`` at once, after a yes, or never."""
        view = self._session.view
        if not self._session.running or self._staging or view is None:
            go_on(False)
            return
        if in_job(after) == dict(view.wanted_hosts):
            go_on(False)
            return
        verdict = judge(in_job(after), view)
        match verdict.answer:
            case Answer.ALLOW:
                go_on(False)
            case Answer.ASK:
                question = Question(
                    self.tr("Let the training wait?"), verdict.text,
                    self.tr("Change the hosts"), self.tr("Keep them"),
                )  # fmt: skip
                self._prompter.ask(question, lambda: go_on(True))
            case Answer.REFUSE:
                self._prompter.tell(Note(verdict.text, "warning"))

    # ---- doing it -----------------------------------------------------------------------------

    def _perform(self, hosts: Hosts, confirmed: bool) -> None:
        before = self._hosts
        self._store.set_hosts(hosts)
        if self._session.running and not self._staging:
            self._send(before, confirmed)
        self.refresh()

    def _send(self, before: Hosts, confirmed: bool) -> None:
        view = self._session.view
        wanted = in_job(self._hosts)
        if view is None or (wanted == dict(view.wanted_hosts) and not self._sent):
            return
        note = judge(wanted, view).note
        changed = frozenset(_difference(wanted, in_job(before)))
        try:
            id = self._session.set_hosts(wanted, confirmed)
        except RunError as error:
            self._prompter.tell(error_note(error.text))
            self._follow_run()
            return
        self._sent[id] = _Sent(before, changed, note)

    @Slot(object)
    def _replied(self, reply: CommandReply) -> None:
        sent = self._sent.pop(reply.id, None)
        if sent is None:
            return
        if reply.ok:
            if sent.note:
                self._prompter.tell(Note(sent.note))
        else:
            self._prompter.tell(error_note(reply.error))
            self._follow_run()
        self.refresh()

    # ---- staging ------------------------------------------------------------------------------

    @property
    def staging(self) -> bool:
        return self._staging

    @Slot(bool)
    def set_staging(self, on: bool) -> None:
        """Leaving it with changes that wait takes them back."""
        if self._staging and not on and self._staged():
            self._follow_run()
        self._staging = on
        self.refresh()

    @Slot()
    def apply(self) -> None:
        """Sends what was staged as one change."""
        if self._staged():
            self._staging = False
            try:
                self._guard(self._hosts, lambda confirmed: self._send(self._from_run(), confirmed))
            finally:
                self._staging = True
            self.refresh()

    def _staged(self) -> list[str]:
        view = self._session.view
        if not self._staging or view is None or not self._session.running:
            return []
        waiting = {name for sent in self._sent.values() for name in sent.names}
        differs = _difference(in_job(self._hosts), dict(view.wanted_hosts))
        return [name for name in differs if name not in waiting]

    # ---- the run ------------------------------------------------------------------------------

    @Slot(object)
    def _run_changed(self, change: Change) -> None:
        if change & (Change.HOSTS | Change.STATE):
            self._follow_news()
            if not self._soon.isActive():
                self._soon.start()

    @Slot(object)
    def _link_changed(self, _link: object) -> None:
        self._follow_news()
        self.refresh()

    def _follow_news(self) -> None:
        """Takes over hosts that were changed elsewhere: by hand, by a command, before this window."""
        view = self._session.view
        if view is None or not self._session.running or not self._session.caught_up:
            return
        wanted = dict(view.wanted_hosts)
        if wanted == self._followed:
            return
        self._followed = wanted
        if not self._sent and not self._staged() and wanted != in_job(self._hosts):
            self._follow_run()

    def _follow_run(self) -> None:
        view = self._session.view
        if view is not None and dict(view.wanted_hosts) != in_job(self._hosts):
            self._store.follow(view.wanted_hosts)
            self.undo_stack.clear()

    def _from_run(self) -> Hosts:
        view = self._session.view
        wanted = view.wanted_hosts if view else {}
        return tuple(replace(host, in_job=host.name in wanted) for host in self._hosts)

    @Slot()
    def _left(self) -> None:
        self._sent.clear()
        self._followed = None
        self.refresh()

    @Slot()
    def _opened(self) -> None:
        self.undo_stack.clear()
        self._followed = None

    @Slot()
    def refresh(self) -> None:
        pending = {name for sent in self._sent.values() for name in sent.names}
        staged = self._staged()
        self.rows_changed.emit(self.rows(pending, staged))
        self.staged_changed.emit(len(staged))

    def rows(self, pending: set[str], staged: list[str]) -> list[HostRow]:
        return rows(self._hosts, self._session.view, pending, staged)


class _Command(QUndoCommand):
    def __init__(
        self, text: str, before: Hosts, after: Hosts, perform: Callable[[Hosts, bool], None]
    ) -> None:
        super().__init__(text)
        self.before, self.after = before, after
        self.confirmed = False
        self._perform = perform

    def undo(self) -> None:
        self._perform(self.before, self.confirmed)

    def redo(self) -> None:
        self._perform(self.after, self.confirmed)


def _difference(one: dict[str, int], other: dict[str, int]) -> list[str]:
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:2])} (+{len(names) - 2})"
