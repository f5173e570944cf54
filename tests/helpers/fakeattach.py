"""A supervisor's side of the attach dialogue that does what a plan says, attachment after attachment.

Run as ``python fakeattach.py attach RUN_DIR``, in the place of a bundle. RUN_DIR holds ``run.json``,
``lines.json`` (the wire lines to send, as objects) and ``plan.json``: one object an attachment, the last
one for all that follow::

    {"send": how many of the new lines, "raw": a text instead of the next line, "dup": send all twice,
     "skip": leave out this seq, "then": "die" | "live" | "ended", "reply": "ok" | "no" | "never" | "late"
     | "die" | "end" (the run stops) | "export" (ready at "path", failed without one)}
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from trainer.eventcodec import log_to_wire, record_to_wire
from trainer.events import Event, ExportProgress, LogRecord, Record, RunOver, RunState, Stage
from trainer.launchspec import LaunchSpec
from trainer.protocol import encode
from trainer.rundir import RunDir

SPEC = LaunchSpec(
    name="fake", python=sys.executable, workdir="/tmp", script="train.py", hosts={"demo-1": 1}
)


def make_run(
    folder: Path,
    lines: Sequence[Event | LogRecord],
    plan: Sequence[Mapping[str, Any]],
    python: str = SPEC.python,
) -> Path:
    """A run directory whose journal holds ``lines``, events numbered from 1."""
    folder.mkdir(parents=True, exist_ok=True)
    RunDir(folder).write_spec(dataclasses.replace(SPEC, python=python))
    wires, seq = [], 0
    for line in lines:
        if isinstance(line, LogRecord):
            wires.append(log_to_wire(line))
        else:
            seq += 1
            wires.append(record_to_wire(Record(seq, 1000.0 + seq, line)))
    wires = [json.loads(encode(wire)) for wire in wires]
    (folder / "lines.json").write_text(json.dumps(wires))
    (folder / "plan.json").write_text(json.dumps(list(plan)))
    return folder


def attachments(folder: Path) -> list[dict[str, Any]]:
    """The hello of every attachment so far."""
    path = folder / "hellos.ndjson"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def commands(folder: Path) -> list[dict[str, Any]]:
    path = folder / "commands.ndjson"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def send(message: Mapping[str, Any]) -> None:
    sys.stdout.buffer.write(encode(dict(message)))
    sys.stdout.buffer.flush()


def note(folder: Path, name: str, message: Mapping[str, Any]) -> None:
    with (folder / name).open("a") as file:
        file.write(json.dumps(message) + "\n")


def serve(folder: Path) -> int:
    hello = json.loads(sys.stdin.buffer.readline())
    note(folder, "hellos.ndjson", hello)
    plan = json.loads((folder / "plan.json").read_text())
    step = plan[min(len(attachments(folder)), len(plan)) - 1]
    lines = json.loads((folder / "lines.json").read_text())
    run = json.loads((folder / "run.json").read_text())
    send({"type": "welcome", "version": 1, "run": run, "last": len(lines)})
    skip = step.get("skip", -1)
    new = [line for line in lines if is_new(line, hello) and line.get("seq") != skip]
    for line in new[: step.get("send", len(new))]:
        for _ in range(2 if step.get("dup") else 1):
            send(line)
    if "raw" in step:
        sys.stdout.buffer.write(step["raw"].encode("latin-1"))
        sys.stdout.buffer.flush()
        return 0
    if step["then"] == "die":
        sys.stderr.write(step.get("words", "the supervisor was killed") + "\n")
        return 1
    send({"type": step["then"]})
    return 0 if step["then"] == "ended" and "reply" not in step else answer(folder, step)


def is_new(line: Mapping[str, Any], hello: Mapping[str, Any]) -> bool:
    if "seq" in line:
        return cast(bool, line["seq"] > hello["after"])
    return cast(bool, line["log"] > hello["after_log"])


def consequence(step: Mapping[str, Any]) -> Event:
    if step["reply"] == "end":
        return RunOver(RunState.STOPPED, "as asked")
    if step["path"]:
        return ExportProgress("r1", Stage.READY, "", step["path"], 40, 7, 1.5e-8, "x")
    return ExportProgress("r1", Stage.FAILED, "no room")


def happened(folder: Path, event: Event) -> None:
    """Journalled and told."""
    path = folder / "lines.json"
    lines = json.loads(path.read_text())
    seq = max((line.get("seq", 0) for line in lines), default=0) + 1
    wire = record_to_wire(Record(seq, 1000.0 + seq, event))
    path.write_text(json.dumps([*lines, wire]))
    send(wire)


def answer(folder: Path, step: Mapping[str, Any]) -> int:
    kinds: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
        "ok": lambda message: {"id": message["id"], "ok": True, "value": {"request": "r1"}},
        "no": lambda message: {
            "id": message["id"],
            "ok": False,
            "error": "min-np is 1. Say --yes.",
        },
        "late": lambda _: {"id": "of-somebody-else", "ok": True, "value": {}},
    }
    for line in sys.stdin.buffer:
        message = json.loads(line)
        note(folder, "commands.ndjson", message)
        kind = step.get("reply", "ok")
        if kind == "die":
            return 1
        if kind in kinds or kind in ("end", "export"):
            wire = kinds.get(kind, kinds["ok"])(message)
            send({"type": "reply", "error": "", "value": {}} | wire)
        if kind in ("end", "export"):
            happened(folder, consequence(step))
        if kind == "end":
            send({"type": "ended"})
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(serve(Path(sys.argv[2])))
