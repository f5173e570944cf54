from __future__ import annotations

import dataclasses
import json
import shlex
from typing import Any

import pytest

from trainer.launchspec import (
    GLOO_TIMEOUT_CORRECTED,
    GLOO_TIMEOUT_STOCK,
    LaunchSpec,
    SpecError,
    from_fields,
    from_json,
    gloo_timeout,
    horovodrun_args,
    horovodrun_argv,
    hosts_problems,
    problems,
    to_json,
    work_argv,
)

GOOD = LaunchSpec(
    name="digits",
    python="/usr/bin/python3",
    workdir="/srv/train",
    script="train.py",
    hosts={"demo-1": 1, "demo-2": 2},
)
FULL = dataclasses.replace(
    GOOD,
    script_args=("--epochs", "3", "a b"),
    np=2,
    min_np=1,
    max_np=4,
    network_interface="eth0",
    ssh_port=2222,
    ssh_identity="/home/u/.ssh/id",
    reset_limit=9,
    gloo_timeout=33,
    env={"SEED": "1"},
    extra_args=("--verbose",),
    driver="stock",
    rehearsal=True,
    run_id="r1",
    created=12.5,
)


@pytest.mark.parametrize("spec", [GOOD, FULL])
def test_that_settings_come_back_from_json_as_they_were(spec: LaunchSpec) -> None:
    assert problems(spec) == []
    assert from_json(to_json(spec)) == spec
    assert spec.slots() == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("python", "python3"), ("python", ""), ("script", ""), ("workdir", "train"),
        ("workdir", "/a b"), ("workdir", "/a;rm"), ("workdir", "/a$HOME"), ("workdir", "/a'"),
        ("np", -1), ("min_np", 0), ("min_np", 5), ("max_np", 0), ("elastic_timeout", 0), ("gloo_timeout", 0),
        ("reset_limit", 0), ("blacklist_cooldown", (0, 5)), ("blacklist_cooldown", (5, 4)),
        ("blacklist_cooldown", (1, 3601)), ("network_interface", "eth0,eth1"), ("network_interface", "a b"),
        ("ssh_port", 0), ("ssh_port", 65536), ("ssh_identity", "/my key"), ("driver", "mpi"),
        ("env", {"1A": "x"}), ("env", {"A=B": "x"}), ("env", {"": "x"}), ("extra_args", ("--min-np", "1")),
        ("extra_args", ("--min-np=1",)), ("extra_args", ("-H", "a:1")), ("hosts", {}), ("hosts", {"a b": 1}),
        ("extra_args", ("--min-n=1",)), ("extra_args", ("-Ha:1",)), ("hosts", {"nudge": 1}),
        ("hosts", {"-oProxyCommand=x": 1}), ("hosts", {"a": 0}), ("hosts", {"a": 1025}), ("hosts", {"a": -1}),
    ],
)  # fmt: skip
def test_that_a_bad_setting_gets_a_sentence_at_its_field(field: str, value: Any) -> None:
    found = problems(dataclasses.replace(GOOD, **{field: value}))
    assert field in {problem.field for problem in found} <= {field, "min_np"}
    assert found[0].text.endswith(".")
    assert str(found[0]) == found[0].text


def test_that_all_problems_are_told_at_once() -> None:
    spec = dataclasses.replace(GOOD, python="", script="", hosts={})
    assert {problem.field for problem in problems(spec)} == {"python", "script", "hosts"}


def test_that_np_above_the_initial_slots_is_allowed_because_hosts_may_come_later() -> None:
    assert problems(dataclasses.replace(GOOD, np=8)) == []


def test_that_every_bad_host_is_named() -> None:
    texts = [problem.text for problem in hosts_problems({"good": 1, "bad one": 1, "worse": 0})]
    assert len(texts) == 2
    assert "bad one" in texts[0]
    assert "worse" in texts[1]


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "{}", '{"format": 2}', '{"format": null}'])
def test_that_text_which_is_no_settings_is_refused(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        from_json(text)
    assert caught.value.text


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 3), ("python", None), ("np", "2"), ("np", True), ("np", 2.5), ("max_np", "4"),
        ("script_args", "a b"), ("script_args", [1]), ("extra_args", {"a": 1}), ("blacklist_cooldown", [1]),
        ("blacklist_cooldown", [1, 2, 3]), ("blacklist_cooldown", ["1", "2"]), ("hosts", ["a"]),
        ("hosts", {"a": "1"}), ("hosts", {"a": True}), ("env", {"A": 1}), ("rehearsal", 1),
        ("rehearsal", "no"), ("created", "now"), ("unheard_of", 1),
    ],
)  # fmt: skip
def test_that_a_setting_of_the_wrong_type_is_named(field: str, value: Any) -> None:
    fields = {**json.loads(to_json(GOOD)), field: value}
    del fields["format"]
    with pytest.raises(SpecError) as caught:
        from_fields(fields)
    assert caught.value.field == field
    assert caught.value.text.endswith(".")


def test_that_a_missing_setting_is_named() -> None:
    fields = json.loads(to_json(GOOD))
    del fields["format"], fields["script"]
    with pytest.raises(SpecError, match="script"):
        from_fields(fields)


def test_that_lists_from_json_become_tuples() -> None:
    spec = from_json(to_json(FULL))
    assert isinstance(spec.script_args, tuple)
    assert isinstance(spec.blacklist_cooldown, tuple)
    assert isinstance(spec.created, float)


def test_that_the_shown_line_is_one_that_a_person_could_type() -> None:
    argv = horovodrun_argv(GOOD, "/r/discover_hosts.sh", ["python3", "train.py"])
    assert shlex.join(argv) == (
        "horovodrun -np 1 --min-np 1 --host-discovery-script /r/discover_hosts.sh --elastic-timeout 600 "
        "--start-timeout 120 --gloo-timeout-seconds 120 --blacklist-cooldown-range 10 120 "
        "--log-level INFO python3 train.py"
    )


def test_that_every_setting_reaches_horovodrun() -> None:
    args = horovodrun_args(FULL, "/r/discover hosts.sh")
    assert args == [
        "-p", "2222", "-i", "/home/u/.ssh/id", "--network-interface", "eth0", "-np", "2", "--min-np", "1",
        "--max-np", "4", "--host-discovery-script", "'/r/discover hosts.sh'", "--elastic-timeout", "600",
        "--start-timeout", "120", "--gloo-timeout-seconds", "33", "--blacklist-cooldown-range", "10", "120",
        "--reset-limit", "9", "--log-level", "INFO", "--verbose",
    ]  # fmt: skip


def test_that_the_gloo_timeout_follows_the_build_unless_it_is_given() -> None:
    assert gloo_timeout(GOOD, soft_init=True) == GLOO_TIMEOUT_CORRECTED
    assert gloo_timeout(GOOD, soft_init=False) == GLOO_TIMEOUT_STOCK
    assert gloo_timeout(FULL, soft_init=False) == 33
    assert str(GLOO_TIMEOUT_STOCK) in horovodrun_args(GOOD, "/d", soft_init=False)


def test_that_the_workers_command_ends_with_the_script_and_its_own_words() -> None:
    assert work_argv(FULL, "/b/maypole.pyz", "/r") == [
        "/usr/bin/python3", "/b/maypole.pyz", "work", "--home", "/r", "--",
        "train.py", "--epochs", "3", "a b",
    ]  # fmt: skip


def test_that_no_secret_is_in_any_command_line() -> None:
    words = horovodrun_argv(FULL, "/d", work_argv(FULL, "/b", "/r"))
    assert not any("token" in word for word in words)
