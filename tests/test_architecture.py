"""The import rules of pyproject.toml hold, and each of them would be noticed when it is broken.

A misspelt module in a contract makes it pass whatever happens, so every contract gets violations.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("gui", "core", "trainer", "resources")

CORE_QT = "core never sees Qt or the window"
TRAINER = "trainer is self-contained: it travels"
FORMATS = "core knows only the formats of trainer"
GUI_TRAINER = "gui knows trainer only through core, and never tensorflow or horovod"
PYQTGRAPH = "only gui.plotting knows pyqtgraph"
RESOURCES = "resources imports nothing"

IN_A_FUNCTION = "def late() -> None:\n    import {}\n"
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import {}\n"
PLAIN = "import {}\n"

VIOLATIONS = [
    (CORE_QT, "core/planted.py", PLAIN, "PySide6.QtCore"),
    (CORE_QT, "core/planted.py", IN_A_FUNCTION, "pyqtgraph"),
    (CORE_QT, "core/planted.py", FOR_TYPES, "gui.cli"),
    (CORE_QT, "core/planted.py", PLAIN, "shiboken6"),
    (CORE_QT, "core/planted.py", IN_A_FUNCTION, "tensorflow"),
    (CORE_QT, "core/planted.py", IN_A_FUNCTION, "horovod.runner"),
    (TRAINER, "trainer/planted.py", PLAIN, "core.errors"),
    (TRAINER, "trainer/planted.py", FOR_TYPES, "gui.cli"),
    (TRAINER, "trainer/planted.py", PLAIN, "resources"),
    (TRAINER, "trainer/planted.py", IN_A_FUNCTION, "paramiko"),
    (TRAINER, "trainer/planted.py", PLAIN, "PySide6"),
    (FORMATS, "core/planted.py", PLAIN, "trainer.corrections"),
    (FORMATS, "core/planted.py", IN_A_FUNCTION, "trainer.__main__"),
    (GUI_TRAINER, "gui/planted.py", PLAIN, "trainer.protocol"),
    (GUI_TRAINER, "gui/planted.py", IN_A_FUNCTION, "tensorflow"),
    (GUI_TRAINER, "gui/planted.py", PLAIN, "paramiko"),
    (PYQTGRAPH, "gui/planted.py", IN_A_FUNCTION, "pyqtgraph"),
    (PYQTGRAPH, "gui/planted.py", PLAIN, "pyqtgraph.exporters"),
    (RESOURCES, "resources/planted.py", PLAIN, "core.errors"),
    (RESOURCES, "resources/planted.py", PLAIN, "numpy"),
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    """The linter on ``tree``; the installed copy of the packages, if any, comes behind it."""
    code = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as c; c()"
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=tree, env=environ | {"COLUMNS": "200"}, capture_output=True, text=True, timeout=110,
    )  # fmt: skip


def broken_contracts(output: str) -> list[str]:
    """Their names in the linter's summary: "<name> BROKEN", then perhaps "(n ignored imports)"."""
    return re.findall(r"^(.+) BROKEN(?: \(.*\))?\s*$", output, re.MULTILINE)


def test_that_every_contract_has_violations_here() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = {contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]}
    assert names == {violation[0] for violation in VIOLATIONS}


def test_that_this_tree_keeps_the_rules(tree: Path) -> None:
    done = lint_imports(tree)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("contract", "path", "form", "module"),
    VIOLATIONS,
    ids=[f"{path.partition('/')[0]} imports {module}" for _, path, _, module in VIOLATIONS],
)
def test_that_a_planted_violation_is_found(
    tree: Path, contract: str, path: str, form: str, module: str
) -> None:
    (tree / path).write_text(form.format(module))
    done = lint_imports(tree)
    assert done.returncode == 1, done.stdout + done.stderr
    assert contract in broken_contracts(done.stdout), done.stdout
