"""Tables of people: schema, reading of values, inference."""

from shoal.table.declare import declare
from shoal.table.schema import (
    Attribute,
    HierarchyLoss,
    Kind,
    MissingPolicy,
    Reading,
    Role,
    Schema,
    SetLoss,
)
from shoal.table.table import Table

__all__ = [
    "Attribute",
    "HierarchyLoss",
    "Kind",
    "MissingPolicy",
    "Reading",
    "Role",
    "Schema",
    "SetLoss",
    "Table",
    "declare",
]
