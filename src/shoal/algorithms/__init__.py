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
    divide,
    find_algorithm,
    make_algorithm,
    parameters_of,
)
from shoal.algorithms.cut import Cut
from shoal.algorithms.levels import Levels
from shoal.algorithms.partition import Partition
from shoal.algorithms.problem import Problem
from shoal.algorithms.run import Run
from shoal.algorithms.solution import Solution

__all__ = [
    "Algorithm",
    "Cut",
    "Family",
    "Form",
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
    "divide",
    "find_algorithm",
    "make_algorithm",
    "parameters_of",
]
