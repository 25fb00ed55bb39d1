"""Algorithms: what they are asked (Problem, Run), what they answer (Solution), and all of them."""

from shoal.algorithms.algorithm import (
    Algorithm,
    Family,
    Parameter,
    Traits,
    algorithm,
    algorithms,
    describe_parameters,
    find_algorithm,
    make_algorithm,
    parameters_of,
)
from shoal.algorithms.problem import Problem
from shoal.algorithms.run import Run
from shoal.algorithms.solution import Partition, Solution, recode

__all__ = [
    "Algorithm",
    "Family",
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
    "recode",
]
