"""Tables of people: schema, reading of values, inference."""

from shoal.table.schema import Attribute, Kind, MissingPolicy, Reading, Role, Schema

__all__ = ["Attribute", "Kind", "MissingPolicy", "Reading", "Role", "Schema"]
