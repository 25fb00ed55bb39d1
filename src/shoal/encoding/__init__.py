"""Encoding: a table as codes and domains, a recoding as cells."""

from shoal.encoding.aggregates import Aggregate
from shoal.encoding.decode import decode, decode_columns, released_names, released_types
from shoal.encoding.domain import Domain
from shoal.encoding.encode import (
    EncodedTable,
    FoldedRows,
    encode,
    encode_together,
    encode_values,
)
from shoal.encoding.presentation import Notation, in_text_notation
from shoal.encoding.recoding import SUPPRESSED, ColumnRecoding, Recoding

__all__ = [
    "SUPPRESSED",
    "Aggregate",
    "ColumnRecoding",
    "Domain",
    "EncodedTable",
    "FoldedRows",
    "Notation",
    "Recoding",
    "decode",
    "decode_columns",
    "encode",
    "encode_together",
    "encode_values",
    "in_text_notation",
    "released_names",
    "released_types",
]
