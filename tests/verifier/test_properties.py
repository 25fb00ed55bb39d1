"""Random tables, random classes: what is written obviously right is accepted through both doors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.verifier import verify
from tests.verifier.writer import ORDER, SCHEMA, Made, write_release

NASTY = ["a", "b", "a|b", "{a|b}", "[1..2]", "*", "\\", "\\*", "{", "ä é", "1"]
ROW = st.fixed_dictionaries(
    {
        "name": st.just("somebody"),
        "age": st.sampled_from(["1", "2", "2.5", "-3", "+4", "1e2", None]),
        "grade": st.sampled_from([*ORDER, None]),
        "town": st.sampled_from([*NASTY, None]),
        "ill": st.sampled_from(["flu", "cough", "burn", "rash", "cut", None]),
        "code": st.sampled_from([*NASTY, None]),
        "pay": st.sampled_from(["1", "2", None]),
        "note": st.sampled_from(["n", "m"]),
    }
)


@st.composite
def released_tables(draw: st.DrawFn) -> tuple[pl.DataFrame, Made, int]:
    k = draw(st.integers(2, 4))
    rows = draw(st.lists(ROW, min_size=k, max_size=25))
    original = pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String))
    seed = draw(st.integers(0, 2**32 - 1))
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(rows))
    cuts = range(k, len(rows) - k + 1, int(generator.integers(k, 2 * k)))
    classes = [part.tolist() for part in np.split(order, list(cuts))]
    made = write_release(original, SCHEMA, classes, seed=seed, bounds=draw(st.booleans()))
    return original, made, k


@settings(max_examples=150, deadline=None)
@given(released_tables())
def test_obviously_right_releases_are_accepted_through_both_doors(
    case: tuple[pl.DataFrame, Made, int],
) -> None:
    original, made, k = case
    for witness in (made.witness, None):
        verdict = verify(original, made.frame, SCHEMA, k, witness=witness)
        assert verdict, str(verdict)
        sizes = made.frame.drop("pay", "note").unique().height
        assert verdict.classes == sizes


@settings(max_examples=100, deadline=None)
@given(released_tables(), st.data())
def test_whatever_the_row_map_proves_the_files_show_too(
    case: tuple[pl.DataFrame, Made, int], data: st.DataObject
) -> None:
    original, made, k = case
    column = data.draw(st.sampled_from(original.columns[1:]))
    row = data.draw(st.integers(0, len(original) - 1))
    value = data.draw(st.sampled_from(original[column].to_list()))
    cells = original[column].to_list()
    cells[row] = value
    changed = original.with_columns(pl.Series(column, cells, pl.String))
    by_witness = verify(changed, made.frame, SCHEMA, k, witness=made.witness)
    by_files = verify(changed, made.frame, SCHEMA, k)
    # A row map is one match among many: the files may still have another one.
    assert bool(by_files) or not by_witness


@settings(max_examples=50, deadline=None)
@given(released_tables())
def test_a_withheld_row_is_noticed(case: tuple[pl.DataFrame, Made, int]) -> None:
    original, made, k = case
    short = replace(made, frame=made.frame[1:], witness=made.witness[1:])
    if not len(short.frame):
        return
    for witness in (short.witness, None):
        assert not verify(original, short.frame, SCHEMA, k, witness=witness)
