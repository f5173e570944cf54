"""The supervisor's control socket: every attached window gets the journals and may send commands.

A Unix socket in a private folder with a short name (a socket's path may have 108 bytes). Each client has a
thread that reads its commands and one that writes; a client that reads too slowly is cut off, and
attaches again where it was.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import socket
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Optional, Tuple, Union

from ..eventcodec import log_to_wire, record_to_wire
from ..events import LogRecord, Record
from ..journal import Journal, LogJournal, read_log, read_records
from ..protocol import MAX_LINE, VERSION, ProtocolError, decode, encode

QUEUE = 50000
"""Records that may wait for one client."""
MAX_CLIENTS = 32
ACCEPT_PAUSE = 0.5
"""Seconds without accepting after this process ran out of file descriptors."""
PATH_LIMIT = 104
"""Bytes of a Unix socket's path: 108 on Linux with the final zero (unix(7)), 104 elsewhere."""
_PREFIX, _SOCKET = "maypole-", "s"

Reply = Callable[[bool, str, Dict[str, Any]], None]
OnCommand = Callable[[str, Dict[str, Any], Reply], None]
Item = Union[Record, LogRecord, Dict[str, Any], None]


class Hello:
    """The first line of a client. Raises ProtocolError."""

    def __init__(self, line: bytes) -> None:
        wire = decode(line)
        if wire.get("type") != "hello" or wire.get("version") != VERSION:
            raise ProtocolError("the first line must be a hello of version %d" % VERSION)
        self.after = _count(wire.get("after", 0))
        self.after_log = _count(wire.get("after_log", 0))


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ProtocolError("after and after_log must be whole numbers")
    return value


def welcome(spec_json: str, last: int) -> bytes:
    return encode(
        {"type": "welcome", "version": VERSION, "run": json.loads(spec_json), "last": last}
    )


def history(journal: Path, log: Path, hello: Hello, last: int, last_log: int) -> Iterator[bytes]:
    """What is on disk up to the given numbers, events first: the curves are there before the log."""
    with contextlib.suppress(FileNotFoundError):
        for record in read_records(journal, hello.after):
            if record.seq > last:
                break
            yield encode(record_to_wire(record))
    with contextlib.suppress(FileNotFoundError):
        for line in read_log(log, hello.after_log):
            if line.log > last_log:
                break
            yield encode(log_to_wire(line))


class Client:
    def __init__(self, server: "ControlServer", connection: socket.socket, number: int) -> None:
        self._server = server
        self._socket = connection
        self._queue: "queue.Queue[Item]" = queue.Queue(QUEUE)
        self._cancel: List[Callable[[], None]] = []
        name = "maypole-client-%d" % number
        self._reader = threading.Thread(target=self._read, name=name + "-read", daemon=True)
        self._writer = threading.Thread(target=self._write, name=name + "-write", daemon=True)
        self._hello: Optional[Hello] = None
        self._cut = False

    def start(self) -> None:
        self._reader.start()

    def put(self, item: Item) -> None:
        """From any thread. A full queue cuts the client off.

        Called with a journal's lock held: the subscriptions, which take both journals' locks to be
        cancelled, are left to the reader, which the cut wakes.
        """
        if self._cut:
            return
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            self.cut()

    def cut(self) -> None:
        """Ends both threads: the reader finds the end, the writer cannot write."""
        self._cut = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def join(self, timeout: float) -> None:
        if self._writer.is_alive():
            self._writer.join(timeout)

    def _read(self) -> None:
        with self._socket.makefile("rb") as file:
            try:
                self._hello = Hello(_line(file))
                self._writer.start()
                while True:
                    line = _line(file)
                    if not line:
                        break
                    self._command(decode(line))
            except (OSError, ProtocolError) as error:
                if self._hello is None:
                    with contextlib.suppress(OSError):
                        self._socket.sendall(encode({"type": "error", "text": str(error)}))
        self._leave()

    def _leave(self) -> None:
        """The client has gone, or was cut off."""
        self.cut()
        self.put_end()
        if self._hello is not None:
            self._writer.join()
        for cancel in self._cancel:
            cancel()
        self._socket.close()
        self._server.forget(self)

    def put_end(self) -> None:
        """The writer ends behind what is in the queue; in a full one that was cut off it ends anyway."""
        with contextlib.suppress(queue.Full):
            self._queue.put_nowait(None)

    def _command(self, wire: Dict[str, Any]) -> None:
        id, name, args = wire.get("id"), wire.get("name"), wire.get("args", {})
        if wire.get("type") != "command" or not isinstance(id, str) or not isinstance(args, dict):
            raise ProtocolError("only commands may follow the hello")

        def reply(ok: bool, error: str = "", value: Optional[Dict[str, Any]] = None) -> None:
            self.put({"type": "reply", "id": id, "ok": ok, "error": error, "value": value or {}})

        self._server.on_command(str(name), args, reply)

    def _write(self) -> None:
        assert self._hello is not None
        try:
            for line in self._lines(self._hello):
                self._socket.sendall(line)
        except OSError:
            self.cut()  # it is gone; it attaches again if it wants
        except ProtocolError:
            traceback.print_exc(file=sys.stderr)
            self.cut()

    def _lines(self, hello: Hello) -> Iterator[bytes]:
        journal, log = self._server.journal, self._server.log
        events = journal.subscribe(self.put)
        lines = log.subscribe(self.put)
        self._cancel = [events.cancel, lines.cancel]
        yield welcome(self._server.spec_json, events.last)
        yield from history(journal.path, log.path, hello, events.last, lines.last)
        yield encode({"type": "live"})
        while True:
            item = self._queue.get()
            if item is None:
                return
            if isinstance(item, Record):
                yield encode(record_to_wire(item))
            elif isinstance(item, LogRecord):
                yield encode(log_to_wire(item))
            else:
                yield encode(item)


def _line(file: BinaryIO) -> bytes:
    """b"" at the end. Raises ProtocolError for one that is too long."""
    line = file.readline(MAX_LINE + 1)
    if len(line) > MAX_LINE:
        raise ProtocolError("a line is over the limit of %d bytes" % MAX_LINE)
    return line if line.endswith(b"\n") else b""


class ControlServer:
    """``on_command(name, args, reply)`` is called in a client's thread."""

    def __init__(
        self, spec_json: str, journal: Journal, log: LogJournal, on_command: OnCommand
    ) -> None:
        self.spec_json, self.journal, self.log = spec_json, journal, log
        self.on_command = on_command
        self._clients: List[Client] = []
        self._lock = threading.Lock()
        self._folder = ""
        self._listener: Optional[socket.socket] = None
        self._thread: Optional[threading.Thread] = None
        self._number = 0
        self._closing = False

    def start(self) -> str:
        """Listens; gives the socket's path. Raises OSError."""
        self._folder = _private_folder()
        path = os.path.join(self._folder, _SOCKET)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen(8)
        self._thread = threading.Thread(target=self._accept, name="maypole-control", daemon=True)
        self._thread.start()
        return path

    def forget(self, client: Client) -> None:
        with self._lock:
            if client in self._clients:
                self._clients.remove(client)

    def end(self, timeout: float) -> None:
        """Tells every client that the run is over and all was sent, and waits for them to have it."""
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            client.put({"type": "ended"})
            client.put_end()
        for client in clients:
            client.join(timeout)

    def close(self) -> None:
        self._closing = True
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        if self._thread is not None:
            self._thread.join(ACCEPT_PAUSE * 2)
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            client.cut()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self) -> None:
        assert self._listener is not None
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError as error:
                if self._closing:
                    return
                sys.stderr.write("a client could not be taken in: %s\n" % error)
                time.sleep(ACCEPT_PAUSE)
                continue
            with self._lock:
                self._number += 1
                client = Client(self, connection, self._number)
                crowded = len(self._clients) >= MAX_CLIENTS
                if not crowded:
                    self._clients.append(client)
            if crowded:
                connection.close()
            else:
                client.start()


def _private_folder() -> str:
    """Mode 0700, and short: TMPDIR may be a long way down."""
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    if len(os.path.join(folder, _SOCKET).encode()) < PATH_LIMIT:
        return folder
    os.rmdir(folder)
    return tempfile.mkdtemp(prefix=_PREFIX, dir="/tmp")


def forget_socket(path: Any) -> None:
    """Takes away the socket that a killed supervisor of the run left; nothing else than that."""
    if not isinstance(path, str) or os.path.basename(path) != _SOCKET:
        return
    folder = os.path.dirname(path)
    if os.path.basename(folder).startswith(_PREFIX):
        with contextlib.suppress(OSError):
            os.unlink(path)
            os.rmdir(folder)


def connect(path: str) -> Tuple[socket.socket, BinaryIO]:
    """Raises OSError when nobody listens there."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        raise
    return connection, connection.makefile("rb")
