from __future__ import annotations

import dataclasses
import os
import subprocess
import threading
from pathlib import Path

import pytest

from trainer import rundir
from trainer.launchspec import LaunchSpec
from trainer.rundir import RunDir, discovery_text, parse_discovery, read_json, write_atomically

SPEC = LaunchSpec("n", "/usr/bin/python3", "/w", "s.py", {"demo-1": 1})
HOSTS = [
    {"demo-1": 1},
    {"demo-1": 1, "demo-2": 8, "user@10.0.0.3": 2},
    {"a.b-c_d": 1024},
]


def printed(text: str, tmp_path: Path) -> tuple[int, list[str]]:
    """What a real shell makes of a discovery script."""
    script = tmp_path / "discover_hosts.sh"
    write_atomically(script, text, 0o755)
    done = subprocess.run([str(script)], capture_output=True, text=True, check=False, timeout=10)
    return done.returncode, done.stdout.split()


@pytest.mark.parametrize("hosts", HOSTS)
def test_that_the_script_prints_its_hosts_and_can_be_read_back(
    hosts: dict[str, int], tmp_path: Path
) -> None:
    text = discovery_text(hosts)
    assert printed(text, tmp_path) == (
        0,
        sorted(f"{host}:{slots}" for host, slots in hosts.items()),
    )
    assert parse_discovery(text) == hosts


def test_that_a_script_without_hosts_fails_instead_of_printing_nothing(tmp_path: Path) -> None:
    assert printed(discovery_text({}), tmp_path) == (1, [])
    assert parse_discovery(discovery_text({})) == {}


def test_that_a_nudge_changes_what_is_printed_but_not_the_hosts(tmp_path: Path) -> None:
    text = discovery_text({"demo-1": 1}, nudge=True)
    assert printed(text, tmp_path) == (0, ["demo-1:1", "nudge:0"])
    assert parse_discovery(text) == {"demo-1": 1}


@pytest.mark.parametrize(
    "name", ["$(touch owned)", "a; touch owned", "`touch owned`", "a'b\"c", "a && b"]
)
def test_that_no_name_is_ever_run_by_the_shell(name: str, tmp_path: Path) -> None:
    script = tmp_path / "d.sh"
    write_atomically(script, discovery_text({name: 1}), 0o755)
    done = subprocess.run([str(script)], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout == f"{name}:1\n"
    assert [path.name for path in tmp_path.iterdir()] == ["d.sh"]


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("", {}),
        (
            "#!/bin/sh\n\n  echo demo-1:2  \n\techo 'demo-2:1'\n# echo demo-3:1\n",
            {"demo-1": 2, "demo-2": 1},
        ),
        ('echo "demo-1:4"', {"demo-1": 4}),
        ("echo a:1\necho a:3\n", {"a": 3}),
        ("echo a:1\r\necho b:2\r\n", {"a": 1, "b": 2}),
    ],
)
def test_that_hand_edits_in_the_same_form_are_understood(text: str, hosts: dict[str, int]) -> None:
    assert parse_discovery(text) == hosts


@pytest.mark.parametrize(
    "line",
    ["echo demo-1", "echo demo-1:", "echo demo-1:x", "echo demo-1:-1", "echo :1", "cat hosts", "echo a:1 b:1",
     "echo a:1; rm -rf x", "printf a:1", "echo 'a:1", "echo", "exit 0", "echo a:1.5", "echo a:²"],
)  # fmt: skip
def test_that_a_line_in_another_form_is_shown_to_the_person(line: str) -> None:
    with pytest.raises(ValueError, match="write it as echo"):
        parse_discovery(f"#!/bin/sh\necho good:1\n{line}\n")


def test_that_names_inside_the_run_directory_are_all_different() -> None:
    run = RunDir(Path("/r"))
    names = [
        getattr(run, name) for name, item in vars(RunDir).items() if isinstance(item, property)
    ]
    assert len(set(names)) == len(names) > 10
    assert all(path.parent == Path("/r") for path in names)
    assert run.log_of("demo-1", 0, "a1") == Path("/r/logs/demo-1/0.a1.log")


def test_that_the_settings_come_back_from_the_run_directory(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    run.write_spec(dataclasses.replace(SPEC, script_args=("한",)))
    assert run.read_spec() == dataclasses.replace(SPEC, script_args=("한",))


def test_that_a_secret_file_is_readable_by_its_owner_only_and_from_the_first_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    replace = os.replace

    def watching(source: str, target: str) -> None:
        seen.append(Path(source).stat().st_mode & 0o777)
        replace(source, target)

    monkeypatch.setattr(rundir.os, "replace", watching)
    old = os.umask(0)
    try:
        write_atomically(tmp_path / "token", "secret", 0o600)
    finally:
        os.umask(old)
    assert seen == [0o600]
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600


def test_that_readers_see_the_old_or_the_new_text_and_never_a_part(tmp_path: Path) -> None:
    path = tmp_path / "status.json"
    texts = {"a" * 200000, "b" * 100000}
    write_atomically(path, "a" * 200000)
    writing = threading.Event()

    def write() -> None:
        for _ in range(50):
            for text in sorted(texts):
                write_atomically(path, text)
        writing.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not writing.is_set():
        assert path.read_text() in texts
    writer.join()
    assert [item.name for item in tmp_path.iterdir()] == ["status.json"]


def test_that_a_failed_write_leaves_the_old_text_and_no_rubbish(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \ud800")
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["run.json"]
    with pytest.raises(OSError, match="no-such"):
        write_atomically(tmp_path / "no-such" / "file", "x")


@pytest.mark.parametrize("text", [None, "", "{", "[]", "3", "null", '{"a": 1'])
def test_that_what_is_not_yet_an_object_reads_as_nothing(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "link.json"
    if text is not None:
        path.write_text(text)
    assert read_json(path) is None


def test_that_bytes_which_are_no_text_read_as_nothing(tmp_path: Path) -> None:
    (tmp_path / "link.json").write_bytes(b"\xff\xfe{}")
    assert read_json(tmp_path / "link.json") is None


def test_that_an_object_is_read(tmp_path: Path) -> None:
    write_atomically(tmp_path / "link.json", '{"host": "127.0.0.1", "port": 1}')
    assert read_json(tmp_path / "link.json") == {"host": "127.0.0.1", "port": 1}
