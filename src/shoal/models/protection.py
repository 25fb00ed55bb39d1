"""From a model as users write it to the model itself, with the codes that it reads."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import encode_values
from shoal.errors import SchemaError, option
from shoal.models.closeness import Closeness
from shoal.models.distinct import DistinctDiversity
from shoal.models.entropy import EntropyDiversity
from shoal.models.frequency import FrequencyDiversity
from shoal.models.hierarchical_closeness import HierarchicalCloseness
from shoal.models.ordered_closeness import OrderedCloseness
from shoal.models.recursive import RecursiveDiversity
from shoal.table.value_order import order_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy
    from shoal.models.model import Model
    from shoal.models.specification import Specification
    from shoal.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Protection:
    """A model, and for each record the code of its value in the model's column.

    Parameters
    ----------
    notes
        What the user should know about it, in sentences.
    """

    model: Model
    codes: NDArray[np.unsignedinteger] = field(repr=False)
    notes: tuple[str, ...] = ()


def protect(wanted: Specification, table: Table) -> Protection:
    """Return the model on the values of a table.

    Raises
    ------
    SchemaError
        If a hierarchical distance is asked for a column without a hierarchy.
    ValueReadError
        If the values of a column cannot be put in order.
    """
    series = table.frame[wanted.column]
    if wanted.name == "ordered-t-closeness":
        ordered = order_values(series, table.schema.sensitive_orders.get(wanted.column, ()))
        codes = ordered.ranks.astype(np.uint32)
        note = f"{wanted.name} takes the values of {wanted.column!r} in order {ordered.said}."
        model = OrderedCloseness(wanted.column, wanted.numbers[0], _shares(codes))
        return Protection(model, codes, (note,))
    codes, labels = encode_values(series)
    made = _protect(wanted, table, codes, labels)
    alike = len(labels) - len({_essence(label) for label in labels})
    if not alike:
        return made
    note = (
        f"{alike} values of {wanted.column!r} differ from others only in case, spaces or "
        f"spelling; models count them as different. If they mean the same, unite them first."
    )
    return replace(made, notes=(*made.notes, note))


def _essence(label: str) -> str:
    """Return what is left of a value without case, outer spaces and forms of letters."""
    plain = unicodedata.normalize("NFKC", label).casefold().strip()
    try:
        return repr(float(plain) + 0.0)
    except ValueError:
        return plain


def _protect(
    wanted: Specification,
    table: Table,
    codes: NDArray[np.unsignedinteger],
    labels: Sequence[str],
) -> Protection:
    if wanted.name == "hierarchical-t-closeness":
        tree = table.schema.sensitive_hierarchies.get(wanted.column)
        if tree is None:
            raise SchemaError(
                f"{wanted.name} needs to know how near the values of {wanted.column!r} are.",
                remedy=f"Give their tree with {option('hierarchy', {wanted.column: 'FILE'})}.",
            )
        nodes = _nodes(tree, labels)
        return Protection(
            HierarchicalCloseness(wanted.column, wanted.numbers[0], _shares(codes), nodes), codes
        )
    if wanted.name == "t-closeness":
        return Protection(Closeness(wanted.column, wanted.numbers[0], _shares(codes)), codes)
    return _diversity(wanted, codes)


def _diversity(wanted: Specification, codes: NDArray[np.unsignedinteger]) -> Protection:
    column, numbers = wanted.column, wanted.numbers
    if wanted.name == "frequency-l-diversity":
        return Protection(FrequencyDiversity(column, numbers[0]), codes)
    if wanted.name == "entropy-l-diversity":
        return Protection(EntropyDiversity(column, numbers[0]), codes)
    if wanted.name == "recursive-l-diversity":
        return Protection(RecursiveDiversity(column, numbers[0], int(numbers[1])), codes)
    assert wanted.name == "distinct-l-diversity"
    note = (
        f"{wanted.name} counts the values of {column!r} in a class, not how often they occur: a "
        f"class of 300 in which all but one record are alike meets l = 2. "
        f"frequency-l-diversity bounds that share."
    )
    return Protection(DistinctDiversity(column, int(numbers[0])), codes, (note,))


def _shares(codes: NDArray[np.unsignedinteger]) -> NDArray[np.float64]:
    return np.bincount(codes) / len(codes)


def _nodes(tree: Hierarchy, labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the node of each value at every level below the root.

    A missing value that the tree does not list hangs at the root by itself.
    """
    own = len(tree.node_names)
    places = [tree.position.get(label, -1) for label in labels]
    above = np.hstack((tree.ancestors[:-1], np.full((tree.height, 1), own)))
    return above[:, places].astype(np.int64)
