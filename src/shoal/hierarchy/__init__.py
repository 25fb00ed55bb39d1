"""Generalization hierarchies: trees over the values of an attribute, and their files."""

from shoal.hierarchy.files import read_hierarchy
from shoal.hierarchy.tree import ROOT, Hierarchy

__all__ = ["ROOT", "Hierarchy", "read_hierarchy"]
