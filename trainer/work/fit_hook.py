"""Give every model.fit the monitor's callbacks, without an edit to the user's file."""

from __future__ import annotations

import functools
import inspect
from types import ModuleType
from typing import Any, Callable, Iterable, List, NamedTuple, Type

from .fit_data import FitData
from .import_hooks import ImportHooks
from .monitor import BatchHooks, EpochHooks, Fit
from .session import Session

KERAS_2 = ("tf_keras.src.engine.training", "keras.src.engine.training", "keras.engine.training")
"""tf-keras; Keras 2.13 to 2.15; before."""
KERAS_3 = "keras.src.backend.tensorflow.trainer"
_ELASTIC = {
    "CommitStateCallbackImpl",
    "UpdateBatchStateCallbackImpl",
    "UpdateEpochStateCallbackImpl",
}
_AVERAGE = {"MetricAverageCallbackImpl"}


class Callbacks(NamedTuple):
    """The monitor's hooks as callbacks of one Keras."""

    batch: Type[Any]
    epoch: Type[Any]


def install(session: Session, hooks: ImportHooks) -> None:
    for name in KERAS_2:
        hooks.after(name, lambda module: watch_fit(session, module, module.Model))
    hooks.after(KERAS_3, lambda module: watch_fit(session, module, module.TensorFlowTrainer))


def watch_fit(session: Session, module: ModuleType, model: Type[Any]) -> None:
    callbacks = callbacks_for(module.callbacks_module.Callback)
    plain: Callable[..., Any] = model.fit
    signature = inspect.signature(plain)

    @functools.wraps(plain)
    def fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        if session.fitting:  # a fit inside a fit is not the training
            return plain(self, *args, **kwargs)
        session.fitting = True
        try:
            try:
                call = with_monitor(session, callbacks, signature.bind(self, *args, **kwargs))
            except Exception as error:  # noqa: BLE001  told; wrong arguments are Keras' to refuse
                session.complain("model.fit is not monitored", error)
                return plain(self, *args, **kwargs)
            return plain(*call.args, **call.kwargs)
        finally:
            session.fitting = False

    model.fit = fit


def callbacks_for(base: Type[Any]) -> Callbacks:
    kinds = {"Batch": BatchHooks, "Epoch": EpochHooks}
    made = [type("Maypole%sCallback" % name, (kind, base), {}) for name, kind in kinds.items()]
    return Callbacks(*made)


def with_monitor(
    session: Session, callbacks: Callbacks, call: inspect.BoundArguments
) -> inspect.BoundArguments:
    given = call.arguments
    data = FitData(
        given.get("x"),
        given.get("validation_data"),
        given.get("batch_size"),
        given.get("validation_split") or 0.0,
    )
    fit = Fit(session, given["self"], data, int(given.get("initial_epoch") or 0))
    if "x" in given:
        given["x"] = data.x
    given["callbacks"] = arranged(
        flat(given.get("callbacks")),
        callbacks.batch(fit),
        callbacks.epoch(fit),
    )
    return call


def flat(callbacks: Any) -> List[Any]:
    """Raises TypeError for a ready-made CallbackList, which has decided already what it will call."""
    if callbacks is None:
        return []
    if isinstance(callbacks, (list, tuple)):
        return [each for item in callbacks for each in flat(item)]
    if hasattr(callbacks, "callbacks"):
        raise TypeError("give model.fit a list of callbacks, not a CallbackList")
    return [callbacks]


def arranged(given: List[Any], batch: Any, epoch: Any) -> List[Any]:
    """``epoch`` behind the last metric average and, if those stand in that order, before the elastic ones."""
    averages = [i for i, item in enumerate(given) if _is_one_of(item, _AVERAGE)]
    elastic = [i for i, item in enumerate(given) if _is_one_of(item, _ELASTIC)]
    place = max(averages) + 1 if averages else min(elastic, default=len(given))
    return [batch, *given[:place], epoch, *given[place:]]


def _is_one_of(callback: Any, names: Iterable[str]) -> bool:
    return any(kind.__name__ in names for kind in type(callback).__mro__)
