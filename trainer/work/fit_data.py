"""What was given to model.fit: how many samples a batch has, and some real inputs for an export."""

from __future__ import annotations

import inspect
import math
import types
from typing import Any, Iterator, List, Optional

WANTED = 32
"""Real inputs kept with an export."""
DEFAULT_BATCH = 32
"""Keras' own, for arrays."""
_SAME_BATCH = (
    "PrefetchDataset", "OptionsDataset", "RepeatDataset", "TakeDataset", "SkipDataset", "ShuffleDataset",
    "CacheDataset", "MapDataset", "ParallelMapDataset", "ShardDataset", "AssertCardinalityDataset",
    "FinalizeDataset", "ModelDataset",
)  # fmt: skip
_BATCHES = ("BatchDataset", "ParallelBatchDataset")
_ONE_PASS = ("Generator",)


class BatchSizes:
    """``size`` samples a batch, -1 unknown; ``total`` samples in all when the last batch may be smaller."""

    def __init__(self, size: int, total: Optional[int] = None) -> None:
        self.size = size
        self.total = total

    def samples(self, first: int, last: int) -> int:
        """In the batches of an epoch from index ``first`` to ``last``; -1 unknown."""
        if self.size < 0:
            return -1
        count = (last - first + 1) * self.size
        if self.total is not None and (last + 1) * self.size > self.total:
            count -= (last + 1) * self.size - self.total
        return max(0, count)


class FitData:
    """``split``: the share of the arrays that Keras takes away for validation."""

    def __init__(
        self,
        x: Any,
        validation: Any = None,
        batch_size: Optional[int] = None,
        split: float = 0.0,
    ) -> None:
        self.x = x
        self._validation = validation
        self._batch_size = batch_size
        self._split = split
        self._first: Any = None
        self._inputs: Any = None
        if isinstance(x, types.GeneratorType):
            self.x = self._remembering(x)

    def _remembering(self, source: Iterator[Any]) -> Iterator[Any]:
        """The same generator; its first batch is kept, because it cannot be had again."""
        for batch in source:
            if self._first is None:
                self._first = batch
            yield batch

    # ---- batch sizes ------------------------------------------------------------------------

    def batch_sizes(self) -> BatchSizes:
        rows = _rows(self.x)
        if rows is not None:
            size = self._batch_size or DEFAULT_BATCH
            rows = math.floor(rows * (1.0 - self._split))
            return BatchSizes(min(size, rows), rows)
        if _is_dataset(self.x):
            return BatchSizes(dataset_batch_size(self.x))
        if _is_sequence(self.x):
            return BatchSizes(_or_unknown(_rows(_inputs_of(self.x[0]))))
        if self._first is not None:
            return BatchSizes(_or_unknown(_rows(_inputs_of(self._first))))
        return BatchSizes(-1)

    # ---- real inputs ------------------------------------------------------------------------

    def inputs(self) -> Any:
        """Up to WANTED real inputs in the structure that the model takes; None when there are none to
        be had without taking them away from the training."""
        if self._inputs is None:
            for source in (self._from_fit, self._from_validation):
                found = source()
                if found is not None:
                    self._inputs = _head(found)
                    break
        return self._inputs

    def _from_fit(self) -> Any:
        if _rows(self.x) is not None:
            return self.x
        if self._first is not None:
            return _inputs_of(self._first)
        if _is_dataset(self.x):
            return None if _reads_a_generator(self.x) else _first_of(self.x)
        if _is_sequence(self.x):
            return _inputs_of(self.x[0])
        return None

    def _from_validation(self) -> Any:
        given = self._validation
        if _is_dataset(given):
            return None if _reads_a_generator(given) else _first_of(given)
        if isinstance(given, (tuple, list)) and given:
            return given[0] if _rows(given[0]) is not None else None
        return None


def _first_of(dataset: Any) -> Any:
    """By an iterator of its own, so that the training's iterator does not notice."""
    for batch in dataset.take(1):
        return _inputs_of(batch)
    return None


def _inputs_of(batch: Any) -> Any:
    return batch[0] if isinstance(batch, tuple) else batch


def _or_unknown(rows: Optional[int]) -> int:
    return -1 if rows is None else rows


def _leaves(value: Any) -> List[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, (list, tuple)) and not _is_numbers(value):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


def _is_numbers(value: Any) -> bool:
    return bool(value) and isinstance(value[0], (int, float))


def _rows(x: Any) -> Optional[int]:
    """First dimension of arrays, tensors or a structure of them; None for anything else."""
    if x is None or _is_dataset(x) or _is_sequence(x) or inspect.isgenerator(x):
        return None
    for leaf in _leaves(x):
        shape = getattr(leaf, "shape", None)
        if isinstance(leaf, (list, tuple)):
            return len(leaf)
        if shape is None or len(shape) < 1 or shape[0] is None:
            return None
        return int(shape[0])
    return None


def _head(x: Any) -> Any:
    import numpy as np

    if isinstance(x, dict):
        return {key: _head(item) for key, item in x.items()}
    if isinstance(x, (list, tuple)) and not _is_numbers(x):
        return [_head(item) for item in x]
    return np.array(x[:WANTED])


def _is_dataset(x: Any) -> bool:
    return hasattr(x, "element_spec") and hasattr(x, "take")


def _is_sequence(x: Any) -> bool:
    """keras.utils.Sequence, and PyDataset of Keras 3."""
    names = {kind.__name__ for kind in type(x).__mro__}
    return bool(names & {"Sequence", "PyDataset"}) and hasattr(x, "__getitem__") and len(x) > 0


# ---- tf.data ------------------------------------------------------------------------------------


def dataset_batch_size(dataset: Any) -> int:
    """From the static shape, else from the batch() call in the pipeline; -1 when neither tells."""
    static = _static_size(dataset.element_spec)
    if static is not None:
        return static
    while dataset is not None:
        name = type(dataset).__name__.lstrip("_")
        if name in _BATCHES:
            size = getattr(dataset, "_batch_size", None)
            return -1 if size is None else int(size)
        if name not in _SAME_BATCH:
            return -1
        dataset = getattr(dataset, "_input_dataset", None)
    return -1


def _static_size(spec: Any) -> Optional[int]:
    for leaf in _leaves(spec):
        shape = getattr(leaf, "shape", None)
        if shape is None or shape.rank is None or shape.rank < 1 or shape[0] is None:
            return None
        return int(shape[0])
    return None


def _reads_a_generator(dataset: Any) -> bool:
    """Datasets over a Python generator may be of one pass: a second iterator would take from the first."""
    names = [type(dataset).__name__]
    inputs = dataset._inputs() if hasattr(dataset, "_inputs") else ()
    return any(word in name for name in names for word in _ONE_PASS) or any(
        _reads_a_generator(item) for item in inputs
    )
