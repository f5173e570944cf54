"""``maypole``: the window, or a command of the command line. Nothing heavy is imported here."""

from __future__ import annotations

import sys

from gui import cli


def main() -> int:
    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
