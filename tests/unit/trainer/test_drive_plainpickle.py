from __future__ import annotations

import base64
import hashlib
import hmac
import io
import os
import pickle
import struct
from types import SimpleNamespace

import pytest

from trainer.drive.plainpickle import MESSAGE_LIMIT, addresses_of, read_message


def signed(message: bytes, key: bytes = b"key") -> io.BytesIO:
    digest = hmac.new(key, message, hashlib.sha256).digest()
    return io.BytesIO(digest + struct.pack("i", len(message)) + message)


def check(key: bytes, message: bytes, digest: bytes) -> bool:
    return hmac.compare_digest(hmac.new(key, message, hashlib.sha256).digest(), digest)


def read(stream: io.BytesIO) -> object:
    return read_message(SimpleNamespace(_key=b"key"), stream, check, 32)


class Harmful:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("exit 1",)


def test_that_a_workers_address_is_read() -> None:
    value = ({"lo": [("127.0.0.1", 5000)]}, b"secret")
    assert addresses_of(base64.b64encode(pickle.dumps(value))) == value


@pytest.mark.parametrize(
    "value",
    [
        Harmful(),
        ({"lo": [(Harmful(), 1)]}, b"k"),
        7,
        ({"lo": 7}, b"k"),
        ({"lo": [("a", 1)]}, "text"),
        (),
    ],
)
def test_that_any_other_value_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="worker's address"):
        addresses_of(base64.b64encode(pickle.dumps(value)))


def test_that_messages_must_be_signed_short_and_harmless() -> None:
    assert read(signed(pickle.dumps(["plain"]))) == ["plain"]
    with pytest.raises(ValueError, match="not signed"):
        read(signed(pickle.dumps(1), key=b"other"))
    with pytest.raises(ValueError, match="over the limit"):
        read(io.BytesIO(b"x" * 32 + struct.pack("i", MESSAGE_LIMIT + 1)))
    with pytest.raises(pickle.UnpicklingError, match="refuses"):
        read(signed(pickle.dumps(Harmful())))


def test_that_horovods_own_messages_are_read() -> None:
    network = pytest.importorskip("horovod.runner.common.util.network")
    answer = read(signed(pickle.dumps(network.PingResponse("service", "127.0.0.1"))))
    assert isinstance(answer, network.PingResponse)
    with pytest.raises(pickle.UnpicklingError, match="refuses"):
        read(signed(pickle.dumps(network.BasicClient)))
