"""All risk figures of one table."""

from __future__ import annotations

from dataclasses import dataclass
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
from shoal.risks.figure import make_figure, percent
from shoal.risks.matching import Matches, count_matches, overlaps_itself
from shoal.risks.risk import Question, Risk
from shoal.risks.safe_harbor import check_safe_harbor
from shoal.risks.uniques import find_uniques

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.risks.covers import Column

POPULATION_UNKNOWN = (
    "Journalist and population figures need the population (`population`) or the share of it that "
    "the table holds (`sampling_fraction`). Without either, the prosecutor's risk is their upper "
    "limit."
)
_ABOUT_DANKAR = {
    "pitman": "Dankar's rule takes the estimate by Pitman's model.",
    "zayatz": "Dankar's rule takes the estimate by Zayatz' method.",
    "snb": "Dankar's rule takes the estimate by the SNB model.",
}
_NORMAL = 1.96  # standard deviations on both sides that hold 95 %


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
        The table that a release was made from, to see to whom it could be linked.
    """
    question = question or Question()
    shown = [name for column in columns for name in columns_shown(frame, column.name)]
    classes = Classes.of(frame, shown, persons)
    notes: list[str] = []
    margins: dict[str, float] = {}
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
        drawn = _Drawn(matches, len(telling), margins, notes)
        values |= _matching_figures(drawn, classes.hiding[telling], question.threshold)
    if original is not None and len(telling):
        exact = Records(original, exact=True)
        matches = count_matches(exact, shows, columns, question.most_pairs)
        drawn = _Drawn(matches, original.height, margins, notes)
        values |= _linkage_figures(drawn, frame.height - len(telling))
    starred = int(classes.records[classes.starred].sum())
    if starred:
        notes.append(
            f"{_counted(starred)} * in every quasi-identifier. They form a class: a person whom no "
            f"other record covers must be among them."
        )
    codes = [_codes(frame, column.name) for column in columns]
    owners = None if persons is None else encode_values(persons)[0]
    uniques = find_uniques(codes, question.combinations, question.work, persons=owners)
    if uniques.searched < len(columns) and uniques.unique:
        searched = f"{uniques.searched} column{'s' if uniques.searched > 1 else ''}"
        notes.append(
            f"Combinations of up to {searched} were searched; larger ones take long on a table of "
            f"this size (`combinations`)."
        )
    return Risk(
        n=frame.height,
        columns=tuple(column.name for column in columns),
        threshold=question.threshold,
        figures=tuple(
            make_figure(name, value, margins.get(name), in_people=persons is not None)
            for name, value in values.items()
        ),
        classes=classes,
        uniques=uniques,
        sensitive=tuple(disclosure(classes, frame[name]) for name in sensitive),
        safe_harbor=check_safe_harbor(frame),
        notes=tuple(notes),
    )


def columns_shown(frame: pl.DataFrame, name: str) -> list[str]:
    """Return the columns of a table that show an attribute: one, or its bounds.

    A column of flags, if there is one, distinguishes missing numbers from ``*``.

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


def _counted(records: int) -> str:
    return "1 record shows" if records == 1 else f"{records:,} records show"


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
        notes.append(POPULATION_UNKNOWN)
        return {"marketer": marketer(classes)}
    # Imported here: estimates are rare, and load much.
    from shoal.risks.population import population_uniqueness

    risk = estimated_journalist(classes, fraction, question.threshold)
    found = population_uniqueness(classes, fraction)
    if found.pitman is None or found.snb is None:
        lacking = [
            name for name, value in (("Pitman", found.pitman), ("SNB", found.snb)) if value is None
        ]
        notes.append(f"No estimate by {' and '.join(lacking)}: the model does not fit the table.")
    notes.append(_ABOUT_DANKAR.get(found.chosen, f"Population uniqueness: {found.chosen}."))
    if found.dankar is not None and found.dankar > risk.average:
        # Who is unique in the population is picked for certain, so uniqueness bounds the average.
        notes.append(
            f"The journalist's average, {percent(risk.average)}, and the estimated population "
            f"uniqueness, {percent(found.dankar)}, rest on different models, and by the latter "
            "the journalist's risk is at least as high on average: go by the higher."
        )
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
            f"For {absent:,} records the population holds fewer people who look the same than the "
            f"table does, so the table is not a sample of it. For them the table's own class "
            f"counts."
        )
    return np.maximum(found, classes.members)


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Matches of all records of a table or of some, and where to say which.

    Parameters
    ----------
    matches
        What was counted.
    total
        Number of records in the table.
    margins
        Takes the margin of each figure that is estimated.
    notes
        Takes what a reader should know.
    """

    matches: Matches
    total: int
    margins: dict[str, float]
    notes: list[str]

    def estimate(self, risks: NDArray[np.float64], threshold: float | None, name: str) -> None:
        """Keep how far the figures of an attack may be off, unless every record was counted."""
        if self.matches.complete:
            return
        shares = {"average": risks}
        if threshold is not None:
            shares["above"] = (risks > threshold).astype(np.float64)
        for figure, values in shares.items():
            self.margins[f"{name}_{figure}"] = _margin(values, self.total)
        average, margin = float(risks.mean()), self.margins[f"{name}_average"]
        low, high = max(0.0, average - margin), min(1.0, average + margin)
        self.notes.append(
            f"Risk by {name} is an estimate (≈) from {len(risks):,} of {self.total:,} records, "
            f"drawn at random. Its average lies between {percent(low)} and {percent(high)} with "
            f"95 % confidence. The highest risk cannot be estimated from some records."
        )


def _margin(values: NDArray[np.float64], total: int) -> float:
    """Return half the width of the 95 % interval of a mean of values drawn without replacement."""
    drawn = len(values)
    if drawn < 2 or total < 2:
        return 1.0
    left = max(0.0, 1 - (drawn - 1) / (total - 1))
    return float(_NORMAL * values.std(ddof=1) * np.sqrt(left / drawn))


def _matching_figures(
    drawn: _Drawn, hiding: NDArray[np.int64], threshold: float
) -> dict[str, float | None]:
    matches = drawn.matches
    # A record matches at least those that look the same.
    found = np.maximum(matches.counts, hiding[matches.records])
    risks = 1.0 / found
    drawn.estimate(risks, threshold, "matching")
    risk = AttackRisk.of(risks, np.ones(len(found), dtype=np.int64), threshold)
    figures = _attack("matching", risk)
    return figures if matches.complete else {**figures, "matching_highest": None}


def _linkage_figures(drawn: _Drawn, starred: int) -> dict[str, float | None]:
    matches = drawn.matches
    # Whom no other record covers must be among those that show nothing.
    counts = np.where(matches.counts > 0, matches.counts, starred)
    linked = counts > 0
    risks = np.where(linked, 1.0 / np.maximum(counts, 1), 0.0)
    drawn.estimate(risks, None, "linkage")
    withheld = int(np.count_nonzero(~linked))
    if withheld:
        of_all = "of the original" if matches.complete else f"of the {len(risks):,} drawn"
        several = "s" if withheld > 1 else ""
        drawn.notes.append(
            f"{withheld:,} record{several} {of_all} {'are' if several else 'is'} covered by no "
            f"released record: nobody can link {'them' if several else 'it'}."
        )
    highest = float(risks.max()) if matches.complete else None
    return {"linkage_average": float(risks.mean()), "linkage_highest": highest}
