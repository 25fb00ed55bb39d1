"""Personal k: whether every record's class is as large as its own k requires, read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InputError, SchemaError
from shoal.table.cells import read_number, texts
from shoal.verifier.assignment import untouched_blocks
from shoal.verifier.grouping import group_rows, ranges
from shoal.verifier.reach import Reach
from shoal.verifier.verdict import Check, name_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.verifier.classes import Classes
    from shoal.verifier.witness import Tables

NAME = "personal k"


def own_ks(original: pl.DataFrame, rules: Sequence[str]) -> NDArray[np.int64]:
    """Return the k that each original record requires; 0 where no rule applies.

    Raises
    ------
    InputError
        If a rule cannot be read, or a cell is not a k.
    """
    largest = np.zeros(original.height, dtype=np.int64)
    for rule in rules:
        if rule in original.columns:
            required = _read_ks(original[rule])
        else:
            column, is_rule, rest = rule.partition("=")
            value, has_number, number = rest.rpartition(":")
            if not (is_rule and has_number and number.isascii() and number.isdigit()):
                raise InputError(
                    f"The personal k {rule!r} is neither a column nor COLUMN=VALUE:K.",
                    remedy="Name the column as the header does.",
                )
            if column.strip() not in original.columns:
                raise SchemaError(
                    f"The original lacks the column {column.strip()!r}, which holds a personal k.",
                    remedy="Name the columns as its header does.",
                )
            shown = texts(original[column.strip()]).to_list()
            required = np.array(
                [int(number) if cell == value else 0 for cell in shown], dtype=np.int64
            )
        largest = np.maximum(largest, required)
    return largest


def _read_ks(series: pl.Series) -> NDArray[np.int64]:
    shown = texts(series)
    ks = np.zeros(len(series), dtype=np.int64)
    for place, (cell, number) in enumerate(zip(shown, read_number(series), strict=True)):
        if cell is None:
            continue
        if number is None or not 1 <= number <= 2**31 or number != int(number):
            raise InputError(
                f"Row {place + 1} of the original holds no whole number of at least 1 in "
                f"{series.name!r}, the column of personal ks.",
                remedy="Leave a cell empty where the common k is enough.",
            )
        ks[place] = int(number)
    return ks


def check_personal_k(
    tables: Tables, classes: Classes, witness: NDArray[np.int64] | None, k: int
) -> Check:
    """Check that every class is as large as the largest k among its originals.

    Without a row map every original counts for every class that it could stand in: the class's
    cells cover it, and the class holds its sensitive and other values. What passes then holds
    whatever record came from whom.
    """
    own = own_ks(tables.original, tables.schema.personal_k)
    groups = classes.groups
    required = np.zeros(len(groups), dtype=np.int64)
    if witness is not None:
        np.maximum.at(required, groups.of_row(), own[witness])
    else:
        _require_for_all_possible(tables, classes, own, required)
    small = groups.sizes < required
    if not small.any():
        most = int(own[tables.kept].max(initial=k))
        detail = f"every class is as large as its records require, up to {most:,}"
        return Check(NAME, passed=True, detail=detail)
    rows = name_rows(classes.rows(small))
    count = f"{np.count_nonzero(small):,} of {classes.count:,} classes"
    if witness is not None:
        detail = f"{count} are smaller than a record in them requires: release {rows}"
    else:
        detail = (
            "that every class is as large as its records require cannot be shown from the two "
            f"files alone; give the custody file ({count} could hold a record that requires more: "
            f"release {rows})"
        )
    return Check(NAME, passed=False, detail=detail)


def _require_for_all_possible(
    tables: Tables, classes: Classes, own: NDArray[np.int64], required: NDArray[np.int64]
) -> None:
    """Raise the k of each class to the largest of any record that it could hold."""
    groups = classes.groups
    demanding = np.flatnonzero(tables.kept & (own > groups.sizes.min()))
    close = np.flatnonzero(groups.sizes < own[demanding].max(initial=0))
    if not len(close):
        return
    block_of_original, block_of_released = untouched_blocks(tables)
    folded = group_rows([coverage.values[demanding] for coverage in tables.coverages])
    reach = Reach(tables.coverages, demanding[folded.first], groups.first[close])
    for place, covered in reach.originals_of_each(np.arange(len(close))):
        group = close[place]
        rows = demanding[folded.rows[ranges(folded.starts[covered], folded.starts[covered + 1])]]
        members = groups.rows[groups.starts[group] : groups.starts[group + 1]]
        possible = np.isin(block_of_original[rows], block_of_released[members])
        required[group] = own[rows[possible]].max(initial=0)
