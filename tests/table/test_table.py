"""Tables: identifiers gone, missing cells by policy, persons counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import InputError, SchemaError
from shoal.table import Table, declare

FRAME = pl.DataFrame(
    {
        "disease": ["flu", "cold", None, "flu", "flu"],
        "patient": ["p1", "p2", "p1", None, "p3"],
        "age": ["30", None, "32", "33", "34"],
        "ward": [1, 2, 3, 4, 5],
        "sex": ["f", "m", "", "m", "f"],
        "name": ["Ann", "Bob", "Ann", "Dan", "Eve"],
    }
)
ROLES: Any = {"quasi": ["age", "sex"], "sensitive": ["disease"], "other": ["ward"]}


def test_identifiers_and_undeclared_columns_are_gone() -> None:
    schema = declare(FRAME, identifier=["name"], rest="drop", **ROLES)
    table = Table.of(FRAME, schema)
    assert table.frame.columns == ["disease", "age", "ward", "sex"]
    assert table.n == 5
    assert table.rows.tolist() == [0, 1, 2, 3, 4]
    assert table.rows.dtype == np.int64
    assert (table.withheld, table.persons) == (0, None)


def test_missing_cells_may_be_values() -> None:
    schema = declare(FRAME, rest="drop", **ROLES)
    assert Table.of(FRAME, schema).frame["age"].to_list() == FRAME["age"].to_list()


def test_records_with_missing_quasi_identifiers_may_be_withheld() -> None:
    schema = declare(FRAME, rest="drop", missing="drop", **ROLES)
    table = Table.of(FRAME, schema)
    assert table.rows.tolist() == [0, 3, 4]
    assert table.frame["ward"].to_list() == [1, 4, 5]
    assert table.withheld == 2
    assert any("2 records are withheld" in note for note in table.notes)


def test_no_record_left() -> None:
    frame = pl.DataFrame({"age": [None, 3], "sex": ["f", None]})
    schema = declare(frame, quasi=["age", "sex"], missing="drop")
    with pytest.raises(InputError, match="every one lacks a quasi-identifier"):
        Table.of(frame, schema)


def test_persons_are_coded() -> None:
    schema = declare(
        FRAME,
        identifier=["name"],
        rest="drop",
        person="patient",
        **ROLES,
    )
    table = Table.of(FRAME, schema)
    assert table.persons is not None
    assert table.persons.dtype == np.uint32
    one, two, again, absent, three = table.persons.tolist()
    assert one == again
    assert len({one, two, absent, three}) == 4
    assert "patient" not in table.frame.columns
    assert any("1 record has no value in the person column" in note for note in table.notes)
    assert not any("repeats" in note for note in table.notes)


def test_persons_follow_the_records_kept() -> None:
    schema = declare(
        FRAME,
        rest="drop",
        person="patient",
        missing="drop",
        **ROLES,
    )
    table = Table.of(FRAME, schema)
    assert table.persons is not None
    assert len(set(table.persons.tolist())) == len(table.persons) == 3


def test_repeating_identifiers_are_noted() -> None:
    schema = declare(FRAME, identifier=["name"], rest="drop", **ROLES)
    (note,) = Table.of(FRAME, schema).notes
    assert "'name' repeats: 4 values in 5 records" in note
    assert "`person='name'`" in note
    assert "Ann" not in note


def test_identifiers_that_tell_all_apart_are_not_noted() -> None:
    frame = FRAME.with_columns(name=pl.Series(["a", "b", "c", "d", "e"]))
    schema = declare(frame, identifier=["name"], rest="drop", **ROLES)
    assert Table.of(frame, schema).notes == ()


def test_the_schema_of_another_table() -> None:
    schema = declare(FRAME, rest="drop", **ROLES)
    with pytest.raises(SchemaError, match="'age'"):
        Table.of(FRAME.drop("age"), schema)


def test_the_representation_shows_no_cells() -> None:
    schema = declare(FRAME, identifier=["name"], rest="drop", **ROLES)
    shown = repr(Table.of(FRAME, schema))
    assert "flu" not in shown
    assert "Ann" not in shown
