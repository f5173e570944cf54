"""Which corrections a Horovod carries is read from its marker alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from trainer import corrections
from trainer.corrections import CLEAN_REMOVAL, GLOO_INTERFACE, SOFT_INIT

ROOT = Path(__file__).parents[3]


def horovod_in(site: Path, marker: str | None) -> Path:
    (site / "horovod").mkdir(parents=True)
    (site / "horovod" / "__init__.py").write_text("raise RuntimeError('was imported')\n")
    if marker is not None:
        (site / "horovod" / "maypole.json").write_text(marker)
    return site


def installed(site: Path) -> set[str]:
    """What `installed()` gives in a fresh process that finds Horovod in `site`."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from trainer import corrections; "
        "print(*sorted(corrections.installed())); assert not {'horovod', 'tensorflow'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(site)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_that_a_corrected_build_is_recognised_without_an_import(tmp_path: Path) -> None:
    marker = json.dumps({"format": 1, "corrections": [GLOO_INTERFACE, SOFT_INIT]})
    assert installed(horovod_in(tmp_path, marker)) == {GLOO_INTERFACE, SOFT_INIT}


@pytest.mark.parametrize(
    "marker",
    [None, "", "{", "[]", '"text"', '{"format": 99, "corrections": ["soft-init"]}', '{"format": 1}',
     '{"format": 1, "corrections": [7]}', '{"format": 1, "corrections": 7}', "{" + " " * 200_000 + "}"],
)  # fmt: skip
def test_that_anything_else_counts_as_stock(tmp_path: Path, marker: str | None) -> None:
    assert installed(horovod_in(tmp_path, marker)) == set()


def test_that_a_process_without_horovod_was_not_removed() -> None:
    assert corrections.was_removed() is False


def test_that_the_names_are_those_that_others_compare_with() -> None:
    assert (GLOO_INTERFACE, SOFT_INIT, CLEAN_REMOVAL) == (
        "gloo-interface",
        "soft-init",
        "clean-removal",
    )
    assert corrections.symbol(SOFT_INIT) == "horovod_maypole_soft_init"
