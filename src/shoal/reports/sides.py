"""Both tables of a report, as those may see them whom it is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.reports.distributions import Counted
from shoal.risks import Column
from shoal.risks.covers import Records

if TYPE_CHECKING:
    import polars as pl

    from shoal.reports.report import Audience
    from shoal.reports.subject import Subject
    from shoal.table import Attribute


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Both tables as one audience may see them.

    Parameters
    ----------
    subject
        What the report is about.
    audience
        For whom it is.
    columns
        The quasi-identifiers, with what this audience may know of them.
    original
        The original; ``None`` in public.
    """

    subject: Subject
    audience: Audience
    columns: tuple[Column, ...]
    original: pl.DataFrame | None

    @classmethod
    def of(cls, subject: Subject, audience: Audience) -> Sides:
        """Return the tables of a subject for an audience."""
        if audience == "internal":
            columns = tuple(
                Column(one.name, one.hierarchy, one.order, one.date_format)
                for one in subject.schema.quasi
            )
            return cls(subject, audience, columns, subject.source)
        # A hierarchy may have been made from the original, and an order may list categories that
        # only withheld people have: the public sees what stands in cells of the release.
        columns = tuple(
            Column(one.name, None, _order_shown(one, subject.released), one.date_format)
            for one in subject.schema.quasi
        )
        return cls(subject, audience, columns, None)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The quasi-identifiers as the original declares them."""
        return self.subject.schema.quasi


def _order_shown(attribute: Attribute, released: pl.DataFrame) -> tuple[str, ...]:
    """Return the categories of an ordered column that cells of a release name."""
    if not attribute.order:
        return ()
    counted = Counted.of(Records(released), Column(attribute.name, order=attribute.order))
    named = {text for cell in counted.used for text in cell or ()}
    return tuple(category for category in attribute.order if category in named)
