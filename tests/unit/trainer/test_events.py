from __future__ import annotations

import dataclasses
import enum
import math
from typing import Any, get_type_hints

import pytest

from trainer import events
from trainer.eventcodec import (
    event_from_wire,
    event_to_wire,
    log_from_wire,
    log_to_wire,
    record_from_wire,
    record_to_wire,
    type_name,
)
from trainer.events import (
    Batch,
    HostState,
    HostStateChanged,
    LogRecord,
    Member,
    Record,
    RunOver,
    RunState,
    RunStateChanged,
    Stage,
    Topology,
    Unknown,
    WorkerPhase,
    parse_worker_id,
    worker_id,
)
from trainer.protocol import ProtocolError, decode, encode

KINDS = [kind for kind in events.Event.__args__ if kind is not Unknown]
SAMPLES: dict[str, Any] = {
    str(int): 7,
    str(str): "텍스트 \"quoted\"\n",
    str(bool): True,
    str(float): 1.25,
    str(RunState): RunState.RESIZING,
    str(HostState): HostState.BLACKLISTED,
    str(Stage): Stage.VERIFYING,
    "typing.Optional[float]": 0.5,
    "typing.Optional[int]": -15,
    "typing.Dict[str, int]": {"demo-1": 2},
    "typing.Dict[str, float]": {"loss": 0.25},
    "typing.List[int]": [0, 1],
    "typing.List[str]": ["a", ""],
    "typing.List[trainer.events.Member]": [Member(0, "demo-1", 0, "demo-1[0].a"), Member(1, "b", 3)],
}  # fmt: skip


def sample(kind: type[Any]) -> Any:
    """An event with a telling value in every field."""
    return kind(**{name: SAMPLES[str(hint)] for name, hint in get_type_hints(kind).items()})


def travelled(event: Any) -> Any:
    return event_from_wire(decode(encode(event_to_wire(event))))


@pytest.mark.parametrize("kind", KINDS, ids=type_name)
def test_that_every_kind_comes_back_as_it_was(kind: type[Any]) -> None:
    event = sample(kind)
    assert travelled(event) == event
    assert event_to_wire(event)["type"] == type_name(kind)


@pytest.mark.parametrize("kind", KINDS, ids=type_name)
def test_that_fields_with_defaults_may_be_missing_and_others_may_not(kind: type[Any]) -> None:
    wire = event_to_wire(sample(kind))
    for field in dataclasses.fields(kind):
        shorter = {key: value for key, value in wire.items() if key != field.name}
        optional = (
            field.default is not dataclasses.MISSING
            or field.default_factory is not dataclasses.MISSING
        )
        if optional:
            assert isinstance(event_from_wire(shorter), kind)
        else:
            with pytest.raises(ProtocolError, match=field.name):
                event_from_wire(shorter)


WRONG: list[Any] = [{"x": object}, [[1]], "wrong", -1.5, True, None, 10**400, {"a": "b"}, [None]]


@pytest.mark.parametrize("kind", KINDS, ids=type_name)
def test_that_a_wrong_value_is_an_error_that_names_the_field_or_fits_its_type(
    kind: type[Any],
) -> None:
    wire = event_to_wire(sample(kind))
    for field in dataclasses.fields(kind):
        for wrong in WRONG:
            try:
                event = event_from_wire({**wire, field.name: wrong})
            except ProtocolError as error:
                assert field.name in str(error)
            else:
                kept = getattr(event, field.name)
                assert kept == wrong or isinstance(kept, enum.Enum)


def test_that_fields_of_a_newer_version_are_passed_over() -> None:
    wire = event_to_wire(WorkerPhase("w", "synced", 1.0))
    assert event_from_wire({**wire, "colour": "red"}) == WorkerPhase("w", "synced", 1.0)


def test_that_kinds_of_a_newer_version_are_kept_as_they_came() -> None:
    wire = {"type": "weather", "sky": ["blue"], "n": 1}
    event = event_from_wire(wire)
    assert event == Unknown("weather", {"sky": ["blue"], "n": 1})
    assert event_to_wire(event) == wire


@pytest.mark.parametrize(
    "wire", [None, [], "batch", {}, {"type": 1}, {"type": None}, {"type": ["batch"]}]
)
def test_that_an_event_needs_a_type(wire: object) -> None:
    with pytest.raises(ProtocolError, match="type"):
        event_from_wire(wire)


def test_that_nan_and_infinity_in_metrics_survive() -> None:
    event = Batch("w", 1.0, 1, 0.1, 2, {"a": math.nan, "b": math.inf, "c": -math.inf}, lr=math.nan)
    back = travelled(event)
    assert math.isnan(back.metrics["a"])
    assert math.isnan(back.lr)
    assert (back.metrics["b"], back.metrics["c"]) == (math.inf, -math.inf)


def test_that_whole_numbers_in_float_fields_become_floats() -> None:
    back = event_from_wire({**event_to_wire(Batch("w", 1, 1, 0, 2, {"loss": 1})), "wall": 5})
    assert isinstance(back, Batch)
    assert isinstance(back.wall, float)
    assert isinstance(back.metrics["loss"], float)


def test_that_empty_and_none_are_kept_apart() -> None:
    assert travelled(RunOver(RunState.STOPPED, "")) == RunOver(RunState.STOPPED, "", None, [])
    assert travelled(RunOver(RunState.STOPPED, "", 0, [])).exit_code == 0
    assert travelled(RunStateChanged(RunState.WAITING)).deadline is None
    assert travelled(Topology(0, 0, [])).members == []
    assert travelled(HostStateChanged("a", HostState.AVAILABLE)).ranks == []


@pytest.mark.parametrize("step", [2**63, -(2**63), 10**400])
def test_that_a_whole_number_that_is_no_count_is_refused(step: int) -> None:
    wire = event_to_wire(WorkerPhase("a[0].b", "synced", 1.0, 2**63 - 1))
    assert event_from_wire(wire) == WorkerPhase("a[0].b", "synced", 1.0, 2**63 - 1)
    with pytest.raises(ProtocolError, match="step: a whole number is too large"):
        event_from_wire({**wire, "step": step})


@pytest.mark.parametrize(
    "member", [{}, {"rank": 0}, {"rank": "0", "host": "a", "slot": 0}, 3, None]
)
def test_that_a_broken_member_is_an_error_of_its_field(member: object) -> None:
    with pytest.raises(ProtocolError, match="members"):
        event_from_wire({"type": "topology", "generation": 0, "size": 1, "members": [member]})


def test_that_events_cannot_be_changed() -> None:
    for kind in KINDS:
        assert dataclasses.is_dataclass(kind)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(sample(kind), dataclasses.fields(kind)[0].name, 1)


def test_that_type_names_are_unique_and_snake_case() -> None:
    names = [type_name(kind) for kind in KINDS]
    assert len(set(names)) == len(names)
    assert "driver_worker_ready" in names
    assert all(name == name.lower() and " " not in name for name in names)


def test_that_a_run_is_over_in_exactly_three_states() -> None:
    assert {state for state in RunState if state.over} == {
        RunState.FINISHED,
        RunState.FAILED,
        RunState.STOPPED,
    }


@pytest.mark.parametrize(
    ("host", "slot", "incarnation"),
    [("demo-1", 0, "a1"), ("u@h.example", 12, "0z"), ("10.0.0.1", 1023, "x")],
)
def test_that_a_workers_name_tells_host_slot_and_incarnation(
    host: str, slot: int, incarnation: str
) -> None:
    assert parse_worker_id(worker_id(host, slot, incarnation)) == (host, slot, incarnation)


@pytest.mark.parametrize(
    "name", ["", "demo-1", "demo-1[0]", "demo-1[x].a", "[0].a", "a[0].", "a[0].A", "a[0].b\n"]
)
def test_that_other_names_are_not_workers(name: str) -> None:
    with pytest.raises(ProtocolError, match="not a worker's name"):
        parse_worker_id(name)


@pytest.mark.parametrize("record", [Record(1, 2.5, sample(kind)) for kind in KINDS[:3]]
                         + [Record(9, 0.0, Unknown("new", {"a": 1}), "demo-1[0].a", 4)])  # fmt: skip
def test_that_a_record_comes_back_as_it_was(record: Record) -> None:
    assert record_from_wire(decode(encode(record_to_wire(record)))) == record


def test_that_a_record_of_the_supervisor_itself_names_no_worker() -> None:
    assert set(record_to_wire(Record(1, 1.0, events.Nudged("x")))) == {"seq", "time", "event"}


@pytest.mark.parametrize("missing", ["seq", "time", "event"])
def test_that_a_record_needs_its_parts(missing: str) -> None:
    wire = record_to_wire(Record(1, 1.0, events.Nudged("x")))
    del wire[missing]
    with pytest.raises(ProtocolError, match=missing):
        record_from_wire(wire)


@pytest.mark.parametrize(
    "change", [{"seq": "1"}, {"seq": 1.0}, {"time": None}, {"event": []}, {"n": "4"}, {"worker": 1}]
)
def test_that_a_record_with_a_wrong_part_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        record_from_wire({**record_to_wire(Record(1, 1.0, events.Nudged("x"))), **change})


def test_that_a_line_of_output_comes_back_as_it_was() -> None:
    record = LogRecord(3, 1.5, "demo-1", -1, -1, "stderr", "에러: \x1b[31mred\t\\", "demo-1[0].a")
    assert log_from_wire(decode(encode(log_to_wire(record)))) == record


@pytest.mark.parametrize(
    "change", [{"log": None}, {"slot": "0"}, {"text": 3}, {"time": "x"}, {"worker": None}]
)
def test_that_a_broken_line_of_output_is_refused(change: dict[str, Any]) -> None:
    wire = log_to_wire(LogRecord(3, 1.5, "demo-1", 0, 0, "stdout", "text"))
    with pytest.raises(ProtocolError):
        log_from_wire({**wire, **change})
    wire.pop("host")
    with pytest.raises(ProtocolError, match="host"):
        log_from_wire(wire)
