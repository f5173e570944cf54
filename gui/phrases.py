"""Sentences that other machines make, in the window's language.

core and trainer speak English, with names and numbers in it, and a run may be older than this window. So a
sentence is known by its template here; one that is not known stays as it came.
"""

from __future__ import annotations

import functools
import re

from PySide6.QtCore import QCoreApplication

from gui.marking import QT_TRANSLATE_NOOP

FORM = (
    QT_TRANSLATE_NOOP("Phrases", "No host is in the job. Move at least one host into it."),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "{0} is not a host name Horovod can take safely. "
        "Use letters, digits, dots, dashes and underscores.",
    ),
    QT_TRANSLATE_NOOP("Phrases", "Host {0} has {1} slots. Give it 1 to {2}."),
    QT_TRANSLATE_NOOP("Phrases", "Host {0} is there twice. Keep one of them."),
    QT_TRANSLATE_NOOP("Phrases", "{0} is not a host. Write it as name:slots, such as node-1:4."),
    QT_TRANSLATE_NOOP("Phrases", "Give the full path of the Python that trains."),
    QT_TRANSLATE_NOOP("Phrases", "Choose the training script."),
    QT_TRANSLATE_NOOP("Phrases", "Give the full path of the working directory."),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "Horovod cannot use a working directory whose path has spaces or shell signs. Choose another.",
    ),
    QT_TRANSLATE_NOOP("Phrases", "{0} (It was taken from the script's folder, as it is empty.)"),
    QT_TRANSLATE_NOOP("Phrases", "-np must be at least 1."),
    QT_TRANSLATE_NOOP("Phrases", "--min-np must be at least 1."),
    QT_TRANSLATE_NOOP("Phrases", "--min-np ({0}) is above -np ({1}). Lower it, or raise -np."),
    QT_TRANSLATE_NOOP("Phrases", "--max-np ({0}) is below -np ({1}). Raise it, or lower -np."),
    QT_TRANSLATE_NOOP("Phrases", "The elastic timeout must be at least 1 second."),
    QT_TRANSLATE_NOOP("Phrases", "The Gloo timeout must be at least 1 second."),
    QT_TRANSLATE_NOOP("Phrases", "The reset limit must be at least 1, or empty for none."),
    QT_TRANSLATE_NOOP("Phrases", "The blacklist cooldown needs 1 <= low <= high <= 3600 seconds."),
    QT_TRANSLATE_NOOP("Phrases", "Give exactly one network interface, such as eth0."),
    QT_TRANSLATE_NOOP("Phrases", "The SSH port must be 1 to 65535."),
    QT_TRANSLATE_NOOP("Phrases", "Horovod cannot use a key file whose path has a space."),
    QT_TRANSLATE_NOOP("Phrases", "{0} is not a name of an environment variable."),
    QT_TRANSLATE_NOOP("Phrases", "{0} is set by Maypole itself. Take it out of the extra flags."),
    QT_TRANSLATE_NOOP("Phrases", "There is no built-in script {0}. Built in: {1}."),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "This version starts horovodrun on this computer only, not on {0}. "
        "Leave the driver machine empty.",
    ),
)
START = (
    QT_TRANSLATE_NOOP("Phrases", "There is no folder {0}. Choose another."),
    QT_TRANSLATE_NOOP("Phrases", "There is no script {0}. Choose another."),
    QT_TRANSLATE_NOOP("Phrases", "{0} may not be read. Change its mode."),
    QT_TRANSLATE_NOOP("Phrases", "{0} cannot be started ({1}). Choose another Python."),
    QT_TRANSLATE_NOOP("Phrases", "{0} cannot be started on {1}. Choose another Python."),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "{0} has no TensorFlow. Choose another Python, or install TensorFlow there.",
    ),
    QT_TRANSLATE_NOOP("Phrases", "{0} has no Horovod. Build it with: {1}"),
    QT_TRANSLATE_NOOP("Phrases", "{0} does not work: {1}. Choose another Python."),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "This machine has no network interface {0} with an IPv4 address ({1}). Choose one of: {2}.",
    ),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "The run's folder {0} cannot be written: {1}. Free space there, or set MAYPOLE_HOME to a folder "
        "that you may write.",
    ),
    QT_TRANSLATE_NOOP("Phrases", "The run could not be started: {0}"),
    QT_TRANSLATE_NOOP("Phrases", "The run could not be started on {0} (status {1}): {2}"),
)
HOSTS = (
    QT_TRANSLATE_NOOP("Phrases", "a worker failed there"),
    QT_TRANSLATE_NOOP("Phrases", "until the next commit"),
    QT_TRANSLATE_NOOP("Phrases", "after the resize that is under way"),
    QT_TRANSLATE_NOOP("Phrases", "starting"),
    QT_TRANSLATE_NOOP("Phrases", "the job has --max-np workers"),
    QT_TRANSLATE_NOOP("Phrases", "not enough slots"),
    QT_TRANSLATE_NOOP("Phrases", "workers start"),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "All hosts that train now would leave at once, and with them what was learned. "
        "Keep one of them until a new host trains.",
    ),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "That leaves {0} slots, but --min-np is {1}: training would wait. Confirm to do it.",
    ),
    QT_TRANSLATE_NOOP("Phrases", "The run is ending: its hosts cannot be changed any more."),
    QT_TRANSLATE_NOOP("Phrases", "The hosts stay as they are. Move hosts again if you like."),
)
RUN = (
    QT_TRANSLATE_NOOP("Phrases", "The run is over."),
    QT_TRANSLATE_NOOP("Phrases", "horovodrun was killed, or this machine was restarted."),
    QT_TRANSLATE_NOOP(
        "Phrases", "horovodrun ended, but rank 0 never said that the script was done. See the log."
    ),
    QT_TRANSLATE_NOOP("Phrases", "horovodrun ended with status {0}. See the log's last lines."),
    QT_TRANSLATE_NOOP("Phrases", "The worker {0} ended with status {1}."),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "Its log has the reason. Horovod keeps the host out of the job for the blacklist cooldown.",
    ),
    QT_TRANSLATE_NOOP("Phrases", "horovodrun could not read the discovery script: {0}"),
    QT_TRANSLATE_NOOP(
        "Phrases", "The hosts stay as they were. Look at discover_hosts.sh in the run's folder."
    ),
    QT_TRANSLATE_NOOP("Phrases", "discover_hosts.sh cannot be written: {0}"),
    QT_TRANSLATE_NOOP("Phrases", "Free some space on that disk. It is tried again by itself."),
    QT_TRANSLATE_NOOP("Phrases", "discover_hosts.sh cannot be read: {0}"),
    QT_TRANSLATE_NOOP("Phrases", "discover_hosts.sh was edited, and cannot be used: {0}"),
    QT_TRANSLATE_NOOP("Phrases", "Somebody was turned away from the worker link: {0}"),
    QT_TRANSLATE_NOOP(
        "Phrases",
        "The training is not disturbed. If this goes on, see who reaches that port.",
    ),
    QT_TRANSLATE_NOOP("Phrases", "The training goes on. Please report this with the worker's log."),
)
TEMPLATES = (*FORM, *START, *HOSTS, *RUN)
_HOLE = re.compile(r"\{\d\}")


def said(text: str) -> str:
    """``text`` in the window's language, when it is one of ours."""
    template, parts = _known(text)
    if not template:
        return text
    words = QCoreApplication.translate("Phrases", template)
    return words.format(*map(said, parts)) if parts else words


@functools.lru_cache(maxsize=4096)
def _known(text: str) -> tuple[str, tuple[str, ...]]:
    for template, pattern in _patterns():
        match = pattern.fullmatch(text)
        if match is not None:
            return template, match.groups()
    return "", ()


@functools.cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """The longer the fixed words, the earlier: "{0} may not be read" must not take what is more exact."""
    exact = sorted(TEMPLATES, key=lambda template: -len(_HOLE.sub("", template)))
    return [(template, _pattern(template)) for template in exact]


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile("(.+?)".join(map(re.escape, _HOLE.split(template))), re.DOTALL)
