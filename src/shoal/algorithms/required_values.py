"""What every class holds that meets a privacy model: different values of a certain weight."""

from __future__ import annotations

from functools import singledispatch
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.models.closeness import Closeness
from shoal.models.delta_disclosure import DeltaDisclosure
from shoal.models.distinct import DistinctDiversity
from shoal.models.entropy import EntropyDiversity
from shoal.models.frequency import FrequencyDiversity
from shoal.models.hierarchical_closeness import HierarchicalCloseness
from shoal.models.likeness import Likeness
from shoal.models.ordered_closeness import OrderedCloseness
from shoal.models.persons import DistinctPersons
from shoal.models.recursive import RecursiveDiversity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models import Model

# Models allow for rounding; so much less is required here.
_LEEWAY = 1e-6


class RequiredValues(NamedTuple):
    """What every class that meets a model holds.

    Parameters
    ----------
    weights
        A weight for each value.
    wanted
        What the weights of the different values in a class sum up to at least.
    """

    weights: NDArray[np.float64]
    wanted: float

    @property
    def different(self) -> int:
        """How many different values that takes at least; 1 where no number of them is enough."""
        sums = np.cumsum(np.sort(self.weights)[::-1])
        enough = np.flatnonzero(sums >= self.wanted - _LEEWAY)
        return 1 + int(enough[0]) if len(enough) else 1


@singledispatch
def required_values(model: Model, values: int) -> RequiredValues | None:  # noqa: ARG001
    """Return what every class holds that meets a model, given the number of values.

    ``None`` if nothing is known.
    """
    return None


@required_values.register(DistinctDiversity)
def _(model: DistinctDiversity, values: int) -> RequiredValues:
    return _different(values, model.l)


@required_values.register(DistinctPersons)
def _(model: DistinctPersons, values: int) -> RequiredValues:
    return _different(values, model.least)


@required_values.register(EntropyDiversity)
@required_values.register(FrequencyDiversity)
@required_values.register(RecursiveDiversity)
def _(
    model: EntropyDiversity | FrequencyDiversity | RecursiveDiversity, values: int
) -> RequiredValues:
    # Fewer values have an entropy below log l, one of them a share above 1/l, and no l-th count.
    return _different(values, float(model.l))


@required_values.register(Closeness)
def _(model: Closeness, values: int) -> RequiredValues:
    # Values that a class lacks put it at least as far from the table as their share there.
    return RequiredValues(_padded(model.whole, values), 1.0 - float(model.t) - _LEEWAY)


@required_values.register(OrderedCloseness)
def _(model: OrderedCloseness, values: int) -> RequiredValues:
    # What is lacking moves at least from one value to the next.
    steps = max(1, len(model.whole) - 1)
    return RequiredValues(_padded(model.whole, values), 1.0 - (float(model.t) + _LEEWAY) * steps)


@required_values.register(HierarchicalCloseness)
def _(model: HierarchicalCloseness, values: int) -> RequiredValues:
    # What is lacking moves at least through the lowest level.
    height = len(model.nodes)
    return RequiredValues(_padded(model.whole, values), 1.0 - (float(model.t) + _LEEWAY) * height)


@required_values.register(DeltaDisclosure)
def _(model: DeltaDisclosure, values: int) -> RequiredValues:
    there = (model.whole > 0).astype(np.float64)
    return RequiredValues(_padded(there, values), float(there.sum()))


@required_values.register(Likeness)
def _(model: Likeness, values: int) -> RequiredValues:
    # Shares in a class sum up to 1, and none exceeds its limit.
    return RequiredValues(_padded(np.minimum(model.highest, 1.0), values), 1.0 - _LEEWAY)


def _different(values: int, wanted: float) -> RequiredValues:
    return RequiredValues(np.ones(values), float(ceil(wanted - _LEEWAY)))


def _padded(weights: NDArray[np.float64], values: int) -> NDArray[np.float64]:
    padded = np.zeros(max(values, len(weights)))
    padded[: len(weights)] = weights
    return padded
