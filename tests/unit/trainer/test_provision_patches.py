"""The corrections, applied to excerpts of Horovod's source."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from trainer.corrections import REMOVED_EXIT_CODE, RUNTIME_CORRECTIONS, symbol
from trainer.provisioning import patches
from trainer.provisioning.errors import CorrectionFailed
from trainer.provisioning.patches import Correction, Edit
from trainer.provisioning.recipe import corrections_for

EXCERPTS = Path(__file__).parents[2] / "data" / "horovod_0_28_1"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The excerpts under their own names (they are kept as .txt: they are not code of ours)."""
    for excerpt in EXCERPTS.rglob("*.txt"):
        target = tmp_path / excerpt.relative_to(EXCERPTS).with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(excerpt, target)
    return tmp_path


def read(tree: Path, path: str) -> str:
    return (tree / path).read_text(encoding="utf-8")


def background_thread(tree: Path) -> str:
    text = read(tree, patches.OPERATIONS)
    return text[text.index("void BackgroundThreadLoop") : text.index("#endif // HAVE_GLOO")]


def test_that_the_file_that_tensorflow_2_16_cannot_compile_is_not_compiled(tree: Path) -> None:
    assert "xla_mpi_ops.cc" in read(tree, patches.TF_CMAKE)
    patches.apply(tree, [patches.NO_XLA_OPS])
    assert "xla_mpi_ops.cc" not in read(tree, patches.TF_CMAKE)
    assert "/mpi_ops.cc" in read(tree, patches.TF_CMAKE)


def test_that_a_process_set_takes_the_interface_of_the_global_context(tree: Path) -> None:
    patches.apply(tree, [patches.USE_GLOBAL_INTERFACE])
    text = read(tree, patches.GLOO_CONTEXT)
    assigned = [
        line.strip() for line in text.splitlines() if line.strip().startswith("gloo_iface_ =")
    ]
    assert assigned[-1] == "gloo_iface_ = global_context.gloo_iface_;"
    process_set = text[text.index("InitializeForProcessSet") :]
    assert process_set.index("gloo_iface_ = global") < process_set.index("CreateDevice")


def test_that_a_failed_initialisation_is_caught_and_told_last(tree: Path) -> None:
    patches.apply(tree, [patches.FAIL_SOFTLY])
    loop = background_thread(tree)
    tried, caught = loop.split("catch (const std::exception& ex)")
    assert tried.index("try {") < tried.index("global_gloo_context.Initialize(")
    assert "process_set_table.Initialize(global_gloo_context)" in tried
    steps = ["Get(0).Finalize(", "global_gloo_context.Finalize()", "shut_down = true",
             "initialization_failed = true", "return;"]  # fmt: skip
    places = [caught.index(step) for step in steps]
    assert places == sorted(places)


def test_that_a_shutdown_lets_a_failed_initialisation_be_tried_again(tree: Path) -> None:
    patches.apply(tree, [patches.FAIL_SOFTLY])
    text = read(tree, patches.OPERATIONS)
    shutdown = text[text.index("void horovod_shutdown()") :]
    assert "horovod_global.initialization_failed = false;" in shutdown[: shutdown.index("\n}\n")]


def test_that_soft_initialisation_alone_lets_the_removal_through(tree: Path) -> None:
    patches.apply(tree, [patches.FAIL_SOFTLY])
    assert "throw;" in background_thread(tree)


def test_that_a_removed_worker_exits_by_python_with_a_status_that_is_not_success(
    tree: Path,
) -> None:
    patches.apply(tree, [patches.FAIL_SOFTLY, patches.LEAVE_CLEANLY])
    assert "throw;" not in background_thread(tree)
    basics = read(tree, patches.BASICS)
    assert f"raise SystemExit({REMOVED_EXIT_CODE})" in basics
    assert basics.index("raise SystemExit") < basics.index("Horovod initialization failed")
    assert REMOVED_EXIT_CODE != 0


def test_that_a_removed_worker_never_asks_the_driver_again(tree: Path) -> None:
    patches.apply(tree, [patches.FAIL_SOFTLY, patches.LEAVE_CLEANLY])
    text = read(tree, patches.OPERATIONS)
    once = text[text.index("bool InitializeHorovodOnce(") :]
    assert once.index("if (removed_from_elastic_job) {\n    return false;") < once.index(
        "test_and_set"
    )


def test_that_braces_stay_balanced(tree: Path) -> None:
    def surplus(path: str) -> int:
        text = read(tree, path)
        return text.count("{") - text.count("}")

    before = [surplus(path) for path in (patches.OPERATIONS, patches.GLOO_CONTEXT)]
    patches.apply(tree, corrections_for("2.21.0", stock=False))
    assert [surplus(path) for path in (patches.OPERATIONS, patches.GLOO_CONTEXT)] == before


def test_that_every_run_time_correction_exports_a_symbol_and_is_listed(tree: Path) -> None:
    patches.apply(tree, patches.RUNTIME)
    source = read(tree, patches.OPERATIONS) + read(tree, patches.GLOO_CONTEXT)
    defined = set(re.findall(r"int (horovod_maypole_\w+)\(\)", source))
    assert defined == {symbol(name) for name in RUNTIME_CORRECTIONS}
    assert {correction.name for correction in patches.RUNTIME} == RUNTIME_CORRECTIONS


def test_that_the_marker_travels_in_the_wheel(tree: Path) -> None:
    patches.apply(tree, [patches.CARRY_MARKER])
    assert "package_data={'horovod': ['maypole.json']}" in read(tree, patches.SETUP)


@pytest.mark.parametrize("correction", corrections_for("2.21.0", stock=False), ids=lambda c: c.name)
def test_that_a_correction_that_does_not_find_its_place_says_so(
    tree: Path, correction: Correction
) -> None:
    for edit in correction.edits:
        (tree / edit.path).write_text("// another version\n", encoding="utf-8")
    with pytest.raises(CorrectionFailed, match=f"{correction.name}.*0 times in .*--stock"):
        patches.apply(tree, [correction])


def test_that_a_place_found_twice_is_refused() -> None:
    with pytest.raises(CorrectionFailed, match=r"2 times in a\.cc instead of once"):
        patches.corrected("x\nx\n", Edit("a.cc", "x\n", "y\n"), "twice")


def test_that_a_missing_file_is_a_correction_that_does_not_apply(tmp_path: Path) -> None:
    with pytest.raises(CorrectionFailed, match=r"0 times in setup\.py"):
        patches.apply(tmp_path, [patches.CARRY_MARKER])


def test_that_the_digest_follows_what_the_corrections_do() -> None:
    one = Correction("a", (Edit("f", "x", "y"),))
    assert patches.digest([one]) == patches.digest([one])
    assert patches.digest([one]) != patches.digest([Correction("a", (Edit("f", "x", "z"),))])
    assert patches.digest([]) != patches.digest([one])


def test_that_a_stock_build_is_corrected_only_to_compile() -> None:
    names = [c.name for c in corrections_for("2.21.0", stock=True)]
    assert names == ["no-xla-ops", "carry-marker"]
    assert [c.name for c in corrections_for("2.15.1", stock=True)] == ["carry-marker"]


def test_that_tensorflow_2_15_keeps_its_xla_operations() -> None:
    assert patches.NO_XLA_OPS not in corrections_for("2.15.1", stock=False)
    assert patches.NO_XLA_OPS in corrections_for("2.16.0", stock=False)
