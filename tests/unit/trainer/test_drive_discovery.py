from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from trainer import processes
from trainer.drive.discovery import PollFailed, Script, hosts_of, run


def test_that_hosts_keep_the_order_of_their_lines() -> None:
    found = hosts_of("zeta:2\r\n\nalpha\nroot@beta-1.lan:1\nnudge:0\n", 4)
    assert list(found.items()) == [("zeta", 2), ("alpha", 4), ("root@beta-1.lan", 1), ("nudge", 0)]


@pytest.mark.parametrize(
    "line", ["a b:1", "a;reboot:1", "a:", "a:x", "::1:2", "a:-1", "$(id):1", "-oProxyCommand=x:1"]
)
def test_that_a_line_that_is_no_host_is_refused(line: str) -> None:
    with pytest.raises(PollFailed, match="cannot read the line"):
        hosts_of(f"good:1\n{line}\n", 1)


def test_that_a_line_without_slots_needs_a_default() -> None:
    with pytest.raises(PollFailed, match="has no slots"):
        hosts_of("a\n", None)


def test_that_a_failing_script_tells_its_status_and_last_words() -> None:
    with pytest.raises(PollFailed, match=r"Exit code: 7\. no such list"):
        run("echo no such list >&2; exit 7", threading.Event())


@pytest.mark.parametrize("how", ["timeout", "stop"])
def test_that_a_hanging_script_is_ended_with_all_it_started(how: str) -> None:
    stop = threading.Event()
    if how == "stop":
        stop.set()
    begun = time.monotonic()
    with pytest.raises(PollFailed):
        run("sleep 600 | sleep 600", stop, timeout=0.3)
    assert time.monotonic() - begun < 3


def test_that_a_script_that_closes_its_output_is_ended_too() -> None:
    begun = time.monotonic()
    with pytest.raises(PollFailed, match="took longer"):
        run("echo a:1; exec >&- 2>&-; sleep 600", threading.Event(), timeout=0.3)
    assert time.monotonic() - begun < 3


def test_that_nothing_that_a_script_started_is_left(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    command = f"sleep 600 >/dev/null 2>&1 & echo $! > {pid}; echo a:1"
    assert run(command, threading.Event()) == "a:1\n"
    deadline = time.monotonic() + 5
    while processes.started(int(pid.read_text())) >= 0:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_that_an_endless_output_is_refused() -> None:
    with pytest.raises(PollFailed, match="printed more than"):
        run("yes", threading.Event())


def test_that_silence_is_a_failure_only_after_hosts_were_seen(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    hosts = tmp_path_factory.mktemp("hosts") / "list"
    hosts.touch()
    script, stop = Script(f"cat {hosts}", None), threading.Event()
    assert script.poll(stop) == {}
    hosts.write_text("a:1\n")
    assert script.poll(stop) == {"a": 1}
    hosts.write_text("")
    with pytest.raises(PollFailed, match="printed no host"):
        script.poll(stop)
