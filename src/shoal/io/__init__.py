"""Tables from and to files and frames."""

from shoal.io.destination import check_output
from shoal.io.formats import STANDARD_STREAM
from shoal.io.frames import CallerFrame
from shoal.io.hierarchies import write_hierarchy
from shoal.io.read import options_of_source, read_release, read_source, read_table
from shoal.io.recovery import recover
from shoal.io.source import ReadOptions, Source
from shoal.io.staging import Staging
from shoal.io.unreferenced import drop_unreferenced_values

__all__ = [
    "STANDARD_STREAM",
    "CallerFrame",
    "ReadOptions",
    "Source",
    "Staging",
    "check_output",
    "drop_unreferenced_values",
    "options_of_source",
    "read_release",
    "read_source",
    "read_table",
    "recover",
    "write_hierarchy",
]
