"""The wire: lines of JSON, their limits, and the handshake of the worker link.

Standard library only: core imports this module too. Everything that crosses a process border in
Maypole is one JSON object a line, UTF-8, at most :data:`MAX_LINE` bytes with its newline. NaN and the
infinities are strings, because JSON has no word for them. Nothing is ever unpickled.

Worker link, all lines JSON objects::

    supervisor -> worker   {"type": "challenge", "version": 1, "nonce": hex}
    worker -> supervisor   {"type": "answer", "version": 1, "nonce": hex, "proof": hex, "worker": id}
    supervisor -> worker   {"type": "welcome", "proof": hex, "last": n}
    worker -> supervisor   {"n": 1, "event": {"type": ..., ...}}, ...
    supervisor -> worker   {"type": "ack", "n": n} | {"type": "export", ...} | {"type": "stop"}

``proof`` is HMAC-SHA256 over role, both nonces and the worker's name, keyed with the run's token. Both
sides prove that they know it; it never crosses the wire. ``last`` is the highest ``n`` of this worker
that the journal holds: what follows it is sent (again).

Attach, on the stdio of ``maypole.pyz attach``::

    client -> supervisor   {"type": "hello", "version": 1, "after": seq, "after_log": seq}
    supervisor -> client   {"type": "welcome", "version": 1, "run": {...run.json...}, "last": seq}
    supervisor -> client   {"seq": n, "time": t, "event": {...}} | {"log": n, "time": t, ...}
    supervisor -> client   {"type": "live"}             (all that was on disk has been sent)
    client -> supervisor   {"type": "command", "id": ..., "name": ..., "args": {...}}
    supervisor -> client   {"type": "reply", "id": ..., "ok": true, "error": "", "value": {...}}
    supervisor -> client   {"type": "ended"}            (the run is over and all was sent)
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import secrets
from typing import Any, Dict

VERSION = 1
MAX_LINE = 1 << 20
"""Bytes. A longer line is an error of the sender, and is never buffered whole."""

TOKEN_BYTES = 32
NONCE_BYTES = 16
WORKER, SUPERVISOR = "worker", "supervisor"

HOST_NAME = re.compile(r"\A[A-Za-z0-9_][A-Za-z0-9._@-]{0,252}\Z")
"""Horovod puts host names unquoted into a shell command (gloo_run.py:143-151, remote.py:18-25)."""


class ProtocolError(ValueError):
    """A line that this protocol does not allow; the sentence says what was wrong with it."""


def encode(message: Dict[str, Any]) -> bytes:
    """One line, newline included. Raises ProtocolError when it is over MAX_LINE or nested too deeply."""
    try:
        text = _text(message)
    except RecursionError as error:
        raise ProtocolError("a message is nested too deeply") from error
    line = text.encode("utf-8", "backslashreplace") + b"\n"
    if len(line) > MAX_LINE:
        raise ProtocolError("a message of %d bytes is over the limit of %d" % (len(line), MAX_LINE))
    return line


def decode(line: bytes) -> Dict[str, Any]:
    """The object of one line. Raises ProtocolError for anything that is not one JSON object."""
    if len(line) > MAX_LINE:
        raise ProtocolError("a line of %d bytes is over the limit of %d" % (len(line), MAX_LINE))
    try:
        value = json.loads(line.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise ProtocolError("not a line of JSON: %s" % error) from error
    if not isinstance(value, dict):
        raise ProtocolError("a line must hold one JSON object")
    return value


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _text(message: Dict[str, Any]) -> str:
    try:
        return _ENCODER.encode(message)
    except (ValueError, TypeError):  # rare: a NaN, an infinity, or a key that is no text
        return _ENCODER.encode(_finite(message))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else _name_of(value)
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def _name_of(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def number(value: Any) -> float:
    """A float from the wire: a JSON number, or one of "NaN", "Infinity", "-Infinity"."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError as error:
            raise ProtocolError("a whole number is too large") from error
    if value in ("NaN", "Infinity", "-Infinity"):
        return float(value)
    raise ProtocolError("%.60r is not a number" % (value,))


def new_nonce() -> str:
    return secrets.token_hex(NONCE_BYTES)


def new_token() -> str:
    """A run's secret: 256 bits as hex. It lives in a 0600 file and nowhere else."""
    return secrets.token_hex(TOKEN_BYTES)


def proof(token: str, role: str, worker: str, own_nonce: str, peer_nonce: str) -> str:
    """What ``role`` sends to show that it knows the token."""
    text = "\n".join(("maypole-link", str(VERSION), role, worker, own_nonce, peer_nonce))
    return hmac.new(token.encode("ascii"), text.encode("utf-8"), hashlib.sha256).hexdigest()


def proves(candidate: Any, token: str, role: str, worker: str, nonce: str, peer: str) -> bool:
    """Whether ``candidate`` is the proof of ``role``; takes the same time for every answer."""
    expected = proof(token, role, worker, nonce, peer)
    return isinstance(candidate, str) and hmac.compare_digest(
        candidate.encode("utf-8", "replace"), expected.encode("ascii")
    )


def is_host_name(text: str) -> bool:
    return HOST_NAME.match(text) is not None
