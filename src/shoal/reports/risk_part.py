"""The part of a report about risk: figures before and after, and what to know about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.reports.report import RiskLine, SensitiveLine, SinglingColumn, SinglingOut
from shoal.risks import Question, assess, percent
from shoal.risks.assessment import POPULATION_UNKNOWN

if TYPE_CHECKING:
    import polars as pl

    from shoal.reports.sides import Sides
    from shoal.risks import Risk

# A report must not take longer than the release: larger tables get estimates.
_WORK = 20_000_000
_MOST_PAIRS = 50_000_000
_COMBINATIONS = 8  # that are listed
_MOST_PEOPLE_COMPARED = 2_000_000_000
# In a freeform release records form no classes, so figures by classes say nothing.
_BY_CLASSES = ("smallest_class", "classes", "unique", "sample_uniqueness", "prosecutor_average",
               "prosecutor_highest", "prosecutor_above", "marketer")  # fmt: skip
_HIERARCHY_UNKNOWN = (
    "Risk by matching is computed from the release alone: a node of a hierarchy matches only "
    "itself here, so the figure is higher than it would be with the hierarchies at hand."
)
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
    before = persons = None
    if sides.original is not None:
        people = None
        if subject.schema.person is not None and subject.rows is not None:
            # Both sides count people, or neither does: figures side by side must compare.
            people = sides.original[subject.schema.person]
            persons = people.gather(subject.rows)
        before = assess(
            sides.original,
            sides.columns,
            sensitive=sensitive,
            persons=people,
            population=population,
            question=question,
        )
    after = assess(
        subject.released,
        sides.columns,
        sensitive=sensitive,
        persons=persons,
        population=population,
        original=None if subject.schema.person is not None else sides.original,
        question=question,
    )
    return before, after


def _population(sides: Sides, left_out: list[str]) -> pl.DataFrame | None:
    """Return the population that risks refer to, unless that would take too long."""
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


def risk_notes(sides: Sides, before: Risk | None, after: Risk) -> tuple[str, ...]:
    """Return what to know about the risk figures."""
    notes = [note for note in after.notes if note != POPULATION_UNKNOWN]
    if before is not None:
        notes += [f"Before: {note}" for note in before.notes if note not in after.notes]
    subject = sides.subject
    if subject.schema.person is not None and (subject.rows is None or sides.original is None):
        notes.insert(0, _counted_in_records(subject.verdict.smallest_class))
    if sides.original is None:
        has_nodes = any(one.hierarchy is not None for one in sides.attributes)
        if has_nodes and after.get("matching_average") is not None:
            notes.append(_HIERARCHY_UNKNOWN)
    elif POPULATION_UNKNOWN in after.notes:
        notes.append(_NO_POPULATION)
    return tuple(notes)


def _counted_in_records(people: int) -> str:
    """Return why figures count records, and how far those of people may lie above them."""
    return (
        "These figures count records: only the custody file shows whose the released records are. "
        "Where a person has several records in a class, the chance of picking that person is "
        f"higher than they show, but never above {percent(1 / max(people, 1))}: the verifier "
        f"proved that every class holds records of at least {people:,} people."
    )


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


def singling_out(before: Risk) -> SinglingOut | None:
    """Return which columns single people out in the original, if anybody is unique."""
    if not before.uniques.unique:
        return None
    listed = before.by_combination.head(_COMBINATIONS).rows()
    return SinglingOut(
        tuple(SinglingColumn(*row) for row in before.by_column.rows()),
        tuple((" + ".join(columns), records) for columns, records in listed),
        before.uniques.searched,
    )


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
