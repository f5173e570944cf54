"""What may be typed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

COMMANDS = ("run", "runs", "attach", "hosts", "stop", "export")
_RUN = "a run's id, the beginning of one, its folder, or: last"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="maypole",
        description="Launch and follow Elastic Horovod. Without a command the window opens.",
        epilog="Runs go on when the window or the command line leaves. "
        "Exit status: 0 done, 1 failed, 2 wrong input, 130 interrupted.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_run(commands)
    _add_runs(commands)
    _add_attach(commands)
    _add_hosts(commands)
    _add_stop(commands)
    _add_export(commands)
    return parser


class _Version(argparse.Action):
    """Asked only when wanted: importlib.metadata takes longer than all the rest."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option: str | None = None,
    ) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("maypole")
        except PackageNotFoundError:
            number = "(not installed)"
        print(f"maypole {number}")
        parser.exit()


def _add_run(commands: Any) -> None:
    command = commands.add_parser("run", help="start a run and follow it; Ctrl-C only detaches")
    command.add_argument("profile", metavar="PROFILE", help="a .toml file, or a name: rehearsal")
    command.add_argument("--detach", action="store_true", help="start it and leave")
    _add_output(command)


def _add_runs(commands: Any) -> None:
    command = commands.add_parser("runs", help="list the runs of this computer, newest first")
    command.add_argument("--json", action="store_true", help="one JSON object a run")


def _add_attach(commands: Any) -> None:
    command = commands.add_parser("attach", help="follow a run from its beginning")
    command.add_argument("run", metavar="RUN", help=_RUN)
    _add_output(command)


def _add_hosts(commands: Any) -> None:
    command = commands.add_parser("hosts", help="say which hosts a run shall have, or show them")
    command.add_argument("run", metavar="RUN", help=_RUN)
    command.add_argument(
        "hosts", metavar="HOST:SLOTS", nargs="*", help="all hosts of the job from now on"
    )
    command.add_argument("--yes", action="store_true", help="also when that is below --min-np")


def _add_stop(commands: Any) -> None:
    command = commands.add_parser("stop", help="stop a run at its next commit and wait for its end")
    command.add_argument("run", metavar="RUN", help=_RUN)
    command.add_argument("--now", action="store_true", help="do not wait for a commit")
    _add_output(command)


def _add_export(commands: Any) -> None:
    command = commands.add_parser("export", help="write a verified SavedModel of a run to a folder")
    command.add_argument("run", metavar="RUN", help=_RUN)
    command.add_argument("folder", metavar="DIR", help="a new folder, or one to put it into")
    _add_output(command)


def _add_output(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print events as they are on the wire")
    command.add_argument("--log", action="store_true", help="print the output of all processes too")
