"""Twenty tables of people with columns that expose them, and columns that do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.data import find_data
from tests.exposure.people import People

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LANGUAGES = {
    "en": ("GB", "gb"),
    "de": ("DE", "de"),
    "fr": ("FR", "fr"),
    "es": ("ES", "es"),
    "it": ("IT", "it"),
    "pt": ("PT", "pt"),
}


@dataclass(frozen=True, slots=True)
class ExposureTable:
    """A table whose other columns are labelled.

    Parameters
    ----------
    name, frame, quasi, k
        The table, its quasi-identifiers, and what is asked for.
    exposing, ordinary
        Its other columns: those that give people away, and those that do not.
    """

    name: str
    frame: pl.DataFrame
    quasi: Sequence[str]
    k: int
    exposing: Sequence[str]
    ordinary: Sequence[str]


def tables() -> Iterator[ExposureTable]:
    """Yield the tables; the real ones only where they are."""
    yield from _adult()
    yield from _diabetic()
    yield from _fars()
    for language in LANGUAGES:
        yield visits(language)
    yield regions()
    yield staff()
    yield pupils()
    yield calls()
    yield census()


def _read(name: str) -> pl.DataFrame | None:
    path = find_data(name)
    return None if path is None else pl.read_csv(path, infer_schema_length=None)


def _adult() -> Iterator[ExposureTable]:
    frame = _read("adult")
    if frame is not None:
        rng = np.random.default_rng(1)
        months = pl.Series(rng.integers(0, 12, frame.height))
        frame = frame.with_columns(
            Age=pl.col("age"),
            months=pl.col("age") * 12 + months,
            place=pl.col("native-country") + "/" + pl.col("sex"),
        )
        quasi = [
            "age",
            "workclass",
            "education",
            "marital-status",
            "occupation",
            "race",
            "sex",
            "native-country",
        ]
        exposing = ["Age", "months", "place", "education-num", "fnlwgt"]
        ordinary = ["hours-per-week", "capital-gain", "capital-loss", "income"]
        for rows, k in ((45_222, 5), (45_222, 10), (45_222, 50), (1_000, 5)):
            part = frame if rows == frame.height else frame.sample(rows, seed=1)
            yield ExposureTable(f"adult, {rows:,}", part, quasi, k, exposing, ordinary)
    frame = _read("adult30k")
    if frame is not None:
        quasi = ["sex", "age", "race", "marital-status", "native-country"]
        ordinary = ["workclass", "occupation", "education", "salary-class"]
        yield ExposureTable("adult30k", frame, quasi, 10, [], ordinary)


def _diabetic() -> Iterator[ExposureTable]:
    frame = _read("diabetic")
    if frame is None:
        return
    quasi = [
        "race",
        "gender",
        "age",
        "admission_type_id",
        "admission_source_id",
        "time_in_hospital",
    ]
    exposing = ["patient_nbr", "encounter_id"]
    ordinary = [
        "payer_code",
        "medical_specialty",
        "num_lab_procedures",
        "num_medications",
        "number_emergency",
        "diag_1",
        "diag_2",
        "diag_3",
        "number_diagnoses",
        "A1Cresult",
        "metformin",
        "insulin",
        "change",
        "readmitted",
    ]
    for rows, k in ((101_766, 5), (2_000, 10)):
        part = frame if rows == frame.height else frame.sample(rows, seed=1)
        yield ExposureTable(f"diabetic, {rows:,}", part, quasi, k, exposing, ordinary)


def _fars() -> Iterator[ExposureTable]:
    frame = _read("fars")
    if frame is None:
        return
    quasi = ["CASE_STATE", "AGE", "SEX", "RACE", "HISPANIC_ORIGIN"]
    ordinary = [name for name in frame.columns if name not in quasi]
    for rows, k in ((100_968, 10), (1_000, 10)):
        part = frame if rows == frame.height else frame.sample(rows, seed=1)
        yield ExposureTable(f"fars, {rows:,}", part, quasi, k, [], ordinary)


def visits(language: str, patients: int = 400) -> ExposureTable:
    """Return visits to a hospital by people of one language; each comes three times."""
    rng = np.random.default_rng(sum(map(ord, language)))
    people, (country, register) = People(rng), LANGUAGES[language]
    n = 3 * patients
    personal: dict[str, Callable[[], str]] = {
        "c1": lambda: people.full(language),
        "c2": lambda: people.family(language),
        "c3": lambda: people.given(language),
        "c4": lambda: people.email(language),
        "c5": lambda: people.phone(country),
        "c6": lambda: people.national(register),
        "c7": lambda: people.street(language),
        "c8": lambda: people.born().strftime("%d.%m.%Y"),
        "c9": lambda: people.iban("DE"),
    }
    frame = pl.DataFrame(
        {
            "age": np.repeat(rng.integers(18, 95, patients), 3),
            "sex": np.repeat(rng.choice(["f", "m"], patients), 3),
            "ward": rng.choice(["1A", "2B", "3C", "ICU"], n),
            "icd": rng.choice([f"{a}{d:02d}" for a in "ABCDEFG" for d in range(30)], n),
            "cost": np.round(rng.gamma(2, 400, n), 2),
            "visit": rng.choice(["first", "control", "emergency"], n),
            **{name: np.repeat([make() for _ in range(patients)], 3)
               for name, make in personal.items()},
        }
    )  # fmt: skip
    ordinary = ["ward", "icd", "cost", "visit"]
    return ExposureTable(f"visits, {language}", frame, ["age", "sex"], 5, [*personal], ordinary)


def regions(n: int = 5_000) -> ExposureTable:
    """Return people of forty regions with a density, a detailed and a coarse industry."""
    rng = np.random.default_rng(4)
    region, industry = rng.integers(0, 40, n), rng.integers(0, 90, n)
    density = np.round(np.exp(rng.normal(5, 1, 40)), 1)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "region": [f"R{number:02d}" for number in region],
            "industry": [f"I{number // 6}" for number in industry],
            "density": density[region],
            "industry_code": 1000 + industry,
            "vote": rng.choice(["a", "b", "c", "none"], n),
            "size": rng.integers(1, 6, n),
        }
    )
    exposing = ["density", "industry_code"]
    return ExposureTable(
        "regions", frame, ["age", "region", "industry"], 10, exposing, ["vote", "size"]
    )


def staff(n: int = 3_000) -> ExposureTable:
    """Return employees with a badge, a salary that goes with their grade, and a hire date."""
    rng = np.random.default_rng(5)
    people = People(rng)
    grade = rng.integers(1, 16, n)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 66, n),
            "grade": grade,
            "office": rng.choice([f"O{number}" for number in range(12)], n),
            "badge": [people.filled("E######") for _ in range(n)],
            "manager": [people.full("en") for _ in range(40)] * (n // 40),
            "pay_table": 20_000 + 1_500 * grade,
            "salary": np.round(20_000 + 1_500 * grade + rng.normal(0, 6_000, n), -2),
            "rating": rng.integers(1, 6, n),
            "shift": rng.choice(["early", "late", "night"], n),
        }
    )
    exposing = ["badge", "manager", "pay_table"]
    return ExposureTable(
        "staff", frame, ["age", "grade", "office"], 10, exposing, ["salary", "rating", "shift"]
    )


def pupils(n: int = 2_000) -> ExposureTable:
    """Return pupils with a remark by their teacher and marks."""
    rng = np.random.default_rng(6)
    people = People(rng)
    born = rng.integers(2005, 2012, n)
    frame = pl.DataFrame(
        {
            "born": born,
            "school": rng.choice([f"S{number:02d}" for number in range(25)], n),
            "remark": [people.note("de") for _ in range(n)],
            "class_code": [f"{2023 - year - 5}{letter}" for year, letter in
                           zip(born, rng.choice(list("abc"), n), strict=True)],
            "mark": rng.integers(1, 7, n),
            "absent": rng.poisson(3, n),
        }
    )  # fmt: skip
    return ExposureTable(
        "pupils", frame, ["born", "school"], 25, ["remark", "class_code"], ["mark", "absent"]
    )


def calls(n: int = 4_000) -> ExposureTable:
    """Return calls with numbers, devices and places."""
    rng = np.random.default_rng(7)
    people = People(rng)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "tariff": rng.choice(["S", "M", "L"], n),
            "city": [people.city("fr") for _ in range(n)],
            "a": [people.phone("FR") for _ in range(n)],
            "b": [people.imei() for _ in range(n)],
            "c": [people.ip() for _ in range(n)],
            "d": [f"{lat:.5f},{lon:.5f}" for lat, lon in rng.normal([48, 2], 0.2, (n, 2))],
            "seconds": rng.gamma(1.5, 90, n).astype(int),
            "roaming": rng.choice([0, 1], n),
        }
    )
    return ExposureTable(
        "calls", frame, ["age", "tariff", "city"], 10, [*"abcd"], ["seconds", "roaming"]
    )


def census(n: int = 6_000) -> ExposureTable:
    """Return a coded census file with a birth year beside the age and a code of place and sex."""
    rng = np.random.default_rng(8)
    age, sex, area = rng.integers(0, 96, n), rng.integers(1, 3, n), rng.integers(100, 160, n)
    frame = pl.DataFrame(
        {
            "AGEP": age,
            "SEX": sex,
            "PUMA": area,
            "YR": 2019 - age,
            "STRATUM": area * 10 + sex,
            "PINCP": (rng.gamma(1.4, 22_000, n) // 100 * 100).astype(int),
            "WKHP": rng.integers(1, 80, n),
            "HICOV": rng.integers(1, 3, n),
        }
    )
    ordinary = ["PINCP", "WKHP", "HICOV"]
    return ExposureTable("census", frame, ["AGEP", "SEX", "PUMA"], 10, ["YR", "STRATUM"], ordinary)


def planted(n: int = 4_000) -> Iterator[ExposureTable]:
    """Yield tables whose exposing columns say nothing one by one, and much together."""
    rng = np.random.default_rng(9)
    age, region = rng.integers(18, 90, n), rng.integers(0, 30, n)
    born = pl.Series(rng.integers(-12_000, 12_000, n)).cast(pl.Date)
    harmless = {f"z{size}": rng.integers(0, size, n) for size in (2, 4, 9, 25, 80)}
    harmless |= {"amount": np.round(rng.gamma(2, 300, n), 2)}
    quasi = {"age": age, "region": [f"R{number:02d}" for number in region]}
    shift = rng.integers(0, 30, n)
    area, first, second = rng.integers(0, 8, (3, n))
    offset = rng.integers(-400, 400, n)
    size = np.exp(rng.normal(0, 1, n))
    stay = rng.integers(0, 4_000, n)
    together: dict[str, tuple[dict[str, object], dict[str, object]]] = {
        "two codes": (quasi, {"a": shift, "b": (region + shift) % 30}),
        "three codes": (
            {**quasi, "area": [f"A{number}" for number in area]},
            {"a": first, "b": second, "c": (area + first + second) % 8},
        ),
        "a sum": (quasi, {"a": offset, "b": age - offset}),
        "a product": (quasi, {"a": size, "b": age / size}),
        "dates": (
            {"born": born, "region": quasi["region"]},
            {"a": born.dt.offset_by("-1d").dt.epoch("d") + stay, "b": stay},
        ),
    }
    for name, (known, exposing) in together.items():
        frame = pl.DataFrame({**known, **exposing, **harmless})
        yield ExposureTable(name, frame, list(known), 10, list(exposing), list(harmless))
