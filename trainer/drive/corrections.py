"""What drive changes in Horovod 0.28.1, one function a correction.

Line numbers are those of horovod/runner/ in that version; on any other nothing here is called.
"""

from __future__ import annotations

import copy
import functools
import logging
import mmap
from pathlib import Path
from typing import Any

import horovod
import psutil
from horovod.runner import gloo_run, launch
from horovod.runner.common.util import network, safe_shell_exec, secret
from horovod.runner.driver import driver_service
from horovod.runner.elastic import driver as elastic_driver
from horovod.runner.elastic.rendezvous import GET_RANK_AND_SIZE, PUT_WORKER_ADDRESSES

from .context import Drive
from .elastic import Driver, Hosts, Registry
from .plainpickle import addresses_of, read_message

VERSION = "0.28.1"


def apply(drive: Drive) -> None:
    use_own_elastic_driver(drive)
    start_processes_without_an_interpreter_each(drive)
    name_workers_by_host_and_slot(drive)
    take_the_interface_as_given()
    look_for_gloo_without_importing_tensorflow()
    stop_on_the_signals_of_drive(drive)
    end_a_rendezvous_that_cannot_be_completed()
    unpickle_nothing_but_messages()


def use_own_elastic_driver(drive: Drive) -> None:
    """gloo_run.py:343 makes the driver; elastic/driver.py:75 and :91 its parts."""
    gloo_run.ElasticDriver = functools.partial(Driver, drive)
    elastic_driver.HostManager = functools.partial(Hosts, drive)
    elastic_driver.WorkerStateRegistry = functools.partial(Registry, drive)


def start_processes_without_an_interpreter_each(drive: Drive) -> None:
    """common/util/safe_shell_exec.py:211: see processes.py for what is wrong with it."""
    safe_shell_exec.execute = drive.processes.execute


def name_workers_by_host_and_slot(drive: Drive) -> None:
    """gloo_run.py:103 marks a worker's lines with its rank at the start only.

    Two living processes can have the same one. It also prints the whole command line with every
    environment variable when verbose (gloo_run.py:153): secrets would lie in the log.
    """
    stock = gloo_run._exec_command_fn

    def exec_command_fn(settings: Any) -> Any:
        quiet = copy.copy(settings)
        quiet.verbose = 0
        run = stock(quiet)

        def exec_command(command: str, slot_info: Any, events: Any) -> Any:
            with drive.processes.named(prefix_of(slot_info)):
                return run(command, slot_info, events)

        return exec_command

    gloo_run._exec_command_fn = exec_command_fn


def prefix_of(slot_info: Any) -> str:
    return "[%s[%d]#%d]" % (slot_info.hostname, slot_info.local_rank, slot_info.rank)


def take_the_interface_as_given() -> None:
    """driver/driver_service.py:222-262 ignores --network-interface while all hosts are this machine.

    The driver's address is then 127.0.0.1 for the whole job, and no other machine can ever join.
    """
    stock = driver_service.get_common_interfaces

    def get_common_interfaces(settings: Any, *args: Any, **kwargs: Any) -> Any:
        if not settings.nics:
            return stock(settings, *args, **kwargs)
        present = psutil.net_if_addrs()
        given = [nic for nic in sorted(settings.nics) if nic in present]
        if not given:
            raise ValueError("This machine has no network interface %s. It has: %s."
                             % (", ".join(sorted(settings.nics)), ", ".join(sorted(present))))  # fmt: skip
        return given

    driver_service.get_common_interfaces = get_common_interfaces


def look_for_gloo_without_importing_tensorflow() -> None:
    """launch.py:731 imports every framework in a forked child (common/util.py:64-104): 11 s.

    The driver runs no collective itself, so a build without any extension will do here; what the workers
    have is checked where they run.
    """
    launch.gloo_built = gloo_built


def gloo_built(verbose: bool = False) -> bool:
    del verbose
    libraries = list(Path(horovod.__file__).parent.glob("*/mpi_lib*.so"))
    return not libraries or any(_names_gloo(library) for library in libraries)


def _names_gloo(library: Path) -> bool:
    with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return (
            text.find(b"N4gloo") >= 0
        )  # type names of gloo's exceptions stay in a stripped library


def stop_on_the_signals_of_drive(drive: Drive) -> None:
    """gloo_run.py:230-239 would replace our handlers by one that only sets an event."""
    gloo_run.register_shutdown_event = lambda: drive.stop_wanted


def end_a_rendezvous_that_cannot_be_completed() -> None:
    """A newcomer that dies leaves the others waiting for its key for the whole Gloo timeout.

    An answer that is neither 200 nor 404 makes them give up after three tries of 0.5 s
    (common/gloo/http_store.cc:73-96). Only keys that nobody has put are answered so, and only while a worker
    of this very rendezvous has failed: it could not have been completed.
    """
    stock = gloo_run.create_rendezvous_handler

    def create_rendezvous_handler(driver: Any) -> Any:
        class Handler(stock(driver)):  # type: ignore[misc]
            def do_GET(self) -> None:
                scope, key = (self.path.split("/") + ["", ""])[1:3]
                if self._will_never_come(scope, key):
                    self.send_status_code(503)
                else:
                    super().do_GET()

            def _will_never_come(self, scope: str, key: str) -> bool:
                if not driver.doomed or scope == GET_RANK_AND_SIZE:
                    return False
                return self._get_value(scope, key) is None

        return Handler

    gloo_run.create_rendezvous_handler = create_rendezvous_handler


def unpickle_nothing_but_messages() -> None:
    """See plainpickle.py. A worker's key is not kept in the store either, where anybody can GET it."""

    def read(wire: Any, stream: Any) -> Any:
        return read_message(wire, stream, secret.check_digest, secret.DIGEST_LENGTH)

    network.Wire.read = read
    stock = gloo_run.create_rendezvous_handler

    def create_rendezvous_handler(driver: Any) -> Any:
        class Handler(stock(driver)):  # type: ignore[misc]
            def do_PUT(self) -> None:
                try:
                    super().do_PUT()
                except ValueError as error:
                    logging.warning("refused what %s sent: %s", self.client_address[0], error)
                    self.send_status_code(400)

            def _put_value(self, scope: str, key: str, value: bytes) -> None:
                if scope != PUT_WORKER_ADDRESSES:
                    super()._put_value(scope, key, value)
                    return
                host, slot = key.split(":")
                driver.register_worker_server(host, int(slot), *addresses_of(value))

        return Handler

    gloo_run.create_rendezvous_handler = create_rendezvous_handler
