from __future__ import annotations

import pytest

from core.errors import InvalidInput
from core.hosts import Host, in_job, parse_host, parse_hosts


@pytest.mark.parametrize(
    ("word", "host"),
    [
        ("demo-1", Host("demo-1", 1, in_job=True)),
        ("demo-1:4", Host("demo-1", 4, in_job=True)),
        ("user@node_1.lab:2", Host("user@node_1.lab", 2, in_job=True)),
    ],
)
def test_that_a_host_is_written_as_horovodrun_takes_it(word: str, host: Host) -> None:
    assert parse_host(word) == host


@pytest.mark.parametrize(
    "word",
    ["", ":1", "a:b", "a:1:2", "a b", "a:-1", "a;reboot", "-oProxyCommand=x", "a:0", "a:9999"],
)
def test_that_a_host_that_horovod_cannot_take_is_refused(word: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_host(word)
    assert refused.value.field == "hosts"


def test_that_a_host_given_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="twice"):
        parse_hosts(["a:1", "b:1", "a:2"])


def test_that_only_hosts_in_the_job_are_offered() -> None:
    assert in_job([Host("a", 2, in_job=True), Host("b", 1)]) == {"a": 2}
