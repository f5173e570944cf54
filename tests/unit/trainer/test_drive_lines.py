from __future__ import annotations

from trainer.drive.lines import LINE_LIMIT, PATIENCE, PROGRESS_PERIOD, LineAssembler


def test_that_lines_are_put_together_from_any_pieces() -> None:
    lines = LineAssembler()
    text = b"one\ntwo\r\n\nthree"
    told = [line for byte in text for line in lines.feed(bytes([byte]), 0.0)]
    assert told == ["one", "two", ""]
    assert lines.end() == ["three"]
    assert lines.end() == []


def test_that_a_progress_bar_is_told_once_a_second_and_at_its_end() -> None:
    lines = LineAssembler()
    told: list[str] = []
    for step in range(100):
        told += lines.feed(b"\r%d/100" % step, step / 16)
    told += lines.feed(b"\r100/100 done\n", 6.25)
    assert told == [
        "0/100",
        "16/100",
        "32/100",
        "48/100",
        "64/100",
        "80/100",
        "96/100",
        "100/100 done",
    ]


def test_that_a_bar_that_stands_still_is_told_once() -> None:
    lines = LineAssembler()
    assert lines.feed(b"50%\r", 0.0) == []
    assert lines.idle(PROGRESS_PERIOD) == ["50%"]
    assert lines.idle(10.0) == []
    assert lines.feed(b"\n", 11.0) == []


def test_that_the_beginning_of_a_line_is_told_when_its_end_does_not_come() -> None:
    lines = LineAssembler()
    assert lines.feed(b"password: ", 0.0) == []
    assert lines.idle(PATIENCE / 2) == []
    assert lines.idle(PATIENCE) == ["password: "]


def test_that_a_line_of_ten_megabytes_is_cut_and_says_so() -> None:
    lines = LineAssembler()
    told: list[str] = []
    for _ in range(160):
        told += lines.feed(b"x" * 65536, 0.0)
    told += lines.feed(b"\nnext\n", 0.0)
    assert told == ["x" * LINE_LIMIT + f" [cut: {160 * 65536 - LINE_LIMIT} more bytes]", "next"]


def test_that_broken_text_does_no_harm() -> None:
    assert LineAssembler().feed(b"a\xff\x00\x08\x08b\xe2\x82\n", 0.0) == ["a\ufffdb\ufffd"]
