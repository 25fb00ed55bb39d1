"""The codebook: schema, domains and models of a whole table, from the distinct cells of columns.

A part of a table that is encoded by the codebook gets the codes of the whole table. So closures,
loss, value ranges and hierarchies mean the same in every part.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.encoding import encode
from shoal.engines.ability import choose_for_cells
from shoal.errors import FileError, SchemaError, ValueReadError
from shoal.models import DistinctPersons, parse_models, protect
from shoal.pipeline.pinning import pinned, require_same_columns
from shoal.pipeline.run import schema_of
from shoal.table import Kind, Table
from shoal.table.cells import texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from shoal.encoding import Domain
    from shoal.models import Model
    from shoal.options import Job
    from shoal.pipeline.run import Hierarchies
    from shoal.table import Schema

_ROWS_NAMED = re.compile(r": data rows? [\d, ]+(and \d+ more)?")


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """The distinct cells of a column of the whole table.

    Parameters
    ----------
    cells
        Distinct cells in ascending order, missing ones (null) last, in the type of the column.
    counts
        For each of them its number of records.
    """

    cells: pl.Series
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, cells: pl.Series, counts: NDArray[np.integer]) -> Dictionary:
        """Sort what a group-by returns in any order; cells may repeat, as from several parts."""
        if cells.dtype.is_float():
            cells = cells.set(cells == 0.0, 0.0)  # no engine tells a negative zero from zero
        frame = pl.DataFrame({"cell": cells, "count": pl.Series(counts, dtype=pl.Int64)})
        summed = frame.group_by("cell").agg(pl.col("count").sum())
        summed = summed.sort("cell", nulls_last=True)
        return cls(summed["cell"].alias(cells.name), summed["count"].to_numpy())

    @classmethod
    def count(cls, series: pl.Series) -> Dictionary:
        """Count the cells of a column that is in memory."""
        counted = series.alias("cell").value_counts(name="count")
        return cls.of(counted["cell"].alias(series.name), counted["count"].to_numpy())


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """The code of each cell of a column, as a look-up."""

    cells: pl.Series
    codes: pl.Series
    missing: int | None

    def encode(self, series: pl.Series) -> NDArray[np.uint32]:
        """Return the codes of a part of the column.

        Raises
        ------
        FileError
            If the part holds a cell that the dictionary lacks: the table changed meanwhile.
        """
        if series.dtype != self.cells.dtype:
            raise FileError(
                f"Column {series.name!r} is {series.dtype} in one part of the table and "
                f"{self.cells.dtype} in another.",
                remedy="Give all parts the same columns with the same types.",
            )
        if series.dtype == pl.String:
            series = texts(series)
        found = (
            series.replace_strict(self.cells, self.codes, default=None, return_dtype=pl.UInt32)
            if len(self.cells)
            else pl.Series(series.name, [None] * len(series), dtype=pl.UInt32)
        )
        unknown = found.is_null()
        if self.missing is not None:
            found = found.set(series.is_null(), self.missing)
            unknown = found.is_null()
        if unknown.any():
            raise FileError(
                f"Column {series.name!r} has changed since it was first read.",
                remedy="Do not change the source during a run.",
            )
        return found.to_numpy()


@dataclass(frozen=True, slots=True, eq=False)
class Codebook:
    """What a whole table looks like to those who see parts of it.

    Parameters
    ----------
    job
        The job, with the algorithm and the kinds of columns settled.
    schema
        Roles and kinds of the columns.
    domains, weights
        The quasi-identifiers of the whole table.
    codings
        How cells of each quasi-identifier become codes.
    models
        The models beyond k, fitted to the whole table; that k counts persons comes last.
    model_codings
        For each model how cells of its column become the codes that it reads; ``None`` where codes
        need only distinguish persons.
    n
        Records of the table, without those that `missing='drop'` withholds.
    columns
        Every column of the source, in order.
    notes
        What the user should know about the models.
    """

    job: Job
    schema: Schema
    domains: tuple[Domain, ...]
    weights: tuple[float, ...]
    codings: tuple[Coding, ...] = field(repr=False)
    models: tuple[Model, ...]
    model_codings: tuple[Coding | None, ...] = field(repr=False)
    n: int
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Any],
        dictionaries: Mapping[str, Dictionary],
        job: Job,
        hierarchy: Hierarchies | None = None,
    ) -> Codebook:
        """Return the codebook of a table.

        Parameters
        ----------
        columns
            Every column of the table and its polars type, in order.
        dictionaries
            Dictionaries of the columns that :func:`counted_columns` names, of the records that
            are not withheld.
        job, hierarchy
            As for :func:`shoal.anonymize`.

        Raises
        ------
        ParameterError
            If the job requires what cannot be done cell by cell.
        SchemaError, ValueReadError, HierarchyError
            If columns, cells or hierarchies do not fit the job, as in any run.
        """
        job = choose_for_cells(job)
        frame = _side_by_side(columns, dictionaries)
        require_same_columns(frame, job)
        with _no_rows_named():
            schema = schema_of(frame, job, hierarchy)
            if job.form == "hierarchy":
                _require_trees(schema)
            job = pinned(job, frame, schema)
            table = Table.of(frame, schema)
        encoded = encode(table)
        codings = tuple(
            _coding(dictionaries[domain.attribute.name], codes)
            for domain, codes in zip(encoded.domains, encoded.codes, strict=True)
        )
        models: list[Model] = []
        model_codings: list[Coding | None] = []
        notes: list[str] = []
        for wanted in parse_models(job.models, job.sensitive):
            assert wanted.column is not None
            counted = dictionaries[wanted.column]
            made = protect(wanted, table)
            codes = made.codes[: len(counted.cells)]
            model: Any = made.model
            if hasattr(model, "whole"):
                # It was fitted to distinct cells; the table holds each so many times.
                shares = np.bincount(codes, counted.counts, minlength=len(model.whole))
                model = replace(model, whole=shares / counted.counts.sum())
            models.append(model)
            model_codings.append(_coding(counted, codes))
            notes += made.notes
        if job.person is not None:
            models.append(DistinctPersons(job.person, job.k))
            model_codings.append(None)
        n = int(dictionaries[schema.quasi_names[0]].counts.sum())
        return cls(
            job,
            schema,
            encoded.domains,
            encoded.weights,
            codings,
            tuple(models),
            tuple(model_codings),
            n,
            tuple(columns),
            tuple(dict.fromkeys(notes)),
        )

    def encode(self, part: pl.DataFrame) -> list[NDArray[np.uint32]]:
        """Return the codes of each quasi-identifier of a part of the table."""
        return [
            coding.encode(part[name])
            for name, coding in zip(self.schema.quasi_names, self.codings, strict=True)
        ]

    def encode_for_models(self, part: pl.DataFrame) -> list[NDArray[np.uint32]]:
        """Return for each model the codes that it reads of a part of the table.

        Persons get codes that hold within the part only.
        """
        return [
            part[str(model.column)].rank("dense").fill_null(0).cast(pl.UInt32).to_numpy()
            if coding is None
            else coding.encode(part[str(model.column)])
            for model, coding in zip(self.models, self.model_codings, strict=True)
        ]

    @property
    def released_order(self) -> tuple[str, ...]:
        """The columns of the source that are released, generalized or not, in order."""
        released = {*self.schema.quasi_names, *self.schema.untouched}
        return tuple(name for name in self.columns if name in released)

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """Columns of the source that solving a cell needs: no identifier but that of persons."""
        persons = () if self.schema.person is None else (self.schema.person,)
        return (*self.schema.quasi_names, *self.schema.untouched, *persons)


@contextmanager
def _no_rows_named() -> Iterator[None]:
    """Leave out which rows hold unreadable cells: they are those of distinct cells, no records."""
    try:
        yield
    except ValueReadError as error:
        raise ValueReadError(_ROWS_NAMED.sub("", error.what), remedy=error.remedy) from None


def counted_columns(job: Job) -> tuple[str, ...]:
    """Return the columns whose distinct cells a codebook needs.

    Those are the quasi-identifiers, and the sensitive columns that a model reads or whose values
    have a hierarchy or an order.
    """
    read = {str(model.column) for model in parse_models(job.models, job.sensitive)}
    read |= {*job.hierarchy, *job.order}
    return tuple(dict.fromkeys((*job.quasi, *(name for name in job.sensitive if name in read))))


def _side_by_side(
    columns: Mapping[str, Any], dictionaries: Mapping[str, Dictionary]
) -> pl.DataFrame:
    """Return a frame whose columns hold the distinct cells; its rows mean nothing.

    Shorter columns repeat a cell, which changes nothing: a domain is made of distinct cells.
    Columns that are not counted are empty.
    """
    height = max((len(one.cells) for one in dictionaries.values()), default=0)
    series = []
    for name, dtype in columns.items():
        counted = dictionaries.get(name)
        if counted is None or not len(counted.cells):
            series.append(pl.Series(name, [None] * height, dtype=dtype))
            continue
        places = np.minimum(np.arange(height), len(counted.cells) - 1)
        series.append(counted.cells.gather(places).alias(name))
    return pl.DataFrame(series)


def _coding(counted: Dictionary, codes: NDArray[np.unsignedinteger]) -> Coding:
    cells = texts(counted.cells) if counted.cells.dtype == pl.String else counted.cells
    present = cells.is_not_null().to_numpy()
    absent = codes[: len(cells)][~present]
    return Coding(
        cells.filter(pl.Series(present)),
        pl.Series(codes[: len(cells)][present].astype(np.uint32)),
        int(absent[0]) if len(absent) else None,
    )


def _require_trees(schema: Schema) -> None:
    plain = [repr(one.name) for one in schema.quasi if one.kind is Kind.CATEGORICAL]
    if plain:
        raise SchemaError(
            f"`form='hierarchy'` needs a hierarchy of {', '.join(plain)}.",
            remedy="Make one with `shoal hierarchy build` and name its file with `hierarchy`.",
        )
