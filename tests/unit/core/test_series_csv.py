"""The CSV holds every raw point."""

from __future__ import annotations

import csv
import io
import math

from helpers.points import batch, epoch_end, records

from core.series import SeriesStore
from core.series_csv import HEADER, write_csv


def table_of(store: SeriesStore) -> list[dict[str, str]]:
    text = io.StringIO(newline="")
    count = write_csv(store, text)
    rows = list(csv.DictReader(io.StringIO(text.getvalue())))
    assert len(rows) == count
    return rows


def test_that_the_csv_has_every_point_with_all_its_digits() -> None:
    store = SeriesStore()
    values = [1 / 3, math.nan, math.inf, -0.0]
    for record in records(batch(s, loss=v) for s, v in enumerate(values, 1)):
        store.apply(record)
    rows = [row for row in table_of(store) if row["metric"] == "loss"]
    assert [row["value"] for row in rows] == [repr(value) for value in values]
    assert [row["step"] for row in rows] == ["1", "2", "3", "4"]
    assert set(rows[0]) == set(HEADER)


def test_that_superseded_points_are_there_and_marked() -> None:
    store = SeriesStore()
    events = [
        batch(1, loss=1.0),
        batch(2, loss=2.0),
        epoch_end(2, val_loss=9.0),
        batch(2, loss=3.0),
    ]
    for record in records(events):
        store.apply(record)
    rows = table_of(store)
    told = {(row["metric"], row["value"], row["superseded"]) for row in rows}
    assert ("loss", "2.0", "1") in told
    assert ("loss", "3.0", "0") in told
    assert ("val_loss", "9.0", "1") in told
    assert sum(row["metric"] == "learning_rate" for row in rows) == 3


def test_that_unknown_samples_are_an_empty_field() -> None:
    store = SeriesStore()
    for record in records([batch(1, samples=-1, loss=1.0)]):
        store.apply(record)
    assert {row["samples"] for row in table_of(store)} == {""}
