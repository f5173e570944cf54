from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trainer.drive.forwarding import SafeStream
from trainer.drive.processes import Processes, Stopping, has_living_member
from trainer.sshshim import rehearsal_ssh


class Lines:
    """Takes the lines of both streams."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def sink(self, _stream: str) -> Callable[[str], None]:
        return self.taken.append

    def wait_for(self, start: str) -> str:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for line in list(self.taken):
                if line.startswith(start):
                    return line[len(start) :]
            time.sleep(0.01)
        raise AssertionError(f"no line {start!r} in {self.taken}")


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def processes(lines: Lines) -> Iterator[Processes]:
    processes = Processes(lines.sink)
    yield processes
    processes.finish()


def in_background(function: Callable[[], int]) -> tuple[threading.Thread, list[int]]:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(function()))
    thread.start()
    return thread, codes


@pytest.mark.parametrize(
    ("command", "code"), [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137), ("kill $$", 143)]
)
def test_that_the_exit_code_is_the_true_one(processes: Processes, command: str, code: int) -> None:
    assert processes.execute(command) == code


def test_that_lines_carry_the_workers_name(processes: Processes, lines: Lines) -> None:
    with processes.named("[demo-1[0]#2]"):
        processes.execute("echo out; echo err >&2; printf last", index=2)
    processes.execute("echo plain", index=4)
    assert sorted(lines.taken) == [
        "[4]<stdout>:plain",
        "[demo-1[0]#2]<stderr>:err",
        "[demo-1[0]#2]<stdout>:last",
        "[demo-1[0]#2]<stdout>:out",
    ]


def test_that_an_event_ends_the_whole_group(processes: Processes, lines: Lines) -> None:
    event = threading.Event()
    thread, codes = in_background(
        lambda: processes.execute("sleep 600 & echo group $$; wait; sleep 600", events=[event])
    )
    group = int(lines.wait_for("group "))
    event.set()
    thread.join(5)
    assert codes == [143]
    assert not has_living_member(group)


def test_that_what_an_ended_worker_left_does_not_hold_its_output(
    processes: Processes, lines: Lines
) -> None:
    begun = time.monotonic()
    assert processes.execute("sleep 600 & echo group $$; exit 5") == 5
    assert time.monotonic() - begun < 5
    assert not has_living_member(int(lines.wait_for("group ")))


def test_that_a_daemon_that_keeps_the_output_open_delays_only_a_little(
    processes: Processes, lines: Lines
) -> None:
    begun = time.monotonic()
    assert processes.execute("setsid sh -c 'echo daemon $$; exec sleep 30' & sleep 0.3") == 0
    assert time.monotonic() - begun < 6
    os.kill(int(lines.wait_for("daemon ")), signal.SIGKILL)


def test_that_nothing_is_started_once_closed(processes: Processes) -> None:
    processes.close()
    with pytest.raises(Stopping):
        processes.execute("echo late")


def test_that_a_stream_that_cannot_be_written_does_no_harm() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        stream = SafeStream(full)
        assert stream.write("x" * 100_000 + "\n") == 100_001
        stream.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())


def write_often(letter: str, stream: SafeStream) -> None:
    for _ in range(200):
        print(letter * 9, file=stream)  # type: ignore[call-overload]


def test_that_lines_of_two_threads_are_never_mixed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("w") as file:
        stream = SafeStream(file)
        threads = [threading.Thread(target=write_often, args=(letter, stream)) for letter in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {len(line) for line in path.read_text().splitlines()} == {9}


def test_that_the_rehearsals_ssh_runs_the_last_word_in_its_own_group(tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(rehearsal_ssh())
    ssh.chmod(0o755)
    code = 'import os; print(os.getcwd(), os.environ["A"])'
    remote = f"cd {tmp_path} > /dev/null 2>&1 ; env A='two words' {sys.executable} -c '{code}'"
    answer = subprocess.run(
        [ssh, "-o", "StrictHostKeyChecking=no", "demo-1", "-p", "22", remote],
        capture_output=True,
        text=True,
    )
    assert (answer.stdout, answer.returncode) == (f"{tmp_path} two words\n", 0)
    failed = subprocess.run([ssh, "demo-1", "exit 9"])
    assert failed.returncode == 9


def test_that_a_signal_to_the_rehearsals_ssh_alone_ends_the_worker(tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(rehearsal_ssh())
    ssh.chmod(0o755)
    remote = f"cd {tmp_path} > /dev/null 2>&1 ; env A='; env ' B='$C' sleep 600"
    process = subprocess.Popen([ssh, "demo-1", remote], start_new_session=True)
    command = Path(f"/proc/{process.pid}/cmdline")
    deadline = time.monotonic() + 10
    while command.read_bytes() != b"sleep\x00600\x00" and time.monotonic() < deadline:
        time.sleep(0.01)
    process.terminate()
    assert process.wait(5) == -signal.SIGTERM
    assert not has_living_member(process.pid)
