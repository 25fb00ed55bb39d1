"""Encoding: a table as codes and domains, a recoding as cells."""

from shoal.encoding.decode import Notation, decode, released_names
from shoal.encoding.domain import Domain
from shoal.encoding.encode import (
    EncodedTable,
    FoldedRows,
    encode,
    encode_together,
    encode_values,
)
from shoal.encoding.recoding import SUPPRESSED, ColumnRecoding, Recoding

__all__ = [
    "SUPPRESSED",
    "ColumnRecoding",
    "Domain",
    "EncodedTable",
    "FoldedRows",
    "Notation",
    "Recoding",
    "decode",
    "encode",
    "encode_together",
    "encode_values",
    "released_names",
]
