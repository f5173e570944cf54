"""Corrections of Elastic Horovod 0.28.1 for scripts that know nothing of them.

Each function corrects one thing and cites where Horovod does otherwise (paths in its source). They
work on stock builds too; what needs a corrected build asks for it (trainer/corrections.py). All
ranks run under ``work``, so what they broadcast to each other may differ from Horovod's own.
"""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Tuple

from .. import corrections
from .commits import export_last, serve_exports
from .import_hooks import ImportHooks
from .script import TrainingStopped
from .session import Session

KNOWN = "0.28.1"
"""The last release of Horovod, and the one that these corrections were written for."""
INIT_TRIES = 5
"""Each failed try costs the Gloo timeout; the driver blacklists at least one host in between."""


def install(session: Session, hooks: ImportHooks, version: str) -> None:
    """On another version only rank and size are asked for: without them every worker would be rank 0."""

    def after(name: str, correction: Callable[[Session, Any], None]) -> None:
        hooks.after(name, functools.partial(correction, session))

    after("horovod.common.basics", watch_initialisation)
    if version != KNOWN:
        return
    after("horovod.common.elastic", keep_every_host_message)
    after("horovod.common.elastic", fulfil_wishes_at_commits)
    after("horovod.common.elastic", count_commits)
    after("horovod.common.elastic", always_sync)
    after("horovod.tensorflow.elastic", fail_on_unknown_errors)
    after("horovod.tensorflow.elastic", build_optimizer_before_state)
    after("horovod.tensorflow.keras.callbacks", hand_over_legacy_backend)
    after("horovod.tensorflow.keras", hand_over_legacy_backend)


def watch_initialisation(session: Session, module: Any) -> None:
    """Tell rank and size after every initialisation, and on a build with SOFT_INIT try again when one fails.

    A newcomer that never comes makes init() raise ValueError there (stock: std::terminate,
    operations.cc BackgroundThreadLoop). The second try is Horovod's next rendezvous, for which the
    driver has blacklisted the host (registration.py:155-158). Correcting init() itself covers
    _reset (tensorflow/elastic.py:64-66) and the first hvd.init() of a good newcomer alike: if
    that one gave up instead, its own host would be blacklisted for another's fault.
    """
    basics = module.HorovodBasics
    plain_init, plain_shutdown = basics.init, basics.shutdown

    @functools.wraps(plain_init)
    def init(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = patiently(
            lambda: plain_init(self, *args, **kwargs),
            lambda: plain_shutdown(self),
            init_tries(),
            session.say,
        )
        if self.is_initialized():
            session.initialised(self.rank(), self.size())
        return result

    @functools.wraps(plain_shutdown)
    def shutdown(self: Any) -> Any:
        result = plain_shutdown(self)
        if session.world.up and session.resetting:
            session.phase("shutdown")
        session.world.shut_down()
        return result

    basics.init, basics.shutdown = init, shutdown


def init_tries() -> int:
    elastic = os.environ.get("HOROVOD_ELASTIC") == "1"
    return INIT_TRIES if elastic and corrections.SOFT_INIT in corrections.installed() else 1


def patiently(
    init: Callable[[], Any], shutdown: Callable[[], Any], tries: int, say: Callable[[str], None]
) -> Any:
    """``init`` until it succeeds, at most ``tries`` times; the last ValueError is raised."""
    for attempt in range(1, tries + 1):
        try:
            return init()
        except ValueError as error:
            if attempt == tries:
                raise
            say("Horovod could not be initialised (%s); trying again" % error)
            shutdown()
    raise AssertionError("at least one try is needed")


def keep_every_host_message(_: Session, module: Any) -> None:
    """Two host changes within one second are two changes.

    common/elastic.py:84 drops a message whose time is not later than the last one's, and the driver's
    clock has a resolution of one second (runner/elastic/driver.py:33). The driver sends each change once,
    so that every message counts. Whether anything changed is said in the broadcast by rank 0's flags.
    """
    no_update = module.HostUpdateResult.no_update

    def pending_host_updates(self: Any) -> Any:
        update = no_update
        while not self._host_messages.empty():
            timestamp, result = self._host_messages.get()
            self._last_updated_timestamp = max(self._last_updated_timestamp, timestamp)
            update |= result
        return update

    module.State.pending_host_updates = pending_host_updates


def fulfil_wishes_at_commits(session: Session, module: Any) -> None:
    """Export and stop at a commit, where every rank is at the same step.

    State.check_host_updates (common/elastic.py:73-96) makes one broadcast; the same one also carries
    whether to stop and rank 0's count of samples. Rank 0 exports before it: the others wait in the
    broadcast (their Horovod keeps cycling, so no time-out runs), and so nobody leaves before.
    """
    interrupt = module.HostsUpdatedInterrupt
    no_update = module.HostUpdateResult.no_update

    def check_host_updates(self: Any) -> None:
        update, stop = self.pending_host_updates(), False
        if session.world.rank == 0 and session.wishes.any:
            serve_exports(session)
            stop = session.wishes.stop
            if stop:
                export_last(session)
        told: Tuple[Any, ...] = self._bcast_object(
            (self._last_updated_timestamp, update, stop, session.ledger.samples)
        )
        self._last_updated_timestamp, update, stop, samples = told
        session.ledger.adopt(samples)
        if stop:
            raise TrainingStopped()
        if update != no_update:
            raise interrupt(False)  # never "skip the sync": see always_sync

    module.State.check_host_updates = check_host_updates


def count_commits(session: Session, module: Any) -> None:
    """The count of samples goes back where the state goes back (common/elastic.py:115-124)."""
    state = module.ObjectState
    plain_save, plain_restore = state.save, state.restore

    @functools.wraps(plain_save)
    def save(self: Any) -> None:
        plain_save(self)
        session.ledger.commit()

    @functools.wraps(plain_restore)
    def restore(self: Any) -> None:
        plain_restore(self)
        session.ledger.roll_back()

    state.save, state.restore = save, restore


def always_sync(session: Session, module: Any) -> None:
    """Sync after every reset, and tell the phases of a reset.

    run_fn (common/elastic.py:151-175) skips the sync when hosts were only removed. But a worker that was
    started in the same reset (a spare beyond --max-np moving up, a host that came in between) does
    sync, and both sides wait for ever: horovod/horovod#3494. A sync that nobody needed costs one broadcast.
    """
    internal_error = module.HorovodInternalError
    interrupt = module.HostsUpdatedInterrupt
    manager = module.notification_manager

    def run_fn(func: Callable[..., Any], reset: Callable[[], None]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapper(state: Any, *args: Any, **kwargs: Any) -> Any:
            manager.init()
            manager.register_listener(state)
            session.state = state
            try:
                while True:
                    try:
                        state.sync()
                        end_of_reset(session)
                        return func(state, *args, **kwargs)
                    except internal_error:
                        begin_of_reset(session, "failed")
                        state.restore()
                    except interrupt:
                        begin_of_reset(session, "interrupted")
                    reset()
                    state.on_reset()
            finally:
                manager.remove_listener(state)

        return wrapper

    module.run_fn = run_fn


def begin_of_reset(session: Session, phase: str) -> None:
    session.phase(phase)
    session.resetting = True


def end_of_reset(session: Session) -> None:
    if session.resetting:
        session.resetting = False
        session.phase("synced", steps_of(session.state, session.ledger.step))


def steps_of(state: Any, default: int) -> int:
    """Optimizer steps of a synced state: fewer than before when it was rolled back."""
    iterations = getattr(getattr(state, "optimizer", None), "iterations", None)
    return default if iterations is None else int(iterations)


def fail_on_unknown_errors(_: Session, module: Any) -> None:
    """An error that is not Horovod's must end the script with an error.

    run (tensorflow/elastic.py:53-60) catches every UnknownError, raises it again as HorovodInternalError when
    it names a collective, and otherwise returns None: the script ends with status 0, a false success.
    """
    from tensorflow.python.framework.errors_impl import UnknownError

    internal_error = module.HorovodInternalError
    collectives = ("HorovodAllreduce", "HorovodAllgather", "HorovodBroadcast")

    def run(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapper(state: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return func(state, *args, **kwargs)
            except UnknownError as error:
                if any(name in error.message for name in collectives):
                    raise internal_error(error) from error
                raise

        elastic: Callable[..., Any] = module.run_fn(wrapper, module._reset)
        return elastic

    module.run = run


def build_optimizer_before_state(_: Session, module: Any) -> None:
    """A newcomer needs the optimizer's slot variables before its first sync.

    KerasState broadcasts optimizer.variables() (tensorflow/elastic.py:70-74). Keras makes m and v at the
    first step, so that old workers would broadcast more variables than a newcomer waits for, and both
    hang (horovod/horovod#2652). build() makes them without a step, and without a collective.
    """
    state = module.TensorFlowKerasState
    plain = state.__init__

    @functools.wraps(plain)
    def __init__(self: Any, model: Any, optimizer: Any = None, *args: Any, **kwargs: Any) -> None:
        build_optimizer(model, optimizer or getattr(model, "optimizer", None))
        plain(self, model, optimizer, *args, **kwargs)

    state.__init__ = __init__


def build_optimizer(model: Any, optimizer: Any) -> None:
    if optimizer is None or not getattr(model, "built", False):
        return
    if callable(getattr(optimizer, "build", None)):
        optimizer.build(model.trainable_variables)
    elif callable(
        getattr(optimizer, "_create_all_weights", None)
    ):  # Keras before 2.11, and "legacy"
        optimizer._create_all_weights(model.trainable_variables)


def hand_over_legacy_backend(_: Session, module: Any) -> None:
    """With TF_USE_LEGACY_KERAS, callbacks that need a backend must get the one of tf.keras.

    tensorflow/keras/callbacks.py:22-25 takes it from the package ``keras``, which is Keras 3:
    MetricAverageCallback and LearningRateWarmupCallback then fail with "module 'keras.backend' has no
    attribute 'constant'".
    """
    import tensorflow

    backend = tensorflow.keras.backend
    if hasattr(module, "K") and module.K is not backend:
        module.K = backend
