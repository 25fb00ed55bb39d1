"""A synthetic hospital table: admissions of people who never lived, with the ties real ones have.

Age and sex decide the diagnosis, the diagnosis decides ward, stay and cost, patients come back,
postcodes cluster in towns, and some cells are missing. It exists to try things on; no record is
derived from any person.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.errors import FileError, ParameterError
from shoal.example.diagnoses import AGE_BANDS, DIAGNOSES, frequencies
from shoal.example.postcodes import postcode_rows, postcodes
from shoal.io import Staging, check_output

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIRST_DAY = np.datetime64("2023-01-01")
DAYS = 731
_YEAR = 365.2425
_SEXES = np.array(["F", "M", "X"])
_RETURNS = 0.27
_COMES_BACK_WITH_IT = 0.65

_GIVEN = {
    "F": (
        ("Al", "Bre", "Ca", "Do", "El", "Fi", "Ga", "Is", "Jo", "Li"),
        ("ra", "na", "lia", "sa", "wyn"),
    ),
    "M": (
        ("An", "Bo", "Cor", "Da", "Er", "Fen", "Hal", "Jo", "Mar", "Ti"),
        ("ric", "lan", "mo", "vin", "bert"),
    ),
    "X": (("Ash", "Bri", "Kel", "Ro", "Sky"), ("len", "an", "ly")),
}
_FAMILY = (
    ("Ab", "Bal", "Cro", "Dun", "Es", "Far", "Gil", "Hol", "Ker", "Lan", "Mor", "Nor", "Pel"),
    ("bar", "den", "fi", "gro", "la", "ma", "ver", "wi"),
    ("by", "ler", "nard", "sen", "stow", "ton"),
)


@dataclass(frozen=True, slots=True)
class _Patients:
    """One entry a patient: who they are, and when they first came."""

    sex: NDArray[np.str_]
    first_admission: NDArray[np.int64]
    birth: NDArray[np.int64]
    postcode: NDArray[np.int64]
    admissions: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ExampleFiles:
    """Where the example was written.

    Parameters
    ----------
    table
        The hospital table, CSV.
    postcode
        The hierarchy of its postcodes.
    """

    table: Path
    postcode: Path


def hospital(rows: int = 10_000, seed: int = 1) -> pl.DataFrame:
    """Return a synthetic table of hospital admissions, oldest first.

    Parameters
    ----------
    rows
        Number of admissions.
    seed
        Equal seeds give equal tables.

    Returns
    -------
    polars.DataFrame
        ``patient_id``, ``name``, ``birth_date``, ``sex``, ``postcode`` (text, five digits),
        ``admission_date``, ``ward``, ``diagnosis``, ``length_of_stay`` (days), ``cost`` and
        ``insurance``. A patient may have several rows.

    Examples
    --------
    >>> table = hospital(rows=1000)
    >>> table.shape
    (1000, 11)
    >>> table["patient_id"].n_unique() < 1000
    True
    """
    if rows < 1:
        raise ParameterError(f"A table cannot have {rows} rows.", remedy="Give 1 or more.")
    rng = np.random.default_rng(seed)
    patients = _patients(rng, rows)
    owner = np.repeat(np.arange(len(patients.sex)), patients.admissions)[:rows]
    day = _admission_days(rng, patients, owner)
    age = (day - patients.birth[owner]) / _YEAR
    cause = _diagnoses(rng, owner, age, patients.sex[owner])
    stay, cost = _stay_and_cost(rng, cause, age)
    codes, _ = postcodes()
    wards = np.array([diagnosis.ward for diagnosis in DIAGNOSES])[cause]
    table = pl.DataFrame(
        {
            "patient_id": _patient_ids(rng, len(patients.sex))[owner],
            "name": _names(rng, patients.sex)[owner],
            "birth_date": _dates(patients.birth[owner]),
            "sex": patients.sex[owner],
            "postcode": np.array(codes)[patients.postcode[owner]],
            "admission_date": _dates(day),
            "ward": np.where(age < 18, _for_children(wards), wards),
            "diagnosis": np.array([diagnosis.code for diagnosis in DIAGNOSES])[cause],
            "length_of_stay": stay,
            "cost": cost,
            "insurance": _insurance(rng, patients)[owner],
        }
    )
    return _with_gaps(rng, table).sort("admission_date", "patient_id")


def write_example(
    folder: str | Path, *, rows: int = 10_000, seed: int = 1, force: bool = False
) -> ExampleFiles:
    """Write ``hospital.csv`` and the hierarchy ``postcode.csv`` into a folder, made if need be.

    Raises
    ------
    FileError
        If the folder cannot be written, or a file is there already and ``force`` is not set.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"Cannot create the folder {folder}: {error.strerror or error}.",
            remedy="Choose a folder that you may write to.",
        ) from error
    files = ExampleFiles(table=folder / "hospital.csv", postcode=folder / "postcode.csv")
    for path in (files.table, files.postcode):
        check_output(path, force)
    tree = io.StringIO()
    csv.writer(tree, lineterminator="\n").writerows(postcode_rows())
    with Staging() as staging:
        staging.table(hospital(rows, seed), files.table)
        staging.text(tree.getvalue(), files.postcode)
        staging.commit()
    return files


def _patients(rng: np.random.Generator, rows: int) -> _Patients:
    """Draw as many patients as there are rows; who comes once the rows are full is left out."""
    sex = rng.choice(_SEXES, size=rows, p=[0.523, 0.474, 0.003])
    # Hospitals see newborns, women of child-bearing age, and above all the old.
    group = rng.choice(4, size=rows, p=[0.06, 0.09, 0.33, 0.52])
    age = np.choose(
        group,
        [
            rng.uniform(0, 0.5, rows),
            rng.uniform(0.5, 18, rows),
            rng.normal(34, 9, rows).clip(18, 60),
            rng.normal(69, 13, rows).clip(40, 101),
        ],
    )
    first = rng.integers(0, DAYS, rows)
    admissions = rng.geometric(1 - _RETURNS, rows).clip(max=9)
    _, shares = postcodes()
    return _Patients(
        sex=sex,
        first_admission=first,
        birth=first - np.floor(age * _YEAR).astype(np.int64),
        postcode=rng.choice(len(shares), size=rows, p=shares),
        admissions=admissions,
    )


def _admission_days(
    rng: np.random.Generator, patients: _Patients, owner: NDArray[np.int64]
) -> NDArray[np.int64]:
    first = patients.first_admission[owner]
    later = np.concatenate(([False], owner[1:] == owner[:-1]))
    # Readmissions spread over what is left of the two years, so none lies before the first.
    spread = 1 + np.floor(rng.beta(0.8, 1.6, len(owner)) * (DAYS - 1 - first).clip(min=1))
    return np.where(later, np.minimum(first + spread.astype(np.int64), DAYS - 1), first)


def _diagnoses(
    rng: np.random.Generator,
    owner: NDArray[np.int64],
    age: NDArray[np.float64],
    sex: NDArray[np.str_],
) -> NDArray[np.int64]:
    band = np.digitize(age, AGE_BANDS)
    cause = np.empty(len(owner), dtype=np.int64)
    for number in range(len(AGE_BANDS) + 1):
        for one_sex in _SEXES.tolist():
            here = np.flatnonzero((band == number) & (sex == one_sex))
            chances = frequencies(number, one_sex)
            cause[here] = rng.choice(len(DIAGNOSES), size=len(here), p=chances)
    chronic = np.array([diagnosis.chronic for diagnosis in DIAGNOSES])
    start = np.searchsorted(owner, owner)
    again = chronic[cause[start]] & (rng.random(len(owner)) < _COMES_BACK_WITH_IT)
    return np.where(again, cause[start], cause)


def _stay_and_cost(
    rng: np.random.Generator, cause: NDArray[np.int64], age: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    mean, fixed, daily = (
        np.array([getattr(diagnosis, name) for diagnosis in DIAGNOSES])[cause]
        for name in ("stay", "fixed", "daily")
    )
    frailty = 1 + 0.35 * ((age - 60) / 30).clip(0, 1)
    stay = np.ceil(rng.gamma(2.0, mean * frailty / 2.0)).clip(1, 180).astype(np.int64)
    noise = rng.lognormal(0.0, 0.18, len(cause))
    return stay, np.round((fixed + daily * stay) * noise, 2)


def _patient_ids(rng: np.random.Generator, number: int) -> NDArray[np.str_]:
    # Drawn, not counted: a running number would tell when a patient first came.
    drawn = rng.choice(9_000_000, size=number, replace=False) + 1_000_000
    return np.char.add("P", drawn.astype(np.str_))


def _names(rng: np.random.Generator, sex: NDArray[np.str_]) -> NDArray[np.str_]:
    given = np.empty(len(sex), dtype="U16")
    for one_sex, syllables in _GIVEN.items():
        here = np.flatnonzero(sex == one_sex)
        given[here] = _join(rng, syllables, len(here))
    return np.char.add(np.char.add(given, " "), _join(rng, _FAMILY, len(sex)))


def _join(
    rng: np.random.Generator, syllables: tuple[tuple[str, ...], ...], number: int
) -> NDArray[np.str_]:
    word = np.full(number, "", dtype="U16")
    for choices in syllables:
        word = np.char.add(word, rng.choice(np.array(choices), size=number))
    return word


def _dates(days: NDArray[np.int64]) -> pl.Series:
    return pl.Series(FIRST_DAY + days.astype("timedelta64[D]"))


def _for_children(wards: NDArray[np.str_]) -> NDArray[np.str_]:
    return np.where(wards == "Medicine", "Paediatrics", wards)


def _insurance(rng: np.random.Generator, patients: _Patients) -> NDArray[np.str_]:
    age = (patients.first_admission - patients.birth) / _YEAR
    kinds = np.array(["statutory", "private", "civil service", "none"])
    drawn = rng.choice(kinds, size=len(age), p=[0.83, 0.11, 0.045, 0.015])
    return np.where((age < 18) & (drawn == "none"), "statutory", drawn)


def _with_gaps(rng: np.random.Generator, table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with a few cells missing, as they are in every register."""
    gaps = {"postcode": 0.004, "insurance": 0.012, "cost": 0.006}
    return table.with_columns(
        pl.when(pl.Series(rng.random(table.height) >= share)).then(pl.col(name)).alias(name)
        for name, share in gaps.items()
    )
