"""The attach dialogue of trainer/protocol.py as values: what one line says, and what is new of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trainer.eventcodec import log_from_wire, record_from_wire
from trainer.launchspec import LaunchSpec, SpecError, from_fields
from trainer.protocol import VERSION, ProtocolError, decode, encode

from .events import LogRecord, Record


@dataclass(frozen=True, slots=True)
class Welcome:
    spec: LaunchSpec
    last: int


@dataclass(frozen=True, slots=True)
class Live:
    pass


@dataclass(frozen=True, slots=True)
class Ended:
    pass


@dataclass(frozen=True, slots=True)
class Reply:
    id: str
    ok: bool
    error: str
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """attach itself could not do it; ``text`` says why."""

    text: str


@dataclass(frozen=True, slots=True)
class Other:
    """A message of a newer version: passed over."""


Message = Record | LogRecord | Welcome | Live | Ended | Reply | Refused | Other


class Gap(Exception):
    """A record is missing before ``got``. The attachment begins again after the last one it had."""

    def __init__(self, last: int, got: int) -> None:
        super().__init__(f"events {last + 1} to {got - 1} did not arrive")


class Position:
    """Up to where a run's journals were delivered. Lives as long as the client, over attachments."""

    def __init__(self) -> None:
        self.seq = 0
        self.log = 0
        self._gap = -1

    def is_new(self, record: Record | LogRecord) -> bool:
        """Whether ``record`` is to be delivered; then it counts as delivered.

        Raises Gap the first time that a number is left out. When it is missing again in the next
        attachment it is not in the journal (a full disk), and what follows is taken.
        """
        if isinstance(record, LogRecord):
            new = record.log > self.log
            self.log = max(self.log, record.log)
            return new
        if record.seq <= self.seq:
            return False
        if record.seq > self.seq + 1 and self._gap != self.seq:
            self._gap = self.seq
            raise Gap(self.seq, record.seq)
        self.seq = record.seq
        return True


def hello(position: Position) -> bytes:
    return encode(
        {"type": "hello", "version": VERSION, "after": position.seq, "after_log": position.log}
    )


def command(id: str, name: str, args: Mapping[str, Any]) -> bytes:
    return encode({"type": "command", "id": id, "name": name, "args": dict(args)})


def read_message(line: bytes) -> Message:
    """Raises ProtocolError with what is wrong with the line."""
    raw = decode(line)
    if "seq" in raw:
        return record_from_wire(raw)
    if "log" in raw:
        return log_from_wire(raw)
    match raw.get("type"):
        case "welcome":
            return _welcome(raw)
        case "live":
            return Live()
        case "ended":
            return Ended()
        case "reply":
            return _reply(raw)
        case "error":
            return Refused(str(raw.get("text", "")))
        case _:
            pass
    error = raw.get("error")
    return Refused(str(error.get("text", ""))) if isinstance(error, dict) else Other()


def _welcome(raw: Mapping[str, Any]) -> Welcome:
    if raw.get("version") != VERSION:
        raise ProtocolError(
            f"it speaks version {raw.get('version')!r:.20} of the dialogue, this Maypole speaks {VERSION}"
        )
    run, last = raw.get("run"), raw.get("last")
    if not isinstance(run, dict) or type(last) is not int:
        raise ProtocolError("its welcome has no run or no last number")
    fields = {key: value for key, value in run.items() if key != "format"}
    try:
        return Welcome(from_fields(fields), last)
    except SpecError as error:
        raise ProtocolError(f"its run.json cannot be used: {error.text}") from error


def _reply(raw: Mapping[str, Any]) -> Reply:
    value = raw.get("value")
    return Reply(
        str(raw.get("id", "")),
        raw.get("ok") is True,
        str(raw.get("error", "")),
        value if isinstance(value, dict) else {},
    )
