"""How exposed the people of a table are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.api.released import original_of
from shoal.encoding import in_text_notation
from shoal.errors import ParameterError, SchemaError
from shoal.hierarchies import is_recipe, read_hierarchy
from shoal.io import CallerFrame
from shoal.options.call import read_options, takes_options
from shoal.options.further import RiskOptions
from shoal.risks import Column, Question, assess
from shoal.table import Attribute, Kind, Reading, Role, declare
from shoal.table.cells import texts
from shoal.table.inspection import inspect as inspect_table
from shoal.table.kind_detection import is_readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Literal

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.options import Job
    from shoal.risks import Risk

# What a column of numbers or dates shows in labels or JSON, where no original tells its kind.
_INTERVAL_OR_NUMBER = r'^-?\d+(\.\d+)?$|^\{"min": |^\S+ to \S+$'


@takes_options("risk")
def risk(
    frame: Any,
    *,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    person: str | None = None,
    hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    date_format: Mapping[str, str] | None = None,
    threshold: float = 0.2,
    sampling_fraction: float | None = None,
    combinations: int | None = None,
    notation: Literal["text", "min_max", "midpoint", "label", "json"] = "text",
    aggregate: Mapping[str, Literal["mean", "median", "mode", "midpoint"]] | None = None,
    null_values: Sequence[str] = (),
    special_values: Sequence[str] = (),
    decimal: Literal[".", ","] = ".",
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
    population: Any = None,
    original: Any = None,
    rows: NDArray[np.int64] | None = None,
) -> Risk:
    """Return how exposed the people of a table are, whether it is an original or a release.

    Parameters
    ----------
    frame
        pandas, polars or pyarrow table, or anything with the Arrow C stream.
    quasi
        Columns that an attacker is assumed to know; suggested ones unless set.
    sensitive
        Sensitive columns, whose values a class may disclose.
    person
        An identifier that repeats: k then counts persons, not records.
    hierarchy
        Hierarchy of a column: a file with lines leaf,level1,…,*, or a recipe: auto, ranges:5,10,20,
        quantiles:4, cuts:18,65, stars, dates or groups:FILE.
    order
        Categories of an ordered column, lowest first.
    date_format
        How the dates of a column are written, such as %d.%m.%Y.
    threshold
        Highest acceptable risk of identifying a person.
    sampling_fraction
        Share of the population that the table is a sample of: adds the journalist's risk and
        population uniqueness.
    combinations
        Largest number of columns in a combination to search; unless set, as many as can be searched
        quickly.
    notation
        How the cells of the release are written; text and min_max are detected.
    aggregate
        Columns that show a statistic of their class in place of an interval or a set: mean, median,
        mode or midpoint.
    null_values
        Texts that stand for a missing cell: ?,NA in all columns, age=97|98 in one.
    special_values
        Codes that stand for the reason why a number is missing: weeks=N|R. They become categories
        in weeks_special, and the column keeps its numbers.
    decimal
        Decimal separator of numbers in a CSV file; with a comma, points separate thousands.
    thousands
        Thousands separator of numbers in a CSV file; it is removed when they are read.
    population
        A frame of the people that the table is a sample of, with the same quasi-identifiers.
    original
        The frame that a release was made from: adds the chance of linking its people to the
        release.
    rows
        For each released row its row in the original, where the custodian knows it; ``person`` is
        then a column of the original.

    Raises
    ------
    InputError
        If a column is missing or an option is out of range.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 35, 61], "sex": ["F", "F", "M"]})
    >>> found = shoal.risk(people, quasi=["age", "sex"])
    >>> found["unique"], found["prosecutor_highest"]
    (1, 1.0)
    """
    # No release is described here; k and no quasi-identifiers do where a job must have them.
    # The population is a table here, and the name of one in a job.
    given = {name: value for name, value in locals().items() if name != "population"}
    options = read_options("risk", given, beneath={"k": 2, "quasi": ()})
    job, own = options.job, options.own
    assert isinstance(own, RiskOptions)
    # Beside an original the frame is a release, whose cells are in the notation of releases.
    table = original_of(frame, job) if original is None else CallerFrame.of(frame).polars
    source = None if original is None else original_of(original, job)
    question = Question(own.threshold, own.sampling_fraction, own.combinations)
    notes: list[str] = []
    columns, protected = list(job.quasi), list(job.sensitive)
    if not columns:
        suggested = inspect_table(table)
        columns = list(suggested.quasi)
        protected = protected or list(suggested.with_role(Role.SENSITIVE))
        if not columns:
            raise SchemaError(
                "No column looks like a quasi-identifier.",
                remedy="Name those by which a person could be recognized with `quasi`.",
            )
        notes.append(
            f"The quasi-identifiers are suggestions: {', '.join(columns)}. Name those that others "
            f"may know."
        )
    spelling = _Spelling(job.hierarchy, job.order, job.date_format)
    attributes = (
        spelling.declared(columns, source)
        if source is not None
        else spelling.alone(columns, table, notes)
    )
    table = in_text_notation(table, attributes, job.notation)
    everybody = None
    if population is not None:
        everybody = CallerFrame.of(population).read_as(job, partial=True).polars
    statistics = _statistics(attributes, job)
    if statistics and (source is not None or everybody is not None):
        source = everybody = None
        notes.append(
            f"{', '.join(map(repr, statistics))} show statistics of classes, which do not show "
            "whom a record covers: figures that compare it with an original or a population are "
            "left out."
        )
    persons = _persons(table, source, job.person, rows)
    if persons is not None and source is not None:
        source = None
        notes.append(
            "Linkage figures count records, but people are counted here: they are left out."
        )
    found = assess(
        table,
        [Column(one.name, one.hierarchy, one.order, one.date_format) for one in attributes],
        sensitive=[_column(table, name).name for name in protected],
        persons=persons,
        population=everybody,
        original=source,
        question=question,
    )
    return found.with_notes(notes)


def _statistics(attributes: Sequence[Attribute], job: Job) -> list[str]:
    """Return the columns that show statistics of classes."""
    if job.notation != "midpoint":
        return list(job.aggregate)
    return [one.name for one in attributes if one.kind is Kind.NUMERIC or one.name in job.aggregate]


def _persons(
    table: pl.DataFrame,
    original: pl.DataFrame | None,
    person: str | None,
    rows: NDArray[np.int64] | None,
) -> pl.Series | None:
    """Return for each record whose it is, if people are counted."""
    if person is None:
        return None
    if rows is None or original is None:
        return _column(table, person)
    of_original = _column(original, person)
    fits = len(rows) == table.height and (len(rows) == 0 or int(rows.max()) < original.height)
    if not fits:
        raise ParameterError(
            "`rows` does not fit the two tables.",
            remedy="Give for each released row its row in the original, counted from 0.",
        )
    return of_original.gather(rows)


def _column(table: pl.DataFrame, name: str) -> pl.Series:
    if name not in table.columns:
        raise SchemaError(f"There is no column {name!r}.", remedy="Check its name.")
    return table[name]


@dataclass(frozen=True, slots=True)
class _Spelling:
    """What the caller sets about how cells are written."""

    hierarchy: Mapping[str, str]
    order: Mapping[str, Sequence[str]]
    date_format: Mapping[str, str]

    def declared(self, quasi: Sequence[str], source: pl.DataFrame) -> tuple[Attribute, ...]:
        """Return the quasi-identifiers as the original has them."""
        return declare(
            source,
            quasi=quasi,
            rest="drop",
            hierarchy={name: tree for name, tree in self.hierarchy.items() if name in quasi},
            order={name: listed for name, listed in self.order.items() if name in quasi},
            date_format=self.date_format,
        ).quasi

    def alone(
        self, quasi: Sequence[str], table: pl.DataFrame, notes: list[str]
    ) -> tuple[Attribute, ...]:
        """Return the quasi-identifiers of a table without its original."""
        trees: dict[str, Hierarchy] = {}
        for name, tree in self.hierarchy.items():
            if is_recipe(tree):
                notes.append(
                    f"The hierarchy of {name!r} is built from the original: without it, its nodes "
                    "match only themselves."
                )
            else:
                trees[name] = read_hierarchy(tree)
        return tuple(self._alone(name, trees.get(name), table) for name in quasi)

    def _alone(self, name: str, tree: Hierarchy | None, table: pl.DataFrame) -> Attribute:
        if tree is not None:
            return Attribute(name, Kind.HIERARCHICAL, hierarchy=tree)
        order, written = tuple(self.order.get(name, ())), self.date_format.get(name)
        reading = Reading.RANK if order else Reading.DATE if written else Reading.NUMBER
        ordered = bool(order) or written is not None
        if not ordered and name in table.columns:
            shown = texts(table[name]) if is_readable(table[name].dtype) else None
            ordered = shown is not None and bool(shown.str.contains(_INTERVAL_OR_NUMBER).any())
        if not ordered:
            return Attribute(name, Kind.CATEGORICAL)
        return Attribute(name, Kind.NUMERIC, reading, order=order, date_format=written)
