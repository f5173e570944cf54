"""The wheel cache and its lock; the recipe's key and marker."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from trainer.provisioning.errors import ProvisionError
from trainer.provisioning.recipe import Recipe, corrections_for
from trainer.provisioning.wheelcache import WheelCache, default_folder

ROOT = Path(__file__).parents[3]


def recipe(**changes: str) -> Recipe:
    tensorflow = changes.get("tensorflow", "2.21.0")
    base = Recipe(tensorflow, "cp311", "linux_x86_64", "gloo", corrections_for(tensorflow, False))
    return base._replace(**changes)  # type: ignore[arg-type]


def wheel(folder: Path, marker: object) -> Path:
    path = folder / "horovod-0.28.1-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("horovod/maypole.json", json.dumps(marker))
    return path


@pytest.fixture
def cache(tmp_path: Path) -> WheelCache:
    cache = WheelCache(tmp_path / "a" / "wheels")
    cache.prepare()
    return cache


@pytest.mark.parametrize(
    "changes",
    [
        {"tensorflow": "2.20.0"},
        {"python_tag": "cp312"},
        {"platform": "linux_aarch64"},
        {"operations": "nccl"},
    ],
)
def test_that_each_thing_a_wheel_depends_on_makes_another_key(changes: dict[str, str]) -> None:
    assert recipe(**changes).key != recipe().key
    assert recipe(**changes).marker() != recipe().marker()


def test_that_a_stock_build_has_another_key() -> None:
    stock = recipe()._replace(corrections=corrections_for("2.21.0", True))
    assert stock.key != recipe().key
    assert stock.marker()["corrections"] == []


def test_that_a_key_is_a_plain_file_name() -> None:
    assert "/" not in recipe(tensorflow="2.22.0-dev/../x").key


def test_that_a_stored_wheel_is_found_again(cache: WheelCache, tmp_path: Path) -> None:
    stored = cache.store("key", wheel(tmp_path, {"a": 1}))
    assert cache.find("key", {"a": 1}) == stored
    assert cache.find("other", {"a": 1}) is None
    assert [path.name for path in stored.parent.iterdir()] == [stored.name]


def test_that_a_wheel_with_another_marker_is_not_taken(cache: WheelCache, tmp_path: Path) -> None:
    cache.store("key", wheel(tmp_path, {"a": 1}))
    assert cache.find("key", {"a": 2}) is None


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"<html>"])
def test_that_a_broken_wheel_is_not_taken(
    cache: WheelCache, tmp_path: Path, content: bytes
) -> None:
    stored = cache.store("key", wheel(tmp_path, {"a": 1}))
    stored.write_bytes(content)
    assert cache.find("key", {"a": 1}) is None


def test_that_the_cache_is_the_owners_alone(cache: WheelCache) -> None:
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700


def test_that_a_cache_that_cannot_be_written_says_which_option_helps(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ProvisionError, match="--cache"):
        WheelCache(tmp_path / "file" / "wheels").prepare()


def test_that_the_cache_lies_where_the_desktop_keeps_caches() -> None:
    assert default_folder({"XDG_CACHE_HOME": "/c"}) == Path("/c/maypole/wheels")
    assert default_folder({}).parts[-3:] == (".cache", "maypole", "wheels")


HOLDER = """
import sys
from pathlib import Path
from trainer.provisioning.wheelcache import WheelCache
with WheelCache(Path(sys.argv[1])).locked(print):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_that_a_second_provision_waits_for_the_first(cache: WheelCache) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(cache.folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with first:
        assert first.stdin is not None and first.stdout is not None
        assert first.stdout.readline() == "held\n"
        waiting, entered = threading.Event(), threading.Event()

        def second() -> None:
            with cache.locked(lambda _line: waiting.set()):
                entered.set()

        thread = threading.Thread(target=second, name="second-provision")
        thread.start()
        assert waiting.wait(10)
        assert not entered.is_set()
        first.stdin.write("\n")
        first.stdin.flush()
        assert entered.wait(10)
        thread.join(10)


def test_that_a_killed_provision_leaves_no_lock(cache: WheelCache) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(cache.folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"held\n"
        first.kill()
    said: list[str] = []
    with cache.locked(said.append):
        assert said == []
