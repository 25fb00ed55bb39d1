"""Algorithms: what they are asked (Problem, Run), what they answer (Solution), and all of them."""

from shoal.algorithms.algorithm import (
    Algorithm,
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
from shoal.algorithms.cut import Cut
from shoal.algorithms.levels import Levels
from shoal.algorithms.partition import Partition
from shoal.algorithms.problem import Problem
from shoal.algorithms.run import Run
from shoal.algorithms.solution import Guarantee, Solution

__all__ = [
    "Algorithm",
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
