"""Measures of utility: one file per measure, one evaluator for all of them."""

from shoal.measures.gcp import losses
from shoal.measures.measure import Measure, Measures, find_measure, measure, measures
from shoal.measures.released import Released, TargetColumn

__all__ = [
    "Measure",
    "Measures",
    "Released",
    "TargetColumn",
    "find_measure",
    "losses",
    "measure",
    "measures",
]
