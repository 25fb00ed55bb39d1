"""The part of a report about risk: figures before and after, and what to know about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.reports.report import RiskLine, SensitiveLine
from shoal.risks import Question, assess
from shoal.risks.assessment import POPULATION_UNKNOWN

if TYPE_CHECKING:
    import polars as pl

    from shoal.reports.sides import Sides
    from shoal.risks import Risk

# A report must not take longer than the release: larger tables get estimates.
_WORK = 20_000_000
_MOST_PAIRS = 50_000_000
_MOST_PEOPLE_COMPARED = 2_000_000_000
# In a freeform release records form no classes, so figures by classes say nothing.
_BY_CLASSES = ("smallest_class", "classes", "unique", "sample_uniqueness", "prosecutor_average",
               "prosecutor_highest", "prosecutor_above", "marketer")  # fmt: skip
_NO_POPULATION = (
    "Journalist and population figures are missing: neither the population nor its share in the "
    "table was given. The prosecutor's risk is their upper limit."
)


def risks(sides: Sides, left_out: list[str]) -> tuple[Risk | None, Risk]:
    """Return the risk of the original, if it may be shown, and of the release."""
    subject = sides.subject
    internal = sides.original is not None
    question = Question(
        threshold=1 / subject.k,
        sampling_fraction=subject.options.get("sampling_fraction") if internal else None,
        work=_WORK,
        most_pairs=_MOST_PAIRS,
    )
    population = _population(sides, left_out)
    sensitive = [name for name in subject.schema.sensitive if name in subject.released.columns]
    person = subject.schema.person
    before = persons = None
    if sides.original is not None:
        people = None if person is None else sides.original[person]
        before = assess(
            sides.original,
            sides.columns,
            sensitive=sensitive,
            persons=people,
            population=population,
            question=question,
        )
        if person is not None and subject.rows is not None:
            persons = sides.original[person].gather(subject.rows)
    after = assess(
        subject.released,
        sides.columns,
        sensitive=sensitive,
        persons=persons,
        population=population,
        original=None if person is not None else sides.original,
        question=question,
    )
    if person is not None and persons is None:
        left_out.append(
            "Risk figures of the release count records: whose they are is in the custody file. "
            f"That at least {subject.verdict.smallest_class:,} people are in every class was "
            f"verified."
        )
    return before, after


def _population(sides: Sides, left_out: list[str]) -> pl.DataFrame | None:
    """Return the population that risks are told of, unless that would take too long."""
    population = sides.subject.population
    if sides.original is None or population is None:
        return None
    if population.height * sides.original.height > _MOST_PEOPLE_COMPARED:
        left_out.append(
            "Journalist risk: the population is too large for a report. The command shoal risk "
            "computes it."
        )
        return None
    return population


def risk_notes(sides: Sides, after: Risk) -> tuple[str, ...]:
    """Return what to know about the risk figures."""
    notes = tuple(note for note in after.notes if note != POPULATION_UNKNOWN)
    if notes == after.notes or sides.audience == "public":
        return notes
    return (*notes, _NO_POPULATION)


def risk_lines(before: Risk | None, after: Risk, *, in_classes: bool) -> tuple[RiskLine, ...]:
    """Return the figures side by side."""
    first = {} if before is None else {one.name: one for one in before.figures}
    second = {one.name: one for one in after.figures if in_classes or one.name not in _BY_CLASSES}
    lines = []
    for name in dict.fromkeys([*first, *second]):
        either = first.get(name) or second[name]
        one, other = first.get(name), second.get(name)
        lines.append(
            RiskLine(
                name,
                either.label,
                None if one is None else one.value,
                None if other is None else other.value,
                "–" if one is None else one.shown,
                "–" if other is None else other.shown,
                either.meaning,
                either.definition,
                either.unit,
            )
        )
    return tuple(lines)


def sensitive_lines(before: Risk | None, after: Risk) -> tuple[SensitiveLine, ...]:
    """Return what classes say about each sensitive attribute."""
    earlier = {} if before is None else {one.column: one.guess for one in before.sensitive}
    return tuple(
        SensitiveLine(
            one.column,
            one.guess_without,
            earlier.get(one.column),
            one.guess,
            one.largest_share,
            one.least_entropy,
            one.giving_away,
            one.given_away,
        )
        for one in after.sensitive
    )
