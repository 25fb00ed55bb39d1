"""The bundled example: a synthetic hospital table, and a demonstration that runs on it."""

from shoal.example.hospital import hospital, write_example
from shoal.example.postcodes import postcode_hierarchy

__all__ = ["hospital", "postcode_hierarchy", "write_example"]
