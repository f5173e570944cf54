"""Reads Horovod's pickled messages without giving their sender our process.

A worker PUTs where it can be reached and with what key, pickled and without any authentication, and the
driver then asks that address and unpickles the answer (runner/elastic/rendezvous.py:44-47,
common/util/network.py:92-99, 0.28.1): whoever reaches the rendezvous port could run code. Here every name of
code is refused but those of Horovod's own messages.
"""

from __future__ import annotations

import base64
import io
import pickle
import re
import struct
from typing import Any, Dict, List, Tuple

MESSAGE_LIMIT = 1 << 20
"""Bytes. Horovod's messages have some hundred."""

Addresses = Dict[str, List[Tuple[str, int]]]

_MODULE = re.compile(
    r"\Ahorovod\.runner\."
    r"(common\.util\.network|common\.service\.\w+|driver\.\w+|task\.\w+|elastic\.worker)\Z"
)
_NAME = re.compile(r"\A[A-Z]\w*(Request|Response|Signal)\Z")


class _Plain(pickle.Unpickler):
    """Numbers, texts, lists and dictionaries only."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError("refuses %.80s.%.80s" % (module, name))


class _Messages(pickle.Unpickler):
    """Also the requests and responses of Horovod's services."""

    def find_class(self, module: str, name: str) -> Any:
        if _MODULE.match(module) and _NAME.match(name):
            return super().find_class(module, name)
        raise pickle.UnpicklingError("refuses %.80s.%.80s" % (module, name))


def addresses_of(value: bytes) -> Tuple[Addresses, bytes]:
    """What a worker PUTs: interface -> addresses, and the key of its service. Raises ValueError."""
    try:
        addresses, key = _Plain(io.BytesIO(base64.b64decode(value, validate=True))).load()
        found = {
            str(name): [(str(host), int(port)) for host, port in places]
            for name, places in addresses.items()
        }
    except (
        pickle.UnpicklingError,
        EOFError,
        TypeError,
        ValueError,
        AttributeError,
        IndexError,
    ) as error:
        raise ValueError("a worker's address cannot be read: %s" % error) from error
    if not isinstance(key, bytes):
        raise ValueError("a worker's address has no key")
    return found, key


def read_message(wire: Any, stream: Any, check: Any, digest_length: int) -> Any:
    """Stands in for Wire.read: same frame, signature checked first, then a message and nothing else."""
    digest = stream.read(digest_length)
    (size,) = struct.unpack("i", stream.read(4))
    if not 0 < size <= MESSAGE_LIMIT:
        raise ValueError("a message of %d bytes is over the limit" % size)
    message = stream.read(size)
    if not check(wire._key, message, digest):
        raise ValueError("a message is not signed with the service's key")
    return _Messages(io.BytesIO(message)).load()
