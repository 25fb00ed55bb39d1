"""The values of a column as the detectors see them: distinct texts of a sample, with counts."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

# Enough to tell what a column holds; rare contents are searched for in all cells.
SAMPLED_ROWS = 50_000
SAMPLED_VALUES = 2_000
READ_TEXTS = 20_000
DIGIT = r"\d"
LETTER = r"\p{L}"
SEVERAL_WORDS = r"\p{L}{2}\P{L}+(?:\p{L}\P{L}+)?\p{L}{2}"  # of two letters or more each
MARKS_OF_ADDRESSES = ["@", "＠", "(at)", "(AT)", "[at]", "[AT]", "://", "www.", "WWW."]
ANY_MARK_OF_ADDRESSES = "|".join(map(re.escape, MARKS_OF_ADDRESSES))
_SEED = 20_250_101  # fixed: the same table is judged the same way every time


@dataclass(frozen=True)
class Values:
    """The values of one column.

    Parameters
    ----------
    name
        The column.
    cells
        Number of present cells.
    number
        Number of distinct present values.
    distinct
        Distinct texts without surrounding blanks, at most ``SAMPLED_VALUES`` of them, drawn at
        random from a sample of the rows.
    counts
        How many of the sampled rows hold each.
    numeric
        Whether the column is stored as numbers.
    """

    name: str
    cells: int
    number: int
    distinct: pl.Series = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    numeric: bool
    _column: pl.Series = field(repr=False)

    @classmethod
    def of(
        cls, series: pl.Series, counted: tuple[pl.Series, NDArray[np.int64]] | None = None
    ) -> Values:
        """Read a column; cells of nested types are read as the texts they print as.

        Parameters
        ----------
        series
            The column.
        counted
            Its distinct texts and how many cells hold each, if the caller has them.
        """
        present = _shown(series)
        present = present.drop_nulls() if present.null_count() else present
        sample = present
        if len(present) > SAMPLED_ROWS:
            drawn = np.sort(np.random.default_rng(_SEED).integers(0, len(present), SAMPLED_ROWS))
            sample = present.gather(drawn[np.append(drawn[1:] != drawn[:-1], True)])
        if counted is None or sample is not present or series.dtype != pl.String:
            texts = _counted(sample)
        else:
            texts = _stripped(pl.DataFrame({"text": counted[0], "cells": counted[1]}))
        number = texts.height
        if number > SAMPLED_VALUES and len(sample) < len(present):
            # A sample of few values shows nearly all of them; quantities need no exact count.
            share = number / len(sample)
            floats = series.dtype.is_float()
            number = round(share * len(present)) if floats else present.n_unique()
        texts = texts.sample(min(texts.height, SAMPLED_VALUES), shuffle=True, seed=_SEED)
        return cls(
            name=series.name,
            cells=len(present),
            number=number,
            distinct=texts["text"].alias(series.name),
            counts=texts["cells"].cast(pl.Int64).to_numpy(),
            numeric=series.dtype.is_numeric(),
            _column=present,
        )

    def __len__(self) -> int:
        return len(self.distinct)

    @property
    def unique_share(self) -> float:
        """Number of distinct values for each present cell: 1 if all differ."""
        return self.number / self.cells if self.cells else 0.0

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """The sampled distinct values as numbers, or None if some are not."""
        read = self.distinct.cast(pl.Float64, strict=False)
        if len(read) == 0 or read.null_count() or not read.is_finite().all():
            return None
        return read.to_numpy()

    def share(self, mask: pl.Series) -> float:
        """Return the share of the sampled distinct values that a mask marks."""
        return float(mask.mean() or 0.0) if len(mask) else 0.0  # type: ignore[arg-type]

    @cached_property
    def matched(self) -> dict[str, pl.Series]:
        """Which values match the patterns that were looked for."""
        return {}

    def matching(self, pattern: str) -> pl.Series:
        """Return which of the sampled distinct values match a pattern."""
        if pattern not in self.matched:
            self.matched[pattern] = self.distinct.str.contains(pattern)
        return self.matched[pattern]

    def matching_of_length(self, pattern: str, least: int, most: int) -> pl.Series:
        """Return which of the sampled distinct values match a pattern and have so many characters.

        To count characters within the pattern would take a hundred times as long to compile.
        """
        lengths = self.distinct.str.len_chars()
        return self.matching(pattern) & (lengths >= least) & (lengths <= most)

    def shares(self, patterns: Iterable[str]) -> list[float]:
        """Return the share of the sampled distinct values that match each pattern."""
        matched = [
            pl.col("text").str.contains(pattern).mean().alias(str(place))
            for place, pattern in enumerate(patterns)
        ]
        return [share or 0.0 for share in self.distinct.to_frame("text").select(matched).row(0)]

    def cells_containing(self, pattern: str) -> int:
        """Return how many cells of the whole column match a pattern with a mark of addresses."""
        return int(self._marked.str.contains(pattern).sum()) if len(self._marked) else 0

    @cached_property
    def has_digits(self) -> bool:
        """Whether one of the sampled distinct values holds a digit."""
        return bool(self.matching(DIGIT).any())

    @cached_property
    def phrases(self) -> list[str]:
        """The distinct texts of two words or more, of the whole column if it has some.

        A sample shows what most of a column is; what stands in one cell of a million it may miss.
        """
        if self.numeric or not self.matching(SEVERAL_WORDS).any():
            return []
        if self.number <= len(self.distinct) or self._column.dtype != pl.String:
            return sorted(self.distinct.filter(self.matching(SEVERAL_WORDS)))
        distinct = self._column.unique().str.strip_chars()
        texts = distinct.filter(distinct.str.contains(SEVERAL_WORDS)).unique().sort()
        if len(texts) > READ_TEXTS:
            texts = texts.sample(READ_TEXTS, seed=_SEED)
        return texts.to_list()

    @cached_property
    def _marked(self) -> pl.Series:
        """All cells that may hold an address: looked for once, since a column can be long."""
        if self._column.dtype != pl.String:
            return self._column.clear()
        complete = self.number == len(self.distinct) and len(self._column) <= SAMPLED_ROWS
        if complete and not self.matching(ANY_MARK_OF_ADDRESSES).any():
            return self._column.clear()
        return self._column.filter(self._column.str.contains_any(MARKS_OF_ADDRESSES))


def look_for(columns: Sequence[Values], patterns: Iterable[str]) -> None:
    """Match patterns in all columns with one query: each query of polars has a cost of its own."""
    wanted = [one for one in patterns if any(one not in column.matched for column in columns)]
    if not wanted:
        return
    texts = pl.concat([column.distinct.alias("text") for column in columns]).to_frame()
    found = texts.select(pl.col("text").str.contains(one).alias(one) for one in wanted)
    start = 0
    for column in columns:
        column.matched.update(found.slice(start, len(column)).to_dict())
        start += len(column)


def _counted(sample: pl.Series) -> pl.DataFrame:
    """Return the texts of cells without surrounding blanks, and how many cells show each."""
    if sample.dtype != pl.String:
        sample = sample.cast(pl.String)
    # Texts repeat: fewer are stripped once they are counted.
    return _stripped(sample.alias("text").value_counts(name="cells"))


def _stripped(counted: pl.DataFrame) -> pl.DataFrame:
    """Return texts without surrounding blanks, in order, and how many cells show each.

    They are sorted because which values are drawn, and in which order they are read, must not
    depend on the order of a hash table.
    """
    text = pl.col("text").str.strip_chars()
    stripped = counted.select(text.sort(), pl.col("cells").sort_by(text))
    if stripped["text"].n_unique() < stripped.height:
        stripped = stripped.group_by("text").agg(pl.col("cells").sum()).sort("text")
    blank = stripped.height > 0 and stripped["text"][0] == ""  # which is sorted first
    return stripped.slice(1) if blank else stripped


def _text_of(cell: object) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


def _shown(series: pl.Series) -> pl.Series:
    dtype = series.dtype
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        shown = [None if cell is None else _text_of(cell) for cell in series.to_list()]
        return pl.Series(series.name, shown, dtype=pl.String)
    if dtype in (pl.Categorical, pl.Enum):
        return series.cast(pl.String)
    if dtype == pl.Duration:
        return series.to_physical()
    if dtype.is_float():
        return series.fill_nan(None)
    return series


def folded(texts: pl.Series) -> pl.Series:
    """Return texts in lower case without accents, as word lists have them."""
    return pl.Series(texts.name, [fold(text) for text in texts.to_list()], dtype=pl.String)


def fold(text: str) -> str:
    """Return a text in lower case without accents; scripts other than Latin keep their letters.

    >>> fold("Łukasz Müller-Großé")
    'lukasz muller-grosse'
    """
    if text.isascii():
        return text.lower()
    lowered = text.lower().translate(_LETTERS)
    bare = unicodedata.normalize("NFKD", lowered)
    return "".join(character for character in bare if not unicodedata.combining(character))


# Letters that do not come apart into a base letter and an accent.
_LETTERS = str.maketrans(
    {"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}
)
