"""Shoal: k-anonymous releases of tables of people, with little loss and independent proof."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.api.anonymize import anonymize
    from shoal.api.bound import bound
    from shoal.api.hierarchy import build_hierarchy
    from shoal.api.inspect import inspect
    from shoal.api.measure import measure
    from shoal.api.utility import utility
    from shoal.api.verify import verify
    from shoal.hierarchies import Hierarchy, read_hierarchy
    from shoal.io import write_hierarchy
    from shoal.pipeline.anatomy import Anatomy, anatomize
    from shoal.pipeline.progress import Progress
    from shoal.pipeline.release import Release

# Names load their modules when they are first used: `shoal --help` needs none of them.
_HOME = {
    "Anatomy": "shoal.pipeline.anatomy",
    "Hierarchy": "shoal.hierarchies",
    "Progress": "shoal.pipeline.progress",
    "Release": "shoal.pipeline.release",
    "anatomize": "shoal.pipeline.anatomy",
    "anonymize": "shoal.api.anonymize",
    "bound": "shoal.api.bound",
    "build_hierarchy": "shoal.api.hierarchy",
    "inspect": "shoal.api.inspect",
    "measure": "shoal.api.measure",
    "read_hierarchy": "shoal.hierarchies",
    "utility": "shoal.api.utility",
    "verify": "shoal.api.verify",
    "write_hierarchy": "shoal.io",
}

__all__ = [
    "Anatomy",
    "Hierarchy",
    "Progress",
    "Release",
    "anatomize",
    "anonymize",
    "bound",
    "build_hierarchy",
    "inspect",
    "measure",
    "read_hierarchy",
    "utility",
    "verify",
    "write_hierarchy",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
