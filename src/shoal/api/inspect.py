"""What a table seems to hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.io import CallerFrame
from shoal.table.inspection import inspect as inspect_table

if TYPE_CHECKING:
    from shoal.table.inspection import Inspection


def inspect(frame: Any) -> Inspection:
    """Return what each column seems to be, and how exposed its people are now."""
    return inspect_table(CallerFrame.of(frame).polars)
