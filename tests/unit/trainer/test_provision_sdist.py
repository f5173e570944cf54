"""The source archive: only the published one is taken, and it stays in its folder."""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
from pathlib import Path

import pytest

from trainer.provisioning import sdist
from trainer.provisioning.errors import NoSource


def archive(path: Path, *entries: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for entry in entries:
            tar.addfile(entry, io.BytesIO(b"x" * entry.size))
    return path


def entry(name: str, size: int = 1, mode: int = 0o644) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, mode
    return info


def test_that_an_archive_that_is_not_the_published_one_is_refused(tmp_path: Path) -> None:
    other = archive(tmp_path / sdist.NAME, entry("horovod-0.28.1/setup.py"))
    with pytest.raises(NoSource, match=r"not Horovod 0\.28\.1 as published.*--sdist"):
        sdist.obtain(sys.executable, tmp_path, other)


def test_that_a_missing_archive_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoSource, match=r"nowhere\.tar\.gz' cannot be read"):
        sdist.obtain(sys.executable, tmp_path, tmp_path / "nowhere.tar.gz")


def test_that_a_kept_archive_is_used_without_a_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = archive(tmp_path / sdist.NAME, entry("horovod-0.28.1/setup.py"))
    monkeypatch.setattr(sdist, "SHA256", hashlib.sha256(kept.read_bytes()).hexdigest())
    assert sdist.obtain("/no/python", tmp_path, None) == kept


def test_that_a_failed_download_says_what_pip_said_and_what_to_do(tmp_path: Path) -> None:
    pip = tmp_path / "python"
    pip.write_text("#!/bin/sh\necho 'ERROR: No matching distribution found'\nexit 1\n")
    pip.chmod(0o755)
    with pytest.raises(NoSource, match=r"No matching distribution.*--sdist"):
        sdist.obtain(str(pip), tmp_path, None)
    assert [path.name for path in tmp_path.iterdir()] == ["python"]


def test_that_no_index_is_named_on_the_command_line() -> None:
    command = " ".join(sdist.download_command("python", Path("there")))
    assert "index" not in command
    assert "://" not in command


def test_that_an_archive_is_unpacked_with_its_executables(tmp_path: Path) -> None:
    source = archive(
        tmp_path / "a.tar.gz",
        entry("horovod-0.28.1/setup.py"),
        entry("horovod-0.28.1/run.sh", mode=0o755),
    )
    (tmp_path / "out").mkdir()
    tree = sdist.unpack(source, tmp_path / "out")
    assert tree == tmp_path / "out" / "horovod-0.28.1"
    assert (tree / "setup.py").read_text() == "x"
    assert (tree / "run.sh").stat().st_mode & 0o111


@pytest.mark.parametrize("name", ["../outside", "/outside", "a/../../outside"])
def test_that_an_entry_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    source = archive(tmp_path / "a.tar.gz", entry(name))
    (tmp_path / "out").mkdir()
    with pytest.raises(NoSource, match="unexpected entry"):
        sdist.unpack(source, tmp_path / "out")


def test_that_a_link_is_refused(tmp_path: Path) -> None:
    link = entry("link", size=0)
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    (tmp_path / "out").mkdir()
    with pytest.raises(NoSource, match="unexpected entry"):
        sdist.unpack(archive(tmp_path / "a.tar.gz", link), tmp_path / "out")
