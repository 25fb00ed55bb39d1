"""A synthetic table like the KGen paper's F2: 1,599 records of dates, numbers, strings, places."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl

from shoal.hierarchies import Hierarchy

RECORDS = 1_599
ATTRIBUTES = 47
_GROUPS = 40
_PROVINCES = ("Noord-Brabant", "Zeeland", "Zuid-Holland", "Limburg")
_TOWNS = 12


def f2_like(seed: int = 1) -> tuple[pl.DataFrame, dict[str, str | Hierarchy]]:
    """Return the table, and for each column its hierarchy or how to make it.

    Kinds take turns: date, number, string, place. Records belong to groups that shift every
    attribute, so that attributes depend on each other as in a file of real cases.
    """
    draw = np.random.default_rng(seed)
    group = draw.integers(0, _GROUPS, RECORDS)
    columns: dict[str, pl.Series] = {}
    trees: dict[str, str | Hierarchy] = {}
    places = _places()
    tree = Hierarchy.from_rows(places)
    for number in range(ATTRIBUTES):
        kind = ("date", "number", "string", "place")[number % 4]
        name = f"{kind}_{number}"
        centre = draw.random(_GROUPS)[group]
        at = np.clip(centre + draw.laplace(0, 0.08, RECORDS), 0, 0.999)
        if kind == "date":
            first = dt.date(1995, 1, 1).toordinal()
            days = [dt.date.fromordinal(first + int(day)) for day in at * 25 * 365]
            columns[name], trees[name] = pl.Series(days), "dates"
        elif kind == "number":
            columns[name] = pl.Series((at * 400).astype(np.int64))
            trees[name] = "ranges:5,20,80,320"
        elif kind == "string":
            columns[name] = pl.Series([f"NL{100 + int(code):03d}" for code in at * 800])
            trees[name] = "stars"
        else:
            rows = [places[int(place)] for place in at * len(places)]
            columns[name], trees[name] = pl.Series([row[0] for row in rows]), tree
    return pl.DataFrame(columns), trees


def _places() -> list[list[str]]:
    return [
        [f"{province[:2]}-town-{town}", f"{province} {'NESW'[town % 4]}", province, "*"]
        for province in _PROVINCES
        for town in range(_TOWNS)
    ]
