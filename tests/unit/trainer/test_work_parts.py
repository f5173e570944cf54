"""The parts of a worker, each by itself and without TensorFlow."""

from __future__ import annotations

import importlib.util
import inspect
import io
import linecache
import sys
import tempfile
import traceback
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.keptlink import linked_session

from trainer.data import digits
from trainer.events import Batch, WorkerExported, WorkerFinished, parse_worker_id
from trainer.work import elastic_fixes, generated_code, legacy_keras
from trainer.work.commits import NO_MODEL, export
from trainer.work.fit_data import BatchSizes, FitData
from trainer.work.fit_hook import arranged, flat
from trainer.work.identity import new_worker_id
from trainer.work.import_hooks import ImportHooks
from trainer.work.learning_rate import LearningRate
from trainer.work.ledger import UNKNOWN, Ledger
from trainer.work.main import conclude
from trainer.work.monitor import Fit, base_epoch, batch_event, numbers
from trainer.work.script import End, TrainingStopped
from trainer.work.session import Session
from trainer.work.wishes import ExportWish, Wishes
from trainer.work.world import World

# ---- identity and Keras -------------------------------------------------------------------------


def test_that_a_worker_is_named_after_horovods_host_and_slot() -> None:
    name = new_worker_id({"HOROVOD_HOSTNAME": "root@node3", "HOROVOD_LOCAL_RANK": "2"})
    host, slot, incarnation = parse_worker_id(name)
    assert (host, slot, len(incarnation)) == ("root@node3", 2, 8)
    assert name != new_worker_id({"HOROVOD_HOSTNAME": "root@node3", "HOROVOD_LOCAL_RANK": "2"})


def test_that_a_host_name_that_no_path_can_hold_is_made_one() -> None:
    assert parse_worker_id(new_worker_id({"HOROVOD_HOSTNAME": "../a b"}))[0] == "a-b"


@pytest.mark.parametrize(
    ("installed", "environ", "switched", "words"),
    [
        ({"tensorflow": "2.15.1", "keras": "2.15.0"}, {}, None, ""),
        ({"tensorflow": "2.21.0", "tf-keras": "2.21.0"}, {}, "1", "using Keras 2"),
        ({"tensorflow-cpu": "2.16.1", "tf-keras": "2.16.0"}, {}, "1", "using Keras 2"),
        ({"tensorflow": "2.21.0", "tf-keras": "2.21.0"}, {"TF_USE_LEGACY_KERAS": "1"}, "1", ""),
        ({"tensorflow": "2.21.0", "tf-keras": "2.21.0"}, {"TF_USE_LEGACY_KERAS": "0"}, "0", ""),
        ({"tensorflow": "2.21.0"}, {}, None, "pip install 'tf-keras==2.21.*'"),
        ({"tensorflow": "2.21.0"}, {"TF_USE_LEGACY_KERAS": "1"}, None, "pip install"),
        ({}, {}, None, ""),
    ],
)
def test_that_keras_2_is_chosen_where_horovod_needs_it(
    installed: dict[str, str], environ: dict[str, str], switched: str | None, words: str
) -> None:
    found = legacy_keras.choose(environ, installed.get)
    assert environ.get("TF_USE_LEGACY_KERAS") == switched
    assert words in found and bool(words) == bool(found)


# ---- import hooks -------------------------------------------------------------------------------


@pytest.fixture
def module_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "late_module.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "late_module", raising=False)
    return "late_module"


def test_that_a_hook_sees_a_module_once_and_only_when_it_is_imported(module_on_disk: str) -> None:
    seen: list[types.ModuleType] = []
    hooks = ImportHooks(lambda what, _: pytest.fail(what))
    hooks.after(module_on_disk, seen.append)
    hooks.install()
    try:
        assert not seen
        module = importlib.import_module(module_on_disk)
        assert seen == [module]
        assert type(module.__loader__).__name__ == "SourceFileLoader"
        importlib.reload(module)
        assert len(seen) == 1
        hooks.after(module_on_disk, seen.append)
        assert len(seen) == 2
    finally:
        hooks.remove()


def test_that_a_failing_hook_is_told_and_the_import_goes_on(module_on_disk: str) -> None:
    told: list[tuple[str, BaseException]] = []
    hooks = ImportHooks(lambda what, error: told.append((what, error)))

    def fails(_: types.ModuleType) -> None:
        raise ZeroDivisionError

    hooks.after(module_on_disk, fails)
    hooks.install()
    try:
        assert importlib.import_module(module_on_disk).VALUE == 1
    finally:
        hooks.remove()
    assert module_on_disk in told[0][0] and isinstance(told[0][1], ZeroDivisionError)


# ---- TensorFlow's generated code ----------------------------------------------------------------


def test_that_generated_code_is_no_file_and_can_be_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept: list[str] = []
    loader = types.SimpleNamespace(load_source=lambda source, _: kept.append(source))
    generated_code.keep_in_memory(loader)
    module, path = loader.load_source("def f():\n    raise KeyError('é')\n", True)
    assert sys.modules[module.__name__] is module and module.__file__ == path
    with pytest.raises(KeyError) as caught:
        module.f()
    linecache.checkcache()
    assert "raise KeyError('é')" in "".join(traceback.format_tb(caught.tb))
    assert inspect.getsource(module.f).startswith("def f():") and inspect.getsourcefile(module.f)
    assert list(tmp_path.iterdir()) == [] and kept == []
    loader.load_source("wanted on disk", False)
    assert kept == ["wanted on disk"]
    del sys.modules[module.__name__]


# ---- wishes, world, ledger ----------------------------------------------------------------------


def test_that_an_export_told_twice_is_made_once() -> None:
    wishes = Wishes()
    for _ in range(2):
        wishes.on_command({"type": "export", "request": "r1", "path": "/tmp/x"})
    wishes.on_command({"type": "something of a newer supervisor"})
    assert wishes.any
    assert wishes.take_exports() == [ExportWish("r1", "/tmp/x")]
    assert not wishes.any and not wishes.take_exports()
    wishes.on_command({"type": "stop"})
    assert wishes.stop and wishes.any


def test_that_a_second_init_is_no_reset() -> None:
    world = World()
    assert world.initialised(0, 1) and world.resets == 0
    assert not world.initialised(0, 1) and world.resets == 0
    world.shut_down()
    assert world.initialised(0, 1) and world.resets == 1


def test_that_the_samples_go_back_with_a_roll_back_and_are_taken_over_from_rank_0() -> None:
    ledger = Ledger()
    ledger.add(1, 64)
    ledger.commit()
    ledger.add(1, 64)
    ledger.roll_back()
    assert (ledger.step, ledger.samples) == (2, 64)
    ledger.adopt(1000)
    ledger.add(1, 64)
    ledger.roll_back()
    assert ledger.samples == 1000
    ledger.add(1, -1)
    ledger.add(1, 64)
    assert ledger.samples == UNKNOWN


# ---- data ---------------------------------------------------------------------------------------


def test_that_the_last_batch_of_an_epoch_may_be_smaller() -> None:
    sizes = BatchSizes(32, 90)
    assert [sizes.samples(i, i) for i in range(3)] == [32, 32, 26]
    assert sizes.samples(0, 2) == 90
    assert BatchSizes(-1).samples(0, 5) == -1


def test_that_arrays_tell_their_batches_and_give_real_inputs() -> None:
    x = {"a": np.arange(100.0).reshape(50, 2), "b": np.zeros((50, 3))}
    data = FitData(x, batch_size=16, split=0.2)
    sizes = data.batch_sizes()
    assert (sizes.size, sizes.total) == (16, 40)
    inputs = data.inputs()
    assert inputs["a"].shape == (32, 2) and np.array_equal(inputs["a"], x["a"][:32])


def test_that_a_generator_loses_nothing_to_us() -> None:
    batches = [(np.full((4, 2), i), i) for i in range(3)]
    data = FitData(each for each in batches)
    assert data.batch_sizes().size == -1
    assert [y for _, y in data.x] == [0, 1, 2]
    assert data.batch_sizes().size == 4
    assert np.array_equal(data.inputs(), batches[0][0])


def test_that_validation_data_serves_when_the_training_data_cannot_be_looked_at() -> None:
    data = FitData(iter([]), validation=(np.ones((50, 2)), np.ones(50)))
    assert data.inputs().shape == (32, 2)


def test_that_the_digits_are_all_there() -> None:
    (x, y), (test_x, test_y) = digits.load()
    assert x.shape == (1437, 8, 8, 1) and test_x.shape == (360, 8, 8, 1)
    assert x.dtype == np.float32 and x.min() == 0.0 and x.max() == 1.0
    assert set(y) == set(test_y) == set(range(10))
    assert np.bincount(np.concatenate([y, test_y])).tolist() == [
        178, 182, 177, 183, 181, 182, 181, 179, 174, 180,
    ]  # fmt: skip
    folder = Path(digits.__file__).parent
    assert (folder / "digits.bin").stat().st_size <= 70_000
    assert "CC BY 4.0" in (folder / "DIGITS.md").read_text()


# ---- the monitor --------------------------------------------------------------------------------


class CommitStateCallbackImpl:
    pass


class MetricAverageCallbackImpl:
    pass


class Commit(CommitStateCallbackImpl):
    pass


class Average(MetricAverageCallbackImpl):
    pass


def test_that_the_epoch_is_told_after_the_average_and_before_the_commit() -> None:
    average, commit = Average(), Commit()
    assert arranged([average, commit, "x"], "B", "E") == ["B", average, "E", commit, "x"]
    assert arranged(["x", commit, "y"], "B", "E") == ["B", "x", "E", commit, "y"]
    assert arranged([commit, average], "B", "E") == ["B", commit, average, "E"]
    assert arranged([], "B", "E") == ["B", "E"]


def test_that_callbacks_may_be_nested_and_may_be_none() -> None:
    assert flat(None) == []
    assert flat(["a", ("b", ["c"])]) == ["a", "b", "c"]
    assert flat("a") == ["a"]
    with pytest.raises(TypeError, match="list of callbacks"):
        flat(types.SimpleNamespace(callbacks=[]))


@pytest.mark.parametrize(
    ("initial", "of_state", "done", "base"),
    [(0, 3, 0, 3), (3, 3, 0, 0), (0, None, 2, 2), (5, None, 2, 0), (0, 0, 7, 0)],
)
def test_that_epochs_are_counted_over_resets_in_both_styles(
    initial: int, of_state: int | None, done: int, base: int
) -> None:
    assert base_epoch(initial, of_state, done) == base


def test_that_only_rank_0_tells_and_every_rank_counts() -> None:
    session, link = linked_session()
    model = types.SimpleNamespace(optimizer=None)
    for rank in (0, 1):
        session.world.initialised(rank, 2)
        fit = Fit(session, model, FitData(np.zeros((64, 1)), batch_size=32))
        fit.begin({"steps": 2, "epochs": 1})
        fit.batch_done(0, 0, 0.5, {"loss": np.float32(0.25), "matrix": np.zeros((2, 2))})
    assert session.ledger.step == 2 and session.ledger.samples == 128
    (event,) = link.events
    assert isinstance(event, Batch)
    assert (event.step, event.size, event.samples, event.epoch) == (1, 2, 64, 0.5)
    assert event.metrics == {"loss": 0.25} and event.step_time == 0.5


def test_that_what_a_callback_adds_to_the_logs_afterwards_is_not_ours() -> None:
    session, link = linked_session()
    fit = Fit(session, types.SimpleNamespace(optimizer=None), FitData(None))
    fit.begin({"steps": None, "epochs": 1})
    logs = {"loss": 1.0}
    fit.batch_done(0, 0, 0.0, logs)
    logs["late"] = 2.0
    (event,) = link.events
    assert isinstance(event, Batch) and event.metrics == {"loss": 1.0}
    assert event.samples == -1


def test_that_numbers_keeps_nan() -> None:
    assert str(numbers({"loss": np.float32("nan"), "huge": 10**400})["loss"]) == "nan"
    assert batch_event.__name__ == "batch_event"


class CountedVariable:
    """A variable that counts how often it is read."""

    def __init__(self, value: float) -> None:
        self.now, self.reads = value, 0

    def assign(self, value: float) -> None:
        self.now = value

    def __float__(self) -> float:
        self.reads += 1
        return self.now


def test_that_a_learning_rate_is_read_when_it_was_assigned_and_not_at_every_step() -> None:
    variable = CountedVariable(0.1)
    rate = LearningRate(types.SimpleNamespace(_learning_rate=variable))
    values = []
    for step in range(100):
        if step == 50:
            variable.assign(0.2)
        values.append(rate.value(rate.capture(), step))
    assert values == [0.1] * 50 + [0.2] * 50
    assert variable.reads < 10


def test_that_a_rate_that_changes_by_itself_is_read_at_every_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trainer.work.learning_rate.LOOK", 0.0)
    variable = CountedVariable(0.1)
    rate = LearningRate(
        types.SimpleNamespace(inner_optimizer=types.SimpleNamespace(_learning_rate=variable))
    )
    assert rate.capture() == 0.1
    variable.now = 0.2
    assert rate.capture() == 0.2
    monkeypatch.setattr("trainer.work.learning_rate.LOOK", 1e9)
    for value in (0.3, 0.4):
        variable.now = value
        assert rate.value(rate.capture(), 1) == value


def test_that_a_schedule_is_evaluated_at_the_step_before() -> None:
    rate = LearningRate(types.SimpleNamespace(_learning_rate=lambda step: 1.0 / (1 + step)))
    assert rate.value(rate.capture(), 4) == 0.25
    assert LearningRate(None).value(None, 4) is None


# ---- exports ------------------------------------------------------------------------------------


def test_that_an_export_without_a_model_says_so(tmp_path: Path) -> None:
    session, link = linked_session(tmp_path)
    export(session, "r/1")
    (told,) = link.events
    assert told == WorkerExported(
        session.worker, "r/1", str(tmp_path / "export" / "r_1"), 0, NO_MODEL
    )


def test_that_a_run_without_a_model_ends_without_a_failed_export(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session, link = linked_session(tmp_path)
    assert conclude(session, End(0)) == 0
    assert [type(event) for event in link.events] == [WorkerFinished]
    assert "maypole: no SavedModel is left." in capsys.readouterr().out


def test_that_a_script_that_closed_its_streams_trains_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, link = linked_session(tmp_path)
    closed = io.StringIO()
    closed.close()
    for stream in (closed, None):
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(sys, "stderr", stream)
        export(session, "r1")
        session.complain(f"it failed {stream}", ValueError())
    assert len(link.made) == 2


def test_that_a_child_that_the_script_forked_has_no_last_words(tmp_path: Path) -> None:
    session, link = linked_session(tmp_path)
    session.pid += 1
    assert conclude(session, End(0)) == 0
    assert not link.made and not list(tmp_path.iterdir())


# ---- Horovod's elastic module, a private copy of it ---------------------------------------------


@pytest.fixture
def elastic() -> Any:
    pytest.importorskip("horovod.common.elastic")
    spec = importlib.util.find_spec("horovod.common.elastic")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def corrected(session: Session, module: Any) -> Any:
    for correction in (
        elastic_fixes.keep_every_host_message,
        elastic_fixes.fulfil_wishes_at_commits,
        elastic_fixes.count_commits,
        elastic_fixes.always_sync,
    ):
        correction(session, module)
    return module.ObjectState(bcast_object=lambda value: value, get_rank=lambda: 0, epoch=0)


def test_that_two_host_changes_in_one_second_are_two(elastic: Any) -> None:
    state = corrected(linked_session()[0], elastic)
    for _ in range(2):
        state.on_hosts_updated(1000, elastic.HostUpdateResult.added)
        with pytest.raises(elastic.HostsUpdatedInterrupt):
            state.commit()
    state.commit()


def test_that_a_removal_does_not_skip_the_sync(elastic: Any) -> None:
    state = corrected(linked_session()[0], elastic)
    state.on_hosts_updated(1000, elastic.HostUpdateResult.removed)
    with pytest.raises(elastic.HostsUpdatedInterrupt) as caught:
        state.commit()
    assert caught.value.skip_sync is False


def test_that_a_reset_syncs_always_and_tells_its_phases(elastic: Any) -> None:
    session, link = linked_session()
    state = corrected(session, elastic)
    syncs, raising = [], [elastic.HostsUpdatedInterrupt(True), elastic.HorovodInternalError("gone")]
    state.sync = lambda: syncs.append(1)

    def train(state: Any) -> str:
        if raising:
            raise raising.pop(0)
        return "done"

    assert elastic.run_fn(train, lambda: None)(state) == "done"
    assert len(syncs) == 3
    phases = [getattr(event, "phase", "") for event in link.events]
    assert phases == ["interrupted", "synced", "failed", "synced"]


def test_that_a_stop_reaches_the_ranks_that_were_not_asked(elastic: Any) -> None:
    session, _ = linked_session()
    session.world.initialised(1, 2)
    state = corrected(session, elastic)
    state._bcast_object = lambda value: (*value[:2], True, 640)
    with pytest.raises(TrainingStopped):
        state.commit()
    assert session.ledger.samples == 640


def test_that_rank_0_exports_before_it_tells_the_others_to_stop(
    elastic: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, _ = linked_session()
    session.world.initialised(0, 2)
    state = corrected(session, elastic)
    session.wishes.on_command({"type": "stop"})
    happened: list[str] = []
    monkeypatch.setattr(elastic_fixes, "export_last", lambda _: happened.append("export"))

    def broadcast(value: Any) -> Any:
        happened.append("broadcast")
        return value

    state._bcast_object = broadcast
    with pytest.raises(TrainingStopped) as leaving:
        state.commit()
    assert leaving.value.code == 0
    assert happened == ["export", "broadcast"]


def test_that_a_failed_initialisation_is_tried_again_a_bounded_number_of_times() -> None:
    calls: list[str] = []
    said: list[str] = []

    def shutdown() -> None:
        calls.append("shutdown")

    def init() -> str:
        calls.append("init")
        if calls.count("init") < 3:
            raise ValueError("Horovod initialization failed")
        return "up"

    assert elastic_fixes.patiently(init, shutdown, 5, said.append) == "up"
    assert calls == ["init", "shutdown", "init", "shutdown", "init"] and len(said) == 2
    calls.clear()
    with pytest.raises(ValueError, match="initialization failed"):
        elastic_fixes.patiently(init, shutdown, 2, said.append)
    assert calls == ["init", "shutdown", "init"]
