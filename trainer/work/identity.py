"""Who this worker is, for its whole life. Its rank is not part of that: a rank can change."""

from __future__ import annotations

import re
import secrets
import socket
from typing import Mapping

from ..events import worker_id
from ..protocol import is_host_name

_NO_HOST_SIGN = re.compile(r"[^A-Za-z0-9._@-]")
BANNER = "maypole-worker %s pid %d"
"""The first line of every worker's output: ties a stream of output to a worker."""


def new_worker_id(environ: Mapping[str, str]) -> str:
    """Horovod's name for the host and its slot; this machine's name and 0 for a script run alone.

    To be asked at the start: after a reset Horovod writes a new local rank into the environment
    (gloo_context.cc:201-206), but the driver goes on calling the process by its first slot.
    """
    host = environ.get("HOROVOD_HOSTNAME") or socket.gethostname()
    slot = environ.get("HOROVOD_LOCAL_RANK", "0")
    return worker_id(_clean(host), int(slot) if slot.isdigit() else 0, secrets.token_hex(4))


def _clean(host: str) -> str:
    if is_host_name(host):
        return host
    return _NO_HOST_SIGN.sub("-", host).lstrip("-.@")[:253] or "localhost"
