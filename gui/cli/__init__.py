"""The command line. Help and version import nothing but argparse; a command imports core when it runs.

Exit status: 0 done (a run: finished), 1 failed (a run: failed or stopped), 2 wrong input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from .parser import COMMANDS, build_parser

OK, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str]) -> int:
    if _wants_window(argv):
        from gui import app

        return int(app.main(list(argv)))
    try:
        options = build_parser().parse_args(argv)
    except SystemExit as leaving:  # argparse has said what it had to say
        return leaving.code if isinstance(leaving.code, int) else FAILED
    return _guarded(options)


def _wants_window(argv: Sequence[str]) -> bool:
    if not argv:
        return True
    return argv[0].startswith("-") and argv[0] not in ("-h", "--help", "--version")


def _guarded(options: argparse.Namespace) -> int:
    from core.errors import InvalidInput, MaypoleError

    from . import commands

    assert options.command in COMMANDS
    try:
        status = int(getattr(commands, options.command)(options))
        sys.stdout.flush()
    except InvalidInput as error:
        return _say(f"{error.field}: {error.text}" if error.field else error.text, WRONG_INPUT)
    except MaypoleError as error:
        return _say(error.text, FAILED)
    except KeyboardInterrupt:
        return _say("Interrupted.", INTERRUPTED)
    except BrokenPipeError:  # `maypole attach --json | head`: nobody reads any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return status


def _say(text: str, status: int) -> int:
    print(f"maypole: {text}", file=sys.stderr)
    return status
