"""Every raw point of a run as CSV, tidy: one value a line. Nothing is thinned or smoothed."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import TextIO

import numpy as np

from core.series import Kind, SeriesStore
from core.table import FIELDS, Sparse, Table

HEADER = ("kind", "metric", "value", "superseded", *FIELDS)


def write_csv(store: SeriesStore, out: TextIO) -> int:
    """Returns how many values it wrote. ``out`` must be opened with newline=""."""
    writer = csv.writer(out)
    writer.writerow(HEADER)
    count = 0
    for row in rows(store):
        writer.writerow(row)
        count += 1
    return count


def rows(store: SeriesStore) -> Iterator[tuple[object, ...]]:
    tables = (
        (store.batches, Kind.BATCH, False),
        (store.superseded_batches, Kind.BATCH, True),
        (store.epochs, Kind.EPOCH, False),
        (store.superseded_epochs, Kind.EPOCH, True),
    )
    for table, kind, superseded in tables:
        yield from _of(table, table.lr, Kind.LEARNING_RATE.value, "learning_rate", superseded)
        for name, sparse in table.metrics.items():
            yield from _of(table, sparse, kind.value, name, superseded)


def _of(
    table: Table, sparse: Sparse, kind: str, name: str, superseded: bool
) -> Iterator[tuple[object, ...]]:
    columns = [sparse.of(table.column(field)).tolist() for field in FIELDS]
    for value, *fields in zip(sparse.values.tolist(), *columns, strict=True):
        yield (kind, name, repr(value), int(superseded), *map(_text, fields))


def _text(value: float) -> str:
    """Whole numbers without a point; unknown is empty."""
    if np.isnan(value):
        return ""
    return str(int(value)) if value.is_integer() else repr(value)
