"""The profile that is open: its values, its file, and whether it was changed since."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from core import profilefile
from core.errors import MaypoleError
from core.home import Home
from core.hosts import Host
from core.profiles import Profile
from gui.tasks import Tasks


class ProfileStore(QObject):
    """Signals: changed() after any change, opened() when another profile took the place."""

    changed = Signal()
    opened = Signal()

    def __init__(self, home: Home, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home, self._tasks = home, tasks
        self.profile = Profile()
        self._saved = self.profile
        self.path: Path | None = None

    @property
    def modified(self) -> bool:
        return self.profile != self._saved

    def update(self, **values: Any) -> None:
        self._set(replace(self.profile, **values))

    def set_hosts(self, hosts: tuple[Host, ...]) -> None:
        self._set(replace(self.profile, hosts=hosts))

    def follow(self, wanted: Mapping[str, int]) -> None:
        """Takes over what a run wants (name -> slots); hosts that are not known yet are added."""
        known = {host.name for host in self.profile.hosts}
        hosts = [
            replace(host, in_job=host.name in wanted, slots=wanted.get(host.name, host.slots))
            for host in self.profile.hosts
        ]
        hosts += [Host(name, n, in_job=True) for name, n in wanted.items() if name not in known]
        self.set_hosts(tuple(hosts))

    def _set(self, profile: Profile) -> None:
        if profile != self.profile:
            self.profile = profile
            self.changed.emit()

    # ---- files --------------------------------------------------------------------------------

    def use(self, profile: Profile, path: Path | None = None) -> None:
        self.profile = self._saved = profile
        self.path = path
        self.opened.emit()
        self.changed.emit()

    def open(
        self, text: str, on_done: Callable[[], None], on_error: Callable[[MaypoleError], None]
    ) -> None:
        """``text``: a file, the name of a saved profile, or of a built-in one."""

        def take(profile: Profile) -> None:
            self.use(profile, self._file_of(text))
            on_done()

        self._tasks.run(
            "open profile", lambda _p, _c: profilefile.find(text, self._home), take, on_error
        )

    def _file_of(self, text: str) -> Path | None:
        if "/" in text or text.endswith(".toml"):
            return Path(text).expanduser().absolute()
        return None

    def save(
        self,
        path: Path,
        on_done: Callable[[Path | None], None],
        on_error: Callable[[MaypoleError], None],
    ) -> None:
        """``on_done`` gets where an unreadable old file was put aside, or None."""
        profile = self.profile

        def saved(aside: Path | None) -> None:
            self._saved, self.path = profile, path
            self.changed.emit()
            on_done(aside)

        self._tasks.run(
            "save profile", lambda _p, _c: profilefile.save(path, profile), saved, on_error
        )

    @property
    def folder(self) -> Path:
        return Path(self._home.profiles)
