"""The hospital table is the same each time, and has the ties that real ones have."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import polars as pl
import pytest

import shoal
from shoal.errors import FileError, ParameterError
from shoal.example import hospital, postcode_hierarchy, write_example
from shoal.io import read_table

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = [
    "patient_id",
    "name",
    "birth_date",
    "sex",
    "postcode",
    "admission_date",
    "ward",
    "diagnosis",
    "length_of_stay",
    "cost",
    "insurance",
]


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return hospital()


def test_equal_seeds_give_equal_tables_and_others_do_not(table: pl.DataFrame) -> None:
    assert hospital().equals(table)
    assert not hospital(seed=2).equals(table)


@pytest.mark.parametrize("rows", [1, 2, 999])
def test_it_has_as_many_rows_as_asked(rows: int) -> None:
    assert hospital(rows).height == rows


def test_no_rows_are_refused() -> None:
    with pytest.raises(ParameterError, match="0 rows"):
        hospital(0)


def test_columns_and_ranges(table: pl.DataFrame) -> None:
    assert table.columns == COLUMNS
    assert table.height == 10_000
    admitted, born = table["admission_date"], table["birth_date"]
    assert admitted.is_sorted()
    assert admitted.min() == datetime.date(2023, 1, 1)
    assert admitted.max() == datetime.date(2024, 12, 31)
    assert (born <= admitted).all()
    assert ((admitted - born).dt.total_days() < 102 * 366).all()
    assert set(table["sex"].unique()) == {"F", "M", "X"}
    assert 0 < (table["sex"] == "X").sum() < 100
    assert table["diagnosis"].str.contains(r"^[A-Z]\d\d$").all()
    assert table["length_of_stay"].is_between(1, 180).all()
    assert (table["cost"].drop_nulls() > 0).all()


def test_a_few_cells_are_missing_but_never_of_whom_or_what(table: pl.DataFrame) -> None:
    missing = {name: table[name].null_count() for name in COLUMNS}
    for name in ("postcode", "insurance", "cost"):
        assert 0 < missing.pop(name) < 300
    assert set(missing.values()) == {0}


def test_patients_come_back_as_the_same_person(table: pl.DataFrame) -> None:
    patients = table.group_by("patient_id").agg(
        pl.len(),
        *(pl.col(name).n_unique() for name in ("name", "birth_date", "sex", "insurance")),
        pl.col("postcode").drop_nulls().n_unique(),
    )
    assert 6_000 < patients.height < 9_000
    assert patients["len"].max() in range(4, 10)
    assert (patients["name"] == 1).all()
    assert (patients["birth_date"] == 1).all()
    assert (patients["sex"] == 1).all()
    assert (patients["postcode"] <= 1).all()


def test_postcodes_cluster_in_towns_and_keep_their_zeros(table: pl.DataFrame) -> None:
    codes = table["postcode"].drop_nulls()
    assert codes.str.contains(r"^\d{5}$").all()
    assert codes.str.starts_with("0").sum() > 9_000
    largest = codes.str.head(3).value_counts(sort=True)["count"]
    assert len(largest) == 12
    assert largest[0] > 5 * largest[-1]
    postcode_hierarchy().require(codes.unique().to_list(), "postcode")


def test_diagnoses_follow_age_and_sex(table: pl.DataFrame) -> None:
    age = (pl.col("admission_date") - pl.col("birth_date")).dt.total_days() / 365.25
    aged = table.with_columns(age=age)
    births = aged.filter(pl.col("diagnosis") == "O80")
    assert births.height > 50
    assert set(births["sex"].unique()) <= {"F", "X"}
    assert births["age"].is_between(1, 45).all()
    assert (aged.filter(pl.col("ward") == "Neonatology")["age"] < 1).all()
    assert (aged.filter(pl.col("ward") == "Paediatrics")["age"] < 18).all()
    heart, tonsils = (
        aged.filter(pl.col("diagnosis") == code)["age"].mean() for code in ("I50", "J35")
    )
    assert isinstance(heart, float)
    assert isinstance(tonsils, float)
    assert heart > 65 > 30 > tonsils


def test_longer_stays_cost_more(table: pl.DataFrame) -> None:
    present = table.drop_nulls("cost")
    correlation = present.select(pl.corr("length_of_stay", "cost")).item()
    assert 0.5 < correlation < 0.98


def test_nearly_every_record_is_unique_before_anything_is_done(table: pl.DataFrame) -> None:
    groups = table.group_by("birth_date", "sex", "postcode", "admission_date").len()
    assert (groups["len"] == 1).sum() > 0.98 * table.height


def test_the_hierarchy_drops_a_digit_a_level() -> None:
    tree = postcode_hierarchy()
    assert tree.height == 4
    leaf = tree.position["01200"]
    names = [tree.node_names[tree.ancestors[level, leaf]] for level in range(5)]
    assert names == ["01200", "0120*", "012**", "01***", "*"]


def test_written_files_read_back_as_they_were(tmp_path: Path, table: pl.DataFrame) -> None:
    files = write_example(tmp_path / "new" / "folder")
    read = read_table(files.table)
    assert read.columns == COLUMNS
    assert read["postcode"].equals(table["postcode"])
    assert read["cost"].cast(pl.Float64).equals(table["cost"])
    assert shoal.read_hierarchy(files.postcode).leaves == postcode_hierarchy().leaves


def test_files_that_are_there_stay_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "postcode.csv").write_text("mine")
    with pytest.raises(FileError, match=r"postcode\.csv"):
        write_example(tmp_path, rows=10)
    assert (tmp_path / "postcode.csv").read_text() == "mine"
    assert not (tmp_path / "hospital.csv").exists()
    write_example(tmp_path, rows=10, force=True)
    assert (tmp_path / "postcode.csv").read_text() != "mine"


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="Cannot create the folder"):
        write_example(tmp_path / "file" / "folder")
