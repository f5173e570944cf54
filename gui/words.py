"""The word, the icon and the tone of every state. A state is never told by its colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from core.events import HostState, RunState
from core.runs import RunSummary
from core.watch import Watch
from gui.colors import Tone
from gui.icons import IconName
from gui.marking import QT_TRANSLATE_NOOP


@dataclass(frozen=True, slots=True)
class Look:
    word: str
    icon: IconName
    tone: Tone


_HOSTS = {
    HostState.AVAILABLE: (QT_TRANSLATE_NOOP("HostState", "available"), IconName.AVAILABLE, Tone.QUIET),
    HostState.ADMITTING: (QT_TRANSLATE_NOOP("HostState", "admitting"), IconName.ADMITTING, Tone.WAITING),
    HostState.OFFERED: (QT_TRANSLATE_NOOP("HostState", "offered"), IconName.OFFERED, Tone.WAITING),
    HostState.TRAINING: (QT_TRANSLATE_NOOP("HostState", "training"), IconName.TRAINING, Tone.GOOD),
    HostState.LEAVING: (QT_TRANSLATE_NOOP("HostState", "leaving"), IconName.LEAVING, Tone.QUIET),
    HostState.STANDBY: (QT_TRANSLATE_NOOP("HostState", "standby"), IconName.STANDBY, Tone.QUIET),
    HostState.BLACKLISTED: (
        QT_TRANSLATE_NOOP("HostState", "blacklisted"), IconName.BLACKLISTED, Tone.BARRED,
    ),
    HostState.UNREACHABLE: (
        QT_TRANSLATE_NOOP("HostState", "unreachable"), IconName.UNREACHABLE, Tone.BAD,
    ),
    HostState.REFUSED: (QT_TRANSLATE_NOOP("HostState", "refused"), IconName.REFUSED, Tone.BAD),
}  # fmt: skip
_RUNS = {
    RunState.PREPARING: (QT_TRANSLATE_NOOP("RunState", "Preparing"), IconName.ADMITTING, Tone.WAITING),
    RunState.STARTING: (QT_TRANSLATE_NOOP("RunState", "Starting"), IconName.OFFERED, Tone.WAITING),
    RunState.WAITING: (QT_TRANSLATE_NOOP("RunState", "Waiting"), IconName.WAITING, Tone.WAITING),
    RunState.TRAINING: (QT_TRANSLATE_NOOP("RunState", "Training"), IconName.TRAINING, Tone.GOOD),
    RunState.RESIZING: (QT_TRANSLATE_NOOP("RunState", "Resizing"), IconName.RESIZING, Tone.WAITING),
    RunState.STOPPING: (QT_TRANSLATE_NOOP("RunState", "Stopping"), IconName.LEAVING, Tone.QUIET),
    RunState.FINISHED: (QT_TRANSLATE_NOOP("RunState", "Finished"), IconName.FINISHED, Tone.GOOD),
    RunState.FAILED: (QT_TRANSLATE_NOOP("RunState", "Failed"), IconName.FAILED, Tone.BAD),
    RunState.STOPPED: (QT_TRANSLATE_NOOP("RunState", "Stopped"), IconName.STOPPED, Tone.QUIET),
}  # fmt: skip
_WATCHES = {
    Watch.UNWATCHED: (QT_TRANSLATE_NOOP("RunState", "Unwatched"), IconName.WARNING, Tone.WAITING),
    Watch.GONE: (QT_TRANSLATE_NOOP("RunState", "Ended unseen"), IconName.UNREACHABLE, Tone.QUIET),
}
_SEVERITIES = {
    "info": (QT_TRANSLATE_NOOP("Severity", "Note"), IconName.INFO, Tone.ACCENT),
    "warning": (QT_TRANSLATE_NOOP("Severity", "Warning"), IconName.WARNING, Tone.WAITING),
    "error": (QT_TRANSLATE_NOOP("Severity", "Error"), IconName.ERROR, Tone.BAD),
}


def of_host(state: HostState) -> Look:
    word, icon, tone = _HOSTS[state]
    return Look(QCoreApplication.translate("HostState", word), icon, tone)


def of_run(state: RunState | None) -> Look:
    """None: no run is shown."""
    if state is None:
        return Look(QCoreApplication.translate("RunState", "No run"), IconName.IDLE, Tone.QUIET)
    word, icon, tone = _RUNS[state]
    return Look(QCoreApplication.translate("RunState", word), icon, tone)


def of_summary(run: RunSummary) -> Look:
    """As of_run, unless its supervisor is dead: then what it noted last is old news."""
    if run.watch not in _WATCHES:
        return of_run(run.state)
    word, icon, tone = _WATCHES[run.watch]
    return Look(QCoreApplication.translate("RunState", word), icon, tone)


def of_severity(severity: str) -> Look:
    word, icon, tone = _SEVERITIES.get(severity, _SEVERITIES["info"])
    return Look(QCoreApplication.translate("Severity", word), icon, tone)
