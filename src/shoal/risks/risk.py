"""What is asked about the risk of a table, and the answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.errors import ParameterError
from shoal.risks.attackers import require_share
from shoal.risks.comparison import RiskComparison
from shoal.risks.figure import percent
from shoal.risks.matching import MOST_PAIRS
from shoal.risks.uniques import WORK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.risks.classes import Classes
    from shoal.risks.disclosure import Disclosure
    from shoal.risks.figure import Figure
    from shoal.risks.safe_harbor import Identifier
    from shoal.risks.uniques import Uniques

THRESHOLD = 0.2
_COMBINATIONS_LISTED = 50


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the risk of a table.

    Parameters
    ----------
    threshold
        Highest acceptable risk of identifying a person.
    sampling_fraction
        Share of the population that the table holds, where it is a sample of one.
    combinations
        Most columns in a combination that is searched for; as many as can be searched quickly
        unless set.
    most_pairs, work
        How much work matching and the search for combinations may take.
    """

    threshold: float = THRESHOLD
    sampling_fraction: float | None = None
    combinations: int | None = None
    most_pairs: int = MOST_PAIRS
    work: int = WORK

    def __post_init__(self) -> None:
        require_share("threshold", self.threshold)
        if self.sampling_fraction is not None:
            require_share("sampling_fraction", self.sampling_fraction)
        if self.combinations is not None and self.combinations < 1:
            raise ParameterError(
                f"combinations is {self.combinations}.", remedy="It takes 1 or more columns."
            )


@dataclass(frozen=True, eq=False)
class Risk:
    """How exposed the people of a table are.

    Parameters
    ----------
    n
        Number of records.
    columns
        The quasi-identifiers that an attacker is assumed to know.
    threshold
        Highest acceptable risk of identifying a person.
    figures
        The figures, each with its meaning and definition.
    classes
        The equivalence classes.
    uniques
        The minimal combinations of columns on which records are unique.
    sensitive
        What classes reveal about each sensitive attribute.
    safe_harbor
        The 18 identifiers of HIPAA's Safe Harbor, each with the columns that seem to hold it.
    notes
        What to know about these figures, in sentences.
    """

    n: int
    columns: tuple[str, ...]
    threshold: float
    figures: tuple[Figure, ...]
    classes: Classes = field(repr=False)
    uniques: Uniques = field(repr=False)
    sensitive: tuple[Disclosure, ...] = ()
    safe_harbor: tuple[Identifier, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float | None:
        """Return the value of a figure by its name."""
        for figure in self.figures:
            if figure.name == name:
                return figure.value
        raise KeyError(name)

    def get(self, name: str) -> float | None:
        """Return the value of a figure, ``None`` where it was not computed."""
        return next((figure.value for figure in self.figures if figure.name == name), None)

    @property
    def summary(self) -> str:
        """How exposed the table is, in one sentence."""
        unique = int(self["unique"] or 0)
        alike = f"the smallest class has {int(self['smallest_class'] or 0):,}"
        if not unique:
            return f"None of {self.n:,} records is unique; {alike}."
        share = percent(unique / self.n)
        verb = "is" if unique == 1 else "are"
        return f"{unique:,} of {self.n:,} records ({share}) {verb} unique; {alike}."

    def with_notes(self, notes: Sequence[str]) -> Risk:
        """Return the same figures with further notes before the others."""
        return replace(self, notes=(*notes, *self.notes)) if notes else self

    def beside(self, after: Risk) -> RiskComparison:
        """Return this risk, of an original, beside that of its release.

        Raises
        ------
        ParameterError
            If one counts people and the other records, which do not compare.
        """
        units = {one.definition for risk in (self, after) for one in risk.figures[:1]}
        if len(units) > 1:
            raise ParameterError(
                "One of the two risks counts people, and the other counts records.",
                remedy="Set `person` for both, with `original` and `rows` for the release, or for "
                "neither.",
            )
        return RiskComparison(self, after)

    def rows(self) -> list[list[str]]:
        """Return label, value, meaning and definition of each figure."""
        return [[one.label, one.shown, one.meaning, one.definition] for one in self.figures]

    @property
    def table(self) -> pl.DataFrame:
        """The figures as a frame: name, value, label, meaning, definition, unit, margin."""
        return pl.DataFrame(
            [figure.to_dict() for figure in self.figures],
            schema_overrides={"value": pl.Float64, "margin": pl.Float64},
        )

    @property
    def class_sizes(self) -> pl.DataFrame:
        """How many classes and records there are of each size."""
        return self.classes.histogram()

    @property
    def by_column(self) -> pl.DataFrame:
        """How much each column singles people out, the worst first.

        ``unique_alone``: records unique on the column alone. ``unique_without``: records that stay
        unique when it is removed. ``contribution``: share of all SUDA scores that involve it.
        """
        return pl.DataFrame(
            {
                "column": self.columns,
                "contribution": self.uniques.contributions,
                "unique_alone": self.uniques.alone,
                "unique_without": self.uniques.without,
            },
            schema_overrides={"contribution": pl.Float64},
        ).sort("contribution", "unique_alone", "column", descending=[True, True, False])

    @property
    def by_combination(self) -> pl.DataFrame:
        """Minimal combinations of columns, and how many records each singles out."""
        listed = self.uniques.combinations
        return pl.DataFrame(
            {
                "columns": [[self.columns[place] for place in places] for places, _ in listed],
                "records": [records for _, records in listed],
            },
            schema={"columns": pl.List(pl.String), "records": pl.Int64},
        )

    @property
    def by_record(self) -> pl.DataFrame:
        """For each record, by its row number from 1, its class size, risk and SUDA score."""
        hiding = self.classes.hiding
        return pl.DataFrame(
            {
                "row": np.arange(1, self.n + 1),
                "class_size": hiding,
                "risk": 1.0 / hiding,
                "score": self.uniques.scores,
            }
        )

    @property
    def identifiers_present(self) -> tuple[Identifier, ...]:
        """Those of the 18 Safe Harbor identifiers that a column seems to hold."""
        return tuple(one for one in self.safe_harbor if one.present)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single records, ready for JSON."""
        return {
            "n": self.n,
            "quasi": list(self.columns),
            "threshold": self.threshold,
            "figures": {figure.name: figure.to_dict() for figure in self.figures},
            "class_sizes": self.class_sizes.to_dicts(),
            "by_column": self.by_column.to_dicts(),
            "by_combination": self.by_combination.head(_COMBINATIONS_LISTED).to_dicts(),
            "combinations_searched": self.uniques.searched,
            "sensitive": [asdict(one) for one in self.sensitive],
            "safe_harbor": [
                {
                    "number": one.number,
                    "identifier": one.name,
                    "columns": dict(one.columns),
                }
                for one in self.safe_harbor
            ],
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        from shoal.risks.notebook import risk_html

        return risk_html(self)
