from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from core.bundle import build, source_folder
from core.errors import InvalidInput
from core.home import Home
from core.localmachine import LocalMachine


@pytest.fixture(scope="module")
def bundle_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Home(str(tmp_path_factory.mktemp("home")))
    return Path(build().put(LocalMachine(), home))


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Isolated: neither this repository nor anything of the user's is importable."""
    return subprocess.run(
        [sys.executable, "-I", *words], cwd=cwd, capture_output=True, text=True, timeout=60
    )


def test_that_the_same_source_gives_the_same_bytes_wherever_it_lies(tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(source_folder(), copy, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o755)
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"junk")
    (copy / ".hidden").write_text("junk")
    assert build(copy) == build()


def test_that_another_source_gives_another_name(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    before = build(tmp_path)
    (tmp_path / "__init__.py").write_text("x = 1\n")
    assert build(tmp_path).name != before.name


def test_that_the_bundle_says_how_it_is_used(bundle_file: Path, tmp_path: Path) -> None:
    said = run(str(bundle_file), cwd=tmp_path)
    assert said.returncode == 2
    assert said.stderr.startswith("usage: maypole.pyz COMMAND")


def test_that_its_package_is_maypole_and_brings_its_data(bundle_file: Path, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(bundle_file)!r})\n"
        "import maypole.protocol, pkgutil\n"
        "print(maypole.__name__, len(pkgutil.get_data('maypole.data', 'digits.bin')) > 10000)\n"
        "print('trainer' in sys.modules)"
    )
    assert run("-c", code, cwd=tmp_path).stdout.split() == ["maypole", "True", "False"]


def test_that_a_child_that_imports_main_again_does_not_start_it_again(
    bundle_file: Path, tmp_path: Path
) -> None:
    """multiprocessing's spawn runs __main__ under the name __mp_main__."""
    code = (
        f"import runpy; runpy.run_path({str(bundle_file)!r}, run_name='__mp_main__'); print('ok')"
    )
    said = run("-c", code, cwd=tmp_path)
    assert (said.returncode, said.stdout) == (0, "ok\n")


def test_that_every_module_has_the_syntax_of_python_3_8_and_imports_only_relatively(
    bundle_file: Path,
) -> None:
    with zipfile.ZipFile(bundle_file) as archive:
        modules = [name for name in archive.namelist() if name.endswith(".py")]
        assert len(modules) > 10
        for name in modules:
            tree = ast.parse(archive.read(name), name, feature_version=(3, 8))
            names = {
                alias.name for node in ast.walk(tree) if isinstance(node, ast.Import)
                for alias in node.names
            } | {
                node.module or "" for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and node.level == 0
            }  # fmt: skip
            assert not [word for word in names if word.split(".")[0] == "trainer"], name


def test_that_a_machine_that_has_the_bundle_is_not_sent_it_again(tmp_path: Path) -> None:
    home, bundle, machine = Home(str(tmp_path)), build(), LocalMachine()
    path = Path(bundle.put(machine, home))
    path.write_bytes(b"as it was")
    assert bundle.put(machine, home) == str(path)
    assert path.read_bytes() == b"as it was"


def test_that_only_scripts_that_are_built_in_can_be_named_so() -> None:
    bundle = build()
    bundle.check_script("maypole:digits")
    bundle.check_script("/home/me/train.py")
    with pytest.raises(InvalidInput, match="Built in: maypole:digits"):
        bundle.check_script("maypole:digit")
