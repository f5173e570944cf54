"""The rehearsal's ``bin/ssh``: makes names that do not resolve into workers on this machine."""

from __future__ import annotations

_SHIM = """#!/bin/sh
# Stands in for ssh in a rehearsal: every host is this machine. horovodrun finds it first on its PATH
# and gives the worker's command as the last word (horovod/runner/util/remote.py:21-25).
if [ "$#" -lt 2 ]; then
    echo "ssh (rehearsal): needs a host and a command" >&2
    exit 255
fi
for command in "$@"; do :; done
# exec: one process fewer, and the command stays in the group of the shell that horovodrun ends.
exec /bin/sh -c "$command"
"""


def rehearsal_ssh() -> str:
    """Text of an executable that, called like ssh, runs the last argument here."""
    return _SHIM
