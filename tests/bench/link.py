"""The worker link: what a send costs the training thread, and how many events a second get through."""

from __future__ import annotations

import contextlib
import functools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from helpers import linklab
from helpers.linklab import Process, Proxy, client_of, make_home, point_to, send_steps, wait_until

from trainer.link.client import LinkClient

SENDS = 2000
PAUSE = 0.001
"""Seconds between sends: a training of a thousand batches a second."""
EVENTS = 20000


@contextlib.contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="maypole-bench-") as folder:
        yield make_home(Path(folder))


@contextlib.contextmanager
def live(home: Path) -> Iterator[None]:
    with Process("serve", home) as server:
        server.line()
        yield


@contextlib.contextmanager
def dead(home: Path) -> Iterator[None]:
    with linklab.unanswered_port() as port:
        point_to(home, port)
        yield


@contextlib.contextmanager
def swallowed(home: Path) -> Iterator[None]:
    """Connected and welcomed once, then nobody reads any more."""
    with Process("serve", home) as server, Proxy(int(server.line())) as proxy:
        point_to(home, proxy.port)
        with client_of(home, "demo-2[0].first") as first:
            wait_until(lambda: first.connected, "a first worker connects through the proxy")
        _frozen.append(proxy)
        yield
        _frozen.clear()


_frozen: list[Proxy] = []


def _times(client: LinkClient) -> list[float]:
    times = []
    for step in range(SENDS):
        make = functools.partial(linklab.batch, step)
        begin = time.perf_counter_ns()
        client.send(make)
        times.append((time.perf_counter_ns() - begin) / 1000)
        time.sleep(PAUSE)
    return times


def send_us(
    name: str, state: Callable[[Path], contextlib.AbstractContextManager[None]]
) -> dict[str, Any]:
    with _home() as home, state(home), client_of(home) as client:
        if state is not dead:
            wait_until(lambda: client.connected, "the worker connects")
        for proxy in _frozen:
            proxy.frozen.set()
        times = _times(client)
    return {"name": name, "value": round(statistics.median(times), 2), "unit": "us", "n": SENDS,
            "p99": round(sorted(times)[SENDS * 99 // 100], 2)}  # fmt: skip


def events_per_s() -> dict[str, Any]:
    """From the first send to the last acknowledgement; both ends are processes of their own."""
    with _home() as home, live(home), client_of(home) as client:
        wait_until(lambda: client.connected, "the worker connects")
        begin = time.perf_counter()
        send_steps(client, 0, EVENTS)
        assert client.flush(60), "not every event was acknowledged"
        seconds = time.perf_counter() - begin
    return {
        "name": "link_events_per_s",
        "value": round(EVENTS / seconds),
        "unit": "1/s",
        "n": EVENTS,
    }


BENCHES: dict[str, Callable[[], dict[str, Any]]] = {
    "link_send_us": lambda: send_us("link_send_us", live),
    "link_send_dead_us": lambda: send_us("link_send_dead_us", dead),
    "link_send_swallowed_us": lambda: send_us("link_send_swallowed_us", swallowed),
    "link_events_per_s": events_per_s,
}
