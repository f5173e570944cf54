"""Exports on command: ask rank 0, then reload what it wrote in a fresh process and compare.

A verification runs in a thread of its own and comes back through ``post``.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import threading
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Set

from ..events import Event, ExportProgress, Stage, WorkerExported
from ..protocol import ProtocolError, decode
from ..rundir import RunDir
from .model import Model

FINAL = "final"
VERIFY_TIMEOUT = 600.0


class Exports:
    """``send(worker, message)`` reaches a worker; ``post(function)`` runs it in the supervisor's loop."""

    def __init__(
        self,
        run: RunDir,
        model: Model,
        verify: List[str],
        tell: Callable[[Event], None],
        send: Callable[[str, Dict[str, Any]], bool],
        post: Callable[[Callable[[], None]], None],
    ) -> None:
        self._run, self._model, self._verify = run, model, verify
        self._tell, self._send, self._post = tell, send, post
        self._asked: Dict[str, str] = {}
        """request -> worker that was asked."""
        self._verifying: Set[str] = set()
        self._processes: Set["subprocess.Popen[bytes]"] = set()
        self._number = 0

    @property
    def busy(self) -> bool:
        return bool(self._verifying)

    def request(self) -> str:
        self._number += 1
        while "export-%d" % self._number in self._model.exports:
            self._number += 1
        name = "export-%d" % self._number
        self._tell(ExportProgress(name, Stage.REQUESTED, "at the next commit"))
        return name

    def tick(self) -> None:
        """Asks whoever is rank 0 now for what was requested; verifies what was written."""
        zero = self._model.world.rank_zero()
        for request, progress in list(self._model.exports.items()):
            if request in self._model.exported:
                continue
            waits = progress.stage in (Stage.REQUESTED, Stage.WRITING)
            if waits and zero and self._asked.get(request) != zero:
                path = str(self._run.export / request)
                if self._send(zero, {"type": "export", "request": request, "path": path}):
                    self._asked[request] = zero
                    self._tell(ExportProgress(request, Stage.WRITING, "by rank 0"))
        for exported in list(self._model.exported.values()):
            self._take(exported)

    def give_up(self, why: str) -> None:
        """The run is over: what nobody wrote will not come."""
        for request, progress in list(self._model.exports.items()):
            if progress.stage in (Stage.REQUESTED, Stage.WRITING):
                self._tell(ExportProgress(request, Stage.FAILED, why))
            elif progress.stage is Stage.VERIFYING:
                text = "It was written, but verifying it took too long."
                self._tell(dataclasses.replace(progress, stage=Stage.FAILED, text=text))

    def close(self) -> None:
        for process in list(self._processes):
            process.kill()

    def _take(self, exported: WorkerExported) -> None:
        told = self._model.exports.get(exported.request)
        if told is not None and told.stage in (Stage.READY, Stage.FAILED):
            return
        if exported.request in self._verifying:
            return
        if exported.error:
            self._tell(
                ExportProgress(exported.request, Stage.FAILED, exported.error, step=exported.step)
            )
            return
        self._verifying.add(exported.request)
        self._tell(
            ExportProgress(
                exported.request,
                Stage.VERIFYING,
                "in a fresh process",
                exported.path,
                exported.step,
            )
        )
        threading.Thread(
            target=self._run_verify, args=(exported,), name="maypole-verify", daemon=True
        ).start()

    def _run_verify(self, exported: WorkerExported) -> None:
        answer = self._answer(Path(exported.path))

        def done() -> None:
            self._verifying.discard(exported.request)
            if self._model.over is None:  # else it came too late, and was told as failed
                self._tell(_verdict(exported, answer))

        self._post(done)

    def _answer(self, folder: Path) -> Dict[str, Any]:
        try:
            process = subprocess.Popen(
                [*self._verify, str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            return {"error": "The SavedModel could not be verified: %s" % error}
        self._processes.add(process)
        try:
            output, _ = process.communicate(timeout=VERIFY_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return {"error": "Verifying took longer than %d s." % VERIFY_TIMEOUT}
        finally:
            self._processes.discard(process)
        return _last_object(output) or {
            "error": "The process that verifies ended with status %d." % process.returncode
        }


def _last_object(output: bytes) -> Optional[Dict[str, Any]]:
    for line in reversed(output.splitlines()):
        try:
            return decode(line)
        except ProtocolError:
            continue
    return None


def _verdict(exported: WorkerExported, answer: Dict[str, Any]) -> ExportProgress:
    difference = answer.get("max_difference")
    known = isinstance(difference, (int, float)) and not isinstance(difference, bool)
    error = str(answer.get("error") or "")
    size = answer.get("size_bytes")
    return ExportProgress(
        exported.request,
        Stage.READY if answer.get("ok") is True else Stage.FAILED,
        error,
        exported.path,
        exported.step,
        size if isinstance(size, int) else 0,
        float(difference) if known else None,  # type: ignore[arg-type]
        json.dumps(answer["signature"])
        if isinstance(answer.get("signature"), dict)
        else str(answer.get("signature", "")),
    )
