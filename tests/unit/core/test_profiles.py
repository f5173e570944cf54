from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from core.bundle import build
from core.errors import InvalidInput
from core.home import Home
from core.hosts import Host
from core.launch import preview
from core.profilefile import builtin
from core.profiles import Driver, Profile, problems, to_spec

HOME = Home("/var/maypole")
BUNDLE = build()
GOOD = Profile(
    name="mine",
    python="/opt/tf/bin/python",
    workdir="/data/job",
    script="train.py",
    script_args=("--epochs", "3"),
    np=2,
    max_np=4,
    env={"A": "b c"},
    hosts=(Host("n1", 2, in_job=True), Host("n2", 4)),
)


def fields(profile: Profile) -> list[str]:
    return [problem.field for problem in problems(profile, HOME, BUNDLE)]


def test_that_a_profile_becomes_what_the_supervisor_gets() -> None:
    spec = to_spec(GOOD, HOME, BUNDLE)
    assert spec.hosts == {"n1": 2}
    assert (spec.python, spec.workdir, spec.script) == (
        "/opt/tf/bin/python",
        "/data/job",
        "train.py",
    )
    assert (spec.np, spec.min_np, spec.max_np, spec.env) == (2, 1, 4, {"A": "b c"})


def test_that_the_rehearsal_can_be_started_as_it_is() -> None:
    rehearsal = builtin("rehearsal")
    assert problems(rehearsal, HOME, BUNDLE) == []
    spec = to_spec(rehearsal, HOME, BUNDLE)
    assert spec.hosts == {"demo-1": 1, "demo-2": 1}
    assert [host.name for host in rehearsal.hosts] == ["demo-1", "demo-2", "demo-3", "demo-4"]
    assert (spec.python, spec.workdir, spec.rehearsal) == (
        sys.executable,
        "/var/maypole/work",
        True,
    )


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"script": ""}, "script"),
        ({"script": "maypole:nothing"}, "script"),
        ({"python": "python3"}, "python"),
        ({"workdir": "job"}, "workdir"),
        ({"workdir": ""}, "workdir"),
        ({"min_np": 3}, "min_np"),
        ({"max_np": 1}, "max_np"),
        ({"np": 0}, "np"),
        ({"hosts": (Host("n1"),)}, "hosts"),
        ({"hosts": (Host("n1", in_job=True), Host("n1"))}, "hosts"),
        ({"network_interface": "eth0,eth1"}, "network_interface"),
        ({"ssh_port": 70000}, "ssh_port"),
        ({"reset_limit": 0}, "reset_limit"),
        ({"blacklist_cooldown": (20, 10)}, "blacklist_cooldown"),
        ({"env": {"A B": "1"}}, "env"),
        ({"extra_args": ("--min-np", "3")}, "extra_args"),
        ({"elastic_timeout": 0}, "elastic_timeout"),
        ({"gloo_timeout": 0}, "gloo_timeout"),
    ],
)
def test_that_what_is_wrong_is_told_beside_its_field(change: dict[str, object], field: str) -> None:
    bad = replace(GOOD, **change)  # type: ignore[arg-type]
    assert field in fields(bad)
    with pytest.raises(InvalidInput):
        to_spec(bad, HOME, BUNDLE)


def test_that_an_empty_working_directory_is_the_folder_of_the_script() -> None:
    spec = to_spec(replace(GOOD, workdir="", script="/data/job/train.py"), HOME, BUNDLE)
    assert spec.workdir == "/data/job"


def test_that_the_preview_is_the_line_that_horovodrun_would_get() -> None:
    spec = to_spec(replace(GOOD, script_args=("--name", "it's me")), HOME, BUNDLE)
    seen = preview(spec, HOME, BUNDLE)
    assert seen.command.startswith(
        "horovodrun -np 2 --min-np 1 --max-np 4 "
        "--host-discovery-script /var/maypole/runs/NEW-RUN/discover_hosts.sh "
    )
    assert seen.command.endswith(
        f"/opt/tf/bin/python /var/maypole/bundles/{BUNDLE.name} work "
        "--home /var/maypole/runs/NEW-RUN -- train.py --name 'it'\"'\"'s me'"
    )
    assert "echo n1:2\n" in seen.script
    assert seen.environment == ("A='b c'",)


def test_that_the_preview_of_a_started_run_names_its_folder() -> None:
    spec = replace(to_spec(replace(GOOD, driver=Driver.STOCK), HOME, BUNDLE), run_id="r7")
    assert "/var/maypole/runs/r7/discover_hosts.sh" in preview(spec, HOME, BUNDLE).command
