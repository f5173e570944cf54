"""Runs with nothing faked: the bundle that travels, drive or horovodrun, TensorFlow workers here."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core import bundle
from core.profilefile import builtin
from trainer import processes
from trainer.events import Batch, ExportProgress, Stage, Topology, WorkerJoined
from trainer.launchspec import LaunchSpec

from .startedrun import Attached, StartedRun


class RealRun(StartedRun):
    horizon = 180.0

    def spec(self, **changes: Any) -> LaunchSpec:
        rehearsal = builtin("rehearsal")
        fields: dict[str, Any] = {
            "name": "real",
            "script": "maypole:digits",
            "network_interface": rehearsal.network_interface,
            "env": rehearsal.env,
            "max_np": rehearsal.max_np,
        }
        return super().spec(**(fields | changes))

    def use(self, script: Path) -> str:
        """Puts a copy into the working directory; gives its name."""
        shutil.copyfile(script, self.work / script.name)
        return script.name

    # ---- who trains -----------------------------------------------------------------------------

    def topology(self) -> Topology:
        last = self.events(Topology)[-1]
        assert isinstance(last, Topology)
        return last

    def host_of_rank_zero(self) -> str:
        return self.topology().members[0].host

    def set_hosts(self, client: Attached, *hosts: str) -> None:
        reply = client.command("set_hosts", hosts=dict.fromkeys(hosts, 1))
        assert reply["ok"], reply

    def workers(self) -> list[processes.Process]:
        return processes.of_run(str(self.files.root))

    def pid_on(self, host: str) -> int:
        """Of the worker that has a rank there now."""
        (name,) = (member.worker for member in self.topology().members if member.host == host)
        return next(e.pid for e in self.events(WorkerJoined) if e.worker == name)

    # ---- what came of it ------------------------------------------------------------------------

    def batches(self) -> list[Batch]:
        return self.events(Batch)

    def final_export(self) -> ExportProgress:
        """The last state, verified. Fails if there is none."""
        told = [e for e in self.events(ExportProgress) if e.request == "final"]
        assert [e.stage for e in told][-1:] == [Stage.READY], told
        last = told[-1]
        assert isinstance(last, ExportProgress)
        return last


def world_sizes(batches: list[Batch]) -> list[int]:
    sizes: list[int] = []
    for batch in batches:
        if sizes[-1:] != [batch.size]:
            sizes.append(batch.size)
    return sizes


@contextlib.contextmanager
def real_run(home: Path) -> Iterator[RealRun]:
    made = bundle.build()
    path = home / made.name
    path.write_bytes(made.data)
    run = RealRun(home, path)
    try:
        yield run
    finally:
        run.close()
