"""The rehearsal's ``bin/ssh``: makes names that do not resolve into workers on this machine."""

from __future__ import annotations

_SHIM = r"""#!/bin/sh
# Stands in for ssh in a rehearsal: every host is this machine. horovodrun finds it first on its PATH
# and gives the worker's command as the last word (horovod/runner/util/remote.py:21-25).
if [ "$#" -lt 2 ]; then
    echo "ssh (rehearsal): needs a host and a command" >&2
    exit 255
fi
for command in "$@"; do :; done
# A worker is "cd FOLDER > /dev/null 2>&1 ; env NAME=VALUE ... PROGRAM ..." (gloo_run.py:127-151). The
# program takes this very process over: a shell between would die of a signal and leave it behind.
between=' > /dev/null 2>&1 ; '
case $command in
"cd "*"$between"env\ *) command="${command%%"$between"*}${between}exec ${command#*"$between"}" ;;
esac
exec /bin/sh -c "$command"
"""


def rehearsal_ssh() -> str:
    """Text of an executable that, called like ssh, runs the last argument here."""
    return _SHIM
