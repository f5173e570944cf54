"""Columns that grow: the points of one curve store, float64, doubled when full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

FIELDS = ("seq", "step", "epoch", "samples", "wall", "size", "generation", "segment", "step_time")


class Sparse:
    """One metric: its values and the rows of the table they stand in.

    A row that is not listed has no value; NaN is a value. ``rewrites`` counts the times that earlier
    values were taken away or moved, so that whoever caches knows.
    """

    def __init__(self) -> None:
        self._rows = np.empty(256, dtype=np.int64)
        self._values = np.empty(256)
        self._length = 0
        self.rewrites = 0
        self.odd: list[int] = []
        """Where (in ``values``) the NaN and the infinities are."""

    def __len__(self) -> int:
        return self._length

    @property
    def rows(self) -> Rows:
        return self._rows[: self._length]

    @property
    def values(self) -> Floats:
        return self._values[: self._length]

    def append(self, row: int, value: float) -> None:
        n = self._length
        if n == len(self._values):
            self._values = np.concatenate((self._values, np.empty(n)))
            self._rows = np.concatenate((self._rows, np.empty(n, dtype=np.int64)))
        self._rows[n] = row
        self._values[n] = value
        self._length = n + 1
        if value - value != 0:  # NaN and the infinities, without a call
            self.odd.append(n)

    def of(self, column: Floats) -> Floats:
        """``column`` (one entry a row of the table) at the rows that have a value."""
        rows = self.rows
        if not len(rows):
            return column[:0]
        first, last = int(rows[0]), int(rows[-1])
        if last - first + 1 == len(rows):
            return column[first : last + 1]
        return column[rows]

    def move_tail(self, row: int, other: Sparse, shift: int) -> None:
        """Gives the values at ``row`` and after to ``other``, where their rows are ``shift`` higher."""
        keep = int(np.searchsorted(self.rows, row))
        if keep == self._length:
            return
        for place, value in zip(
            self.rows[keep:].tolist(), self.values[keep:].tolist(), strict=True
        ):
            other.append(place + shift, value)
        self._length = keep
        self.odd = [place for place in self.odd if place < keep]
        self.rewrites += 1

    def reorder(self, new_row: Rows) -> None:
        """The table was sorted: row r is now row new_row[r]."""
        rows = new_row[self.rows]
        order = np.argsort(rows, kind="stable")
        self._rows[: self._length] = rows[order]
        self._values[: self._length] = self.values[order]
        self.odd = np.flatnonzero(~np.isfinite(self.values)).tolist()
        self.rewrites += 1


class Table:
    """Rows of FIELDS, with a :class:`Sparse` column for the learning rate and one for each metric."""

    def __init__(self) -> None:
        self._columns = {name: np.empty(256) for name in FIELDS}
        self._length = 0
        self.lr = Sparse()
        self.metrics: dict[str, Sparse] = {}

    def __len__(self) -> int:
        return self._length

    def column(self, name: str) -> Floats:
        return self._columns[name][: self._length]

    def append(
        self, row: tuple[float, ...], lr: float | None, metrics: Mapping[str, float]
    ) -> None:
        """``row`` in the order of FIELDS."""
        n = self._length
        self._reserve(n + 1)
        for column, value in zip(self._columns.values(), row, strict=True):
            column[n] = value
        self._length = n + 1
        if lr is not None:
            self.lr.append(n, lr)
        for name, value in metrics.items():
            if name not in self.metrics:
                self.metrics[name] = Sparse()
            self.metrics[name].append(n, value)

    def _reserve(self, size: int) -> None:
        room = len(self._columns["seq"])
        if size > room:
            for name, column in self._columns.items():
                self._columns[name] = np.concatenate((column, np.empty(max(room, size - room))))

    def move_tail(self, row: int, other: Table) -> None:
        """Gives the rows from ``row`` on to ``other``, at its end."""
        start = len(other)
        other._length += self._length - row
        other._reserve(other._length)
        for name, column in self._columns.items():
            other._columns[name][start : other._length] = column[row : self._length]
        self._length = row
        self.lr.move_tail(row, other.lr, start - row)
        for name, sparse in self.metrics.items():
            sparse.move_tail(row, other.metrics.setdefault(name, Sparse()), start - row)

    def sort(self, name: str) -> None:
        """Puts the rows in the order of one column; equals keep theirs."""
        order = np.argsort(self.column(name), kind="stable")
        for column in self._columns.values():
            column[: self._length] = column[: self._length][order]
        new_row = np.empty(len(order), dtype=np.int64)
        new_row[order] = np.arange(len(order))
        for sparse in self.sparse():
            sparse.reorder(new_row)

    def sparse(self) -> Iterable[Sparse]:
        yield self.lr
        yield from self.metrics.values()

    def points(self) -> int:
        """How many metric values the table holds."""
        return sum(len(sparse) for sparse in self.metrics.values())
