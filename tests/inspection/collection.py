"""The labelled collection: headers of real files and public schemata, with values made up.

``headers.tsv`` holds a header, the role that a custodian would give it (several where custodians
differ, the first is preferred), how its values are made, where the header comes from, and its
language. A fixed hash of the header decides to which half it belongs. The rules were written while
looking at the development half alone.
"""

from __future__ import annotations

import csv
import datetime
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tests.exposure.people import People

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ROWS = 400
_FILE = Path(__file__).parent / "headers.tsv"
_ICD9 = "250.01 401.9 428 414.01 786.5 486 V58.11 427.31 599 276.1"
_ICD10 = "E11.9 I10 J18.9 C50.4 F32.1 M54.5 K35.8 O80 N18.3 S72.0"
_DATE_FORMATS = {
    "date": "%Y-%m-%d",
    "date9": "%Y-%m-%d",
    "date-de": "%d.%m.%Y",
    "date-fr": "%d/%m/%Y",
    "date-nl": "%d-%m-%Y",
    "date-us": "%m/%d/%Y",
    "compactdate": "%Y%m%d",
    "compactdate-us": "%m%d%Y",
    "compactdate-eu": "%d%m%Y",
    "datetime": "%Y-%m-%d %H:%M:%S",
    "year": "%Y",
}


@dataclass(frozen=True, slots=True)
class Header:
    """One labelled header."""

    name: str
    roles: tuple[str, ...]
    values: str
    schema: str
    language: str

    @property
    def held_back(self) -> bool:
        """Whether it belongs to the half that no rule was written for."""
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 1

    def column(self) -> pl.Series:
        """Return its invented values, as texts, the same on every call."""
        seed = int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8])
        return pl.Series(self.name, _Maker(np.random.default_rng(seed)).column(self.values))


def read_headers() -> list[Header]:
    """Return the collection."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [Header(name, tuple(roles.split(",")), *rest) for name, roles, *rest in lines]


def _whole(numbers: NDArray[Any]) -> list[str]:
    return [str(int(number)) for number in numbers]


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the values that a line describes."""

    rng: np.random.Generator

    def column(self, values: str) -> list[str | None]:
        kind, _, told = values.partition(" ")
        people = People(self.rng)
        by_person: dict[str, Callable[[], str]] = {
            "first": lambda: people.given(told),
            "last": lambda: people.family(told),
            "full": lambda: people.full(told),
            "fullrev": lambda: people.reversed_full(told),
            "street": lambda: people.street(told),
            "city": lambda: people.city(told),
            "email": lambda: people.email(told),
            "phone": lambda: people.phone(told),
            "plate": lambda: people.plate(told),
            "iban": lambda: people.iban(told),
            "nat": lambda: people.national(told),
            "text": lambda: people.note(told),
            "ids": lambda: people.filled(told),
            "card": people.card,
            "imei": people.imei,
            "ip": people.ip,
            "url": people.url,
            "uuid": lambda: people.filled("ab######-4f##-4###-9###-c0##########"),
            "lat": lambda: f"{self.rng.normal(42.3, 0.2):.6f}",
            "lon": lambda: f"{self.rng.normal(-71.1, 0.3):.6f}",
            "curp": lambda: people.filled(f"~E~~{people.born():%y%m%d}HDF~~~0#"),
            "icd9": lambda: people.pick(_ICD9),
            "icd10": lambda: people.pick(_ICD10),
        }
        if kind in by_person:
            return [by_person[kind]() for _ in range(ROWS)]
        if kind in _DATE_FORMATS:
            return self._dates(kind, told)
        return list(getattr(self, f"_{kind}")(told))

    def _codes(self, told: str) -> list[str]:
        codes = np.array(told.split("|"))
        weights = 1 / np.arange(1, len(codes) + 1)
        return [str(value) for value in self.rng.choice(codes, ROWS, p=weights / weights.sum())]

    def _int(self, told: str) -> list[str]:
        low, high = map(int, told.split())
        return _whole(self.rng.integers(low, high + 1, ROWS))

    def _spread(self, told: str) -> list[str]:
        low, high = map(float, told.split())
        drawn = np.exp(self.rng.normal(np.log(low * 12), 0.6, ROWS))
        return _whole(np.clip(drawn, low, high))

    def _skew(self, told: str) -> list[str]:
        low, high = map(int, told.split())
        return _whole(low + (high - low) * self.rng.random(ROWS) ** 4)

    def _money(self, told: str) -> list[str]:
        low, high = map(int, told.split())
        drawn = low + (high - low) * self.rng.beta(1.3, 6, ROWS)
        step = np.where(self.rng.random(ROWS) < 0.7, 100, 1)
        return _whole(drawn // step * step)

    def _float(self, told: str) -> list[str]:
        low, high, digits = told.split()
        return [f"{value:.{digits}f}" for value in self.rng.uniform(float(low), float(high), ROWS)]

    def _seq(self, told: str) -> list[str]:
        return [str(int(told) + row) for row in range(ROWS)]

    def _rep(self, told: str) -> list[str]:
        pattern, _, count = told.rpartition(",")
        values = [People(self.rng).filled(pattern) for _ in range(int(count))]
        return [str(value) for value in self.rng.choice(np.array(values), ROWS)]

    def _dates(self, kind: str, told: str) -> list[str | None]:
        if kind == "year":
            return list(self._int(told))
        first, last = (datetime.datetime.fromisoformat(day) for day in told.split())
        seconds = self.rng.integers(0, int((last - first).total_seconds()), ROWS).tolist()
        days = [first + datetime.timedelta(seconds=second) for second in seconds]
        shown = [day.strftime(_DATE_FORMATS[kind]) for day in days]
        if kind == "date9":
            missing = self.rng.random(ROWS) < 0.8
            return ["9999-99-99" if gone else day for gone, day in zip(missing, shown, strict=True)]
        return list(shown)
