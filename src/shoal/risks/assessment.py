"""All risk figures of one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import encode_values
from shoal.errors import InputError
from shoal.risks.attackers import (
    AttackRisk,
    estimated_journalist,
    journalist,
    marketer,
    prosecutor,
)
from shoal.risks.classes import Classes
from shoal.risks.covers import Records
from shoal.risks.disclosure import disclosure
from shoal.risks.figure import make_figure
from shoal.risks.matching import Matches, count_matches, overlaps_itself
from shoal.risks.population import population_uniqueness
from shoal.risks.risk import Question, Risk
from shoal.risks.safe_harbor import check_safe_harbor
from shoal.risks.uniques import find_uniques

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.risks.covers import Column


def assess(
    frame: pl.DataFrame,
    columns: Sequence[Column],
    *,
    sensitive: Sequence[str] = (),
    persons: pl.Series | None = None,
    population: pl.DataFrame | None = None,
    original: pl.DataFrame | None = None,
    question: Question | None = None,
) -> Risk:
    """Return the risk figures of a table; it is not changed.

    Parameters
    ----------
    frame
        An original table or a release.
    columns
        The quasi-identifiers.
    sensitive
        Columns worth protecting.
    persons
        For each record whose it is, where a person may have several.
    population
        The people that the table is a sample of, with the same quasi-identifiers.
    original
        The table that a release was made from, to see whom it could be linked to.
    """
    question = question or Question()
    shown = [name for column in columns for name in columns_shown(frame, column.name)]
    classes = Classes.of(frame, shown, persons)
    notes: list[str] = []
    values = _class_figures(classes, question.threshold)
    sizes = None
    if population is not None:
        sizes = _population_sizes(frame, classes, columns, population, notes)
    values |= _population_figures(classes, sizes, question, notes)
    # Records that show nothing are compatible with all; counting them would flatter the rest.
    telling = np.flatnonzero(~classes.starred[classes.of_record])
    shows = Records(frame[telling] if len(telling) < frame.height else frame)
    if persons is None and len(telling) and overlaps_itself(shows.table, columns):
        matches = count_matches(shows, shows, columns, question.most_pairs)
        values |= _matching_figures(matches, classes.hiding[telling], question.threshold, notes)
    if original is not None and len(telling):
        exact = Records(original, exact=True)
        matches = count_matches(exact, shows, columns, question.most_pairs)
        values |= _linkage_figures(matches, frame.height - len(telling), notes)
    starred = int(classes.records[classes.starred].sum())
    if starred:
        notes.append(
            f"{starred:,} records show * in every quasi-identifier. They are a class: whoever is "
            f"covered by no other must be one of them."
        )
    codes = [_codes(frame, column.name) for column in columns]
    uniques = find_uniques(codes, question.combinations, question.work)
    if uniques.searched < len(columns) and uniques.unique:
        notes.append(
            f"Combinations of up to {uniques.searched} columns were searched; larger ones take "
            f"long on a table of this size."
        )
    return Risk(
        n=frame.height,
        columns=tuple(column.name for column in columns),
        threshold=question.threshold,
        figures=tuple(make_figure(name, value) for name, value in values.items()),
        classes=classes,
        uniques=uniques,
        sensitive=tuple(disclosure(classes, frame[name]) for name in sensitive),
        safe_harbor=check_safe_harbor(frame),
        notes=tuple(notes),
    )


def columns_shown(frame: pl.DataFrame, name: str) -> list[str]:
    """Return the columns of a table that show an attribute: one, or its bounds.

    A column of flags, if there is one, tells missing numbers from any.

    Raises
    ------
    InputError
        If there is none.
    """
    flag = [f"{name}_missing"] if f"{name}_missing" in frame.columns else []
    if name in frame.columns:
        return [name]
    bounds = [f"{name}_min", f"{name}_max"]
    if set(bounds) <= set(frame.columns):
        return [*bounds, *flag]
    raise InputError(
        f"The table has no column {name!r}.",
        remedy=f"It has: {', '.join(map(repr, frame.columns[:20]))}.",
    )


def _codes(frame: pl.DataFrame, name: str) -> NDArray[np.unsignedinteger]:
    shown = columns_shown(frame, name)
    if len(shown) == 1:
        return encode_values(frame[name])[0]
    classes = Classes.of(frame, shown)
    return classes.of_record.astype(np.uint32)


def _class_figures(classes: Classes, threshold: float) -> dict[str, float | None]:
    unique = int(np.count_nonzero(classes.unique))
    risk = prosecutor(classes, threshold)
    return {
        "smallest_class": int(classes.members.min()),
        "classes": len(classes),
        "unique": unique,
        "sample_uniqueness": unique / classes.n,
        **_attack("prosecutor", risk),
    }


def _attack(name: str, risk: AttackRisk) -> dict[str, float | None]:
    return {
        f"{name}_average": risk.average,
        f"{name}_highest": risk.highest,
        f"{name}_above": risk.above,
    }


def _population_figures(
    classes: Classes, sizes: NDArray[np.int64] | None, question: Question, notes: list[str]
) -> dict[str, float | None]:
    """Return the figures of attackers who look at a population, known, estimated or unknown."""
    if sizes is not None:
        risk = journalist(classes, sizes, question.threshold)
        return {**_attack("journalist", risk), "marketer": marketer(classes, sizes)}
    fraction = question.sampling_fraction
    if fraction is None:
        notes.append(
            "Journalist and population figures need to know the population: give the population "
            "itself or the sampling fraction. Without, the prosecutor's risk is their upper limit."
        )
        return {"marketer": marketer(classes)}
    risk = estimated_journalist(classes, fraction, question.threshold)
    found = population_uniqueness(classes, fraction)
    if found.pitman is None or found.snb is None:
        lacking = [
            name for name, value in (("Pitman", found.pitman), ("SNB", found.snb)) if value is None
        ]
        notes.append(f"No estimate by {' and '.join(lacking)}: the model does not fit the table.")
    notes.append(f"Dankar's rule: {found.chosen}.")
    return {
        **_attack("journalist", risk),
        "marketer": risk.average,
        "population_dankar": found.dankar,
        "population_pitman": found.pitman,
        "population_zayatz": found.zayatz,
        "population_snb": found.snb,
    }


def _population_sizes(
    frame: pl.DataFrame,
    classes: Classes,
    columns: Sequence[Column],
    population: pl.DataFrame,
    notes: list[str],
) -> NDArray[np.int64]:
    """Return for each class how many people of the population it could be of."""
    first = np.zeros(len(classes), dtype=np.int64)
    first[classes.of_record] = np.arange(classes.n)
    # Every class counts, so nothing is drawn here.
    people = Records(population, exact=True)
    found = count_matches(Records(frame[first]), people, columns, most_pairs=2**62).counts
    absent = int(classes.records[found < classes.members].sum())
    if absent:
        notes.append(
            f"{absent:,} records have fewer people in the population than in the table: it is no "
            f"sample of this population. Their class in the table counts instead."
        )
    return np.maximum(found, classes.members)


def _matching_figures(
    matches: Matches, hiding: NDArray[np.int64], threshold: float, notes: list[str]
) -> dict[str, float | None]:
    # A record matches at least those that look the same.
    found = np.maximum(matches.counts, hiding[matches.records])
    risk = AttackRisk.of(1.0 / found, np.ones(len(found), dtype=np.int64), threshold)
    if matches.complete:
        return _attack("matching", risk)
    notes.append(
        f"Risk by matching is estimated from {len(found):,} records drawn at random; their highest "
        f"risk is not that of the table."
    )
    return {"matching_average": risk.average, "matching_highest": None,
            "matching_above": risk.above}  # fmt: skip


def _linkage_figures(matches: Matches, starred: int, notes: list[str]) -> dict[str, float | None]:
    # Whom no other record covers must be among those that show nothing.
    counts = np.where(matches.counts > 0, matches.counts, starred)
    linked = counts > 0
    risks = np.where(linked, 1.0 / np.maximum(counts, 1), 0.0)
    withheld = int(np.count_nonzero(~linked))
    if withheld:
        notes.append(
            f"{withheld:,} records of the original are covered by no released record; nobody can "
            f"link them."
        )
    if not matches.complete:
        notes.append(f"Linkage is estimated from {len(risks):,} records drawn at random.")
    highest = float(risks.max()) if matches.complete else None
    return {"linkage_average": float(risks.mean()), "linkage_highest": highest}
