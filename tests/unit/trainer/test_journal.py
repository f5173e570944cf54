from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from helpers.linklab import ROOT

from trainer import journal as journals
from trainer.eventcodec import record_to_wire
from trainer.events import Batch, LogRecord, Nudged, Problem, Record, Unknown
from trainer.journal import Journal, JournalFull, LogJournal, Trouble, read_log, read_records
from trainer.protocol import ProtocolError, encode

WORKERS = ["demo-1[0].a", "demo-2[1].b"]


def fill(path: Path, count: int = 6) -> list[Record]:
    journal = Journal.open(path)
    written = []
    for number in range(count):
        worker = WORKERS[number % 3] if number % 3 < 2 else ""
        written.append(journal.append(Nudged(f"{number}"), worker, number + 1 if worker else 0))
    journal.close()
    return written


class NoSpace:
    """A disk without space: ``os.write`` as it fails there, after ``room`` more bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int = 0) -> None:
        self._write = journals.os.write
        self.room: int | None = room
        monkeypatch.setattr(journals.os, "write", self.write)
        monkeypatch.setattr(journals, "RETRY", 0.0)

    def write(self, file: int, data: bytes) -> int:
        if self.room is None:
            return self._write(file, data)
        if self.room == 0:
            raise OSError(28, "No space left on device")
        written = self._write(file, data[: self.room])
        self.room -= written
        return written


def test_that_records_get_numbers_and_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    written = fill(path)
    assert [record.seq for record in written] == [1, 2, 3, 4, 5, 6]
    assert list(read_records(path)) == written
    assert list(read_records(path, 4)) == written[4:]
    assert list(read_records(path, 99)) == []


def test_that_a_journal_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    fill(path)
    journal = Journal.open(path)
    assert (journal.last, journal.skipped) == (6, 0)
    assert [journal.last_of(worker) for worker in [*WORKERS, "x[0].y"]] == [4, 5, 0]
    assert journal.append(Nudged("next")).seq == 7
    journal.close()
    assert [record.seq for record in read_records(path)] == [1, 2, 3, 4, 5, 6, 7]


def test_that_the_time_is_now_unless_it_is_given(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    before = time.time()
    assert before <= journal.append(Nudged("")).time <= time.time()
    assert journal.append(Nudged(""), time=12.5).time == 12.5
    journal.close()


def test_that_a_line_torn_at_any_byte_is_cut_off_and_its_number_given_again(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    written = fill(path)
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        journal = Journal.open(path)
        assert (journal.last, journal.skipped) == (5, 0)
        assert path.stat().st_size == start
        assert journal.append(Nudged("again")).seq == 6
        journal.close()
        assert list(read_records(path))[:5] == written[:5]


def test_that_a_file_cut_at_any_byte_at_all_opens_and_holds_its_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    written = fill(path)
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        lines = whole[:end].count(b"\n")
        journal = Journal.open(path)
        assert journal.last == lines
        assert list(journal.read(0)) == written[:lines]
        journal.close()


def test_that_a_reader_leaves_a_line_alone_that_is_not_whole_yet(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    written = fill(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert list(read_records(path)) == written[:5]
    assert path.stat().st_size == len(whole) - 1


@pytest.mark.parametrize(
    "rubbish",
    [b"", b"rubbish", b"\x00" * 5000, b"\xff\xfe", b"[]", b"{}", b'{"seq":"4","time":1,"event":{}}',
     b'{"seq":4', b'{"seq":4,"time":1,"event":{"type":"nudged"', b"x" * (3 << 20)],
    ids=lambda rubbish: repr(rubbish[:12]),
)  # fmt: skip
def test_that_a_broken_line_in_the_middle_is_skipped_and_counted(
    rubbish: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "events.ndjson"
    written = fill(path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = rubbish + b"\n"
    path.write_bytes(b"".join(lines))
    journal = Journal.open(path)
    assert (journal.last, journal.skipped) == (6, 1)
    assert list(journal.read(0)) == written[:3] + written[4:]
    assert list(journal.read(3)) == written[4:]
    assert journal.append(Nudged("next")).seq == 7
    journal.close()


def test_that_a_line_which_only_looks_right_is_passed_over_by_readers(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    written = fill(path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"reason"', b'"reason"reason"')
    path.write_bytes(b"".join(lines))
    assert list(read_records(path)) == written[:2] + written[3:]


def test_that_a_random_flip_of_bytes_never_stops_the_journal_from_opening(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    fill(path, 30)
    whole = path.read_bytes()
    chance = random.Random(7)
    for _ in range(200):
        broken = bytearray(whole)
        for _ in range(chance.randrange(1, 20)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        path.write_bytes(broken)
        journal = Journal.open(path)
        seq = journal.append(Nudged("after")).seq
        journal.close()
        assert list(read_records(path))[-1] == Record(
            seq, pytest.approx(time.time(), abs=60), Nudged("after")
        )


def test_that_text_which_looks_like_a_journals_line_does_not_mislead_it(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    journal = Journal.open(path)
    trap = '"},"worker":"demo-9[0].z","n":77}'
    journal.append(Nudged(trap))
    journal.append(Unknown("x", {"worker": "demo-9[0].z", "n": 77}))
    journal.append(Problem("a", "info", trap + "\n" + '{"seq":500,"time":1}'), WORKERS[0], 3)
    journal.close()
    again = Journal.open(path)
    assert (again.last, again.last_of("demo-9[0].z"), again.last_of(WORKERS[0])) == (3, 0, 3)
    again.close()


def test_that_every_append_is_one_whole_line_for_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    journal = Journal.open(path)
    for number in range(1, 50):
        journal.append(Nudged("x"))
        assert path.read_bytes().count(b"\n") == number
        assert path.read_bytes().endswith(b"\n")
    journal.close()


def test_that_reading_after_a_number_finds_it_in_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    journal = Journal.open(path)
    for number in range(8000):
        journal.append(Nudged("x" * (number % 400)))
    for after in [0, 1, 57, 3999, 7000, 7998, 7999, 8000, 9000]:
        assert [record.seq for record in journal.read(after)] == list(range(after + 1, 8001))
    journal.close()


def test_that_subscribers_get_every_later_record_in_order_without_asking(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    journal.append(Nudged("before"))
    got: list[Record] = []
    subscription = journal.subscribe(got.append)
    assert subscription.last == 1
    written = [journal.append(Nudged(f"{number}")) for number in range(10)]
    assert got == written
    subscription.cancel()
    subscription.cancel()
    journal.append(Nudged("after"))
    assert got == written
    journal.close()


def test_that_a_subscriber_may_append_and_others_still_see_the_order(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    first: list[int] = []
    second: list[int] = []

    def reacting(record: Record) -> None:
        first.append(record.seq)
        if record.event == Nudged("cause"):
            journal.append(Nudged("effect"))
            journal.append(Nudged("effect"))

    journal.subscribe(reacting)
    journal.subscribe(lambda record: second.append(record.seq))
    journal.append(Nudged("cause"))
    journal.append(Nudged("later"))
    assert first == second == [1, 2, 3, 4]
    assert [record.seq for record in journal.read(0)] == [1, 2, 3, 4]
    journal.close()


def test_that_a_subscriber_that_fails_is_left_out_and_hurts_nobody(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    journal = Journal.open(tmp_path / "j")
    got: list[int] = []

    def failing(record: Record) -> None:
        raise KeyError("a mistake")

    journal.subscribe(failing)
    journal.subscribe(lambda record: got.append(record.seq))
    journal.append(Nudged("a"))
    journal.append(Nudged("b"))
    assert got == [1, 2]
    assert capfd.readouterr().err.count("KeyError: ") == 1
    journal.close()


def test_that_history_and_live_records_meet_without_a_gap_or_a_repeat(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    stop = threading.Event()

    def write() -> None:
        while not stop.wait(0.0005):
            journal.append(Nudged("x"))

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        for _ in range(20):
            live: list[int] = []
            subscription = journal.subscribe(lambda record, live=live: live.append(record.seq))  # type: ignore[misc]
            seen = [r.seq for r in journal.read(0) if r.seq <= subscription.last]
            while len(live) < 5:
                time.sleep(0.001)
            subscription.cancel()
            assert seen + live == list(range(1, len(seen) + len(live) + 1))
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    journal.close()


def test_that_a_full_disk_keeps_own_events_and_refuses_those_of_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Trouble] = []
    got: list[int] = []
    path = tmp_path / "events.ndjson"
    journal = Journal.open(path, told.append)
    journal.subscribe(lambda record: got.append(record.seq))
    journal.append(Batch(WORKERS[0], 1, 1, 1, 1, {}), WORKERS[0], 1)
    disk = NoSpace(monkeypatch, room=20)
    assert journal.append(Nudged("kept")).seq == 2
    with pytest.raises(JournalFull, match="No space"):
        journal.append(Batch(WORKERS[0], 1, 2, 1, 1, {}), WORKERS[0], 2)
    assert journal.append(Nudged("kept too")).seq == 3
    assert journal.full
    assert journal.last_of(WORKERS[0]) == 1
    assert got == [1]
    assert [trouble.full for trouble in told] == [True]
    assert "Free some space" in told[0].text

    disk.room = None
    assert journal.append(Batch(WORKERS[0], 1, 2, 1, 1, {}), WORKERS[0], 2).seq == 4
    assert got == [1, 2, 3, 4]
    assert not journal.full
    assert [trouble.full for trouble in told] == [True, False]
    journal.close()
    assert [record.seq for record in read_records(path)] == [1, 2, 3, 4]
    again = Journal.open(path)
    assert again.skipped == 0
    again.close()


LINE = len(encode(record_to_wire(Record(1, 1.5, Nudged("0")))))


@pytest.mark.parametrize(
    ("limit", "most"), [("MAX_WAITING", 5), ("MAX_WAITING_BYTES", 6 * LINE - 1)]
)
def test_that_what_waits_for_the_disk_is_bounded_and_the_loss_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    told: list[Trouble] = []
    monkeypatch.setattr(journals, limit, most)
    journal = Journal.open(tmp_path / "j", told.append)
    disk = NoSpace(monkeypatch)
    for number in range(8):
        journal.append(Nudged(f"{number}"), time=1.5)
    disk.room = None
    assert journal.retry()
    assert [record.seq for record in journal.read(0)] == [4, 5, 6, 7, 8]
    assert told[-1] == Trouble(False, told[-1].text, given_up=3)
    journal.close()


def test_that_the_owner_may_append_when_it_is_told_of_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal.open(
        tmp_path / "j", lambda t: journal.append(Problem("disk", "error", t.text))
    )
    disk = NoSpace(monkeypatch)
    journal.append(Nudged("first"))
    disk.room = None
    journal.append(Nudged("second"))
    seqs = [record.seq for record in journal.read(0)]
    assert seqs == [1, 2, 3, 4]
    journal.close()


def test_that_a_torn_line_which_cannot_be_cut_off_is_closed_by_a_newline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal.open(tmp_path / "j")
    journal.append(Nudged("good"))

    def refuse(file: int, size: int) -> None:
        raise OSError(5, "Input/output error")

    disk = NoSpace(monkeypatch, room=10)
    monkeypatch.setattr(journals.os, "ftruncate", refuse)
    journal.append(Nudged("waits"))
    disk.room = None
    journal.append(Nudged("after"))
    journal.close()
    assert [record.seq for record in read_records(tmp_path / "j")] == [1, 2, 3]
    again = Journal.open(tmp_path / "j")
    assert (again.last, again.skipped) == (3, 1)
    again.close()


def test_that_a_real_limit_of_the_system_is_met_like_a_full_disk(tmp_path: Path) -> None:
    program = """
import resource, sys
from pathlib import Path
from trainer import journal
from trainer.events import Nudged
path = Path(sys.argv[1])
j = journal.Journal.open(path)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
for number in range(100):
    j.append(Nudged("x" * 10))
assert j.full
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
j.close()
print([r.seq for r in journal.read_records(path)] == list(range(1, 101)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "j")],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("True", "")


def test_that_a_closed_journal_takes_nothing(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    journal.close()
    journal.close()
    with pytest.raises(JournalFull, match="closed"):
        journal.append(Nudged("x"))


def test_that_an_event_too_long_for_a_line_is_refused_and_costs_no_number(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j")
    with pytest.raises(ProtocolError, match="over the limit"):
        journal.append(Nudged("x" * (1 << 20)))
    assert journal.append(Nudged("x")).seq == 1
    journal.close()


def test_that_a_journal_which_cannot_be_written_says_so_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Journal.open(tmp_path / "nowhere" / "j")
    with pytest.raises(IsADirectoryError):
        Journal.open(tmp_path)


def test_that_lines_of_output_have_a_journal_of_the_same_kind(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    journal = LogJournal.open(path)
    got: list[LogRecord] = []
    journal.subscribe(got.append)
    trap = '{"log":99,"time":1}\n","worker":"x","n":3}'
    written = [
        journal.append("demo-1", 0, 1, "stdout", "에포크 1/3"),
        journal.append("", -1, -1, "stderr", trap, "demo-1[0].a", 2.5),
    ]
    journal.close()
    assert got == written == list(read_log(path))
    with path.open("ab") as file:
        file.write(b'{"log":3,"ti')
    again = LogJournal.open(path)
    assert (again.last, again.skipped) == (2, 0)
    assert again.append("demo-1", 0, 1, "stdout", "").log == 3
    assert next(iter(again.read(1))) == written[1]
    again.close()


def test_that_a_million_records_open_within_seconds(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    metrics = {"loss": 0.123456789, "accuracy": 0.987654321}
    event = {"type": "batch", "worker": WORKERS[0], "wall": 1.7e9, "step": 1, "epoch": 0.5, "size": 2,
             "metrics": metrics, "lr": 0.001, "samples": 1, "step_time": 0.01}  # fmt: skip
    text = json.dumps(event, separators=(",", ":"))
    count = 1_000_000
    with path.open("w") as file:
        for n in range(1, count + 1):
            file.write(
                f'{{"seq":{n},"time":1.5,"event":{text},"worker":"{WORKERS[n % 2]}","n":{n}}}\n'
            )
    begin = time.perf_counter()
    journal = Journal.open(path)
    seconds = time.perf_counter() - begin
    assert (journal.last, journal.skipped) == (count, 0)
    assert sorted(journal.last_of(worker) for worker in WORKERS) == [count - 1, count]
    begin = time.perf_counter()
    assert [record.seq for record in journal.read(count - 3)] == [count - 2, count - 1, count]
    assert time.perf_counter() - begin < 1
    journal.close()
    print(f"opened {path.stat().st_size >> 20} MiB in {seconds:.2f} s")
    assert seconds < 15
