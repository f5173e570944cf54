"""Events, records and lines of output as JSON objects, and back. Nothing but plain values is ever read.

Standard library only; core imports this module.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from typing import Any, Dict, List, Optional, Tuple, Type, get_type_hints

from .events import Event, HostState, LogRecord, Member, Record, RunState, Stage, Unknown
from .protocol import ProtocolError, number

_SNAKE = re.compile(r"(?<!^)(?=[A-Z])")


def type_name(kind: Type[Any]) -> str:
    return _SNAKE.sub("_", kind.__name__).lower()


_KINDS: Dict[str, Type[Any]] = {
    type_name(kind): kind
    for kind in Event.__args__  # type: ignore[attr-defined]
    if kind is not Unknown
}
_FIELDS: Dict[Type[Any], Tuple[str, Tuple[str, ...]]] = {
    kind: (name, tuple(field.name for field in dataclasses.fields(kind)))
    for name, kind in _KINDS.items()
}


def event_to_wire(event: Event) -> Dict[str, Any]:
    if isinstance(event, Unknown):
        return dict(event.fields, type=event.type)
    name, fields = _FIELDS[type(event)]
    wire: Dict[str, Any] = {"type": name}
    for field in fields:
        wire[field] = _to_wire(getattr(event, field))
    return wire


def _to_wire(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Member):
        return {"rank": value.rank, "host": value.host, "slot": value.slot, "worker": value.worker}
    if isinstance(value, list):
        return [_to_wire(item) for item in value]
    return value


def event_from_wire(wire: Any) -> Event:
    """Raises ProtocolError when a known kind has a missing or wrong field."""
    if not isinstance(wire, dict) or not isinstance(wire.get("type"), str):
        raise ProtocolError("an event needs a type")
    name = wire["type"]
    kind = _KINDS.get(name)
    if kind is None:
        return Unknown(name, {key: value for key, value in wire.items() if key != "type"})
    fields = _READERS[name].items()
    values = {key: _convert(read, wire[key], key) for key, read in fields if key in wire}
    try:
        return kind(**values)  # type: ignore[no-any-return]
    except TypeError as error:
        raise ProtocolError("event %s: %s" % (name, error)) from error


def _convert(read: Any, value: Any, key: str) -> Any:
    try:
        return read(value)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ProtocolError("field %s: %s" % (key, error)) from error


def _plain(kind: type) -> Any:
    def convert(value: Any) -> Any:
        if type(value) is not kind:
            raise ProtocolError("%.60r is not of type %s" % (value, kind.__name__))
        return value

    return convert


_whole = _plain(int)


def _integer(value: Any) -> int:
    """Of at most 64 bits: a longer one is no count of anything, and no float either."""
    whole: int = _whole(value)
    if whole.bit_length() > 63:
        raise ProtocolError("a whole number is too large")
    return whole


def _each(convert: Any) -> Any:
    return lambda value: [convert(item) for item in _plain(list)(value)]


def _values(convert: Any) -> Any:
    return lambda value: {str(k): convert(v) for k, v in _plain(dict)(value).items()}


def _optional(convert: Any) -> Any:
    return lambda value: None if value is None else convert(value)


def _member(value: Any) -> Member:
    wire = _plain(dict)(value)
    return Member(
        _integer(wire["rank"]),
        _plain(str)(wire["host"]),
        _integer(wire["slot"]),
        _plain(str)(wire.get("worker", "")),
    )


_CONVERTERS: Dict[str, Any] = {
    str(int): _integer,
    str(str): _plain(str),
    str(bool): _plain(bool),
    str(float): number,
    str(RunState): RunState,
    str(HostState): HostState,
    str(Stage): Stage,
    str(Optional[float]): _optional(number),
    str(Optional[int]): _optional(_integer),
    str(Dict[str, int]): _values(_integer),
    str(Dict[str, float]): _values(number),
    str(List[int]): _each(_integer),
    str(List[str]): _each(_plain(str)),
    str(List[Member]): _each(_member),
}

_READERS: Dict[str, Dict[str, Any]] = {
    name: {key: _CONVERTERS[str(hint)] for key, hint in get_type_hints(kind).items()}
    for name, kind in _KINDS.items()
}


def record_to_wire(record: Record) -> Dict[str, Any]:
    wire: Dict[str, Any] = {
        "seq": record.seq,
        "time": record.time,
        "event": event_to_wire(record.event),
    }
    if record.worker:
        wire.update(worker=record.worker, n=record.n)
    return wire


def record_from_wire(wire: Dict[str, Any]) -> Record:
    try:
        return Record(
            _integer(wire["seq"]),
            number(wire["time"]),
            event_from_wire(wire["event"]),
            _plain(str)(wire.get("worker", "")),
            _integer(wire.get("n", 0)),
        )
    except KeyError as error:
        raise ProtocolError("a record needs %s" % error) from error


def log_to_wire(record: LogRecord) -> Dict[str, Any]:
    return dataclasses.asdict(record)


def log_from_wire(wire: Dict[str, Any]) -> LogRecord:
    try:
        return LogRecord(
            _integer(wire["log"]),
            number(wire["time"]),
            _plain(str)(wire["host"]),
            _integer(wire["slot"]),
            _integer(wire["rank"]),
            _plain(str)(wire["stream"]),
            _plain(str)(wire["text"]),
            _plain(str)(wire.get("worker", "")),
        )
    except KeyError as error:
        raise ProtocolError("a log record needs %s" % error) from error
