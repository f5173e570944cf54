from __future__ import annotations

import random
from pathlib import Path

import pytest

from trainer import tail as tails
from trainer.tail import CUT, MAX_LINE, Tail


def add(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_that_lines_come_once_each_and_only_when_they_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "log"
    tail = Tail(path)
    assert tail.read() == []
    add(path, b"one\ntw")
    assert tail.read() == ["one"]
    assert tail.read() == []
    add(path, b"o\n\nthree\r\nfo")
    assert tail.read() == ["two", "", "three"]
    assert tail.flush() == ["fo"]
    assert tail.flush() == []
    assert tail.offset == path.stat().st_size


def test_that_another_tail_goes_on_at_the_offset_at_any_moment(tmp_path: Path) -> None:
    chance = random.Random(3)
    path = tmp_path / "log"
    text = "".join(
        f"{number} zeile ü {'x' * chance.randrange(30)}\n" for number in range(200)
    ).encode()
    tail, got, at = Tail(path), [], 0
    while at < len(text):
        step = chance.randrange(1, 40)
        add(path, text[at : at + step])
        at += step
        got += tail.read()
        if chance.random() < 0.5:
            tail = Tail(path, tail.offset)
    assert got == text.decode().splitlines()


def test_that_a_line_beyond_the_limit_is_cut_marked_and_ends_where_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "log"
    tail = Tail(path)
    for _ in range(5):
        add(path, b"x" * (MAX_LINE // 2))
        assert tail.read() == []
    assert tail.offset == 0
    add(path, b"yz\nnext\n")
    assert tail.read() == ["x" * MAX_LINE + CUT, "next"]
    assert tail.offset == path.stat().st_size


@pytest.mark.parametrize(
    ("length", "cut"), [(MAX_LINE - 1, False), (MAX_LINE, False), (MAX_LINE + 1, True)]
)
@pytest.mark.parametrize("split", [0, 1, 10, MAX_LINE - 1])
def test_that_the_limit_is_exact_however_the_line_arrives(
    length: int, cut: bool, split: int, tmp_path: Path
) -> None:
    path = tmp_path / "log"
    tail = Tail(path)
    add(path, b"x" * split)
    tail.read()
    add(path, b"x" * (length - split) + b"\n")
    assert tail.read() == ["x" * min(length, MAX_LINE) + (CUT if cut else "")]
    assert tail.offset == length + 1


def test_that_memory_stays_small_for_a_line_that_never_ends(tmp_path: Path) -> None:
    path = tmp_path / "log"
    tail = Tail(path)
    for _ in range(20):
        add(path, b"x" * 100000)
        assert tail.read() == []
        assert len(tail._rest) <= MAX_LINE + 1
    assert tail.flush() == ["x" * MAX_LINE + CUT]
    assert tail.offset == 2000000


def test_that_bytes_which_are_no_text_are_shown_as_such(tmp_path: Path) -> None:
    path = tmp_path / "log"
    add(path, b"\xff\xfeab\x00\n" + "한".encode()[:2])
    tail = Tail(path)
    assert tail.read() == ["��ab\x00"]
    add(path, "한".encode()[2:] + b"\n")
    assert tail.read() == ["한"]


def test_that_a_file_begun_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "log"
    add(path, b"old line\nhalf")
    tail = Tail(path)
    assert tail.read() == ["old line"]
    path.write_bytes(b"new\n")
    assert tail.read() == ["new"]
    path.unlink()
    assert tail.read() == []


def test_that_a_huge_file_is_taken_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails, "MAX_READ", 1000)
    path = tmp_path / "log"
    add(path, b"".join(b"line %d\n" % number for number in range(1000)))
    tail, got = Tail(path), []
    while True:
        lines = tail.read()
        if not lines:
            break
        assert sum(map(len, lines)) <= 1000
        got += lines
    assert got == [f"line {number}" for number in range(1000)]


def test_that_a_folder_in_the_files_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        Tail(tmp_path).read()
