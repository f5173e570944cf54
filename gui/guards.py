"""Rules for changing the hosts of a running training, told before it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QCoreApplication

from core.events import HostState
from core.runview import RunView


class Answer(Enum):
    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``text``: the question or the refusal. ``note``: worth saying when it is done."""

    answer: Answer
    text: str = ""
    note: str = ""


def judge(after: Mapping[str, int], view: RunView) -> Verdict:
    """``after``: the hosts that the job would have."""
    active = [host.name for host in view.hosts if host.state is HostState.TRAINING]
    if not after:
        return Verdict(Answer.REFUSE, _empty())
    if active and not any(name in after for name in active):
        return Verdict(Answer.REFUSE, _replaced(active))
    note = _succession(after, view)
    need = view.spec.min_np if view.spec else 1
    slots = sum(after.values())
    if slots < need:
        return Verdict(Answer.ASK, _below(slots, need, view), note)
    return Verdict(Answer.ALLOW, note=note)


def _empty() -> str:
    return QCoreApplication.translate(
        "Guards",
        "The last host cannot leave a running job: the training would have nowhere to go on. "
        "Press Stop to end it, or add another host first.",
    )


def _replaced(active: list[str]) -> str:
    text = QCoreApplication.translate(
        "Guards",
        "All hosts that train now ({0}) would leave at once, and what was learned since the last "
        "checkpoint with them. Keep one of them, wait until a new host trains, then remove it.",
    )
    return text.format(", ".join(active))


def _below(slots: int, need: int, view: RunView) -> str:
    text = QCoreApplication.translate(
        "Guards",
        "The job would have {0} of the {1} slots that --min-np asks for. It waits until there are "
        "enough, and fails if that takes longer than the elastic timeout of {2} s.",
    )
    return text.format(slots, need, view.spec.elastic_timeout if view.spec else 600)


def _succession(after: Mapping[str, int], view: RunView) -> str:
    """Horovod gives rank 0 to the host that has been in the job longest."""
    ranked = sorted((min(host.ranks), host.name) for host in view.hosts if host.ranks)
    if not ranked or ranked[0][0] != 0 or ranked[0][1] in after:
        return ""
    heir = next((name for _, name in ranked if name in after), "")
    if not heir:
        return ""
    text = QCoreApplication.translate(
        "Guards",
        "{0} had rank 0. {1} follows: it tells the curves and writes the exports from now on.",
    )
    return text.format(ranked[0][1], heir)
