"""Exact optimization: classes of proved least loss, and bounds on how far others are from it."""

from shoal.algorithms.exact.optimal.improve import improve

__all__ = ["improve"]
