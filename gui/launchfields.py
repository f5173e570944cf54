"""The form of the launch panel as data: sections, fields, their texts and editors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gui.marking import QT_TRANSLATE_NOOP


class Editor(Enum):
    LINE = "line"
    FILE = "file"
    FOLDER = "folder"
    LINES = "lines"
    INTERFACE = "interface"
    DRIVER = "driver"


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """``columns`` of the form's six. ``empty``: what an empty field means, shown in it."""

    name: str
    label: str
    columns: int = 2
    editor: Editor = Editor.LINE
    empty: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    fields: tuple[FieldSpec, ...]


SECTIONS = (
    Section(
        QT_TRANSLATE_NOOP("LaunchFields", "What trains"),
        (
            FieldSpec(
                "script", QT_TRANSLATE_NOOP("LaunchFields", "Training script"), 6, Editor.FILE,
                help=QT_TRANSLATE_NOOP(
                    "LaunchFields",
                    "The script that every worker runs. maypole:digits is built in.",
                ),
            ),
            FieldSpec(
                "script_args", QT_TRANSLATE_NOOP("LaunchFields", "Its arguments"), 6,
                empty=QT_TRANSLATE_NOOP("LaunchFields", "none"),
                help=QT_TRANSLATE_NOOP("LaunchFields", "As in a shell: quote what has spaces."),
            ),
            FieldSpec(
                "python", QT_TRANSLATE_NOOP("LaunchFields", "Python"), 3, Editor.FILE,
                empty=QT_TRANSLATE_NOOP("LaunchFields", "the one that runs Maypole"),
                help=QT_TRANSLATE_NOOP("LaunchFields", "It needs TensorFlow and Horovod."),
            ),
            FieldSpec(
                "workdir", QT_TRANSLATE_NOOP("LaunchFields", "Working directory"), 3, Editor.FOLDER,
                empty=QT_TRANSLATE_NOOP("LaunchFields", "the script's folder"),
            ),
        ),
    ),
    Section(
        QT_TRANSLATE_NOOP("LaunchFields", "World size"),
        (
            FieldSpec(
                "np", QT_TRANSLATE_NOOP("LaunchFields", "Start with (-np)"),
                help=QT_TRANSLATE_NOOP("LaunchFields", "Slots that the start waits for."),
            ),
            FieldSpec(
                "min_np", QT_TRANSLATE_NOOP("LaunchFields", "At least (--min-np)"),
                help=QT_TRANSLATE_NOOP("LaunchFields", "With fewer slots the training waits."),
            ),
            FieldSpec(
                "max_np", QT_TRANSLATE_NOOP("LaunchFields", "At most (--max-np)"),
                empty=QT_TRANSLATE_NOOP("LaunchFields", "no limit"),
                help=QT_TRANSLATE_NOOP("LaunchFields", "Slots beyond it stand by."),
            ),
        ),
    ),
    Section(
        QT_TRANSLATE_NOOP("LaunchFields", "Network"),
        (
            FieldSpec(
                "network_interface", QT_TRANSLATE_NOOP("LaunchFields", "Network interface"),
                editor=Editor.INTERFACE,
                empty=QT_TRANSLATE_NOOP("LaunchFields", "automatic"),
                help=QT_TRANSLATE_NOOP(
                    "LaunchFields",
                    "The interface that all workers reach each other by. Empty: Horovod finds one.",
                ),
            ),
            FieldSpec(
                "ssh_port", QT_TRANSLATE_NOOP("LaunchFields", "SSH port"),
                empty=QT_TRANSLATE_NOOP("LaunchFields", "default"),
                help=QT_TRANSLATE_NOOP("LaunchFields", "Empty: as ~/.ssh/config says, else 22."),
            ),
            FieldSpec(
                "ssh_identity", QT_TRANSLATE_NOOP("LaunchFields", "SSH key file"),
                editor=Editor.FILE,
                empty=QT_TRANSLATE_NOOP("LaunchFields", "the agent's"),
            ),
        ),
    ),
    Section(
        QT_TRANSLATE_NOOP("LaunchFields", "Elastic behaviour"),
        (
            FieldSpec(
                "elastic_timeout", QT_TRANSLATE_NOOP("LaunchFields", "Elastic timeout, s"),
                help=QT_TRANSLATE_NOOP(
                    "LaunchFields", "How long a resize waits for enough slots before the run fails."
                ),
            ),
            FieldSpec(
                "start_timeout", QT_TRANSLATE_NOOP("LaunchFields", "Start timeout, s"),
                help=QT_TRANSLATE_NOOP("LaunchFields", "How long the start waits for -np slots."),
            ),
            FieldSpec(
                "gloo_timeout", QT_TRANSLATE_NOOP("LaunchFields", "Gloo timeout, s"),
                empty=QT_TRANSLATE_NOOP("LaunchFields", "by the Horovod build"),
                help=QT_TRANSLATE_NOOP(
                    "LaunchFields", "How long workers wait for each other when they connect."
                ),
            ),
            FieldSpec(
                "reset_limit", QT_TRANSLATE_NOOP("LaunchFields", "Reset limit"),
                empty=QT_TRANSLATE_NOOP("LaunchFields", "none"),
                help=QT_TRANSLATE_NOOP("LaunchFields", "After so many resizes the run fails."),
            ),
            FieldSpec(
                "blacklist_cooldown", QT_TRANSLATE_NOOP("LaunchFields", "Blacklist cooldown, s"),
                help=QT_TRANSLATE_NOOP(
                    "LaunchFields", "Shortest and longest time before a failed host may come back."
                ),
            ),
            FieldSpec(
                "driver", QT_TRANSLATE_NOOP("LaunchFields", "Driver"), editor=Editor.DRIVER,
                help=QT_TRANSLATE_NOOP(
                    "LaunchFields",
                    "Maypole's driver is horovodrun with its faults corrected; stock is the plain "
                    "command.",
                ),
            ),
        ),
    ),
    Section(
        QT_TRANSLATE_NOOP("LaunchFields", "More"),
        (
            FieldSpec(
                "env", QT_TRANSLATE_NOOP("LaunchFields", "Extra environment"), 6, Editor.LINES,
                empty=QT_TRANSLATE_NOOP("LaunchFields", "NAME=value, one a line"),
            ),
            FieldSpec(
                "extra_args", QT_TRANSLATE_NOOP("LaunchFields", "Extra horovodrun flags"), 4,
                empty=QT_TRANSLATE_NOOP("LaunchFields", "none"),
            ),
            FieldSpec(
                "machine", QT_TRANSLATE_NOOP("LaunchFields", "Driver machine"), 2,
                empty=QT_TRANSLATE_NOOP("LaunchFields", "this computer"),
                help=QT_TRANSLATE_NOOP("LaunchFields", "Where horovodrun runs."),
            ),
        ),
    ),
)  # fmt: skip
