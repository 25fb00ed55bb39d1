"""Tables in databases: read in one query, written in one transaction."""

from shoal.io.databases.address import DatabaseAddress, is_database
from shoal.io.databases.read import read_database
from shoal.io.databases.write import PendingTable, check_destination, prepare_table

__all__ = [
    "DatabaseAddress",
    "PendingTable",
    "check_destination",
    "is_database",
    "prepare_table",
    "read_database",
]
