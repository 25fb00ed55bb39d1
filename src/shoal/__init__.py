"""Shoal: k-anonymous releases of tables of people, with little loss and independent proof."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.anatomy import Anatomy, anatomize
    from shoal.hierarchy import Hierarchy, read_hierarchy
    from shoal.io import write_hierarchy
    from shoal.pipeline import anonymize
    from shoal.progress import Progress
    from shoal.questions import bound, build_hierarchy, inspect, measure, utility, verify
    from shoal.release import Release

# Names load their modules when they are first used: `shoal --help` needs none of them.
_HOME = {
    "Anatomy": "shoal.anatomy",
    "Hierarchy": "shoal.hierarchy",
    "Progress": "shoal.progress",
    "Release": "shoal.release",
    "anatomize": "shoal.anatomy",
    "anonymize": "shoal.pipeline",
    "bound": "shoal.questions",
    "build_hierarchy": "shoal.questions",
    "inspect": "shoal.questions",
    "measure": "shoal.questions",
    "read_hierarchy": "shoal.hierarchy",
    "utility": "shoal.questions",
    "verify": "shoal.questions",
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
