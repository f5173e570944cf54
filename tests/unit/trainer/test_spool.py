from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from helpers.linklab import WORKER, batch

from trainer.eventcodec import event_to_wire
from trainer.events import Batch, WorkerLost
from trainer.link import backlog, spool
from trainer.link.backlog import Backlog
from trainer.link.spool import Line, Spool, pending, read
from trainer.protocol import ProtocolError, encode


def line(n: int, size: int = 0) -> Line:
    event = event_to_wire(batch(n))
    event["pad"] = "x" * size
    return n, encode({"n": n, "event": event})


def lines(first: int, last: int) -> list[Line]:
    return [line(n) for n in range(first, last + 1)]


def path_in(home: Path) -> Path:
    return spool.path_of(home, WORKER)


def numbers(path: Path) -> list[int]:
    return [n for _, n, _ in read(path)]


def test_that_the_file_appears_with_the_first_line_and_goes_with_the_last(tmp_path: Path) -> None:
    path = path_in(tmp_path)
    file = Spool(path)
    assert not path.exists()
    file.append(lines(1, 3))
    assert path.name == f"{WORKER}.ndjson"
    assert path.stat().st_mode & 0o777 == 0o600
    file.acknowledge(2)
    assert (file.first, file.last, file.empty) == (3, 3, False)
    file.acknowledge(3)
    assert file.empty
    assert not path.exists()
    file.append(lines(4, 4))
    assert numbers(path) == [4]
    file.remove()


def test_that_a_closed_spool_is_left_for_the_supervisor(tmp_path: Path) -> None:
    file = Spool(path_in(tmp_path))
    file.append(lines(1, 3))
    file.close()
    found = list(read(path_in(tmp_path)))
    assert [(worker, n) for worker, n, _ in found] == [(WORKER, 1), (WORKER, 2), (WORKER, 3)]
    assert all(isinstance(event, Batch) and event.step == n for _, n, event in found)


@pytest.mark.parametrize("size", [1, 100, 1000, 1 << 20])
def test_that_lines_are_read_back_in_order_from_any_number(size: int, tmp_path: Path) -> None:
    file = Spool(path_in(tmp_path))
    for first in range(1, 300, 30):
        file.append(lines(first, first + 29))
    for after in [0, 1, 29, 30, 31, 150, 298, 299]:
        got: list[Line] = []
        while after + len(got) < 300:
            got += file.read_after(after + len(got), size)
        assert got == lines(after + 1, 300) or [n for n, _ in got] == list(range(after + 1, 301))
    assert file.read_after(300, size) == []
    file.remove()


def test_that_the_oldest_are_given_up_when_the_file_is_full_and_the_newest_stay(
    tmp_path: Path,
) -> None:
    file = Spool(path_in(tmp_path), limit=20000)
    given_up = 0
    for n in range(1, 1001):
        given_up += file.append([line(n)])
        assert file.path.stat().st_size <= 20000
    assert file.first == given_up + 1
    assert numbers(file.path) == list(range(file.first, 1001))
    assert file.path.stat().st_size > 20000 * 0.5
    assert [n for n, _ in file.read_after(file.first + 4, 1)] == [file.first + 5]
    file.remove()


def test_that_what_was_acknowledged_makes_room_before_anything_is_given_up(tmp_path: Path) -> None:
    file = Spool(path_in(tmp_path), limit=20000)
    for n in range(1, 2001):
        assert file.append([line(n)]) == 0
        if n > 10:
            file.acknowledge(n - 10)
    assert numbers(file.path)[-10:] == list(range(1991, 2001))
    file.remove()


def test_that_a_random_life_of_a_spool_never_loses_more_than_it_says(tmp_path: Path) -> None:
    chance = random.Random(11)
    file = Spool(path_in(tmp_path), limit=30000)
    last = acknowledged = 0
    for _ in range(600):
        count = chance.randrange(1, 8)
        part = [line(last + 1 + k, chance.randrange(300)) for k in range(count)]
        gone = file.append(part)
        last += count
        assert file.first == max(acknowledged + 1, file.first)
        if gone:
            acknowledged = file.first - 1
        after = chance.randrange(acknowledged, last)
        got = file.read_after(after, chance.randrange(1, 3000))
        assert [n for n, _ in got] == list(range(after + 1, after + 1 + len(got)))
        assert got
        if chance.random() < 0.2:
            acknowledged = chance.randrange(acknowledged, last)
            file.acknowledge(acknowledged)
            assert file.first == acknowledged + 1
    file.remove()


def test_that_a_line_torn_at_any_byte_is_passed_over(tmp_path: Path) -> None:
    file = Spool(path_in(tmp_path))
    file.append(lines(1, 3))
    file.close()
    path = path_in(tmp_path)
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        assert numbers(path) == [1, 2]


def test_that_a_worker_killed_while_it_moves_lines_loses_none_that_were_to_stay(
    tmp_path: Path,
) -> None:
    path = path_in(tmp_path)
    file = Spool(path)
    file.append(lines(1, 40))
    file.close()
    whole = path.read_bytes()
    keep_from = whole.index(b'{"n":15,') - 9
    for moved in range(0, len(whole) - keep_from, 3):
        path.write_bytes(whole[keep_from : keep_from + moved] + whole[moved:])
        got = [n for _, n, event in pending(path, 14) if isinstance(event, Batch)]
        assert got == list(range(15, 41)), moved


def test_that_only_what_the_journal_lacks_is_pending_and_gaps_are_told(tmp_path: Path) -> None:
    file = Spool(path_in(tmp_path))
    file.append(lines(5, 6) + lines(9, 9))
    file.close()
    path = path_in(tmp_path)

    def found(last: int) -> list[tuple[int, object]]:
        return [
            (n, event.count if isinstance(event, WorkerLost) else event.step)
            for _, n, event in pending(path, last)
            if isinstance(event, WorkerLost | Batch)
        ]

    assert found(2) == [(4, 2), (5, 5), (6, 6), (8, 2), (9, 9)]
    assert found(5) == [(6, 6), (8, 2), (9, 9)]
    assert found(8) == [(9, 9)]
    assert found(9) == []


@pytest.mark.parametrize(
    "rubbish",
    [
        b"\n",
        b"\x00" * 100 + b"\n",
        b'{"n":2}\n',
        b'{"n":2,"event":{"type":"batch"}}\n',
        b"x" * (3 << 20),
    ],
)
def test_that_rubbish_in_a_spool_is_passed_over(rubbish: bytes, tmp_path: Path) -> None:
    path = path_in(tmp_path)
    path.parent.mkdir()
    path.write_bytes(spool._stored(line(1)[1]) + rubbish + b"\n" + spool._stored(line(3)[1]))
    assert numbers(path) == [1, 3]


@pytest.mark.parametrize(
    "name", ["x.ndjson", "demo-1[0].a.txt", "..[0].a.ndjson", "demo[0].A.ndjson", "-x[0].a.ndjson"]
)
def test_that_files_with_other_names_are_not_taken_in(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(line(1)[1])
    with pytest.raises(ProtocolError):
        list(read(tmp_path / name))


@pytest.mark.parametrize(
    "worker",
    ["../../x[0].a", "a/b[0].c", "x", "", "a[0].b/../c", "a[00].b", "a[٣].b", "a[0].b\n", "a" * 500 + "[0].b",
     "a[99999999].b", "-o[0].b"],
)  # fmt: skip
def test_that_no_workers_name_leads_out_of_the_spool_folder(worker: str, tmp_path: Path) -> None:
    with pytest.raises(ProtocolError):
        spool.path_of(tmp_path, worker)


def test_that_a_file_which_is_already_there_is_never_written_over(tmp_path: Path) -> None:
    path = path_in(tmp_path)
    path.parent.mkdir()
    (tmp_path / "precious").write_text("precious")
    path.symlink_to(tmp_path / "precious")
    with pytest.raises(FileExistsError):
        Spool(path).append(lines(1, 1))
    assert (tmp_path / "precious").read_text() == "precious"


# ---- the backlog: memory in front of the file -----------------------------------------------------


class FullDisk:
    """``os.pwrite`` of a disk without space, until ``room`` is None."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int = 0) -> None:
        self.room: int | None = room
        self._write = os.pwrite
        monkeypatch.setattr(spool.os, "pwrite", self.write)
        monkeypatch.setattr(backlog, "RETRY", 0.0)

    def write(self, file: int, data: bytes, offset: int) -> int:
        if self.room is None:
            return self._write(file, data, offset)
        if self.room == 0:
            raise OSError(28, "No space left on device")
        written = self._write(file, data[: self.room], offset)
        self.room -= written
        return written


def make_backlog(home: Path, memory: int = 1 << 20, limit: int = 1 << 20) -> Backlog:
    return Backlog(Spool(path_in(home), limit), memory)


def fill(waiting: Backlog, count: int) -> None:
    for _ in range(count):
        waiting.add(line(waiting.last + 1)[1])


def all_after(waiting: Backlog, n: int, size: int = 700) -> list[int]:
    got: list[int] = []
    while True:
        part = waiting.after(n, size)
        if not part:
            return got
        got += [number for number, _ in part]
        n = got[-1]


def test_that_little_stays_in_memory_and_makes_no_file(tmp_path: Path) -> None:
    waiting = make_backlog(tmp_path)
    fill(waiting, 20)
    assert all_after(waiting, 0) == list(range(1, 21))
    assert all_after(waiting, 15) == [16, 17, 18, 19, 20]
    waiting.acknowledge(12)
    assert waiting.first == 13
    waiting.acknowledge(20)
    assert waiting.empty
    assert waiting.first == 21
    assert not path_in(tmp_path).exists()


def test_that_too_much_for_memory_goes_to_the_file_in_order(tmp_path: Path) -> None:
    waiting = make_backlog(tmp_path, memory=2000)
    fill(waiting, 100)
    assert waiting.on_disk
    assert all_after(waiting, 0) == list(range(1, 101))
    waiting.acknowledge(97)
    assert waiting.first == 98
    fill(waiting, 5)
    assert all_after(waiting, 97) == list(range(98, 106))
    waiting.acknowledge(105)
    assert waiting.empty
    assert not path_in(tmp_path).exists()


def test_that_closing_leaves_everything_unacknowledged_on_disk(tmp_path: Path) -> None:
    waiting = make_backlog(tmp_path)
    fill(waiting, 10)
    waiting.acknowledge(4)
    waiting.close()
    assert numbers(path_in(tmp_path)) == [5, 6, 7, 8, 9, 10]


def test_that_a_full_disk_costs_nothing_while_memory_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = make_backlog(tmp_path)
    disk = FullDisk(monkeypatch, room=500)
    fill(waiting, 10)
    waiting.spill()
    assert "cannot be written" in waiting.trouble
    fill(waiting, 10)
    waiting.spill()
    assert all_after(waiting, 0) == list(range(1, 21))
    disk.room = None
    waiting.spill()
    assert waiting.trouble == ""
    assert all_after(waiting, 0) == list(range(1, 21))
    waiting.close()
    assert numbers(path_in(tmp_path)) == list(range(1, 21))


def test_that_a_full_disk_and_full_memory_give_up_the_oldest_and_count_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = make_backlog(tmp_path, memory=5000)
    FullDisk(monkeypatch)
    fill(waiting, 200)
    got = all_after(waiting, 0)
    assert got == list(range(waiting.given_up + 1, 201))
    assert waiting.first == waiting.given_up + 1 > 1
    assert len(got) > 5
