from __future__ import annotations

from trainer.driverlog import TEXT_LIMIT, LogLine, LogSplitter

STOCK = """\
INFO:root:wait for available slots: 2
INFO:root:reset workers: 2
INFO:root:start worker process: localhost[0]
INFO:root:start worker process: 127.0.0.1[0]
[1]<stderr>:2026-11-30 20:07:05.123: I horovod/common/operations.cc:690] Started Horovod
[0]<stdout>:maypole-worker localhost[0].1f3d pid 4711
INFO:root:_get_rank_and_size: localhost 0
INFO:root:reset workers: 2
INFO:root:start worker process: demo-3[0]
[1]<stdout>:hello from the newcomer
""".splitlines()


def test_that_drives_prefix_names_host_slot_and_launch_rank() -> None:
    line = LogSplitter().feed("[root@demo-1.lan[3]#12]<stderr>:[1]<stdout>: not a prefix")
    assert line == LogLine("root@demo-1.lan", 3, 12, "stderr", "[1]<stdout>: not a prefix")


def test_that_a_worker_names_itself_for_both_of_its_streams() -> None:
    log = LogSplitter()
    assert log.feed("[demo-1[0]#0]<stderr>:early").worker == ""
    hello = log.feed("[demo-1[0]#0]<stdout>:maypole-worker demo-1[0].k3x9 pid 812")
    assert hello.worker == "demo-1[0].k3x9"
    assert log.feed("[demo-1[0]#0]<stderr>:later").worker == "demo-1[0].k3x9"
    assert log.feed("[demo-2[0]#1]<stdout>:other").worker == ""
    log.feed("INFO:root:start worker process: demo-1[0]")
    assert log.feed("[demo-1[0]#2]<stdout>:again").worker == ""


def test_that_a_worker_cannot_name_itself_after_another() -> None:
    log = LogSplitter()
    log.feed("[demo-1[0]#0]<stdout>:maypole-worker demo-2[0].k3x9 pid 812")
    assert log.feed("[demo-1[0]#0]<stdout>:x").worker == ""


def test_that_stock_ranks_are_found_in_the_log() -> None:
    log = LogSplitter()
    lines = [log.feed(line) for line in STOCK]
    assert lines[0] == LogLine("", -1, -1, "driver", "wait for available slots: 2")
    assert (lines[4].host, lines[4].slot, lines[4].launch_rank) == ("127.0.0.1", 0, 1)
    assert (lines[5].host, lines[5].worker) == ("localhost", "localhost[0].1f3d")
    assert (lines[9].host, lines[9].text) == ("demo-3", "hello from the newcomer")


def test_that_the_driver_speaks_without_the_prefix_of_pythons_logging() -> None:
    log = LogSplitter()
    assert log.feed("INFO:root:all 2 workers recorded").text == "all 2 workers recorded"
    assert log.feed("WARNING:root:refused it").text == "WARNING: refused it"
    assert log.feed("[0]<stderr>:INFO:root:of the script").text == "INFO:root:of the script"


def test_that_a_hello_corrects_a_wrong_guess() -> None:
    log = LogSplitter()
    assert log.feed("[4]<stdout>:who am I").host == ""
    hello = log.feed("[4]<stdout>:maypole-worker demo-9[1].zz pid 5")
    assert (hello.host, hello.slot, hello.worker) == ("demo-9", 1, "demo-9[1].zz")
    assert log.feed("[4]<stderr>:now I know").worker == "demo-9[1].zz"


def test_that_stamps_bars_and_endless_lines_are_understood() -> None:
    log = LogSplitter()
    stamped = log.feed("Sat Nov 30 20:07:05 2026[0]<stdout>:text")
    assert (stamped.launch_rank, stamped.text) == (0, "text")
    assert log.feed("[0]<stdout>:1/9\r[0]<stdout>:9/9\r").text == "9/9"
    endless = log.feed("[0]<stdout>:" + "x" * (TEXT_LIMIT + 5)).text
    assert endless == "x" * TEXT_LIMIT + " [cut: 5 more characters]"
    assert log.feed("Process 0 exit with status code 134.").stream == "driver"
