"""LocalMachine with real processes and files."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest
from helpers.linklab import wait_until

from core.errors import CommandFailed, ExportError, MachineError
from core.fetching import Entry, FetchCancelled, blocks_of, receive, sha256_of
from core.localmachine import LocalMachine
from core.machine import checked

HERE = LocalMachine()


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def nothing(done: int, total: int) -> None:
    pass


def never() -> bool:
    return False


def test_that_a_command_gets_its_input_and_gives_both_outputs() -> None:
    code = "import sys; d = sys.stdin.read(); print(d[:3]); print(len(d), file=sys.stderr)"
    done = HERE.run(python(code), input=b"abc" * 500_000, timeout=30)
    assert (done.status, done.stdout, done.stderr) == (0, b"abc\n", b"1500000\n")


def test_that_a_command_that_wants_no_input_is_no_error() -> None:
    assert HERE.run(["true"], input=b"x" * 1_000_000, timeout=30).status == 0


def test_that_words_are_never_taken_by_a_shell() -> None:
    assert HERE.run(["echo", "$HOME; echo *"], timeout=30).stdout == b"$HOME; echo *\n"


def test_that_a_failed_command_says_its_last_words() -> None:
    with pytest.raises(CommandFailed, match="status 3: no room") as failed:
        checked(HERE.run(["sh", "-c", "echo no room >&2; exit 3"], timeout=30))
    assert failed.value.status == 3


def test_that_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="There is no program"):
        HERE.run([str(tmp_path / "nothing")], timeout=5)
    (tmp_path / "text").write_text("no program")
    with pytest.raises(MachineError, match="Cannot start"):
        HERE.run([str(tmp_path / "text")], timeout=5)


def test_that_a_command_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(MachineError, match="did not end in time"):
        HERE.run(["sh", "-c", f"sleep 600 & echo $! > {pid}; wait"], timeout=0.5)
    wait_until(lambda: not Path("/proc", pid.read_text().strip()).exists(), "the child lives on")


def test_that_a_command_that_never_stops_talking_is_ended() -> None:
    with pytest.raises(MachineError, match="more than 16 MB"):
        HERE.run(["yes"], timeout=60)


def test_that_a_channel_talks_both_ways_until_it_is_closed() -> None:
    code = (
        "import sys\nfor line in sys.stdin: print(line.strip()[::-1], flush=True)\n"
        "print('bye', file=sys.stderr); sys.exit(4)"
    )
    channel = HERE.open(python(code))
    channel.write(b"abc\n")
    assert channel.readline(100) == b"cba\n"
    assert channel.wait(0.01) is None
    channel.close()
    channel.close()
    assert channel.wait(10) is not None
    with pytest.raises(MachineError):
        channel.write(b"x")
    with pytest.raises(MachineError):
        channel.readline(100)


def test_that_a_channel_keeps_the_last_words_of_a_process_that_ended() -> None:
    channel = HERE.open(["sh", "-c", "echo one; echo it broke >&2; exit 4"])
    assert channel.readline(100) == b"one\n"
    assert channel.readline(100) == b""
    assert channel.wait(10) == 4
    assert channel.last_words() == "it broke"
    channel.close()


def test_that_a_line_above_its_limit_is_an_error_before_it_is_whole() -> None:
    channel = HERE.open(["sh", "-c", "yes | tr -d '\\n'"])
    with pytest.raises(MachineError, match="more than 1000 bytes"):
        channel.readline(1000)
    channel.close()


def test_that_closing_wakes_a_reader_and_ends_a_process_that_ignores_being_asked() -> None:
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('ready', flush=True); time.sleep(600)"
    )
    channel = HERE.open(python(code))
    assert channel.readline(100) == b"ready\n"
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(channel.readline(100)))
    reader.start()
    began = time.monotonic()
    channel.close()
    reader.join(10)
    assert heard == [b""]
    assert time.monotonic() - began < 10


def test_that_a_written_file_replaces_the_old_one_whole(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b"
    HERE.write_file(str(path), b"old")
    HERE.write_file(str(path), b"new", 0o600)
    assert HERE.read_file(str(path), 2) == b"ne"
    assert path.stat().st_mode & 0o777 == 0o600
    assert HERE.exists(str(path))
    assert not HERE.exists(str(tmp_path / "c"))
    assert HERE.list_folder(str(tmp_path / "a")) == ["b"]
    assert HERE.list_folder(str(tmp_path / "c")) == []


def test_that_files_that_cannot_be_written_or_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError, match=r"Cannot write .*file/x"):
        HERE.write_file(str(tmp_path / "file" / "x"), b"")
    with pytest.raises(MachineError, match="No such file"):
        HERE.read_file(str(tmp_path / "nothing"), 10)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    (folder / "variables").mkdir(parents=True)
    (folder / "saved_model.pb").write_bytes(b"p" * 3_000_000)
    (folder / "variables" / "v.data").write_bytes(b"v" * 10)
    (folder / "empty").write_bytes(b"")
    return folder


def test_that_a_folder_is_fetched_whole_with_its_progress(model: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    destination = tmp_path / "home" / "mine"
    fetched = HERE.fetch(str(model), destination, lambda *now: told.append(now), never)
    assert (fetched.path, fetched.files, fetched.size_bytes) == (destination, 3, 3_000_010)
    assert (destination / "variables" / "v.data").read_bytes() == b"v" * 10
    assert sha256_of(destination / "saved_model.pb") == sha256_of(model / "saved_model.pb")
    assert told[0] == (0, 3_000_010)
    assert told[-1] == (3_000_010, 3_000_010)
    assert told == sorted(told)


def left_over(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()] if folder.exists() else []


def test_that_a_cancelled_fetch_leaves_nothing(model: Path, tmp_path: Path) -> None:
    asked: list[int] = []
    with pytest.raises(FetchCancelled):
        HERE.fetch(
            str(model), tmp_path / "home" / "mine", nothing, lambda: len(asked) > 1 or not asked.append(1)  # type: ignore[func-returns-value]
        )  # fmt: skip
    assert left_over(tmp_path / "home") == []


def test_that_a_file_that_arrives_damaged_is_refused(model: Path, tmp_path: Path) -> None:
    entries = [Entry("saved_model.pb", 3_000_000, "0" * 64)]
    with pytest.raises(ExportError, match="damaged"):
        receive(
            entries, lambda path: blocks_of(model / path), tmp_path / "home" / "x", nothing, never
        )
    assert left_over(tmp_path / "home") == []


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "a\0b"])
def test_that_a_machine_cannot_name_a_file_outside_the_folder(path: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="outside itself"):
        receive([Entry(path, 1, "")], lambda _: [b"x"], tmp_path / "x", nothing, never)


def test_that_what_is_there_already_is_not_overwritten(model: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    HERE.fetch(str(model), taken, nothing, never)
    with pytest.raises(ExportError, match="exists already"):
        HERE.fetch(str(model), taken, nothing, never)


def test_that_a_folder_that_is_not_there_or_empty_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="There is no folder"):
        HERE.fetch(str(tmp_path / "no"), tmp_path / "x", nothing, never)
    (tmp_path / "no").mkdir()
    with pytest.raises(ExportError, match="is empty"):
        HERE.fetch(str(tmp_path / "no"), tmp_path / "x", nothing, never)
