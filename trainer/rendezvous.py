"""A rendezvous whose newcomer has died ends at once, not after the Gloo time-out.

After a change of hosts every worker waits in Gloo for the addresses of all the others, which it
polls from the store that the driver serves. When a new worker dies before it has put its address
there (its ssh failed, its Python is missing), the others wait for the whole time-out, although the
driver knows. Here the driver's store then answers 410 Gone. Horovod's client takes that for a
failure, three times 0.5 s apart (http_store.cc: PerformHTTP), and throws; with SOFT_INIT `init()`
raises ValueError, the worker initialises again and the driver has blacklisted the host.

Only for workers with SOFT_INIT: those of a stock build abort at the exception, as they would at the
time-out.
"""

from __future__ import annotations

import threading
from typing import Any, List

_STORE_SCOPES = ("global", "local_", "cross_")  # gloo_context.h:32; process sets add suffixes
_GONE = 410


class Doom:
    """Whether a worker of the present rendezvous is known to be dead. Threads share it."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        self._dead = threading.Event()
        self._handle_worker_exit = driver._handle_worker_exit
        self._init_rendezvous = driver._rendezvous.init
        driver._handle_worker_exit = self._worker_exited
        driver._rendezvous.init = self._new_rendezvous

    @property
    def is_certain(self) -> bool:
        return self._dead.is_set()

    def _worker_exited(self, slot_info: Any, exit_code: int, timestamp: float) -> None:
        # A worker without a rank has been removed or blacklisted: nobody waits for it. The flag
        # comes first, because the driver's own handling waits for all the other workers.
        if exit_code != 0 and self._driver.has_rank_assignment(
            slot_info.hostname, slot_info.local_rank
        ):
            self._dead.set()
        self._handle_worker_exit(slot_info, exit_code, timestamp)

    def _new_rendezvous(self, host_alloc_plan: List[Any]) -> None:
        self._dead.clear()
        self._init_rendezvous(host_alloc_plan)


def handler_that_fails_early(driver: Any, handler: Any) -> Any:
    """Horovod's elastic rendezvous handler class, made to fail a rendezvous that cannot succeed.

    To be used on what `horovod.runner.elastic.rendezvous.create_rendezvous_handler` gives for this
    `driver` (an ElasticDriver of Horovod 0.28.1), before the driver starts workers.
    """
    doom = Doom(driver)

    class EarlyFailingHandler(handler):  # type: ignore[misc]
        def do_GET(self) -> None:
            scope = self.path.split("/")[1:2]
            if doom.is_certain and scope and scope[0].startswith(_STORE_SCOPES):
                self.send_status_code(_GONE)
            else:
                super().do_GET()

    return EarlyFailingHandler
