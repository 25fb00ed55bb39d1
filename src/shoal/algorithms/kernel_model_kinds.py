"""How each kind of privacy model is handed to the kernels: one entry per kind."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.models.closeness import Closeness
from shoal.models.delta_disclosure import DeltaDisclosure
from shoal.models.distinct import DistinctDiversity
from shoal.models.enhanced_likeness import EnhancedLikeness
from shoal.models.entropy import EntropyDiversity
from shoal.models.frequency import FrequencyDiversity
from shoal.models.hierarchical_closeness import HierarchicalCloseness
from shoal.models.likeness import Likeness
from shoal.models.ordered_closeness import OrderedCloseness
from shoal.models.personal_k import PersonalK
from shoal.models.persons import DistinctPersons
from shoal.models.recursive import RecursiveDiversity

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal._core import kernels
    from shoal.models import Model

    Codes = NDArray[np.unsignedinteger]

# Numerators and denominators that users write are far below; kernels compare in 128 bits.
_LARGEST_DENOMINATOR = 10**12


@singledispatch
def add_to_kernel(model: Model, models: kernels.Models, codes: Codes) -> None:
    """Hand a model and the protected values of all rows to the kernels."""


def kernel_knows(model: Model) -> bool:
    """Return whether kernels keep models of this kind."""
    return add_to_kernel.dispatch(type(model)) is not add_to_kernel.dispatch(object)


@add_to_kernel.register(DistinctDiversity)
def _(model: DistinctDiversity, models: kernels.Models, codes: Codes) -> None:
    models.add_distinct(codes, model.l)


@add_to_kernel.register(DistinctPersons)
def _(model: DistinctPersons, models: kernels.Models, codes: Codes) -> None:
    models.add_distinct(codes, model.least)


@add_to_kernel.register(PersonalK)
def _(model: PersonalK, models: Any, codes: Codes) -> None:
    models.add_least_sizes(codes, model.ks.astype(np.float64))


@add_to_kernel.register(FrequencyDiversity)
def _(model: FrequencyDiversity, models: kernels.Models, codes: Codes) -> None:
    models.add_frequency(codes, *_ratio(model.l))


@add_to_kernel.register(EntropyDiversity)
def _(model: EntropyDiversity, models: kernels.Models, codes: Codes) -> None:
    models.add_entropy(codes, float(model.l))


@add_to_kernel.register(RecursiveDiversity)
def _(model: RecursiveDiversity, models: kernels.Models, codes: Codes) -> None:
    models.add_recursive(codes, *_ratio(model.c), model.l)


@add_to_kernel.register(Closeness)
def _(model: Closeness, models: kernels.Models, codes: Codes) -> None:
    models.add_closeness(codes, model.whole, float(model.t))


@add_to_kernel.register(OrderedCloseness)
def _(model: OrderedCloseness, models: kernels.Models, codes: Codes) -> None:
    models.add_ordered_closeness(codes, model.whole, float(model.t))


@add_to_kernel.register(HierarchicalCloseness)
def _(model: HierarchicalCloseness, models: kernels.Models, codes: Codes) -> None:
    parent, toll = _tree(model.nodes)
    models.add_tree_closeness(codes, model.whole, parent, toll, float(model.t))


@add_to_kernel.register(DeltaDisclosure)
@add_to_kernel.register(Likeness)
@add_to_kernel.register(EnhancedLikeness)
def _(
    model: DeltaDisclosure | Likeness | EnhancedLikeness, models: kernels.Models, codes: Codes
) -> None:
    models.add_bounded_shares(codes, model.lowest, model.highest)


def _ratio(value: Fraction) -> tuple[int, int]:
    near = value.limit_denominator(_LARGEST_DENOMINATOR)
    return near.numerator, near.denominator


def _tree(nodes: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return parents and tolls: values first, then the nodes of each level, then the root.

    Two values that meet at level i of height h are i/h apart, half of it on either side.
    """
    height, values = nodes.shape
    parent: list[int] = []
    place = np.arange(values)
    offset = values
    for level in range(1, height):
        distinct, above = np.unique(nodes[level], return_inverse=True)
        own = np.zeros(int(place.max()) + 1 - len(parent), dtype=np.int64)
        own[place - len(parent)] = offset + above
        parent += own.tolist()
        place = offset + above
        offset += len(distinct)
    parent += [offset] * (offset - len(parent))
    parent.append(-1)
    return np.array(parent, dtype=np.int32), np.full(len(parent), 0.5 / height)
