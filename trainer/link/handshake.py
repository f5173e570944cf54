"""The handshake's messages and their checks, for both ends. Pure: nobody here touches a socket.

Both sides show that they know the run's token before the other believes a word. A sentence that is
raised here goes to the journal or to the worker's log, so it never holds a token, a proof or a nonce.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any, Dict, Tuple

from .. import protocol
from ..events import parse_worker_id, worker_id
from ..protocol import SUPERVISOR, VERSION, WORKER, ProtocolError
from ..rundir import RunDir, read_json

MAX_SLOT = 100000
_NONCE = re.compile(r"\A[0-9a-f]{32}\Z")
_TOKEN = re.compile(r"\A[0-9a-f]{64}\Z")
_INCARNATION = re.compile(r"\A[0-9a-z]{1,64}\Z")


@dataclasses.dataclass(frozen=True)
class Way:
    """Where the supervisor listens, and the secret to meet it with."""

    host: str
    port: int
    token: str = dataclasses.field(repr=False)


def find_way(home: Path) -> Way:
    """Reads link.json and token of the run directory ``home``. Raises OSError or ProtocolError."""
    files = RunDir(home)
    link = read_json(files.link)
    if link is None:
        raise ProtocolError("%s is not there: no supervisor serves this run" % files.link)
    host, port = link.get("host"), link.get("port")
    if not isinstance(host, str) or type(port) is not int or not 0 < port < 65536:
        raise ProtocolError("%s does not name a host and a port" % files.link)
    with files.token.open("rb") as file:
        token = file.read(200).decode("ascii", "replace").strip()
    return Way(host, port, check_token(token))


def check_token(token: str) -> str:
    if not _TOKEN.match(token):
        raise ProtocolError("the run's token is not 64 hexadecimal digits")
    return token


def check_worker(worker: Any) -> str:
    """A worker's name that is also safe as the name of a file. Raises ProtocolError."""
    if not isinstance(worker, str) or len(worker) > 400:
        raise ProtocolError("the worker gave no name")
    host, slot, incarnation = parse_worker_id(worker)
    plain = worker == worker_id(host, slot, incarnation) and protocol.is_host_name(host)
    if not plain or slot > MAX_SLOT or not _INCARNATION.match(incarnation):
        raise ProtocolError("%.80r is not a worker's name" % worker)
    return worker


def challenge(nonce: str) -> Dict[str, Any]:
    return {"type": "challenge", "version": VERSION, "nonce": nonce}


def answer(token: str, worker: str, own_nonce: str, message: Dict[str, Any]) -> Dict[str, Any]:
    """What a worker says to ``message``, the challenge. Raises ProtocolError."""
    supervisor_nonce = _nonce_of(message, "challenge")
    proof = protocol.proof(token, WORKER, worker, own_nonce, supervisor_nonce)
    return {
        "type": "answer",
        "version": VERSION,
        "nonce": own_nonce,
        "proof": proof,
        "worker": worker,
    }


def check_answer(token: str, own_nonce: str, message: Dict[str, Any]) -> Tuple[str, str]:
    """(worker, its nonce) of a worker that knows the token. Raises ProtocolError for any other."""
    nonce = _nonce_of(message, "answer")
    worker = check_worker(message.get("worker"))
    if not protocol.proves(message.get("proof"), token, WORKER, worker, nonce, own_nonce):
        raise ProtocolError("a peer that calls itself %s does not know this run's token" % worker)
    return worker, nonce


def welcome(token: str, worker: str, own_nonce: str, peer_nonce: str, last: int) -> Dict[str, Any]:
    proof = protocol.proof(token, SUPERVISOR, worker, own_nonce, peer_nonce)
    return {"type": "welcome", "proof": proof, "last": last}


def check_welcome(
    token: str, worker: str, own_nonce: str, peer_nonce: str, message: Dict[str, Any]
) -> int:
    """``last`` of a supervisor that knows the token. Raises ProtocolError for any other."""
    last = message.get("last")
    if message.get("type") != "welcome" or type(last) is not int or last < 0:
        raise ProtocolError("the supervisor did not welcome this worker")
    proof = message.get("proof")
    if not protocol.proves(proof, token, SUPERVISOR, worker, peer_nonce, own_nonce):
        raise ProtocolError("what listens there is not this run's supervisor")
    return last


def _nonce_of(message: Dict[str, Any], kind: str) -> str:
    if message.get("type") != kind:
        raise ProtocolError("the %s did not come" % kind)
    if message.get("version") != VERSION:
        raise ProtocolError(
            "the other side speaks version %.20r of the worker link, this one %d: use the same "
            "bundle everywhere" % (message.get("version"), VERSION)
        )
    nonce = message.get("nonce")
    if not isinstance(nonce, str) or not _NONCE.match(nonce):
        raise ProtocolError("the %s has no nonce" % kind)
    return nonce
