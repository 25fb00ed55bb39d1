"""Exposure: what columns that are released unchanged give away about people."""

from shoal.exposure.examination import (
    examine_columns,
    examine_release,
    notes_on_quasi_identifiers,
)
from shoal.exposure.groups import examine_groups
from shoal.exposure.report import ColumnExposure, Exposure

__all__ = [
    "ColumnExposure",
    "Exposure",
    "examine_columns",
    "examine_groups",
    "examine_release",
    "notes_on_quasi_identifiers",
]
