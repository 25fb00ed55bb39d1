"""How exposed the people of a table are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import SchemaError
from shoal.hierarchies import Hierarchy, Recipe, is_recipe, read_hierarchy
from shoal.io import CallerFrame
from shoal.risks import Column, Question, assess
from shoal.risks.risk import THRESHOLD
from shoal.table import Role, declare
from shoal.table import inspect as inspect_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from shoal.risks import Risk

    Hierarchies = Mapping[str, Hierarchy | Recipe | str | Path]


def risk(
    frame: Any,
    *,
    quasi: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str = (),
    person: str | None = None,
    hierarchy: Hierarchies | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    date_format: Mapping[str, str] | None = None,
    population: Any = None,
    original: Any = None,
    threshold: float = THRESHOLD,
    sampling_fraction: float | None = None,
    combinations: int | None = None,
) -> Risk:
    """Return how exposed the people of a table are, whether it is an original or a release.

    Parameters
    ----------
    frame
        pandas, polars or pyarrow table, or anything with the Arrow C stream.
    quasi
        Columns by which a person could be recognized; suggested ones unless given.
    sensitive
        Columns worth protecting; suggested ones if ``quasi`` is not given either.
    person
        Column that tells persons apart, when a person may have several records.
    hierarchy, order, date_format
        How generalized cells are read: hierarchies whose nodes they name, categories of ordered
        columns, formats of dates. A recipe such as ``auto`` needs the ``original``.
    population
        A frame of the people that the table is a sample of, with the same quasi-identifiers.
    original
        The frame that a release was made from: adds the chance to link its people to the release.
    threshold
        Highest acceptable chance to pick out a person.
    sampling_fraction
        Share of the population that the table holds, where it is a sample of one.
    combinations
        Most columns in a combination that singles people out; as many as is quick unless given.

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
    table = CallerFrame.of(frame).polars
    source = None if original is None else CallerFrame.of(original).polars
    question = Question(threshold, sampling_fraction, combinations)
    notes: list[str] = []
    columns, protected = _listed(quasi), _listed(sensitive)
    if not columns:
        suggested = inspect_table(table)
        columns = list(suggested.quasi)
        protected = protected or list(suggested.with_role(Role.SENSITIVE))
        if not columns:
            raise SchemaError(
                "No column looks like a quasi-identifier.",
                remedy="Name those by which a person could be recognized (quasi).",
            )
        notes.append(
            f"The quasi-identifiers are suggestions: {', '.join(columns)}. Name those that others "
            f"may know."
        )
    spelling = _Spelling(hierarchy or {}, order or {}, date_format or {})
    spelled = (
        spelling.declared(columns, source) if source is not None else spelling.alone(columns, notes)
    )
    found = assess(
        table,
        spelled,
        sensitive=[_column(table, name).name for name in protected],
        persons=None if person is None else _column(table, person),
        population=None if population is None else CallerFrame.of(population).polars,
        original=source,
        question=question,
    )
    return found.with_notes(notes)


def _listed(names: Sequence[str] | str | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


def _column(table: pl.DataFrame, name: str) -> pl.Series:
    if name not in table.columns:
        raise SchemaError(f"There is no column {name!r}.", remedy="Check its name.")
    return table[name]


@dataclass(frozen=True, slots=True)
class _Spelling:
    """What the caller says about how cells are written."""

    hierarchy: Hierarchies
    order: Mapping[str, Sequence[str]]
    date_format: Mapping[str, str]

    def declared(self, quasi: Sequence[str], source: pl.DataFrame) -> list[Column]:
        """Return the quasi-identifiers as the original has them."""
        schema = declare(
            source,
            quasi=quasi,
            rest="drop",
            hierarchy={name: tree for name, tree in self.hierarchy.items() if name in quasi},
            order={name: listed for name, listed in self.order.items() if name in quasi},
            date_format=self.date_format,
        )
        return [Column(one.name, one.hierarchy, one.order, one.date_format) for one in schema.quasi]

    def alone(self, quasi: Sequence[str], notes: list[str]) -> list[Column]:
        """Return the quasi-identifiers of a table without its original."""
        trees: dict[str, Hierarchy] = {}
        for name, tree in self.hierarchy.items():
            if isinstance(tree, Hierarchy):
                trees[name] = tree
            elif isinstance(tree, Recipe) or (isinstance(tree, str) and is_recipe(tree)):
                notes.append(
                    f"The hierarchy of {name!r} is made from the original: without it, its nodes "
                    f"match only themselves."
                )
            else:
                trees[name] = read_hierarchy(tree)
        return [
            Column(
                name, trees.get(name), tuple(self.order.get(name, ())), self.date_format.get(name)
            )
            for name in quasi
        ]
