"""Algorithms: what they take (Problem, Run), what they return (Solution), and all of them.

Every algorithm is an attribute, by the name of its class: ``shoal.algorithms.Mondrian``. Its module
is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.algorithms.algorithm import (
    Algorithm,
    AlgorithmLike,
    Family,
    Form,
    Parameter,
    Traits,
    algorithm,
    algorithms,
    describe_parameters,
    find_algorithm,
    make_algorithm,
    parameters_of,
    solve_partition,
    with_default_budget,
)
from shoal.algorithms.budget import Budget
from shoal.algorithms.index import places
from shoal.algorithms.partition import Partition
from shoal.algorithms.problem import Problem
from shoal.algorithms.run import Run
from shoal.algorithms.solution import Guarantee, Solution

if TYPE_CHECKING:
    # Written by python -m shoal.options.generate.
    from shoal.algorithms.auto.auto import Auto as Auto
    from shoal.algorithms.cluster.agglomerative import Agglomerative as Agglomerative
    from shoal.algorithms.cluster.greedy import Greedy as Greedy
    from shoal.algorithms.cluster.hilbert import Hilbert as Hilbert
    from shoal.algorithms.cluster.k_member import KMember as KMember
    from shoal.algorithms.cluster.mondrian import Mondrian as Mondrian
    from shoal.algorithms.cluster.refine import Refine as Refine
    from shoal.algorithms.cluster.sequential import Sequential as Sequential
    from shoal.algorithms.cluster.sorted_runs import SortedRuns as SortedRuns
    from shoal.algorithms.exact.covers.ff_optimal import FreeformOptimal as FreeformOptimal
    from shoal.algorithms.exact.milp.milp import Milp as Milp
    from shoal.algorithms.exact.optimal.optimal import Optimal as Optimal
    from shoal.algorithms.exact.split_carry.split_carry import SplitCarry as SplitCarry
    from shoal.algorithms.freeform.greedy import FreeformGreedy as FreeformGreedy
    from shoal.algorithms.freeform.hungarian import FreeformHungarian as FreeformHungarian
    from shoal.algorithms.freeform.k_concealment import KConcealment as KConcealment
    from shoal.algorithms.freeform.min_cost import FreeformMinCost as FreeformMinCost
    from shoal.algorithms.freeform.mip import FreeformMip as FreeformMip
    from shoal.algorithms.freeform.refine import FreeformRefine as FreeformRefine
    from shoal.algorithms.freeform.ring import Ring as Ring
    from shoal.algorithms.freeform.sort_greedy import FreeformSortGreedy as FreeformSortGreedy
    from shoal.algorithms.lattice.datafly import Datafly as Datafly
    from shoal.algorithms.lattice.exhaustive import Exhaustive as Exhaustive
    from shoal.algorithms.lattice.flash import Flash as Flash
    from shoal.algorithms.lattice.incognito import Incognito as Incognito
    from shoal.algorithms.lattice.kgen import KGen as KGen
    from shoal.algorithms.lattice.ola import Ola as Ola
    from shoal.algorithms.lattice.random import RandomSearch as RandomSearch
    from shoal.algorithms.lattice.samarati import Samarati as Samarati
    from shoal.algorithms.recoding.annealing import Annealing as Annealing
    from shoal.algorithms.recoding.iyengar import Iyengar as Iyengar

if TYPE_CHECKING:  # apart from the lines above, which are written
    from shoal.algorithms.cut import Cut
    from shoal.algorithms.levels import Levels

__all__ = [
    "Algorithm",
    "AlgorithmLike",
    "Budget",
    "Cut",
    "Family",
    "Form",
    "Guarantee",
    "Levels",
    "Parameter",
    "Partition",
    "Problem",
    "Run",
    "Solution",
    "Traits",
    "algorithm",
    "algorithms",
    "describe_parameters",
    "find_algorithm",
    "make_algorithm",
    "parameters_of",
    "solve_partition",
    "with_default_budget",
]

# Solutions that few algorithms return.
_SOLUTIONS = {"Cut": "shoal.algorithms.cut", "Levels": "shoal.algorithms.levels"}

if not TYPE_CHECKING:  # else a type checker would take any name for an algorithm

    def __getattr__(name: str) -> Any:
        if name in _SOLUTIONS:
            return getattr(import_module(_SOLUTIONS[name]), name)
        for place in places().values():
            if place.cls == name:
                return getattr(import_module(place.module), name)
        raise AttributeError(f"module 'shoal.algorithms' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(place.cls for place in places().values())])
