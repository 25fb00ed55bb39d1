"""`hilbert`: the best runs along a curve.

Kernels: cpp/src/clustering/{hilbert,optimal_runs}.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Traits, algorithm
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.partition import Partition
from shoal.encoding.domain import IntervalDomain, TreeDomain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.encoding.domain import Domain


@algorithm(
    "hilbert",
    family=Family.CLUSTER,
    traits=Traits(
        summary="Order the records along a Hilbert curve and divide the line optimally.",
        use_when="millions of rows must be divided quickly and `mondrian` loses too much",
        cost="n log n + n·k",
        paper="Goldberger & Tassa, Efficient anonymizations with enhanced utility, section 6.2.3; "
        "curve: Hamilton, Compact Hilbert indices",
        measures=("gcp", "mi", "pmi", "wmi"),
    ),
)
class Hilbert:
    """Neighbours on a space-filling curve are alike; the line of them is divided optimally.

    The idea: every attribute becomes an axis (numbers by size, others in the order of their
    domain), all stretched to the same range, and the records are ordered as the Hilbert curve meets
    them. Of all divisions of this line into runs of k to 2k - 1 records, dynamic programming finds
    the one of least loss. Equal records may fall into two runs if that is better. Time is O(n log n
    + n·k·m), memory O(n·m). Every class has at least k records, and the division of this one line
    is the best possible; about other classes it says nothing (under PMI, longer runs might lose
    even less). The order of categories is arbitrary, so it suits numbers and hierarchies better
    than plain sets.
    """

    rescale: bool = Field(
        default=True,
        description="stretch all attributes to the range of the largest one; off, attributes "
        "with few values barely influence the order",
    )

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the runs as classes."""

        def divide(subproblem: Problem) -> Partition:
            axes, bits = coordinates(subproblem, rescale=self.rescale)
            order = kernels.hilbert_order(axes, bits, run.control)
            return Partition.of(
                *kernels.optimal_runs(subproblem.objective(), order, subproblem.k, run.control)
            )

        return complete(problem, run, divide)


def coordinates(problem: Problem, *, rescale: bool) -> tuple[list[NDArray[np.uint32]], int]:
    """Return the distinct rows as points, one array an axis, and the bits a coordinate needs."""
    largest = max(domain.size for domain in problem.domains) - 1
    axes = [
        np.round(_stretched(domain) * largest).astype(np.uint32)[codes]
        if rescale
        else _ranks(domain)[codes].astype(np.uint32)
        for codes, domain in zip(problem.codes, problem.domains, strict=True)
    ]
    return axes, max(largest.bit_length(), 1)


def _stretched(domain: Domain) -> NDArray[np.float64]:
    """Return where each code lies between 0 and 1: numbers by their size, others by their order.

    Categories that are all numbers count as numbers; the missing value lies at the end.
    """
    if isinstance(domain, IntervalDomain):
        return np.clip(domain.positions, 0.0, 1.0)
    numbers = None if isinstance(domain, TreeDomain) else _numbers(domain)
    if numbers is None:
        return np.arange(domain.size) / max(domain.size - 1, 1)
    low, high = numbers.min(), numbers.max()
    return (numbers - low) / (high - low) if high > low else np.zeros(domain.size)


def _ranks(domain: Domain) -> NDArray[np.int64]:
    """Return the codes in the order of the axis."""
    return np.argsort(np.argsort(_stretched(domain), kind="stable"), kind="stable")


def _numbers(domain: Domain) -> NDArray[np.float64] | None:
    """Return the numbers that all categories are, if they are; a missing one is the largest."""
    given = [text for code, text in enumerate(domain.texts) if code != domain.missing]
    try:
        numbers = np.array([float(text) for text in given])
    except ValueError:
        return None
    if not len(numbers) or not np.isfinite(numbers).all():
        return None
    return numbers if domain.missing is None else np.append(numbers, numbers.max())
