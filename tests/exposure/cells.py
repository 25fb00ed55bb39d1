"""Invented person data of six languages, in which every column is an identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.exposure import examine_columns
from shoal.table import declare
from tests.exposure.people import People

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = 500
LANGUAGES = {
    "en": ("GB", "gb", "GB"),
    "de": ("DE", "de", "DE"),
    "fr": ("FR", "fr", "FR"),
    "es": ("ES", "es", "ES"),
    "it": ("IT", "it", "FR"),
    "pt": ("PT", "pt", "ES"),
}


def person_tables(cells: int) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield tables of identifiers until they hold this many cells, one language after another.

    Columns have names that say nothing; in every second table a person has several records.
    """
    made, seed = 0, 0
    while made < cells:
        for language in LANGUAGES:
            frame = _table(language, seed, repeated=seed % 2 == 1)
            yield language, frame
            made += frame.height * (frame.width - 1)
            if made >= cells:
                return
        seed += 1


def _table(language: str, seed: int, *, repeated: bool) -> pl.DataFrame:
    rng = np.random.default_rng([seed, sum(map(ord, language))])
    people = People(rng)
    phone, register, plate = LANGUAGES[language]
    makers: list[Callable[[], str]] = [
        lambda: people.full(language),
        lambda: people.reversed_full(language),
        lambda: people.given(language),
        lambda: people.family(language),
        lambda: people.email(language),
        lambda: people.phone(phone),
        lambda: people.national(register),
        lambda: people.iban("FR" if language == "fr" else "DE"),
        lambda: people.street(language),
        lambda: people.plate(plate),
        people.ip,
        people.url,
        people.card,
        lambda: people.born().isoformat(),
        lambda: people.note(language if language in ("en", "de", "fr", "es") else "en"),
        lambda: f"{rng.normal(45, 3):.5f}, {rng.normal(8, 3):.5f}",
        lambda: people.filled("P########"),
    ]
    persons = ROWS // 4 if repeated else ROWS
    columns = {}
    for number, make in enumerate(makers):
        values = [make() for _ in range(persons)]
        columns[f"v{number}"] = [values[row % persons] for row in range(ROWS)]
    return pl.DataFrame({"age": rng.integers(18, 90, ROWS), **columns})


def released_unnoticed(cells: int) -> dict[str, Any]:
    """Return how many cells were examined, and which columns would have been released."""
    examined, columns, unnoticed = 0, 0, []
    for language, frame in person_tables(cells):
        schema = declare(frame, quasi=["age"], rest="other")
        found = examine_columns(frame, schema)
        unnoticed += [(language, name) for name in schema.other if name not in found.refused]
        examined += frame.height * len(schema.other)
        columns += len(schema.other)
    return {"cells": examined, "columns": columns, "unnoticed": len(unnoticed), "which": unnoticed}
