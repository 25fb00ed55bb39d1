"""Measures of utility: one file a measure, one evaluator for all of them."""

from shoal.measures.gcp import losses
from shoal.measures.measure import Measure, Released, evaluate, measure, measures

__all__ = ["Measure", "Released", "evaluate", "losses", "measure", "measures"]
