"""Inspect finds what matters: roles by content and name, coded numbers, who is singled out."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.table.singling_out import group_sizes
from tests.cli.command import shoal as run
from tests.exposure.people import People
from tests.inspection.collection import read_headers

if TYPE_CHECKING:
    from pathlib import Path

LEAST_RECALL = 0.95


def census(n: int = 1500, seed: int = 1) -> pl.DataFrame:
    """Return a file as statistical offices write them: abbreviations and coded numbers."""
    rng = np.random.default_rng(seed)
    people = People(rng)
    age = rng.integers(0, 95, n)
    return pl.DataFrame(
        {
            "AGEP": np.where(rng.random(n) < 0.02, 999, age),
            "PUMA": rng.choice([101, 102, 200, 305, 1100], n),
            "RAC1P": rng.choice([1, 2, 3, 5, 6, 8, 9], n),
            "YOB": 2019 - age,
            "BIRTHYR": 2019 - age,
            "ZIP5": rng.integers(10000, 10300, n),
            "CODPOST": rng.integers(75001, 75020, n),
            "lat": np.round(rng.normal(48, 0.1, n), 5),
            "lon": np.round(rng.normal(2, 0.1, n), 5),
            "nom": [people.family("fr") for _ in range(n)],
            "prenom": [people.given("fr") for _ in range(n)],
            "canton": rng.integers(1, 26, n),
            "PREGNANT": rng.choice([1, 2, 97], n),
            "DIABETES": rng.choice([1, 2, 98], n),
        }
    )


def test_a_census_file_is_not_called_safe() -> None:
    found = shoal.inspect(census())
    roles = {column.name: str(column.role) for column in found.columns}
    quasi = ("AGEP", "PUMA", "RAC1P", "YOB", "BIRTHYR", "ZIP5", "CODPOST", "canton")
    assert {name for name, role in roles.items() if role == "quasi"} == set(quasi)
    assert {name for name, role in roles.items() if role == "sensitive"} == {"PREGNANT", "DIABETES"}
    assert all(roles[name] == "identifier" for name in ("lat", "lon", "nom", "prenom"))
    assert found.k == 1
    assert found.unique > 1400
    assert found.at_risk[3] <= found.at_risk[5] <= found.at_risk[10]
    coded = {column.name for column in found.columns if column.profile.coded}
    assert coded == {"PUMA", "RAC1P", "canton", "PREGNANT", "DIABETES"}
    assert found.kinds == dict.fromkeys(("PUMA", "RAC1P", "canton"), "categorical")
    codes = {column.name: column.missing_codes for column in found.columns}
    assert codes["AGEP"] == ("999",)
    assert codes["PREGNANT"] == ("97",)
    assert "AGEP=999" in found.null_values


def test_values_are_shown_and_those_of_persons_only_as_shapes() -> None:
    frame = census()
    found = {column.name: column.profile for column in shoal.inspect(frame).columns}
    assert found["YOB"].value_range == (str(frame["YOB"].min()), str(frame["YOB"].max()))
    assert set(found["RAC1P"].samples) <= {"1", "2", "3", "5", "6", "8", "9"}
    assert found["nom"].value_range is None
    assert set("".join(found["nom"].samples)) <= set("Aa '-…")
    assert set("".join(found["PREGNANT"].samples)) == {"9"}


def test_days_have_a_range_and_codes_with_leading_zeros_do_not() -> None:
    days = [f"2020-01-{day:02d}" for day in range(1, 29)]
    frame = pl.DataFrame(
        {"admission_date": days, "postcode": [f"0{1000 + day}" for day in range(28)]}
    )
    shown = repr(shoal.inspect(frame))
    assert "2020-01-01 … 2020-01-28" in shown
    assert "01000" in shown
    assert "…" not in shown.splitlines()[2]


def test_combinations_single_out_as_counted_by_hand() -> None:
    frame = pl.DataFrame({"age": [30, 30, 40, 40], "sex": list("fmfm"), "city": list("aaab")})
    found = {one.columns: one for one in shoal.inspect(frame).singling_out}
    assert {columns: one.unique for columns, one in found.items() if len(columns) == 2} == {
        ("age", "sex"): 4,
        ("city", "age"): 2,
        ("city", "sex"): 2,
    }
    assert found["city",].unique == 1


def test_group_sizes_are_those_of_a_counter() -> None:
    frame = census(300)
    for names in itertools.combinations(("AGEP", "ZIP5", "nom", "PREGNANT"), 3):
        counted = Counter(frame.select(names).rows())
        assert sorted(group_sizes(frame, names).tolist()) == sorted(counted.values())


def test_it_can_be_read_in_a_shell_and_in_a_notebook() -> None:
    found = shoal.inspect(census(200))
    assert "AGEP" in repr(found)
    assert repr(found).splitlines()[0].split() == [
        "column", "role", "kind", "distinct", "missing", "values",
    ]  # fmt: skip
    html = found._repr_html_()
    assert html.count("<table") == 2
    assert "RAC1P" in html


def test_the_command_shows_it_at_any_width(tmp_path: Path) -> None:
    census(300).write_csv(tmp_path / "census.csv")
    for width in ("80", "120"):
        done = run("inspect", "census.csv", folder=tmp_path, COLUMNS=width)
        assert done.returncode == 0
        lines = done.stdout.decode().splitlines()
        assert max(map(len, lines[:20])) <= int(width)
        assert "--kind RAC1P=categorical" in lines[-1]


@pytest.mark.parametrize("half", ["development", "held back"])
def test_roles_of_the_labelled_collection(half: str) -> None:
    found: Counter[str] = Counter()
    right: Counter[str] = Counter()
    headers = [one for one in read_headers() if one.held_back == (half == "held back")]
    assert len(headers) >= 200
    suggested: dict[str, str] = {}
    for first in range(0, len(headers), 6):  # combinations of columns are counted, too
        frame = pl.DataFrame([header.column() for header in headers[first : first + 6]])
        suggested |= {column.name: str(column.role) for column in shoal.inspect(frame).columns}
    for header in headers:
        found[header.roles[0]] += 1
        right[header.roles[0]] += suggested[header.name] in header.roles
    for role in ("identifier", "quasi"):
        assert right[role] >= LEAST_RECALL * found[role], role
