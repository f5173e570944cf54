"""``maypole.pyz COMMAND``: what runs on training machines. Each command imports only what it needs."""

from __future__ import annotations

import importlib
import sys
from typing import List

COMMANDS = {
    "start": ("starting", "create a run from settings on standard input and start its supervisor"),
    "supervise": ("supervisor.main", "be the supervisor of a run directory"),
    "attach": ("attach", "connect standard input and output to a run's supervisor"),
    "drive": ("drive.main", "horovodrun with Maypole's corrections"),
    "work": ("work.main", "run a training script as a worker"),
    "provision": ("provision", "build and install Horovod for this machine's TensorFlow"),
    "verify": ("verifying", "reload an exported SavedModel and compare its predictions"),
}


def main(argv: List[str]) -> int:
    if len(argv) < 1 or argv[0] not in COMMANDS:
        sys.stderr.write("usage: maypole.pyz COMMAND ...\n")
        for name, (_, text) in COMMANDS.items():
            sys.stderr.write("  %-10s %s\n" % (name, text))
        return 2
    module = importlib.import_module("." + COMMANDS[argv[0]][0], __package__)
    return int(module.main(argv[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
